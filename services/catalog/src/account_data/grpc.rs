use kit::caller;
use proto::catalog::v1::{
    ExportAccountDataRequest, ExportAccountDataResponse, account_data_server::AccountData,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::{App, cards::store as cards, reports::store as reports};

#[tonic::async_trait]
impl AccountData for App {
    async fn export_account_data(
        &self,
        request: Request<ExportAccountDataRequest>,
    ) -> Result<Response<ExportAccountDataResponse>, Status> {
        let user = caller::user(&request)?;
        // What other folders store about a user joins this object.
        let mut whole = store::export(&self.db, user.id).await?;
        whole["reports"] = reports::export(&self.db, user.id).await?;
        whole["cards"] = cards::export(&self.db, user.id).await?;
        Ok(Response::new(ExportAccountDataResponse { json: whole.to_string() }))
    }
}
