//! What is stored about a person, and its end: export, erasure, suspension.

mod grpc;
pub mod store;
pub mod sweep;

use kit::db::Transaction;
use proto::events::v1::{ErasureDone, UserErased, UserSuspended};
use uuid::Uuid;

use crate::{assets::store as assets, events};

/// Characters go to an anonymous owner, with their portraits.
const ANONYMISE: &str = "anonymise";

/// `auth.user.erased`: everything of theirs goes. Jobs are ended first, so that their coins are released; a
/// worker that still draws one finds that it is no longer its own.
pub async fn erased(tx: &mut Transaction, event: UserErased) -> anyhow::Result<()> {
    let user = Uuid::try_parse(&event.user_id)?;
    store::cancel(tx, user, true, "erased").await?;
    store::forget_jobs(tx, user).await?;
    if event.characters == ANONYMISE {
        assets::hand_over(tx, user).await?;
    }
    assets::forget_maker(tx, user).await?;
    assets::doom(tx, user).await?;
    kit::outbox::enqueue(&mut **tx, "media.user.erased", &ErasureDone { user_id: event.user_id }).await?;
    Ok(())
}

/// `auth.user.suspended`: what waits is not drawn any more; what is being drawn is finished.
pub async fn suspended(tx: &mut Transaction, event: UserSuspended) -> anyhow::Result<()> {
    let user = Uuid::try_parse(&event.user_id)?;
    store::cancel(tx, user, false, events::SUSPENDED).await?;
    Ok(())
}
