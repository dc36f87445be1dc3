//! What the next turn in a chat may ask for again, kept in the process for a while: as much of it as there is room for.

use std::sync::{Arc, Mutex, MutexGuard};

use lru::LruCache;
use tokio::time::Instant;
use uuid::Uuid;

use crate::limits::KEPT_LIFE;

/// Values by an id, of so many bytes altogether, those that were kept last. Cheap to clone; clones share it.
pub struct Kept<V>(Arc<Mutex<Held<V>>>);

impl<V> Clone for Kept<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct Held<V> {
    /// Those that were kept last come first.
    values: LruCache<Uuid, One<V>>,
    /// Of all of them.
    bytes: usize,
    /// Bytes that they may take.
    room: usize,
}

struct One<V> {
    at: Instant,
    value: V,
    bytes: usize,
}

impl<V> Held<V> {
    fn make_room(&mut self) {
        while self.bytes > self.room
            || self.values.peek_lru().is_some_and(|(_, oldest)| oldest.at.elapsed() > KEPT_LIFE)
        {
            let Some((_, oldest)) = self.values.pop_lru() else { break };
            self.bytes -= oldest.bytes;
        }
    }
}

impl<V> Kept<V> {
    #[must_use]
    pub fn new(room: usize) -> Self {
        Self(Arc::new(Mutex::new(Held { values: LruCache::unbounded(), bytes: 0, room })))
    }

    fn held(&self) -> MutexGuard<'_, Held<V>> {
        self.0.lock().expect("no holder panics")
    }

    /// Keeps a value that takes about so many bytes.
    pub fn keep(&self, id: Uuid, value: V, bytes: usize) {
        let mut held = self.held();
        held.bytes += bytes;
        if let Some(same) = held.values.put(id, One { at: Instant::now(), value, bytes }) {
            held.bytes -= same.bytes;
        }
        held.make_room();
    }

    /// The value, which is gone from here then.
    pub fn take(&self, id: Uuid) -> Option<V> {
        let mut held = self.held();
        let One { value, bytes, .. } = held.values.pop(&id)?;
        held.bytes -= bytes;
        Some(value)
    }

    /// Lets go of those that nobody has come back to.
    pub fn let_go(&self) {
        self.held().make_room();
    }

    /// Of all that is kept.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.held().bytes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_taken_once_and_soon() {
        let kept = Kept::new(100);
        kept.keep(id(9), "nine", 10);
        assert_eq!((kept.take(id(8)), kept.take(id(9)), kept.take(id(9))), (None, Some("nine"), None));
        kept.keep(id(9), "nine", 10);
        kept.keep(id(9), "another", 20);
        assert_eq!(kept.bytes(), 20, "in its place");
        tokio::time::advance(KEPT_LIFE + Duration::from_secs(1)).await;
        kept.let_go();
        assert_eq!((kept.take(id(9)), kept.bytes()), (None, 0));
    }

    #[tokio::test]
    async fn the_oldest_make_room() {
        let kept = Kept::new(100);
        for n in 1..=5 {
            kept.keep(id(n), n, 30);
        }
        assert_eq!([1, 2, 3, 4, 5].map(|n| kept.take(id(n))), [None, None, Some(3), Some(4), Some(5)]);
        kept.keep(id(6), 6, 101);
        assert_eq!((kept.take(id(6)), kept.bytes()), (None, 0), "more than there is room for");
    }
}
