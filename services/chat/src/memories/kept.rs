//! What was remembered at the last turn of a chat, kept for the next one: of a chat of thousands of messages it is hundreds of
//! summaries, and rarely another than before.

use std::{mem, sync::Arc};

use uuid::Uuid;

use super::Memory;
use crate::{
    chats::Told,
    kept::Kept,
    limits::{ALL_MEMORIES_KEPT, MEMORIES_KEPT},
};

/// Which memories there are: how many, and the sum of the numbers of the transactions that wrote them (`xmin`). One that is
/// written or changed has a higher number than all before it, so that with as many of them the sum is another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub count: i64,
    pub sum: i64,
}

/// By their chats. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Remembered(Kept<Read>);

/// What was read for a turn.
struct Read {
    stamp: Stamp,
    /// The last message before that turn, and where what was read of the path began: of summaries that end before it only the
    /// first and the last source are known.
    end: Uuid,
    first_depth: i32,
    memories: Vec<Arc<Memory>>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self(Kept::new(ALL_MEMORIES_KEPT))
    }
}

impl Remembered {
    /// Keeps what was read for a turn after this path.
    pub fn keep(&self, chat: Uuid, stamp: Stamp, path: &[Told], memories: &[Arc<Memory>]) {
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return };
        let bytes = memories.iter().map(|memory| weigh(memory)).sum();
        if bytes <= MEMORIES_KEPT {
            let read = Read { stamp, end: last.id, first_depth: first.depth, memories: memories.to_vec() };
            self.0.keep(chat, read, bytes);
        }
    }

    /// What would be read for a turn after this path, where nothing has changed and it goes on from the one before.
    pub fn take(&self, chat: Uuid, stamp: Stamp, path: &[Told]) -> Option<Vec<Arc<Memory>>> {
        let read = self.0.take(chat)?;
        let reaches = path.first().is_some_and(|first| first.depth >= read.first_depth);
        let goes_on = || path.iter().rev().any(|message| message.id == read.end);
        (read.stamp == stamp && reaches && goes_on()).then_some(read.memories)
    }

    /// Lets go of those that nobody has come back to.
    pub fn let_go(&self) {
        self.0.let_go();
    }
}

/// Bytes that it takes, about.
fn weigh(memory: &Memory) -> usize {
    mem::size_of::<Memory>() + memory.kind.len() + memory.text.len() + mem::size_of_val(&memory.sources[..])
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    const CHAT: Uuid = Uuid::from_u128(7);
    const STAMP: Stamp = Stamp { count: 1, sum: 700 };

    /// Messages from one depth to another; the ids say where they stand.
    fn path(from: i32, to: i32) -> Vec<Told> {
        let id = |depth: i32| Uuid::from_u128(depth.unsigned_abs().into());
        let message = |depth: i32| Told {
            id: id(depth),
            chat_id: CHAT,
            parent_id: (depth > 1).then(|| id(depth - 1)),
            depth,
            by_user: depth % 2 == 0,
            content: "Said.".into(),
            is_help: false,
            is_written: true,
            generation_id: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        (from..=to).map(message).collect()
    }

    fn memory(text: &str) -> Arc<Memory> {
        Arc::new(Memory {
            id: Uuid::from_u128(1),
            character_id: Uuid::nil(),
            chat_id: Some(CHAT),
            kind: "summary".into(),
            text: text.into(),
            importance: 3,
            pinned: false,
            edited: false,
            sources: vec![Uuid::from_u128(2), Uuid::from_u128(3)],
            since: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        })
    }

    #[test]
    fn what_was_read_holds_while_nothing_has_changed_and_the_path_goes_on() {
        let kept = || {
            let kept = Remembered::default();
            kept.keep(CHAT, STAMP, &path(10, 20), &[memory("It was said.")]);
            kept
        };
        let taken = kept().take(CHAT, STAMP, &path(12, 22)).expect("kept");
        assert_eq!(taken[0].text, "It was said.");
        assert!(kept().take(CHAT, Stamp { count: 2, ..STAMP }, &path(12, 22)).is_none(), "one more");
        assert!(kept().take(CHAT, Stamp { sum: 701, ..STAMP }, &path(12, 22)).is_none(), "another");
        assert!(kept().take(CHAT, STAMP, &path(9, 22)).is_none(), "more of the path is read");
        assert!(kept().take(CHAT, STAMP, &path(10, 19)).is_none(), "another path");
        assert!(kept().take(Uuid::nil(), STAMP, &path(12, 22)).is_none(), "another chat");
    }

    #[test]
    fn more_than_one_chat_may_take_is_read_each_time() {
        let kept = Remembered::default();
        kept.keep(CHAT, STAMP, &path(1, 4), &[memory(&"x".repeat(MEMORIES_KEPT))]);
        assert!(kept.take(CHAT, STAMP, &path(1, 6)).is_none());
    }
}
