use kit::{
    caller,
    error::Failure,
    idempotency::{self, Begun, Held},
};
use prost::Message as _;
use proto::media::v1::{CreateUploadRequest, CreateUploadResponse, UploadPurpose, uploads_server::Uploads};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::{
    App,
    assets::{
        AssetId, copies,
        store::{self, New, Origin},
    },
    error::{Error, Result},
    events,
};

#[tonic::async_trait]
impl Uploads for App {
    async fn create_upload(
        &self,
        request: Request<CreateUploadRequest>,
    ) -> Result<Response<CreateUploadResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        // The key is that of what the picture is sent for: the same form sent twice names the same asset.
        let held = match idempotency::begin(&self.db, user.id, "create_upload", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let stored = self.upload(user.id, ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, stored).await?))
    }
}

impl App {
    async fn upload(
        &self,
        user: Uuid,
        upload: CreateUploadRequest,
        held: Option<&Held>,
    ) -> Result<CreateUploadResponse> {
        if upload.purpose() == UploadPurpose::Unspecified {
            return Err(Failure::invalid("purpose", "Say what the picture is for.").into());
        }
        let renditions = self.press.press(upload.data).await?;
        if copies::banned(&self.db, &renditions.hashes).await? {
            return Err(Error::Banned);
        }
        if copies::looks_banned(&self.db, &renditions.look).await? {
            return Err(Error::Banned);
        }
        let first = match self.judge.first(&renditions.full, false).await {
            Ok(first) => first,
            Err(rule) => {
                copies::ban_unstored(&self.db, &renditions.hashes, &renditions.look).await;
                return Err(self.refused_picture(user, rule).await);
            }
        };
        let id = AssetId::random();
        self.files.put(&id, &renditions).await?;
        let asset = New {
            id: &id,
            owner: Some(user),
            private: upload.private,
            must_be_private: false,
            origin: Origin::Upload,
            width: renditions.width,
            height: renditions.height,
            bytes: renditions.full.len(),
            hashes: &renditions.hashes,
            look: &renditions.look,
            first,
        };
        let answer = CreateUploadResponse {
            asset: id.to_string(),
            width: renditions.width,
            height: renditions.height,
        };
        if let Err(error) = self.remember(asset, &answer, held).await {
            self.files.discard(&id).await;
            return Err(error);
        }
        metrics::counter!("uploads_total").increment(1);
        Ok(answer)
    }

    /// A picture that breaks a rule; one whose repeat suspends is told of.
    async fn refused_picture(&self, user: Uuid, rule: moderation::Rule) -> Error {
        events::tell_strike(&self.db, user, rule, "a picture").await;
        Error::Moderated { field: "image", rule }
    }

    async fn remember(
        &self,
        asset: New<'_>,
        answer: &CreateUploadResponse,
        held: Option<&Held>,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        store::insert(&mut tx, asset).await?;
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
