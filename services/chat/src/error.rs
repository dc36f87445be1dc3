//! What can go wrong, and what callers are told: the one table.

use kit::error::Failure;
use moderation::Rule;
use thiserror::Error;
use tonic::{Code, Status};
use uuid::Uuid;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("the chat is absent, or another's")]
    ChatNotFound,
    #[error("the message is not of this chat, or was taken away")]
    MessageNotFound,
    #[error("a message has as many versions as it may")]
    TooManyVariants,
    #[error("a greeting is neither deleted nor written anew")]
    GreetingStays,
    #[error("nothing was taken away that can be brought back")]
    NothingToUndo,
    #[error("the generation is not of this chat")]
    GenerationNotFound,
    #[error("the message has no manifest")]
    ManifestNotFound,
    #[error("the memory is absent, or another's")]
    MemoryNotFound,
    #[error("the chat has all memories that it may")]
    TooManyMemories,
    #[error("the lorebook is absent, or another's")]
    LorebookNotFound,
    #[error("the user has all lorebooks that they may")]
    TooManyLorebooks,
    #[error("a reply is being written")]
    Running(Uuid),
    #[error("a free chat has reached its end")]
    SubscribeRequired,
    #[error("the month's messages are used")]
    AllowanceUsed,
    #[error("this needs a plan")]
    UpgradeRequired,
    #[error("the preset is absent, or another's")]
    PresetNotFound,
    #[error("all presets of one's own are taken")]
    TooManyPresets,
    #[error("a free user's day is used")]
    DayCap,
    #[error("{0} breaks the rule {rule}", rule = .1.as_str())]
    Moderated(&'static str, Rule),
    #[error("{} lines of a file break rules", .0.len())]
    ModeratedLines(Vec<(usize, Rule)>),
    #[error("refused: {}", .0.message)]
    Refused(Failure),
    #[error("refused by another service: {}", .0.message())]
    Upstream(Status),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

impl Error {
    fn failure(&self) -> Failure {
        let text = self.to_string();
        match self {
            Self::ChatNotFound => Failure::not_found("chat_not_found"),
            Self::MessageNotFound => Failure::not_found("message_not_found"),
            Self::TooManyVariants => Failure::new(Code::FailedPrecondition, "too_many_variants", text),
            Self::GreetingStays => Failure::new(Code::FailedPrecondition, "greeting_stays", text),
            Self::NothingToUndo => Failure::new(Code::FailedPrecondition, "nothing_to_undo", text),
            Self::GenerationNotFound => Failure::not_found("generation_not_found"),
            Self::ManifestNotFound => Failure::not_found("manifest_not_found"),
            Self::MemoryNotFound => Failure::not_found("memory_not_found"),
            Self::TooManyMemories => Failure::new(Code::FailedPrecondition, "too_many_memories", text),
            Self::LorebookNotFound => Failure::not_found("lorebook_not_found"),
            Self::TooManyLorebooks => Failure::new(Code::FailedPrecondition, "too_many_lorebooks", text),
            Self::Running(id) => {
                Failure::new(Code::Aborted, "generation_running", text).meta("generation_id", id.to_string())
            }
            Self::SubscribeRequired => Failure::new(Code::PermissionDenied, "subscribe_required", text),
            Self::AllowanceUsed => Failure::new(Code::ResourceExhausted, "allowance_used", text),
            Self::UpgradeRequired => Failure::new(Code::FailedPrecondition, "upgrade_required", text),
            Self::PresetNotFound => Failure::not_found("preset_not_found"),
            Self::TooManyPresets => Failure::new(Code::FailedPrecondition, "too_many_presets", text),
            Self::DayCap => Failure::new(Code::ResourceExhausted, "day_cap_reached", text),
            Self::Moderated(field, rule) => Failure::new(Code::InvalidArgument, "moderated", text)
                .field(*field, rule.public_text())
                .meta("rule", rule.as_str()),
            Self::ModeratedLines(lines) => {
                let failure = Failure::new(Code::InvalidArgument, "moderated", text);
                lines.iter().fold(failure, |failure, (line, rule)| {
                    failure.field(format!("line {line}"), rule.public_text()).meta("rule", rule.as_str())
                })
            }
            Self::Refused(failure) => failure.clone(),
            Self::Upstream(status) => Failure::from_status(status),
            Self::Database(error) => kit::error::database(error),
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::Upstream(status) => status,
            error => error.failure().into(),
        }
    }
}
