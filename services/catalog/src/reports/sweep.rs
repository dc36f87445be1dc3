//! What the law wants kept is kept so long, and no longer.

use kit::{db::Db, shutdown::Shutdown};

use super::store;
use crate::limits;

/// Sweeps until shutdown; any number of replicas may.
pub async fn run(db: Db, shutdown: Shutdown) {
    loop {
        match store::sweep(&db).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "reports were kept long enough"),
            Err(error) => tracing::warn!(%error, "reports not swept"),
        }
        tokio::select! { () = tokio::time::sleep(limits::REPORT_SWEEP) => {}, () = shutdown.wait() => return }
    }
}
