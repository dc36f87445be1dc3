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
    pub fn get(&self) -> Arc<Index> {
        self.now.borrow().clone()
    }

    pub fn set(&self, index: Index) {
        self.now.send_replace(Arc::new(index));
        self.built.send_replace(true);
    }

    /// Returns once the first index is there: until then every list would be empty, and say so as if it were true.
    pub async fn there(&self) {
        let _ = self.built().wait_for(|built| *built).await;
    }

    /// True once the first index is there.
    pub fn built(&self) -> watch::Receiver<bool> {
        self.built.subscribe()
    }
}
