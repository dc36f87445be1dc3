use proto::catalog::v1::{
    DecideHeldRequest, DecideHeldResponse, ListHeldRequest, ListHeldResponse, held_server::Held,
};
use tonic::{Request, Response, Status};

use crate::App;

#[tonic::async_trait]
impl Held for App {
    async fn list_held(&self, _: Request<ListHeldRequest>) -> Result<Response<ListHeldResponse>, Status> {
        Err(Status::unimplemented("held"))
    }

    async fn decide_held(
        &self,
        _: Request<DecideHeldRequest>,
    ) -> Result<Response<DecideHeldResponse>, Status> {
        Err(Status::unimplemented("held"))
    }
}
