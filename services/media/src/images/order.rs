//! From a wish to a paid ticket: job `unpaid` → coins reserved at billing → `queued`, each its own step,
//! so that a crash between them leaves something that the sweep can end.

use std::time::Duration;

use kit::{error::Failure, idempotency::Held};
use proto::billing::v1::{Entitlement, GetEntitlementRequest, ReserveCoinsRequest};
use tonic::{Code, Status};
use uuid::Uuid;

use super::store;
use crate::{
    App,
    error::{Error, Result},
    events,
};

impl App {
    /// What the caller may do.
    ///
    /// # Errors
    /// `upgrade_required` when it is not creating pictures.
    pub(super) async fn entitled(&self) -> Result<Entitlement> {
        let answer = self.subscriptions.clone().get_entitlement(GetEntitlementRequest {}).await;
        let entitlement = answer.map_err(Error::Upstream)?.into_inner().entitlement.unwrap_or_default();
        if entitlement.can_create { Ok(entitlement) } else { Err(Error::UpgradeRequired) }
    }

    /// Reserves the coins of a job. A clear refusal forgets the job; an answer that did not come leaves it
    /// to the sweep, since the coins may be reserved.
    pub(super) async fn reserve(&self, id: Uuid, cost: u32, reason: &str) -> Result<()> {
        let ask = ReserveCoinsRequest { r#ref: id.to_string(), amount: cost, reason: reason.into() };
        let Err(status) = self.coins.clone().reserve_coins(ask).await else { return Ok(()) };
        if refused(&status) {
            store::forget(&self.db, id).await?;
        }
        Err(Error::Upstream(status))
    }

    /// Queues a paid job and writes its ticket, with what is to be remembered of the request.
    pub(super) async fn queue(&self, job: Uuid, answer: Option<(&Held, &[u8])>) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if !store::queue(&mut *tx, job).await? {
            return Err(Error::EndedMeanwhile);
        }
        events::ticket(&mut tx, job, Duration::ZERO).await?;
        if let Some((held, bytes)) = answer {
            held.finish(&mut *tx, bytes).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

/// Whether the status says that nothing was done, rather than that nothing is known.
fn refused(status: &Status) -> bool {
    let reason = Failure::from_status(status).reason;
    matches!(
        status.code(),
        Code::FailedPrecondition | Code::InvalidArgument | Code::PermissionDenied | Code::Unauthenticated
    ) || reason == "coins_short"
}
