//! What goes between an engine and whoever waits for it.

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How far a drawing is, and whether it is still wanted. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Watch {
    progress: watch::Sender<f32>,
    stop: CancellationToken,
}

impl Watch {
    /// Stopped by this token.
    #[must_use]
    pub fn new(stop: CancellationToken) -> Self {
        Self { progress: watch::Sender::new(0.0), stop }
    }

    /// For whom neither matters.
    #[must_use]
    pub fn nobody() -> Self {
        Self::new(CancellationToken::new())
    }

    /// Tells how far it is; never backwards, whatever the engine says.
    pub fn tell(&self, progress: f32) {
        let progress = if progress.is_finite() { progress.clamp(0.0, 1.0) } else { 0.0 };
        self.progress.send_if_modified(|known| {
            let further = progress > *known;
            if further {
                *known = progress;
            }
            further
        });
    }

    /// Of the newest progress.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<f32> {
        self.progress.subscribe()
    }

    /// Ends when it is not wanted any more.
    pub async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_never_goes_backwards() {
        let watch = Watch::nobody();
        for told in [0.4, 0.2, f32::NAN, 7.0] {
            watch.tell(told);
        }
        assert_eq!(*watch.progress().borrow(), 1.0);
        let other = Watch::nobody();
        other.tell(0.4);
        other.tell(0.2);
        assert_eq!(*other.progress().borrow(), 0.4);
    }
}
