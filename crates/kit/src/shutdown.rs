//! One token tells everything that runs to end.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Seconds that requests, streams and background tasks together may take after the signal, unless
/// `SHUTDOWN_GRACE_S` says otherwise. Whoever kills processes (compose, Kubernetes) waits longer than that.
pub const GRACE_S: u64 = 25;

/// Cloned into all that runs; cancelled once.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    /// When it was.
    began: Arc<OnceLock<Instant>>,
}

impl Shutdown {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancelled by SIGTERM or SIGINT.
    #[must_use]
    pub fn on_signal() -> Self {
        let shutdown = Self::new();
        let token = shutdown.clone();
        tokio::spawn(async move {
            signal().await;
            tracing::info!("shutting down");
            token.now();
        });
        shutdown
    }

    pub fn now(&self) {
        self.began.get_or_init(Instant::now);
        self.token.cancel();
    }

    pub async fn wait(&self) {
        self.token.cancelled().await;
    }

    /// Returns when `grace` has passed since the signal, however often and whenever it is asked.
    pub async fn overdue(&self, grace: Duration) {
        self.wait().await;
        let began = *self.began.get_or_init(Instant::now);
        tokio::time::sleep_until(began + grace).await;
    }

    /// A future that owns its wait, for servers that want one.
    pub fn wait_owned(&self) -> impl Future<Output = ()> + Send + 'static {
        self.token.clone().cancelled_owned()
    }

    #[must_use]
    pub fn is_now(&self) -> bool {
        self.token.is_cancelled()
    }
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("signals cannot be listened for");
        return std::future::pending().await;
    };
    tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_limit_counts_from_the_signal_for_all_that_end_after_it() {
        const LIMIT: Duration = Duration::from_secs(1);
        let shutdown = Shutdown::new();
        shutdown.clone().now();
        shutdown.overdue(LIMIT).await;
        let requests_are_cut = Instant::now();
        shutdown.overdue(LIMIT).await;
        assert!(requests_are_cut.elapsed() < LIMIT, "background work has no limit of its own");
    }
}
