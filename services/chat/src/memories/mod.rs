//! What a character remembers: summaries of what was said, made in the background, and facts that the user
//! wrote. A summary holds only where all the messages are that it was made from, so that nothing that was
//! deleted, cleared or swiped away comes back through it.

pub mod embed;
mod extract;
mod grpc;
pub mod jobs;
pub mod kept;
mod near;
pub mod path;
pub mod store;
pub mod words;
pub mod work;

use std::collections::HashSet;

use proto::chat::v1 as pb;
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::extract::extract;

/// A memory of a user.
#[derive(Debug, Clone)]
pub struct Memory {
    pub id: Uuid,
    pub character_id: Uuid,
    /// `None`: every chat with the character.
    pub chat_id: Option<Uuid>,
    pub kind: String,
    /// Empty for a summary that may not be told.
    pub text: String,
    /// 1 to 5.
    pub importance: i16,
    pub pinned: bool,
    pub edited: bool,
    /// Messages that it was made from, in their order; none of a fact.
    pub sources: Vec<Uuid>,
    /// With which message the summary before it on the path ends; its own first one where there is none before it.
    pub since: Option<Uuid>,
    pub created_at: OffsetDateTime,
}

impl Memory {
    /// The last message that it was made from.
    pub fn anchor(&self) -> Option<Uuid> {
        self.sources.last().copied()
    }

    /// Whether all it was made from is on a path: where its last message is, those before it are.
    pub fn holds(&self, path: &HashSet<Uuid>) -> bool {
        self.sources.iter().all(|id| path.contains(id))
    }
}

impl From<Memory> for pb::Memory {
    fn from(memory: Memory) -> Self {
        let kind = if memory.kind == "summary" { pb::MemoryKind::Summary } else { pb::MemoryKind::Fact };
        Self {
            id: memory.id.to_string(),
            character_id: memory.character_id.to_string(),
            chat_id: memory.chat_id.map_or_else(String::new, |id| id.to_string()),
            kind: kind.into(),
            text: memory.text,
            importance: u32::from(memory.importance.unsigned_abs()),
            pinned: memory.pinned,
            edited: memory.edited,
            source_ids: memory.sources.iter().map(Uuid::to_string).collect(),
            created_at: Some(kit::time::to_proto(memory.created_at)),
        }
    }
}
