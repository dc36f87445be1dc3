//! The end of what was taken away.

use kit::{db::Db, shutdown::Shutdown};

use super::store;
use crate::limits::{ERASE_EVERY, SWEPT_AT_ONCE};

/// Erases what can no longer be brought back: once at the start, and from time to time.
pub async fn erase(db: Db, shutdown: Shutdown) {
    while !shutdown.is_now() {
        match store::erase_removed(&db).await {
            // There may be more than one statement takes.
            Ok(erased) if erased >= SWEPT_AT_ONCE.unsigned_abs() => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "what was taken away is not erased yet; it is tried again"),
        }
        tokio::select! { () = tokio::time::sleep(ERASE_EVERY) => {}, () = shutdown.wait() => {} }
    }
}
