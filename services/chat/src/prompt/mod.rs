//! What the model reads: stable blocks first (rules, card, persona), then the history from the newest
//! message back in whole messages, and examples in what is left. Each reply keeps a manifest of it.

mod grpc;
pub mod macros;
pub mod manifest;
pub mod store;

use serde::Serialize;

pub use self::manifest::{Block, Manifest, Why};

use crate::engines::{Line, Scene};

/// Share of the budget that the card may take, in percent.
const CARD_SHARE: usize = 60;
/// What a message costs beyond its text, in tokens.
const MESSAGE_COST: usize = 4;

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
    pub content: String,
}

/// The prompt and what is in it.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub messages: Vec<Message>,
    pub manifest: Manifest,
}

/// Tokens of a text, roughly: four bytes each, which is a little high for English and a little low
/// for others.
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Puts the prompt together within `context` tokens, `reply` of which are kept for the answer.
pub fn build(engine: &str, scene: &Scene, context: usize, reply: usize) -> Prompt {
    let budget = context.saturating_sub(reply);
    let mut blocks = Vec::new();
    let mut left = budget;

    // Control first: it is needed whatever else is not.
    let control = scene.continuing.then(|| Message {
        role: Role::User,
        content: format!("(Go on from there as {}, without repeating what was said.)", scene.card.name),
    });
    let rules = rules(scene);
    let mut reserved = estimate(&rules) + MESSAGE_COST;
    blocks.push(whole("system", &rules));
    if let Some(control) = &control {
        reserved += estimate(&control.content) + MESSAGE_COST;
        blocks.push(whole("continue", &control.content));
    }
    left = left.saturating_sub(reserved);

    let mut system = rules;
    let mut card_left = budget * CARD_SHARE / 100;
    for (name, title, text) in card_parts(scene) {
        let room = if name == "persona" { left } else { card_left.min(left) };
        let (text, block) = fit(name, title, &text, room);
        left = left.saturating_sub(block.tokens);
        if name != "persona" {
            card_left = card_left.saturating_sub(block.tokens);
        }
        blocks.push(block);
        if !text.is_empty() {
            system.push_str("\n\n");
            system.push_str(&text);
        }
    }

    let (history, block) = newest_first(&scene.history, left);
    left = left.saturating_sub(block.tokens);
    blocks.push(block);

    let (examples, block) = examples(scene, left);
    blocks.push(block);
    if !examples.is_empty() {
        system.push_str("\n\nHow the character speaks:\n");
        system.push_str(&examples);
    }

    let mut messages = vec![Message { role: Role::System, content: system }];
    // Templates of many models want a user's message first, and turns that alternate.
    if history.first().is_none_or(|line| !line.by_user) {
        messages.push(Message { role: Role::User, content: "(The scene begins.)".to_owned() });
    }
    for line in history {
        let role = if line.by_user { Role::User } else { Role::Assistant };
        push(&mut messages, role, &line.text);
    }
    if let Some(control) = control {
        push(&mut messages, control.role, &control.content);
    }

    let tokens = blocks.iter().filter(|b| b.included).map(|b| b.tokens).sum();
    let manifest = Manifest {
        engine: engine.to_owned(),
        budget,
        reply,
        tokens,
        estimated: true,
        blocks,
        ..Manifest::default()
    };
    Prompt { messages, manifest }
}

fn push(messages: &mut Vec<Message>, role: Role, text: &str) {
    match messages.last_mut() {
        Some(last) if last.role == role => {
            last.content.push_str("\n\n");
            last.content.push_str(text);
        }
        _ => messages.push(Message { role, content: text.to_owned() }),
    }
}

fn rules(scene: &Scene) -> String {
    let (name, user) = (&scene.card.name, &scene.user.name);
    format!(
        "This is fiction between adults. You are {name}; the other person is {user}. Write only {name}'s next \
         turn, in {name}'s voice and in the form of the greeting: actions in *asterisks*, speech as it stands \
         there. Never speak or decide for {user}. Move the scene a little with each turn. Everybody in it is \
         18 or older."
    )
}

fn card_parts(scene: &Scene) -> Vec<(&'static str, String, String)> {
    let card = &scene.card;
    let persona = match (scene.user.gender.as_str(), scene.user.description.as_str()) {
        ("", "") => String::new(),
        ("", description) => description.to_owned(),
        (gender, description) => format!("{gender}. {description}").trim().to_owned(),
    };
    let mut parts = vec![
        ("description", format!("Who {} is:", card.name), card.description.clone()),
        ("personality", "Personality:".to_owned(), card.personality.clone()),
        ("scenario", "The scene:".to_owned(), card.scenario.clone()),
        ("outfit", "Wears:".to_owned(), card.outfit.clone()),
        ("persona", format!("Who {} is:", scene.user.name), persona),
    ];
    for (_, _, text) in &mut parts {
        *text = macros::fill(text, &card.name, &scene.user.name).trim().to_owned();
    }
    parts
}

fn whole(block: &'static str, text: &str) -> Block {
    let tokens = estimate(text) + MESSAGE_COST;
    Block::whole(block, "", tokens)
}

/// A titled text in at most `room` tokens, cut at a word where it must be.
fn fit(name: &'static str, title: String, text: &str, room: usize) -> (String, Block) {
    let mut block = Block::new(name, "");
    if text.is_empty() {
        block.why = Some(Why::Absent);
        return (String::new(), block);
    }
    let mut whole = format!("{title} {text}");
    if estimate(&whole) > room {
        block.why = Some(Why::Budget);
        let mut end = (room * 4).min(whole.len());
        while !whole.is_char_boundary(end) {
            end -= 1;
        }
        let end = whole[..end].rfind(char::is_whitespace).unwrap_or(0);
        whole.truncate(end);
        if whole.len() <= title.len() {
            return (String::new(), block);
        }
    }
    block.included = true;
    block.tokens = estimate(&whole);
    (whole, block)
}

/// Whole messages, from the newest back to the first that does not fit; then in their order.
fn newest_first(lines: &[Line], room: usize) -> (Vec<&Line>, Block) {
    let mut kept = Vec::new();
    let mut tokens = 0;
    let spoken: Vec<&Line> = lines.iter().filter(|line| !line.text.trim().is_empty()).collect();
    for line in spoken.iter().rev() {
        let cost = estimate(&line.text) + MESSAGE_COST;
        if tokens + cost > room {
            break;
        }
        tokens += cost;
        kept.push(*line);
    }
    kept.reverse();
    let dropped = spoken.len() - kept.len();
    let block = Block {
        block: "history".into(),
        tokens,
        included: !kept.is_empty(),
        why: (dropped > 0).then_some(Why::Budget),
        parts: Some(kept.len()),
        dropped: Some(dropped),
        ..Block::default()
    };
    (kept, block)
}

/// Example exchanges, each whole, as many as fit.
fn examples(scene: &Scene, room: usize) -> (String, Block) {
    let text = macros::fill(
        &scene.card.examples.replace("<START>", "\u{1e}").replace("<start>", "\u{1e}"),
        &scene.card.name,
        &scene.user.name,
    );
    let all: Vec<&str> = text.split('\u{1e}').map(str::trim).filter(|e| !e.is_empty()).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut tokens = 0;
    for example in &all {
        let cost = estimate(example) + MESSAGE_COST;
        if tokens + cost > room {
            break;
        }
        tokens += cost;
        kept.push(*example);
    }
    let dropped = all.len() - kept.len();
    let why = if all.is_empty() { Some(Why::Absent) } else { (dropped > 0).then_some(Why::Budget) };
    let block = Block {
        block: "examples".into(),
        tokens,
        included: !kept.is_empty(),
        why,
        parts: Some(kept.len()),
        dropped: Some(dropped),
        ..Block::default()
    };
    (kept.join("\n---\n"), block)
}

#[cfg(test)]
mod tests;
