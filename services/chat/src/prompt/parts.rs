//! The parts of a prompt, one after the other.

use ecow::EcoString;

use super::{
    Ask, Message, Prompt, Role, is_turning,
    macros::Names,
    manifest::{Block, Entry, Manifest, Why},
    memory::Chosen,
};
use crate::{
    engines::Line,
    limits::{CARD_SHARE, EXAMPLES_SHARE},
    lorebooks::matching::Called,
    tokens::Count,
};

/// What a message costs beyond its text, in tokens.
pub const MESSAGE_COST: usize = 4;
/// What a title costs beyond what is counted with its text, in tokens.
const TITLE_COST: usize = 2;
/// Bytes that most cards take in a prompt, with the rules.
const CARD_USUAL: usize = 4 * 1024;
/// Messages of a prompt beside the history.
const BESIDE: usize = 4;
/// Holds whatever a card says.
const GROUND_RULE: &str = "Everybody in it is 18 or older.";

/// A prompt that is being written.
#[derive(Clone)]
pub struct Page<'a> {
    ask: &'a Ask<'a>,
    names: &'a Names<'a>,
    counter: &'a dyn Count,
    budget: usize,
    used: usize,
    system: String,
    messages: Vec<Message>,
    /// Behind the newest message.
    notes: String,
    blocks: Vec<Block>,
    warnings: Vec<String>,
}

impl<'a> Page<'a> {
    pub fn new(ask: &'a Ask<'a>, names: &'a Names<'a>, budget: usize) -> Self {
        Self {
            ask,
            names,
            counter: ask.counter,
            budget,
            used: 0,
            // What grows as it is written is copied each time.
            system: String::with_capacity(CARD_USUAL),
            messages: Vec::with_capacity(ask.scene.history.len() + BESIDE),
            notes: String::new(),
            blocks: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Tokens that are free beside what is kept back.
    pub fn left(&self, kept_back: usize) -> usize {
        self.budget.saturating_sub(self.used + kept_back)
    }

    fn push(&mut self, block: Block) {
        self.used += block.tokens;
        self.blocks.push(block);
    }

    fn warn(&mut self, code: &str) {
        if !self.warnings.iter().any(|known| known == code) {
            self.warnings.push(code.to_owned());
        }
    }

    /// The house's rules, or those of the card.
    pub fn rules(&mut self) {
        let (name, user) = (self.names.character, self.names.user);
        let house = format!(
            "This is fiction between adults. You are {name}; the other person is {user}. Write only {name}'s \
             next turn, in {name}'s voice and in the form of the greeting: actions in *asterisks*, speech as it \
             stands there. Never speak or decide for {user}. Move the scene a little with each turn."
        );
        let own = self.ask.mind.system_prompt.trim();
        let mut rules = house.clone();
        let mut why = None;
        if !own.is_empty() {
            rules = Names { original: &house, ..*self.names }.fill(own).trim().to_owned();
            let room = (self.budget * CARD_SHARE / 200).max(1);
            if self.counter.count(&rules) > room {
                rules = shortened(&rules, room, self.counter);
                why = Some(Why::CardCut);
                self.warn("card_cut");
            }
        }
        self.system = format!("{rules} {GROUND_RULE}");
        let tokens = self.counter.count(&self.system) + MESSAGE_COST;
        self.push(Block { why, ..Block::whole("system", "Rules", tokens) });
    }

    /// The card with its constant lore, and the persona. What is too long is cut, and said to be.
    pub fn card(&mut self, lore: &[Called], kept_back: usize) {
        let card = &self.ask.scene.card;
        let (name, user) = (self.names.character, self.names.user);
        let persona = match (self.ask.scene.user.gender.as_str(), self.names.persona) {
            ("", description) => description.to_owned(),
            (gender, description) => format!("{gender}. {description}").trim().to_owned(),
        };
        self.constant(lore, true);
        let mut card_left = (self.budget * CARD_SHARE / 100).saturating_sub(self.used);
        for (block, title, said, text) in [
            ("description", "Description", format!("Who {name} is:"), &card.description),
            ("personality", "Personality", "Personality:".to_owned(), &card.personality),
            ("scenario", "Scene", "The scene:".to_owned(), &card.scenario),
            ("outfit", "Outfit", "Wears:".to_owned(), &card.outfit),
            ("persona", "Persona", format!("Who {user} is:"), &persona),
        ] {
            let text = self.names.fill(text).trim().to_owned();
            let of_card = block != "persona";
            let room = if of_card { card_left.min(self.left(kept_back)) } else { self.left(kept_back) / 2 };
            let told = self.titled(block, title, &said, &text, room, of_card);
            if of_card {
                card_left = card_left.saturating_sub(told);
            }
        }
        self.constant(lore, false);
        self.constant_block(lore);
    }

    fn titled(&mut self, block: &str, title: &str, said: &str, text: &str, room: usize, card: bool) -> usize {
        if text.is_empty() {
            self.push(Block::absent(block, title));
            return 0;
        }
        let mut told = format!("{said} {text}");
        let mut why = None;
        if self.counter.count(&told) + TITLE_COST > room {
            why = Some(if card { Why::CardCut } else { Why::Budget });
            self.warn(if card { "card_cut" } else { "persona_cut" });
            told = shortened(&told, room.saturating_sub(TITLE_COST), self.counter);
        }
        if told.len() <= said.len() {
            self.push(Block { why, ..Block::new(block, title) });
            return 0;
        }
        let tokens = self.counter.count(&told) + TITLE_COST;
        self.system.push_str("\n\n");
        self.system.push_str(&told);
        self.push(Block { why, ..Block::whole(block, title, tokens) });
        tokens
    }

    /// Constant lore before or behind the card; [`Self::constant_block`] tells of both.
    fn constant(&mut self, lore: &[Called], before: bool) {
        for called in
            lore.iter().filter(|c| !is_turning(c) && c.left.is_none() && c.before_character == before)
        {
            self.system.push_str("\n\n");
            self.system.push_str(&called.text);
            self.used += called.tokens + TITLE_COST;
        }
    }

    fn constant_block(&mut self, lore: &[Called]) {
        let constant: Vec<&Called> = lore.iter().filter(|called| !is_turning(called)).collect();
        if constant.is_empty() {
            return;
        }
        let tokens: usize = constant.iter().filter(|c| c.left.is_none()).map(|c| c.tokens + TITLE_COST).sum();
        let entries = constant.into_iter().map(entry).collect();
        // Counted as each was written.
        self.blocks.push(Block::of("lore_constant", "Lore that is always told", tokens, entries));
    }

    /// Memories that stand with the card.
    pub fn memories(&mut self, block: &str, title: &str, chosen: &Chosen) {
        if chosen.entries.is_empty() {
            return;
        }
        let mut tokens = chosen.tokens;
        if !chosen.told.is_empty() {
            tokens += self.counter.count(title) + TITLE_COST;
            self.system.push_str("\n\n");
            self.system.push_str(title);
            self.system.push_str(&chosen.text);
        }
        self.push(chosen.block(block, title.trim_end_matches(':'), tokens));
    }

    /// Example exchanges, each whole, as many as fit their share: the same ones each turn.
    pub fn examples(&mut self, kept_back: usize) {
        const TITLE: &str = "Examples";
        let text = self.ask.scene.card.examples.replace("<START>", "\u{1e}").replace("<start>", "\u{1e}");
        let text = self.names.fill(&text);
        let all: Vec<&str> = text.split('\u{1e}').map(str::trim).filter(|e| !e.is_empty()).collect();
        if all.is_empty() {
            self.push(Block::absent("examples", TITLE));
            return;
        }
        let room = (self.budget * EXAMPLES_SHARE / 100).min(self.left(kept_back) / 4);
        let mut kept: Vec<&str> = Vec::new();
        let mut tokens = 0;
        for example in &all {
            let cost = self.counter.count(example) + MESSAGE_COST;
            if tokens + cost > room {
                break;
            }
            tokens += cost;
            kept.push(example);
        }
        let dropped = all.len() - kept.len();
        if !kept.is_empty() {
            self.system.push_str("\n\nHow the character speaks:\n");
            self.system.push_str(&kept.join("\n---\n"));
            tokens += 8;
        }
        self.push(Block {
            tokens,
            included: !kept.is_empty(),
            why: (dropped > 0).then_some(Why::Budget),
            parts: Some(kept.len()),
            dropped: Some(dropped),
            ..Block::new("examples", TITLE)
        });
    }

    /// The messages from `start` on, whole; the newest is there even if it has to be cut.
    pub fn history(&mut self, lines: &[Line], costs: &[usize], start: usize, kept_back: usize) {
        self.messages.push(Message { role: Role::System, content: std::mem::take(&mut self.system).into() });
        let kept = &lines[start..];
        // Templates of many models want a user's message first, and turns that alternate.
        if kept.first().is_none_or(|line| !line.by_user) {
            self.say(Role::User, "(The scene begins.)".into());
            self.used += MESSAGE_COST * 2;
        }
        let mut tokens: usize = costs[start..].iter().sum();
        let room = self.left(kept_back);
        let mut kept_whole = kept.len();
        for (line, cost) in kept.iter().zip(&costs[start..]) {
            let role = if line.by_user { Role::User } else { Role::Assistant };
            if tokens > room && kept.len() == 1 {
                let text = shortened(&line.text, room.saturating_sub(MESSAGE_COST), self.counter);
                tokens = tokens - cost + self.counter.count(&text) + MESSAGE_COST;
                self.say(role, text.into());
                self.warn("message_cut");
                kept_whole = 0;
            } else {
                self.say(role, line.text.clone());
            }
        }
        self.push(Block {
            tokens,
            included: !kept.is_empty(),
            why: (start > 0 || kept_whole < kept.len()).then_some(Why::Budget),
            parts: Some(kept.len()),
            dropped: Some(start),
            ..Block::new("history", "What was said")
        });
    }

    /// Lore that the newest turns called up: with the newest message, or above an older one.
    pub fn lore(&mut self, lore: &[Called], room: usize) -> usize {
        let mut left = room;
        let mut entries = Vec::new();
        let mut deep: Vec<&Called> = Vec::new();
        for called in lore.iter().filter(|called| is_turning(called)) {
            let mut told = entry(called);
            let tokens = called.tokens + TITLE_COST;
            if told.included && tokens > left {
                told.included = false;
                told.why = Some(Why::Budget);
            }
            if told.included {
                left -= tokens;
                if called.depth.unwrap_or(0) == 0 {
                    self.note(&called.text);
                } else {
                    deep.push(called);
                }
            }
            entries.push(told);
        }
        // From the newest up, so that the places of the others stay what they were.
        deep.sort_by_key(|called| called.depth);
        for called in deep.into_iter().rev() {
            self.insert_above(called.depth.unwrap_or(0) as usize, &called.text);
        }
        if entries.is_empty() {
            return 0;
        }
        let tokens = room - left;
        self.push(Block::of("lore", "Lore", tokens, entries));
        tokens
    }

    /// Above the `depth`-th newest message; merged into it where both are the user's side.
    fn insert_above(&mut self, depth: usize, text: &str) {
        let note = self.framed(text);
        let at = self.messages.len().saturating_sub(depth).max(1);
        let Some(message) = self.messages.get_mut(at) else {
            self.note(text);
            return;
        };
        if message.role == Role::User {
            message.content = [&note, "\n\n", &message.content].concat().into();
        } else if let Some(before) = self.messages.get_mut(at - 1).filter(|m| m.role == Role::User) {
            before.content.push_str("\n\n");
            before.content.push_str(&note);
        } else {
            self.note(text);
        }
    }

    /// What the newest turn brings back.
    pub fn recalled(&mut self, chosen: &Chosen) {
        if chosen.entries.is_empty() {
            return;
        }
        if !chosen.told.is_empty() {
            self.note(&format!("{} remembers:{}", self.names.character, chosen.text));
        }
        self.push(chosen.block("recalled", "Recalled by the newest turn", chosen.tokens));
    }

    fn note(&mut self, text: &str) {
        if !self.notes.is_empty() {
            self.notes.push('\n');
        }
        self.notes.push_str(text);
    }

    fn framed(&self, text: &str) -> String {
        format!("[For {}, not said aloud: {}]", self.names.character, text)
    }

    /// What stands behind the history by the card's wish.
    pub fn instructions(&self) -> Option<(String, Block)> {
        let own = self.ask.mind.instructions.trim();
        if own.is_empty() {
            return None;
        }
        let names = Names { clock: self.ask.mind.now, ..*self.names };
        let mut text = names.fill(own).trim().to_owned();
        let room = (self.budget / 10).max(1);
        let why = (self.counter.count(&text) > room).then_some(Why::CardCut);
        if why.is_some() {
            text = shortened(&text, room, self.counter);
        }
        let tokens = self.counter.count(&text) + MESSAGE_COST;
        Some((text, Block { why, ..Block::whole("instructions", "Instructions", tokens) }))
    }

    /// What stands last.
    pub fn last(&mut self, instructions: Option<(String, Block)>, control: Option<String>) {
        if !self.notes.is_empty() {
            let notes = self.framed(&self.notes);
            self.say(Role::User, notes.into());
            self.used += MESSAGE_COST;
        }
        if let Some((text, block)) = instructions {
            if block.why.is_some() {
                self.warn("card_cut");
            }
            self.say(Role::User, text.into());
            self.push(block);
        }
        if let Some(text) = control {
            let tokens = self.counter.count(&text) + MESSAGE_COST;
            self.say(Role::User, text.into());
            self.push(Block::whole("continue", "Goes on", tokens));
        }
    }

    fn say(&mut self, role: Role, text: EcoString) {
        match self.messages.last_mut() {
            Some(last) if last.role == role => {
                last.content.push_str("\n\n");
                last.content.push_str(&text);
            }
            _ => self.messages.push(Message { role, content: text }),
        }
    }

    pub fn finish(self) -> Prompt {
        let manifest = Manifest {
            engine: self.ask.engine.to_owned(),
            model: self.ask.model.to_owned(),
            budget: self.budget,
            reply: self.ask.reply,
            tokens: self.used,
            estimated: !self.counter.exact(),
            prefix_tokens: None,
            blocks: self.blocks,
            warnings: self.warnings,
        };
        Prompt { messages: self.messages, manifest }
    }
}

fn entry(called: &Called) -> Entry {
    Entry {
        id: called.book.clone(),
        at: Some(called.at),
        title: called.name.clone(),
        tokens: called.tokens,
        included: called.left.is_none(),
        why: called.left.map(Into::into),
    }
}

/// The beginning of a text in at most `room` tokens, up to a word.
fn shortened(text: &str, room: usize, counter: &dyn Count) -> String {
    let tokens = counter.count(text).max(1);
    let mut end = text.floor_char_boundary(text.len() * room / tokens);
    while end > 0 {
        end = text[..end].rfind(char::is_whitespace).unwrap_or(0);
        if counter.count(&text[..end]) <= room {
            break;
        }
        end = text.floor_char_boundary(end * 9 / 10);
    }
    text[..end].trim_end().to_owned()
}
