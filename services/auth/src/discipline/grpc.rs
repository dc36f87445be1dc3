use kit::{caller, error::Failure, text, time::to_proto};
use proto::auth::v1::{
    ReinstateUserRequest, ReinstateUserResponse, SuspendUserRequest, SuspendUserResponse,
    discipline_server::Discipline,
};
use tonic::{Request, Response, Status};

use super::{reinstate, suspend};
use crate::{
    App,
    accounts::check_presence,
    error::{Error, Result},
    keys, limits,
};

/// The reason as the person will read it.
pub fn checked(reason: &str) -> Result<String, Failure> {
    check_presence(&[("reason", reason)])?;
    text::clean(reason, limits::REASON_MAX).map_err(|e| Failure::invalid("reason", e.to_string()))
}

#[tonic::async_trait]
impl Discipline for App {
    async fn suspend_user(
        &self,
        request: Request<SuspendUserRequest>,
    ) -> Result<Response<SuspendUserResponse>, Status> {
        caller::admin(&request)?;
        let ask = request.into_inner();
        let user = kit::ids::find("user_not_found", &ask.user_id)?;
        let reason = checked(&ask.reason)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        let done = suspend(&mut tx, user, &reason, &self.mail).await?;
        tx.commit().await.map_err(Error::from)?;
        keys::tell(&self.notices, &done.revoked).await;
        Ok(Response::new(SuspendUserResponse { suspended_at: Some(to_proto(done.at)) }))
    }

    async fn reinstate_user(
        &self,
        request: Request<ReinstateUserRequest>,
    ) -> Result<Response<ReinstateUserResponse>, Status> {
        caller::admin(&request)?;
        let user = kit::ids::find("user_not_found", &request.into_inner().user_id)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        reinstate(&mut tx, user, &self.mail).await?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(ReinstateUserResponse {}))
    }
}
