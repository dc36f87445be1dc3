//! Paths in which somebody has just talked, kept for the next turn: most turns follow the reply before them, and what a
//! prompt rests on needs not be read and sent for each.
//!
//! A path is known by its last message, at whichever process that was written: words do not change once they are, and
//! while a message is there, all before it are. Whether it still is the end of what a chat shows, the chat's row says,
//! and the statement that writes a turn says it again. What is taken from here is gone from here.

use std::{
    mem,
    sync::{Arc, Mutex},
};

use lru::LruCache;
use tokio::time::Instant;
use uuid::Uuid;

use crate::{
    chats::Told,
    limits::{PATH_KEPT, PATHS_KEPT, PATHS_LIFE, STRIDE},
};

/// Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Paths(Arc<Mutex<Held>>);

struct Held {
    /// By their last messages; those that were kept last come first.
    paths: LruCache<Uuid, Kept>,
    /// Of all of them.
    bytes: usize,
}

struct Kept {
    at: Instant,
    path: Vec<Told>,
    bytes: usize,
}

impl Default for Paths {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Held { paths: LruCache::unbounded(), bytes: 0 })))
    }
}

impl Held {
    fn make_room(&mut self) {
        while self.bytes > PATHS_KEPT
            || self.paths.peek_lru().is_some_and(|(_, oldest)| oldest.at.elapsed() > PATHS_LIFE)
        {
            let Some((_, oldest)) = self.paths.pop_lru() else { break };
            self.bytes -= oldest.bytes;
        }
    }
}

/// Whether a path may be kept when what follows it is written: it is whole, and not long.
pub fn is_keepable(path: &[Told]) -> bool {
    path.first().is_some_and(|first| first.parent_id.is_none())
        && path.len() < STRIDE
        && weigh(path) <= PATH_KEPT
        && path.iter().all(|message| message.is_written)
}

/// Bytes that it takes, about.
fn weigh(path: &[Told]) -> usize {
    path.iter().map(|message| mem::size_of::<Told>() + message.content.len()).sum()
}

impl Paths {
    /// Keeps a path whose last message has just been written.
    pub fn keep(&self, path: Vec<Told>) {
        let Some(last) = path.last().filter(|last| !last.is_void() && is_keepable(&path)) else { return };
        let (end, bytes) = (last.id, weigh(&path));
        let mut held = self.0.lock().expect("no holder panics");
        held.bytes += bytes;
        if let Some(same) = held.paths.put(end, Kept { at: Instant::now(), path, bytes }) {
            held.bytes -= same.bytes;
        }
        held.make_room();
    }

    /// Lets go of those that nobody has come back to.
    pub fn let_go(&self) {
        self.0.lock().expect("no holder panics").make_room();
    }

    /// The path that ends with a message, if all of it is within the reach of a prompt, in characters.
    pub fn take(&self, end: Uuid, reach: i64) -> Option<Vec<Told>> {
        let mut held = self.0.lock().expect("no holder panics");
        let kept = held.paths.pop(&end)?;
        held.bytes -= kept.bytes;
        drop(held);
        // A byte is a character at most.
        let said: usize = kept.path.iter().map(|message| message.content.len()).sum();
        i64::try_from(said).is_ok_and(|said| said < reach).then_some(kept.path)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::OffsetDateTime;

    use super::*;

    const FAR: i64 = 1_000_000;

    /// A path of so many messages whose last one is `end`, each of so many bytes.
    fn path(end: u128, messages: u128, bytes: usize) -> Vec<Told> {
        let message = |n: u128| Told {
            id: Uuid::from_u128(n),
            chat_id: Uuid::nil(),
            parent_id: (n > end + 1 - messages).then(|| Uuid::from_u128(n - 1)),
            depth: 1,
            by_user: false,
            content: "x".repeat(bytes).into(),
            is_help: false,
            is_written: true,
            generation_id: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        (end + 1 - messages..=end).map(message).collect()
    }

    fn take(paths: &Paths, end: u128) -> Option<usize> {
        paths.take(Uuid::from_u128(end), FAR).map(|path| path.len())
    }

    #[tokio::test(start_paused = true)]
    async fn a_path_is_taken_once_and_soon() {
        let paths = Paths::default();
        paths.keep(path(9, 5, 10));
        assert_eq!((take(&paths, 8), take(&paths, 9), take(&paths, 9)), (None, Some(5), None));
        paths.keep(path(9, 5, 10));
        tokio::time::advance(PATHS_LIFE + Duration::from_secs(1)).await;
        paths.let_go();
        assert_eq!(take(&paths, 9), None);
        assert_eq!(paths.0.lock().expect("held").bytes, 0);
    }

    #[test]
    fn what_is_beyond_a_prompt_or_not_whole_is_read_anew() {
        let paths = Paths::default();
        paths.keep(path(900, 5, 10));
        assert_eq!(paths.take(Uuid::from_u128(900), 50), None, "fifty characters are in it");
        let cut = path(900, 5, 10).split_off(1);
        let mut running = path(900, 5, 10);
        running[4].is_written = false;
        for other in [
            cut,
            running,
            path(900, STRIDE as u128, 1),
            path(900, 1, 0),
            path(900, 2, PATH_KEPT),
            path(900, 2, 0),
        ] {
            paths.keep(other);
        }
        // A greeting without words is one; a reply without words has come to nothing.
        assert_eq!((take(&paths, 900), paths.0.lock().expect("held").paths.len()), (Some(1), 0));
    }

    #[test]
    fn the_oldest_make_room() {
        let paths = Paths::default();
        let many = (PATHS_KEPT / (PATH_KEPT / 2)) as u128 + 2;
        for n in 1..=many {
            paths.keep(path(n * 10, 1, PATH_KEPT / 2));
        }
        assert_eq!((take(&paths, 10), take(&paths, many * 10)), (None, Some(1)));
        assert!(paths.0.lock().expect("held").bytes <= PATHS_KEPT);
    }
}
