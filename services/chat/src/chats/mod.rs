//! Chats and their messages: a tree with an active leaf, shown as the path from the root to it.

mod grpc;
pub mod store;

use ecow::EcoString;
use proto::chat::v1 as pb;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) use self::grpc::begin;
use crate::{generations::HELP_LINES, limits::PREVIEW_MAX};

/// State of a message that is being written.
pub const STREAMING: &str = "streaming";

/// A chat of one user with one character.
#[derive(Debug, Clone)]
pub struct Chat {
    pub id: Uuid,
    pub character_id: Uuid,
    pub character_name: String,
    /// Empty: it goes by the character's name.
    pub title: String,
    pub leaf_id: Option<Uuid>,
}

/// A message of a path.
#[derive(Debug, Clone)]
pub struct Message {
    pub id: Uuid,
    pub chat_id: Uuid,
    pub parent_id: Option<Uuid>,
    pub depth: i32,
    pub sender: String,
    pub content: String,
    pub state: String,
    pub reason: String,
    pub generation_id: Option<Uuid>,
    pub engine: String,
    pub created_at: OffsetDateTime,
    /// Written by an edit.
    pub edited: bool,
    /// Siblings of the same sender in their order, this one included.
    pub siblings: Vec<Uuid>,
}

impl Message {
    pub fn by_user(&self) -> bool {
        self.sender == "user"
    }
}

/// A message of a path as prompts, rules and memories see it: what was said, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub id: Uuid,
    pub chat_id: Uuid,
    pub parent_id: Option<Uuid>,
    pub depth: i32,
    pub by_user: bool,
    /// Shared by the prompts that it stands in.
    pub content: EcoString,
    /// Help lines, which stand where a reply would.
    pub is_help: bool,
    /// Nobody writes it any more.
    pub is_written: bool,
    pub generation_id: Option<Uuid>,
    pub created_at: OffsetDateTime,
}

impl Told {
    pub fn of(message: &Message) -> Self {
        Self {
            id: message.id,
            chat_id: message.chat_id,
            parent_id: message.parent_id,
            depth: message.depth,
            by_user: message.by_user(),
            content: message.content.as_str().into(),
            is_help: message.reason == HELP_LINES,
            is_written: message.state != STREAMING,
            generation_id: message.generation_id,
            created_at: message.created_at,
        }
    }

    /// Somebody's words: help lines are nobody's, and no character hears of them.
    pub fn is_said(&self) -> bool {
        !self.content.trim().is_empty() && !self.is_help
    }

    /// A reply that came to nothing; the path goes on without it.
    pub fn is_void(&self) -> bool {
        !self.by_user && self.parent_id.is_some() && self.content.trim().is_empty()
    }
}

/// A message of a path, without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub id: Uuid,
    /// As [`Told::is_said`] has it.
    pub said: bool,
}

impl Step {
    pub fn of(message: &Told) -> Self {
        Self { id: message.id, said: message.is_said() }
    }
}

/// The state of a message's row.
pub fn state(state: &str) -> pb::MessageState {
    match state {
        STREAMING => pb::MessageState::Streaming,
        "stopped" => pb::MessageState::Stopped,
        "interrupted" => pb::MessageState::Interrupted,
        "failed" => pb::MessageState::Failed,
        "refused" => pb::MessageState::Refused,
        "pending" => pb::MessageState::Pending,
        _ => pb::MessageState::Complete,
    }
}

impl From<Message> for pb::Message {
    fn from(m: Message) -> Self {
        let sender = if m.by_user() { pb::Sender::User } else { pb::Sender::Character };
        let state = state(&m.state);
        let id = |id: Option<Uuid>| id.map_or_else(String::new, |id| id.to_string());
        let count = |n: usize| u32::try_from(n).unwrap_or(1).max(1);
        let variant = m.siblings.iter().position(|id| *id == m.id).unwrap_or_default() + 1;
        Self {
            id: m.id.to_string(),
            chat_id: m.chat_id.to_string(),
            parent_id: id(m.parent_id),
            sender: sender.into(),
            content: m.content,
            state: state.into(),
            reason: m.reason,
            created_at: Some(kit::time::to_proto(m.created_at)),
            generation_id: id(m.generation_id),
            engine: m.engine,
            variants: count(m.siblings.len()),
            variant: count(variant),
            edited: m.edited,
            siblings: m.siblings.iter().map(Uuid::to_string).collect(),
        }
    }
}

/// What the list of chats shows of a message.
pub fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_MAX).collect()
}

/// What the list of chats shows of a chat.
pub fn shown(chat: store::Summary) -> pb::ChatSummary {
    pb::ChatSummary {
        id: chat.id.to_string(),
        character_id: chat.character_id.to_string(),
        character_name: chat.character_name,
        created_at: Some(kit::time::to_proto(chat.created_at)),
        last_message: chat.last_message,
        last_message_at: Some(kit::time::to_proto(chat.last_message_at)),
        message_count: chat.message_count.unsigned_abs(),
        title: chat.title,
        pinned: chat.pinned,
        archived: chat.archived,
    }
}

/// A text as a pattern that finds it anywhere; `None` for no text.
pub fn pattern(text: &str) -> Option<String> {
    let text = text.trim();
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    (!text.is_empty()).then_some(pattern)
}
