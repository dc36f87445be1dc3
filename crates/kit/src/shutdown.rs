//! Two tokens tell everything that runs to end: first that nobody new should come, then that it is time.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Seconds that requests, streams and background tasks together may take after the end has begun, unless
/// `SHUTDOWN_GRACE_S` says otherwise. Whoever kills processes (compose, Kubernetes) waits longer than that.
pub const GRACE_S: u64 = 25;

/// Cloned into all that runs; cancelled once.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    leaving: CancellationToken,
    token: CancellationToken,
    /// When it was.
    began: Arc<OnceLock<Instant>>,
}

impl Shutdown {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begun by SIGTERM: not ready any more, but at work as before for `leave`, in which whoever asks for readiness
    /// goes elsewhere; then it is time. A second signal shortens the wait, and SIGINT, a person at a keyboard, has none.
    #[must_use]
    pub fn on_signal(leave: Duration) -> Self {
        let shutdown = Self::new();
        let told = shutdown.clone();
        tokio::spawn(async move {
            told.heed(leave).await;
            tracing::info!("shutting down");
            told.now();
        });
        shutdown
    }

    async fn heed(&self, leave: Duration) {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            tracing::error!("signals cannot be listened for");
            return std::future::pending().await;
        };
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => return }
        self.leave();
        if !leave.is_zero() {
            tracing::info!(leave_s = leave.as_secs(), "leaving");
            tokio::select! { () = tokio::time::sleep(leave) => {}, _ = term.recv() => {}, _ = int.recv() => {} }
        }
    }

    /// Nobody new should come.
    pub fn leave(&self) {
        self.leaving.cancel();
    }

    pub fn now(&self) {
        self.leave();
        self.began.get_or_init(Instant::now);
        self.token.cancel();
    }

    pub async fn wait(&self) {
        self.token.cancelled().await;
    }

    /// Returns when nobody new should come, which may be some seconds before [`Shutdown::wait`] does.
    pub async fn wait_leaving(&self) {
        self.leaving.cancelled().await;
    }

    /// Returns when `grace` has passed since the end began, however often and whenever it is asked.
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
    pub fn is_leaving(&self) -> bool {
        self.leaving.is_cancelled()
    }

    #[must_use]
    pub fn is_now(&self) -> bool {
        self.token.is_cancelled()
    }
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

    #[tokio::test]
    async fn who_leaves_is_still_at_work() {
        let shutdown = Shutdown::new();
        shutdown.leave();
        shutdown.wait_leaving().await;
        assert!(shutdown.is_leaving() && !shutdown.is_now());
        shutdown.now();
        assert!(shutdown.is_leaving() && shutdown.is_now());
    }
}
