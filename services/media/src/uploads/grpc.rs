use kit::{caller, error::Failure};
use proto::media::v1::{CreateUploadRequest, CreateUploadResponse, UploadPurpose, uploads_server::Uploads};
use tonic::{Request, Response, Status};

use crate::{
    App,
    assets::{
        AssetId, copies,
        store::{self, New, Origin},
    },
    error::Error,
};

#[tonic::async_trait]
impl Uploads for App {
    async fn create_upload(
        &self,
        request: Request<CreateUploadRequest>,
    ) -> Result<Response<CreateUploadResponse>, Status> {
        let user = caller::user(&request)?;
        let upload = request.into_inner();
        if upload.purpose() == UploadPurpose::Unspecified {
            return Err(Failure::invalid("purpose", "Say what the picture is for.").into());
        }
        let renditions = self.press.press(upload.data).await?;
        if copies::banned(&self.db, &renditions.hashes).await? {
            return Err(Error::Banned.into());
        }
        let id = AssetId::random();
        self.files.put(&id, &renditions).await?;
        let asset = New {
            id: &id,
            owner: Some(user.id),
            private: upload.private,
            origin: Origin::Upload,
            width: renditions.width,
            height: renditions.height,
            bytes: renditions.full.len(),
            hashes: &renditions.hashes,
        };
        if let Err(error) = store::insert(&self.db, asset).await {
            self.files.discard(&id).await;
            return Err(error.into());
        }
        metrics::counter!("uploads_total").increment(1);
        Ok(Response::new(CreateUploadResponse {
            asset: id.to_string(),
            width: renditions.width,
            height: renditions.height,
        }))
    }
}
