//! Which memories hold on a path. Summaries stand in a row: each tells of the messages that come after those of the one
//! before, so that the last one on a path leads to all that hold on it, however long the path is.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
};

use sqlx::PgExecutor;
use uuid::Uuid;

use super::Memory;
use crate::{
    chats::{self, Step, Told},
    error::Result,
};

/// What a path says of memories.
pub struct Holding {
    /// Those that hold on it.
    memories: HashSet<Uuid>,
    /// Its steps as far back as it was read.
    pub steps: Vec<Step>,
    /// The summaries that hold on it are not in a row yet.
    pub is_loose: bool,
}

impl Holding {
    /// Of a path of which every step is known.
    #[must_use]
    pub fn on(steps: Vec<Step>, memories: &[impl Borrow<Memory>]) -> Self {
        let on_path: HashSet<Uuid> = steps.iter().map(|step| step.id).collect();
        let holding: Vec<&Memory> =
            memories.iter().map(Borrow::borrow).filter(|memory| memory.holds(&on_path)).collect();
        let is_loose = !loose(&steps, &holding).is_empty();
        Self { memories: holding.into_iter().map(|memory| memory.id).collect(), steps, is_loose }
    }

    /// Of a path whose end was read: all of it is gone through only where the end does not tell. `memories` are all that
    /// its chat has, those that end before it with their first and last source.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn read(
        db: impl PgExecutor<'_>,
        end: &[Told],
        memories: &[impl Borrow<Memory>],
    ) -> Result<Self> {
        let steps = end.iter().map(Step::of).collect();
        let Some(anchors) = in_a_row(end, memories) else {
            return Ok(Self { steps, ..Self::on(chats::store::steps(db, end).await?, memories) });
        };
        let holds = |memory: &&Memory| memory.anchor().is_none_or(|anchor| anchors.contains(&anchor));
        let holding = memories.iter().map(Borrow::borrow).filter(holds);
        let memories = holding.map(|memory| memory.id).collect();
        Ok(Self { memories, steps, is_loose: false })
    }

    pub fn has(&self, memory: &Memory) -> bool {
        self.memories.contains(&memory.id)
    }
}

/// The last messages of the summaries that hold on a path; `None` where the end of it does not tell.
fn in_a_row(path: &[Told], memories: &[impl Borrow<Memory>]) -> Option<HashSet<Uuid>> {
    let by_anchor: HashMap<Uuid, &Memory> =
        memories.iter().map(Borrow::borrow).filter_map(|memory| Some((memory.anchor()?, memory))).collect();
    let mut anchors = HashSet::new();
    let Some(mut at) = path.iter().rev().map(|message| message.id).find(|id| by_anchor.contains_key(id))
    else {
        let whole = path.first().is_none_or(|first| first.parent_id.is_none());
        return (whole || by_anchor.is_empty()).then_some(anchors);
    };
    while anchors.insert(at) {
        let summary = by_anchor.get(&at)?;
        at = summary.since?;
        if summary.sources.first() == Some(&at) {
            return Some(anchors);
        }
    }
    None
}

/// The summaries that hold on a path, by their last messages: in the order in which they stand in a row.
fn by_place<'a, M: Borrow<Memory>>(steps: &[Step], held: &'a [M]) -> Vec<(Uuid, &'a Memory)> {
    let places: HashMap<Uuid, usize> = steps.iter().enumerate().map(|(at, step)| (step.id, at)).collect();
    let anchored = held.iter().map(M::borrow).filter_map(|memory| Some((memory.anchor()?, memory)));
    let mut summaries: Vec<_> = anchored.filter(|(anchor, _)| places.contains_key(anchor)).collect();
    summaries.sort_by_key(|(anchor, _)| places.get(anchor));
    summaries
}

/// The last message of a path that is told of.
#[must_use]
pub fn last_anchor(steps: &[Step], held: &[Memory]) -> Option<Uuid> {
    by_place(steps, held).last().map(|(anchor, _)| *anchor)
}

/// Where the summaries that hold on a path are not in a row yet: each with the message it is to lead to.
#[must_use]
pub fn loose(steps: &[Step], held: &[impl Borrow<Memory>]) -> Vec<(Uuid, Uuid)> {
    let (mut before, mut last) = (None, None);
    let mut loose = Vec::new();
    for (anchor, summary) in by_place(steps, held) {
        // Two may end with the same message, made by two processes at once.
        if last != Some(anchor) {
            (before, last) = (last, Some(anchor));
        }
        let since = before.or(summary.sources.first().copied());
        loose.extend(since.filter(|_| summary.since != since).map(|since| (summary.id, since)));
    }
    loose
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    /// A summary of two messages.
    fn summary(first: u128, since: Option<u128>) -> Memory {
        Memory {
            id: id(100 + first),
            character_id: id(1),
            chat_id: Some(id(2)),
            kind: "summary".into(),
            text: "It was said.".into(),
            importance: 3,
            pinned: false,
            edited: false,
            sources: vec![id(first), id(first + 1)],
            since: since.map(id),
            created_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    /// The messages of a path from `first` to `last`; the first of all is 1.
    fn path(first: u128, last: u128) -> Vec<Told> {
        let message = |n: u128| Told {
            id: id(n),
            chat_id: id(2),
            parent_id: (n > 1).then(|| id(n - 1)),
            depth: i32::try_from(n).expect("a small number"),
            by_user: true,
            content: "Said.".into(),
            is_help: false,
            is_written: true,
            generation_id: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        (first..=last).map(message).collect()
    }

    #[test]
    fn the_last_summary_on_a_path_leads_to_all_before_it_and_to_no_other() {
        // One of another branch stands between them.
        let row = [summary(1, Some(1)), summary(3, Some(2)), summary(13, Some(2)), summary(5, Some(4))];
        let anchors = in_a_row(&path(6, 9), &row).expect("told");
        assert_eq!(anchors, HashSet::from([id(2), id(4), id(6)]));
    }

    #[test]
    fn a_row_that_is_broken_tells_nothing() {
        let row = [summary(1, Some(1)), summary(3, None), summary(5, Some(4))];
        assert_eq!(in_a_row(&path(6, 9), &row), None, "it is not known what came before");
        let row = [summary(1, Some(1)), summary(5, Some(4))];
        assert_eq!(in_a_row(&path(6, 9), &row), None, "one is gone");
        let row = [summary(3, Some(6)), summary(5, Some(4))];
        assert_eq!(in_a_row(&path(6, 9), &row), None, "it leads back to itself");
    }

    #[test]
    fn without_a_summary_at_its_end_only_a_whole_path_tells() {
        let row = [summary(1, Some(1))];
        assert_eq!(in_a_row(&path(6, 9), &row), None);
        assert_eq!(in_a_row(&path(1, 1), &row), Some(HashSet::new()), "it breaks off before");
        assert_eq!(in_a_row(&path(6, 9), &[] as &[Memory]), Some(HashSet::new()));
    }

    #[test]
    fn summaries_are_put_in_a_row_by_the_path() {
        let steps: Vec<Step> = path(1, 9).iter().map(Step::of).collect();
        let mut held = [summary(5, None), summary(1, None), summary(3, Some(9))];
        let loose = loose(&steps, &held);
        assert_eq!(loose, [(id(101), id(1)), (id(103), id(2)), (id(105), id(4))]);
        for (summary, since) in loose {
            held.iter_mut().find(|memory| memory.id == summary).expect("one of them").since = Some(since);
        }
        assert!(super::loose(&steps, &held).is_empty());
        assert_eq!(in_a_row(&path(6, 9), &held).map(|anchors| anchors.len()), Some(3));
    }
}
