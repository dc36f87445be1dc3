use proto::catalog::v1::{
    ExportCardRequest, ExportCardResponse, ImportCardRequest, ImportCardResponse, ReadCardRequest,
    ReadCardResponse, cards_server::Cards,
};
use tonic::{Request, Response, Status};

use crate::App;

#[tonic::async_trait]
impl Cards for App {
    async fn read_card(&self, _: Request<ReadCardRequest>) -> Result<Response<ReadCardResponse>, Status> {
        Err(Status::unimplemented("cards"))
    }

    async fn import_card(
        &self,
        _: Request<ImportCardRequest>,
    ) -> Result<Response<ImportCardResponse>, Status> {
        Err(Status::unimplemented("cards"))
    }

    async fn export_card(
        &self,
        _: Request<ExportCardRequest>,
    ) -> Result<Response<ExportCardResponse>, Status> {
        Err(Status::unimplemented("cards"))
    }
}
