//! The routes of `/api`, one file per thing: its handlers, its shapes, and how they come from protobuf.

pub mod auth;
pub mod billing;
pub mod characters;
pub mod chats;
pub mod events;
pub mod images;
pub mod listings;
pub mod meta;
pub mod personas;
pub mod reactions;
pub mod reviews;
pub mod turns;
pub mod users;

use prost_types::Timestamp;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

/// A time; 1970 when a service gave none, which no service does.
#[must_use]
pub fn when(stamp: Option<&Timestamp>) -> OffsetDateTime {
    perhaps(stamp).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// A time that may be absent.
#[must_use]
pub fn perhaps(stamp: Option<&Timestamp>) -> Option<OffsetDateTime> {
    stamp.and_then(kit::time::from_proto)
}

/// Text that is null when empty.
#[must_use]
pub fn or_null(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// It worked, and what people are told.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    pub success: bool,
    pub msg: String,
}

impl Done {
    /// Success, said as `msg`.
    #[must_use]
    pub fn saying(msg: &str) -> Self {
        Self { success: true, msg: msg.to_owned() }
    }
}
