//! What the model reads. What never changes stands first (rules, card, persona, pinned memories, constant lore,
//! examples), then what changes when the history is cut (memories), then the history; what changes each
//! turn stands last, behind the newest message (lore, what is recalled, instructions). So a prompt begins as the
//! one before it did, and the model's server need not read that part again. Each reply keeps a manifest.

pub mod bench;
mod gather;
mod grpc;
pub mod history;
pub mod macros;
pub mod manifest;
mod memory;
mod parts;
pub mod store;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use ecow::EcoString;
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    gather::{COMPARED, Cast, Happens, Recalled, There},
    manifest::{Block, Manifest, Why},
};
use self::{
    macros::Names,
    memory::{Choice, Chosen},
    parts::MESSAGE_COST,
};
use crate::{
    engines::Scene,
    limits::{LORE_SHARE, MEMORY_SHARE, MEMORY_SMALL, PINNED_SHARE, RECALL_SHARE},
    lorebooks::matching::{self, Called, Left, Open},
    memories::Memory,
    tokens::Count,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// A message as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    pub role: Role,
    /// Of most messages that of a line of the history, which is shared.
    pub content: EcoString,
}

/// The prompt and what is in it.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub messages: Vec<Message>,
    pub manifest: Manifest,
}

/// A message of the history, beside its words.
#[derive(Debug, Clone, Copy)]
pub struct Spoken {
    pub id: Uuid,
    pub at: OffsetDateTime,
}

/// What a prompt rests on beside the scene.
#[derive(Debug, Clone, Default)]
pub struct Mind {
    /// Replaces the rules; `{{original}}` stands for them.
    pub system_prompt: String,
    /// Stands behind the history.
    pub instructions: String,
    /// What `{{char}}` says; the name when empty.
    pub nickname: String,
    pub books: Vec<Open>,
    /// Those that hold on the path, in the order of the story.
    pub memories: Vec<Arc<Memory>>,
    /// How close each is to the newest turns, from 0 to 1.
    pub similar: HashMap<Uuid, f32>,
    /// One for each line of the history; may be empty where there are no memories.
    pub spoken: Vec<Spoken>,
    /// Depth of the first line in the tree, from 1.
    pub first_depth: usize,
    /// When the chat began, and now.
    pub began: Option<OffsetDateTime>,
    pub now: Option<OffsetDateTime>,
}

/// A prompt to be put together.
pub struct Ask<'a> {
    pub engine: &'a str,
    pub model: &'a str,
    pub scene: &'a Scene,
    pub mind: &'a Mind,
    /// Tokens of prompt and reply.
    pub context: usize,
    /// Tokens kept for the reply.
    pub reply: usize,
    pub counter: &'a dyn Count,
    /// Drops one message a turn, as is usual: only to measure what cuts in large steps are worth.
    pub naive: bool,
}

impl Ask<'_> {
    /// Tokens of the prompt.
    fn budget(&self) -> usize {
        self.context.saturating_sub(self.reply)
    }
}

/// Puts the prompt together.
pub fn build(ask: &Ask<'_>) -> Prompt {
    let lines = &ask.scene.history;
    let names = names(ask);
    let mut front = Front::new(ask, &names, lines.len(), true);
    let newest = lines.len().saturating_sub(1);
    let before = lines[..newest].iter().rposition(|line| line.by_user).map(|newest| {
        let end = newest + 1;
        let mut top = match front.is_of_each_turn(ask) {
            true => front.top.clone(),
            false => Front::new(ask, &names, end, false).top,
        };
        top.history(ask, end);
        top.page.finish().messages
    });
    let shown = front.top.history(ask, lines.len());
    let mut prompt = front.behind(ask, &shown);
    if let Some(before) = before {
        let shared = shared_prefix(&before, &prompt.messages, ask.counter);
        prompt.manifest.prefix_tokens = Some(shared.min(prompt.manifest.tokens));
    }
    prompt
}

/// Tokens at the beginning of a prompt that were in the one before as well.
pub fn shared_prefix(before: &[Message], now: &[Message], counter: &dyn Count) -> usize {
    let mut tokens = 0;
    for (old, new) in before.iter().zip(now) {
        if old == new {
            tokens += counter.count(&new.content) + MESSAGE_COST;
            continue;
        }
        if old.role == new.role {
            let same = old.content.bytes().zip(new.content.bytes()).take_while(|(a, b)| a == b).count();
            tokens += counter.count(&new.content[..new.content.floor_char_boundary(same)]);
        }
        break;
    }
    tokens
}

/// What stands before the history, and what is kept free for it.
#[derive(Clone)]
struct Top<'a> {
    page: parts::Page<'a>,
    /// Of each line, in tokens.
    costs: Vec<usize>,
    /// Tokens for the history while all of it fits, and those of them for memories once it does not.
    room: usize,
    memory_room: usize,
    /// Tokens of what stands last whatever else does not.
    kept_back: usize,
}

/// What is known of a prompt before its history is written.
struct Front<'a> {
    top: Top<'a>,
    lore: Vec<Called>,
    pinned: Chosen,
    /// What stands last.
    control: Option<String>,
    instructions: Option<(String, Block)>,
}

/// What the history of a prompt shows, and what is told of what it does not.
struct Shown {
    messages: HashSet<Uuid>,
    memories: Chosen,
}

impl<'a> Front<'a> {
    /// Before the first `end` lines. Without `may_continue` nobody is asked to go on, whatever the scene says.
    fn new(ask: &'a Ask<'a>, names: &'a Names<'a>, end: usize, may_continue: bool) -> Self {
        let (scene, mind, counter) = (ask.scene, ask.mind, ask.counter);
        let budget = ask.budget();
        let mut page = parts::Page::new(ask, names, budget);

        // Control first: it is needed whatever else is not.
        let control = (may_continue && scene.continuing)
            .then(|| format!("(Go on from there as {}, without repeating what was said.)", names.character));
        let control_tokens = control.as_ref().map_or(0, |text| counter.count(text) + MESSAGE_COST);
        let instructions = page.instructions();
        let kept_back = control_tokens + instructions.as_ref().map_or(0, |(_, block)| block.tokens);

        let share = ask.context * LORE_SHARE / 100;
        let texts: Vec<&str> = scene.history[..end].iter().map(|line| line.text.as_str()).collect();
        let lore = matching::call_up(&mind.books, &texts, share.min(budget / 3), &|t| names.fill(t), counter);
        page.rules();
        page.card(&lore, kept_back);

        let pinned_room = (budget * PINNED_SHARE / 100).min(page.left(kept_back));
        let pinned = choice(ask, &HashSet::new()).pinned(pinned_room);
        page.memories("pinned", "To be remembered always:", &pinned);
        page.examples(kept_back);

        // What may be needed for lore and memories is kept free whether it is needed or not, or the cut would move.
        let room = page.left(kept_back);
        let lore_room = matching::conditional_tokens(&mind.books, counter).min(share).min(room / 4);
        let part = if room < MEMORY_SMALL { room / 12 } else { room / 8 };
        let memory_room = if remembers(mind) { (budget * MEMORY_SHARE / 100).min(part) } else { 0 };
        let costs = texts.iter().map(|text| counter.count(text) + MESSAGE_COST).collect();
        let top = Top { page, costs, room: room - lore_room, memory_room, kept_back };
        Self { top, lore, pinned, control, instructions }
    }

    /// Whether [`Front::top`] is the same before fewer lines. Only lore that is always told stands in it, and what was
    /// called up takes its room only where that is of a book before its own.
    fn is_of_each_turn(&self, ask: &Ask<'_>) -> bool {
        self.control.is_none() && (ask.mind.books.len() < 2 || self.lore.iter().all(is_turning))
    }

    /// Writes what changes each turn.
    fn behind(self, ask: &Ask<'_>, shown: &Shown) -> Prompt {
        let mut page = self.top.page;
        let left = page.left(self.top.kept_back);
        let lore_tokens = page.lore(&self.lore, left);
        let told: HashSet<Uuid> = self.pinned.told.iter().chain(&shown.memories.told).copied().collect();
        let share = ask.budget() * (RECALL_SHARE + MEMORY_SHARE) / 100;
        let left = left.saturating_sub(lore_tokens).min(share);
        let recalled = match remembers(ask.mind) {
            true => choice(ask, &shown.messages).recalled(&told, left),
            false => Chosen::default(),
        };
        page.recalled(&recalled);
        page.last(self.instructions, self.control);
        page.finish()
    }
}

impl Top<'_> {
    /// Writes as many of the first `end` lines as fit, the newest of them, behind what is remembered of the others.
    fn history(&mut self, ask: &Ask<'_>, end: usize) -> Shown {
        let (mind, lines, costs) = (ask.mind, &ask.scene.history[..end], &self.costs[..end]);
        let cut = if ask.naive {
            history::Cut { start: history::newest_that_fit(costs, self.room), at: None }
        } else {
            history::cut(costs, mind.first_depth, self.room, self.room - self.memory_room)
        };
        let spoken = mind.spoken.get(cut.start..end).unwrap_or_default();
        // Only memories are held against them, and most chats have none.
        let asked = if mind.memories.is_empty() { &[] } else { spoken };
        let messages: HashSet<Uuid> = asked.iter().map(|spoken| spoken.id).collect();
        let cut_at = cut.at.and_then(|at| mind.spoken.get(at)).map(|spoken| spoken.at);
        let memories = choice(ask, &messages).standing(cut_at, self.memory_room);
        self.page.memories("memory", "What happened before:", &memories);
        self.page.history(lines, costs, cut.start, self.kept_back);
        Shown { messages, memories }
    }
}

/// Whether anything is remembered that is not told always.
fn remembers(mind: &Mind) -> bool {
    mind.memories.iter().any(|memory| !memory.pinned)
}

fn choice<'a>(ask: &'a Ask<'_>, shown: &'a HashSet<Uuid>) -> Choice<'a> {
    Choice { memories: &ask.mind.memories, similar: &ask.mind.similar, shown, counter: ask.counter }
}

fn names<'a>(ask: &Ask<'a>) -> Names<'a> {
    let (card, mind) = (&ask.scene.card, ask.mind);
    Names {
        character: if mind.nickname.is_empty() { &card.name } else { &mind.nickname },
        user: &ask.scene.user.name,
        persona: &ask.scene.user.description,
        description: &card.description,
        personality: &card.personality,
        scenario: &card.scenario,
        examples: &card.examples,
        original: "",
        seed: ask.scene.seed,
        clock: mind.began,
    }
}

/// Entries that stand with the newest message, not above an older one and not with the card.
fn is_turning(called: &Called) -> bool {
    !(called.constant && called.depth.is_none())
}

impl From<Left> for Why {
    fn from(left: Left) -> Self {
        match left {
            Left::Budget => Self::Budget,
            Left::BadRegex => Self::BadRegex,
        }
    }
}

#[cfg(test)]
mod tests;
