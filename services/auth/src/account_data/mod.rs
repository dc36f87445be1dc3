//! What is stored about a user, and its end: asked for, put off by 30 days, then erased everywhere.

mod command;
mod grpc;
pub mod store;

use kit::db::Db;
use proto::auth::v1::Legacy;
use uuid::Uuid;

pub use self::command::Erasures;
use crate::{
    accounts::store as accounts,
    error::Result,
    events,
    keys::{self, Told},
};

/// Services that erase what they store, and say so.
pub const ERASERS: [&str; 4] = ["billing", "catalog", "chat", "media"];

/// As the table and the event say it; `None` when nothing was chosen.
fn legacy_text(legacy: Legacy) -> Option<&'static str> {
    match legacy {
        Legacy::Unspecified => None,
        Legacy::Remove => Some("remove"),
        Legacy::Anonymise => Some("anonymise"),
    }
}

/// Erases one account whose time has come; `None` when there is none. What is revoked is to be told.
///
/// # Errors
/// When the database cannot be asked.
pub async fn erase_one(db: &Db) -> Result<Option<Vec<Told>>> {
    let mut tx = db.begin().await?;
    let Some(due) = store::next_due(&mut *tx).await? else { return Ok(None) };
    let ended = accounts::end_sessions(&mut *tx, due.id, None).await?;
    let mut revoked = keys::revoke_sessions(&mut tx, &ended).await?;
    revoked.push(keys::revoke_user(&mut tx, due.id).await?);
    // Under the pseudonym others keep what the law wants kept; it is made here and forgotten here.
    events::erased(&mut *tx, due.id, &due.legacy, Uuid::new_v4()).await?;
    store::erase(&mut tx, due.id, &due.email).await?;
    tx.commit().await?;
    tracing::info!(user = %due.id, "erased here; the other services are told");
    Ok(Some(revoked))
}
