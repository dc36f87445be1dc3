//! Which memories a prompt tells of.
//!
//! Each has a worth of `0.45 · similarity + 0.35 · importance / 5 + 0.20 · recency`: similarity to the newest turns from 0 to 1
//! (by [words](crate::memories::words), or cosine of the embeddings), importance from 1 to 5, recency from 0 (the
//! oldest) to 1 (the newest). Those worth most are told, in the order of the story, as many as fit; once
//! [`MEMORIES_LEFT_OUT`] have not, those worth less are not looked at: a long chat has hundreds.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use time::OffsetDateTime;
use uuid::Uuid;

use super::manifest::{Block, Entry, Why};
use crate::{limits::MEMORIES_LEFT_OUT, memories::Memory, tokens::Count};

/// What a line of its own costs, in tokens.
const LINE: usize = 2;

/// What is known when memories are chosen.
pub struct Choice<'a> {
    pub memories: &'a [Arc<Memory>],
    /// From 0 to 1; 0 for those that are not there.
    pub similar: &'a HashMap<Uuid, f32>,
    /// Messages whose words stand in the history.
    pub shown: &'a HashSet<Uuid>,
    pub counter: &'a dyn Count,
}

/// Memories that are told, and those of most worth that are not.
#[derive(Default)]
pub struct Chosen {
    pub told: Vec<Uuid>,
    /// A line each.
    pub text: String,
    pub tokens: usize,
    pub entries: Vec<Entry>,
    /// How many are not told, those of little worth included.
    pub left_out: usize,
}

impl Chosen {
    /// What the owner is shown of them; `tokens` with the title.
    pub fn block(&self, block: &str, title: &str, tokens: usize) -> Block {
        let block = Block::of(block, title, tokens, self.entries.clone());
        Block { dropped: Some(self.left_out), ..block }
    }
}

impl Choice<'_> {
    fn memories(&self) -> impl Iterator<Item = &Memory> {
        self.memories.iter().map(|memory| &**memory)
    }

    /// What the user has pinned, the newest first if not all fit.
    pub fn pinned(&self, room: usize) -> Chosen {
        let pinned: Vec<&Memory> = self.memories().filter(|memory| memory.pinned).collect();
        let mut order: Vec<usize> = (0..pinned.len()).collect();
        order.reverse();
        self.take(&pinned, &order, room)
    }

    /// What stands behind the card until the history is cut again: the same at every turn in between, so nothing
    /// counts here that came since, nor what was said last.
    pub fn standing(&self, cut_at: Option<OffsetDateTime>, room: usize) -> Chosen {
        let Some(cut_at) = cut_at else { return Chosen::default() };
        let candidates: Vec<&Memory> =
            self.memories().filter(|m| !m.pinned && m.created_at <= cut_at && self.is_news(m)).collect();
        let order = by_worth(&candidates, |_| 0.0);
        self.take(&candidates, &order, room)
    }

    /// What the newest turn brings back, and facts that are not told yet.
    pub fn recalled(&self, told: &HashSet<Uuid>, room: usize) -> Chosen {
        let similarity = |memory: &Memory| self.similar.get(&memory.id).copied().unwrap_or(0.0);
        let candidates: Vec<&Memory> = self
            .memories()
            .filter(|m| !m.pinned && !told.contains(&m.id) && self.is_news(m))
            .filter(|m| m.kind == "fact" || similarity(m) > 0.0)
            .collect();
        let order = by_worth(&candidates, similarity);
        self.take(&candidates, &order, room)
    }

    /// Whether it says more than the history does.
    fn is_news(&self, memory: &Memory) -> bool {
        memory.sources.is_empty() || !memory.sources.iter().all(|id| self.shown.contains(id))
    }

    fn take(&self, candidates: &[&Memory], order: &[usize], room: usize) -> Chosen {
        let mut left = room;
        let mut looked = Vec::new();
        let mut missed = 0;
        for &at in order {
            if missed == MEMORIES_LEFT_OUT {
                break;
            }
            let tokens = self.counter.count(&candidates[at].text) + LINE;
            let included = tokens <= left;
            if included {
                left -= tokens;
            } else {
                missed += 1;
            }
            looked.push((at, tokens, included));
        }
        looked.sort_unstable();
        let mut chosen = Chosen { tokens: room - left, ..Chosen::default() };
        for (at, tokens, included) in looked {
            let memory = candidates[at];
            if included {
                chosen.told.push(memory.id);
                chosen.text.push_str("\n- ");
                chosen.text.push_str(&memory.text.replace('\n', " "));
            }
            chosen.entries.push(Entry {
                id: memory.id.to_string(),
                tokens: if included { tokens } else { 0 },
                included,
                why: (!included).then_some(Why::Budget),
                ..Entry::default()
            });
        }
        chosen.left_out = candidates.len() - chosen.told.len();
        chosen
    }
}

/// Places of the memories, that of most worth first.
fn by_worth(memories: &[&Memory], similarity: impl Fn(&Memory) -> f32) -> Vec<usize> {
    let span = memories.len().saturating_sub(1).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred memories")]
    let worth = |at: usize| {
        let memory = memories[at];
        let recency = at as f32 / span as f32;
        0.45 * similarity(memory) + 0.35 * f32::from(memory.importance) / 5.0 + 0.20 * recency
    };
    let mut order: Vec<usize> = (0..memories.len()).collect();
    order.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
    order
}
