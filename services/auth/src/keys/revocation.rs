//! Revocation (architecture, rule 3): a row, then a notice; every process polls the rows as well.

use async_trait::async_trait;
use kit::{
    auth::{Revocation, RevocationSource},
    db::{Db, Transaction},
    notice::{Notice, Notices},
    time::to_proto,
};
use proto::auth::v1::{
    ListRevocationsRequest, ListRevocationsResponse, Revocation as PbRevocation, keys_server::Keys,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::store;
use crate::{App, error::Result, limits};

/// A revocation that is committed and still to be told.
pub struct Told {
    subject: String,
    not_before: OffsetDateTime,
    expires_at: OffsetDateTime,
}

/// Ends sessions for good, in the caller's transaction; [`tell`] after the commit.
pub async fn revoke_sessions(tx: &mut Transaction, sessions: &[Uuid]) -> Result<Vec<Told>> {
    add(tx, sessions.iter().map(|id| store::subject('s', *id)).collect()).await
}

/// Ends all tokens of a user that were issued before this second.
pub async fn revoke_user(tx: &mut Transaction, user: Uuid) -> Result<Told> {
    let mut told = add(tx, vec![store::subject('u', user)]).await?;
    Ok(told.remove(0))
}

async fn add(tx: &mut Transaction, subjects: Vec<String>) -> Result<Vec<Told>> {
    let not_before = kit::db::now(&mut **tx).await?;
    let expires_at = not_before + limits::TOKEN_LIFE;
    store::add_revocations(&mut **tx, &subjects, not_before, expires_at).await?;
    Ok(subjects.into_iter().map(|subject| Told { subject, not_before, expires_at }).collect())
}

/// Tells every process at once. A notice that is lost is made up for by the next poll.
pub async fn tell(notices: &Notices, revoked: &[Told]) {
    for told in revoked {
        let notice = Notice::Revoked {
            subject: told.subject.clone(),
            not_before: told.not_before.unix_timestamp(),
            expires_at: told.expires_at.unix_timestamp(),
        };
        if let Err(error) = notices.publish(&notice).await {
            tracing::warn!(%error, "revocation not told; the polls will find it");
        }
    }
}

/// auth's own list, for auth itself.
pub struct Revoked(pub Db);

#[async_trait]
impl RevocationSource for Revoked {
    async fn after(&self, id: i64) -> Result<Vec<Revocation>, Status> {
        Ok(store::revocations_after(&self.0, id).await?)
    }
}

#[tonic::async_trait]
impl Keys for App {
    async fn list_revocations(
        &self,
        request: Request<ListRevocationsRequest>,
    ) -> Result<Response<ListRevocationsResponse>, Status> {
        let list = store::revocations_after(&self.db, request.into_inner().after_id).await?;
        let revocations = list.into_iter().map(|r| PbRevocation {
            id: r.id,
            subject: r.subject,
            not_before: Some(to_proto(r.not_before)),
            expires_at: Some(to_proto(r.expires_at)),
        });
        Ok(Response::new(ListRevocationsResponse { revocations: revocations.collect() }))
    }
}
