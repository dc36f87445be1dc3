//! Paths in which somebody has just talked, kept for the next turn: most turns follow the reply before them, and what a
//! prompt rests on needs not be read and sent for each.
//!
//! Of a long one its end is kept, as far back as it was read. A path is known by its last message, at whichever process
//! that was written: words do not change once they are, and while a message is there, all before it are. Whether it still
//! is the end of what a chat shows, the chat's row says, and the statement that writes a turn says it again. What is taken
//! from here is gone from here.

use std::mem;

use uuid::Uuid;

use crate::{
    chats::Told,
    kept::Kept,
    limits::{PATH_KEPT, PATH_MAX, PATHS_KEPT, STRIDE},
};

/// By their last messages. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Paths(Kept<Vec<Told>>);

impl Default for Paths {
    fn default() -> Self {
        Self(Kept::new(PATHS_KEPT))
    }
}

/// Whether a path may be kept when what follows it is written.
pub fn is_keepable(path: &[Told]) -> bool {
    weigh(path) <= PATH_KEPT && path.iter().all(|message| message.is_written)
}

/// Where what is read of a path for a reach in characters begins, as [`told`](crate::chats::store::told) reads it; `None`
/// where it begins before the path does.
fn beginning(path: &[Told], reach: i64) -> Option<usize> {
    let (mut room, mut chars) = (PATH_MAX as usize, 0);
    for (at, message) in path.iter().enumerate().rev() {
        if room <= 1 {
            return Some(at);
        }
        chars += i64::try_from(message.content.chars().count()).unwrap_or(i64::MAX);
        room = if chars < reach { room - 1 } else { STRIDE.min(room - 1) };
    }
    path.first().filter(|first| first.parent_id.is_none()).map(|_| 0)
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
        self.0.keep(end, path, bytes);
    }

    /// Lets go of those that nobody has come back to.
    pub fn let_go(&self) {
        self.0.let_go();
    }

    /// The path that ends with a message, as far back as it would be read for the reach of a prompt, in characters.
    pub fn take(&self, end: Uuid, reach: i64) -> Option<Vec<Told>> {
        let mut path = self.0.take(end)?;
        path.drain(..beginning(&path, reach)?);
        Some(path)
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn as_much_is_taken_as_would_be_read() {
        let took = |path: Vec<Told>, reach| {
            let paths = Paths::default();
            paths.keep(path);
            let taken = paths.take(Uuid::from_u128(900), reach)?;
            assert_eq!(taken.last().map(|last| last.id), Some(Uuid::from_u128(900)));
            Some(taken.len())
        };
        assert_eq!(took(path(900, 5, 10), FAR), Some(5), "all of a whole one");
        // Five of ten characters each have fifty, and so many messages are read before them.
        assert_eq!(took(path(900, 600, 10), 50), Some(5 + STRIDE));
        let mut end = path(900, 600, 10).split_off(600 - 5 - STRIDE);
        assert_eq!(took(end.clone(), 50), Some(5 + STRIDE));
        assert_eq!(took(end.clone(), 60), None, "one more would be read");
        end[200].content = "ü".repeat(10).into();
        assert_eq!(took(end, 50), Some(5 + STRIDE), "characters, not bytes");
        let limit = PATH_MAX as usize;
        assert!(!is_keepable(&path(9_000, limit as u128, 100)), "more than is kept");
        assert_eq!(beginning(&path(9_000, limit as u128 + 7, 1), FAR), Some(7), "as many as are ever read");
    }

    #[test]
    fn what_is_still_written_or_came_to_nothing_is_not_kept() {
        let paths = Paths::default();
        let mut running = path(900, 5, 10);
        running[4].is_written = false;
        for other in [running, path(900, 2, PATH_KEPT), path(900, 2, 0)] {
            paths.keep(other);
        }
        assert_eq!(paths.0.bytes(), 0);
        // A greeting without words is one; a reply without words has come to nothing.
        paths.keep(path(900, 1, 0));
        assert_eq!(take(&paths, 900), Some(1));
    }
}
