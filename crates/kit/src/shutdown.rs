//! One token tells everything that runs to end.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long running work may take after the signal, before it is cut.
pub const GRACE: Duration = Duration::from_secs(25);

/// Cloned into all that runs; cancelled once.
#[derive(Debug, Clone, Default)]
pub struct Shutdown(CancellationToken);

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
        self.0.cancel();
    }

    pub async fn wait(&self) {
        self.0.cancelled().await;
    }

    /// A future that owns its wait, for servers that want one.
    pub fn wait_owned(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.clone().cancelled_owned()
    }

    #[must_use]
    pub fn is_now(&self) -> bool {
        self.0.is_cancelled()
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
