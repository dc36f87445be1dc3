//! Chats and their messages: a tree with an active leaf, shown as the path from the root to it.

mod grpc;
pub mod store;

use proto::chat::v1 as pb;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::limits::PREVIEW_MAX;

/// A chat of one user with one character.
#[derive(Debug, Clone)]
pub struct Chat {
    pub id: Uuid,
    pub character_id: Uuid,
    pub character_name: String,
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
    /// Siblings of the same sender, this one included.
    pub variants: i64,
    /// Which of them this is, from 1.
    pub variant: i64,
}

impl Message {
    pub fn by_user(&self) -> bool {
        self.sender == "user"
    }

    /// A reply that came to nothing; the path goes on without it.
    pub fn is_void(&self) -> bool {
        !self.by_user() && self.parent_id.is_some() && self.content.trim().is_empty()
    }
}

impl From<Message> for pb::Message {
    fn from(m: Message) -> Self {
        let sender = if m.by_user() { pb::Sender::User } else { pb::Sender::Character };
        let state = match m.state.as_str() {
            "streaming" => pb::MessageState::Streaming,
            "stopped" => pb::MessageState::Stopped,
            "interrupted" => pb::MessageState::Interrupted,
            "failed" => pb::MessageState::Failed,
            "refused" => pb::MessageState::Refused,
            "pending" => pb::MessageState::Pending,
            _ => pb::MessageState::Complete,
        };
        let id = |id: Option<Uuid>| id.map_or_else(String::new, |id| id.to_string());
        let count = |n: i64| u32::try_from(n).unwrap_or(1).max(1);
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
            variants: count(m.variants),
            variant: count(m.variant),
            edited: false,
            siblings: Vec::new(),
        }
    }
}

/// What the list of chats shows of a message.
pub fn preview(text: &str) -> String {
    text.chars().take(PREVIEW_MAX).collect()
}
