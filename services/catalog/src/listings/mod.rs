//! Lists of characters. The index ranks, PostgreSQL hydrates, the gate decides.

mod bits;
pub mod finds;
mod for_you;
mod grpc;
pub mod index;
mod lists;
mod openings;
mod ranking;
mod reader;
pub mod refresh;
mod sieve;
mod stable;
mod store;
pub mod table;
pub mod tags;
pub mod text;
mod walk;

use std::sync::Arc;

use tokio::sync::watch;

use self::index::Index;

/// The index that is read now. Cheap to clone.
#[derive(Clone)]
pub struct Shared {
    now: watch::Sender<Arc<Index>>,
    built: watch::Sender<bool>,
}

impl Default for Shared {
    fn default() -> Self {
        Self { now: watch::Sender::new(Arc::default()), built: watch::Sender::new(false) }
    }
}

impl Shared {
    /// Waits for the first index: until then every list would be empty, and say so as if it were true.
    pub async fn get(&self) -> Arc<Index> {
        let _ = self.built().wait_for(|built| *built).await;
        self.now.borrow().clone()
    }

    pub fn set(&self, index: Index) {
        self.now.send_replace(Arc::new(index));
        self.built.send_replace(true);
    }

    /// True once the first index is there.
    pub fn built(&self) -> watch::Receiver<bool> {
        self.built.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{Shared, index::Index};

    /// Longer than anything here takes: the clock is paused, so nobody waits for it.
    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn a_list_waits_for_the_first_index() {
        let listing = Shared::default();
        assert!(timeout(LONG, listing.get()).await.is_err(), "there is no index yet");

        let waits = listing.clone();
        let reader = tokio::spawn(async move { waits.get().await });
        listing.set(Index::default());

        timeout(LONG, reader).await.expect("the index is there").expect("nobody panics");
        timeout(LONG, listing.get()).await.expect("later ones do not wait");
    }
}
