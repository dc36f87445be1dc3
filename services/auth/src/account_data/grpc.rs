use kit::{
    caller::{self, User},
    error::Failure,
    time::to_proto,
};
use proto::auth::v1::{
    CancelDeletionRequest, CancelDeletionResponse, ExportAccountDataRequest, ExportAccountDataResponse,
    ScheduleDeletionRequest, ScheduleDeletionResponse, account_data_server::AccountData,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::{legacy_text, store};
use crate::{
    App,
    accounts::store as accounts,
    error::{Error, Result},
    keys,
    mail::{self, Letter},
};

#[tonic::async_trait]
impl AccountData for App {
    async fn export_account_data(
        &self,
        request: Request<ExportAccountDataRequest>,
    ) -> Result<Response<ExportAccountDataResponse>, Status> {
        let user = caller::user(&request)?;
        let json = store::export(&self.db, user.id).await?.ok_or(Error::UserNotFound)?;
        Ok(Response::new(ExportAccountDataResponse { json: json.to_string() }))
    }

    async fn schedule_deletion(
        &self,
        request: Request<ScheduleDeletionRequest>,
    ) -> Result<Response<ScheduleDeletionResponse>, Status> {
        let user = caller::user(&request)?;
        let erased_at = self.schedule(&user, request.into_inner()).await?;
        Ok(Response::new(ScheduleDeletionResponse { erased_at: Some(to_proto(erased_at)) }))
    }

    async fn cancel_deletion(
        &self,
        request: Request<CancelDeletionRequest>,
    ) -> Result<Response<CancelDeletionResponse>, Status> {
        let user = caller::user(&request)?;
        self.keep(&user).await?;
        Ok(Response::new(CancelDeletionResponse {}))
    }
}

impl App {
    async fn schedule(&self, user: &User, ask: ScheduleDeletionRequest) -> Result<OffsetDateTime> {
        let legacy = legacy_text(ask.characters()).ok_or_else(|| {
            Failure::invalid("characters", "Choose whether your characters are removed or stay without you.")
        })?;
        let account = self.by_password(user.id, &ask.password, "password").await?;
        let mut tx = self.db.begin().await?;
        let at = store::schedule(&mut *tx, user.id, legacy, self.erase_after).await?;
        let at = at.ok_or(Error::UserNotFound)?;
        let ended = accounts::end_sessions(&mut *tx, user.id, Some(user.session)).await?;
        let revoked = keys::revoke_sessions(&mut tx, &ended).await?;
        let letter = Letter::deletion(&account.username, at.date(), &self.mail);
        mail::queue(&mut *tx, &account.email, &letter).await?;
        tx.commit().await?;
        keys::tell(&self.notices, &revoked).await;
        Ok(at)
    }

    async fn keep(&self, user: &User) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if store::cancel(&mut *tx, user.id).await? {
            let account = accounts::find(&mut *tx, user.id).await?.ok_or(Error::UserNotFound)?;
            let letter = Letter::kept(&account.username, &self.mail);
            mail::queue(&mut *tx, &account.email, &letter).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
