//! Replies while they are written. A generation belongs to a process, not to the connection that began
//! it: whoever reads it can leave and come back, here or at another process.

mod before;
mod feed;
mod grpc;
pub(crate) mod keep;
pub mod live;
mod pace;
pub(crate) mod paths;
pub mod screen;
mod send;
mod stand;
pub(crate) mod store;
mod turns;
mod writer;

use proto::chat::v1::{Delta, Done, Failed, GenerationEvent, generation_event::Event};
use uuid::Uuid;

pub(crate) use self::stand::Stand;

use crate::chats::Message;

/// Reason of a message that holds help lines in place of a reply.
pub const HELP_LINES: &str = "help_lines";

/// How a generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Stopped,
    Interrupted,
    Failed,
    Refused,
}

impl End {
    /// As the generation's row has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }

    /// As the message's row has it.
    pub fn message_state(self) -> &'static str {
        match self {
            Self::Done => "complete",
            other => other.as_str(),
        }
    }
}

/// Name of the copy in Redis.
fn copy_key(generation: Uuid) -> String {
    format!("gen:{generation}")
}

fn event(generation: Uuid, offset: usize, event: Event) -> GenerationEvent {
    GenerationEvent { generation_id: generation.to_string(), offset: offset as u64, event: Some(event) }
}

/// `offset` counts the bytes up to and including `text`.
fn delta(generation: Uuid, offset: usize, text: String) -> GenerationEvent {
    event(generation, offset, Event::Delta(Delta { text }))
}

/// The last event, for a message that is no longer written.
fn ending(generation: Uuid, message: Message) -> GenerationEvent {
    let offset = message.content.len();
    let ended_well = matches!(message.state.as_str(), "complete" | "stopped");
    let reason = message.reason.clone();
    let ai_message = Some(message.into());
    let last = if ended_well {
        Event::Done(Done { ai_message })
    } else {
        Event::Failed(Failed { reason, ai_message })
    };
    event(generation, offset, last)
}

/// The text from byte `offset` on; an offset inside a character is moved to its beginning.
fn text_after(text: &str, offset: usize) -> &str {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    &text[at..]
}
