use kit::caller;
use proto::media::v1::{
    ExportAccountDataRequest, ExportAccountDataResponse, account_data_server::AccountData,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::App;

#[tonic::async_trait]
impl AccountData for App {
    async fn export_account_data(
        &self,
        request: Request<ExportAccountDataRequest>,
    ) -> Result<Response<ExportAccountDataResponse>, Status> {
        let user = caller::user(&request)?;
        let json = store::export(&self.db, user.id).await?.to_string();
        Ok(Response::new(ExportAccountDataResponse { json }))
    }
}
