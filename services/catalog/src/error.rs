//! What can go wrong, and what callers are told: the one table.

use kit::error::Failure;
use thiserror::Error;
use tonic::{Code, Status};

use crate::limits;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("no such character, or not the caller's to see")]
    CharacterNotFound,
    #[error("the plan does not allow creating")]
    UpgradeRequired,
    #[error("no review of the caller's")]
    ReviewNotFound,
    #[error("at most {} of a kind", limits::BLOCKS_MAX)]
    TooManyBlocks,
    #[error("nobody reviews their own character")]
    OwnReview,
    #[error("turning NSFW on needs the confirmation of age")]
    AgeUnconfirmed,
    #[error("no report has this number")]
    ReportNotFound,
    #[error("decided already")]
    ReportDecided,
    #[error("not decided yet")]
    ReportUndecided,
    #[error("there is one appeal, and it was made")]
    AppealUsed,
    #[error("Somebody else has to decide the appeal.")]
    OwnDecision,
    #[error("more imported cards than are kept of one user")]
    CardsFull,
    #[error("its creator does not let the card be exported")]
    NotExportable,
    #[error("nothing holds the character")]
    NotHeld,
    #[error("what holds the character is not what was read")]
    HeldChanged,
    #[error("a picture that stays private, for a character that everybody sees")]
    ImagePrivate,
    #[error("refused: {}", .0.message)]
    Refused(Failure),
    /// What another service said, handed on as it is.
    #[error("another service: {0}")]
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
    pub fn failure(&self) -> Failure {
        let text = self.to_string();
        match self {
            Self::CharacterNotFound => Failure::not_found("character_not_found"),
            Self::UpgradeRequired => Failure::new(Code::FailedPrecondition, "upgrade_required", text),
            Self::ReviewNotFound => Failure::not_found("review_not_found"),
            Self::TooManyBlocks => Failure::new(Code::InvalidArgument, "too_many_blocks", text)
                .field("target", format!("You can block at most {} of a kind.", limits::BLOCKS_MAX)),
            Self::OwnReview => Failure::new(Code::InvalidArgument, "own_review", text),
            Self::AgeUnconfirmed => Failure::new(Code::FailedPrecondition, "age_unconfirmed", text)
                .field("ageConfirmed", "Confirm your age first."),
            Self::ReportNotFound => Failure::not_found("report_not_found"),
            Self::ReportDecided => Failure::new(Code::FailedPrecondition, "report_decided", text),
            Self::ReportUndecided => Failure::new(Code::FailedPrecondition, "report_undecided", text),
            Self::AppealUsed => Failure::new(Code::FailedPrecondition, "appeal_used", text),
            Self::OwnDecision => Failure::new(Code::PermissionDenied, "own_decision", text),
            Self::CardsFull => Failure::new(Code::ResourceExhausted, "cards_full", text).field(
                "file",
                "Your imported cards fill all the room there is. Delete a character that came with a large one.",
            ),
            Self::NotExportable => Failure::new(Code::PermissionDenied, "not_exportable", text),
            Self::ImagePrivate => Failure::new(Code::FailedPrecondition, "image_private", text)
                .field("image", "This picture stays private: the character has to be private or NSFW."),
            Self::HeldChanged => Failure::new(Code::FailedPrecondition, "held_changed", text),
            Self::NotHeld => Failure::new(Code::FailedPrecondition, "not_held", text),
            Self::Refused(failure) => failure.clone(),
            Self::Upstream(status) => Failure::from_status(status),
            Self::Database(error) => match kit::error::constraint(error) {
                Some(name) if name.ends_with("_character_id_fkey") => Self::CharacterNotFound.failure(),
                _ => kit::error::database(error),
            },
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.failure().into()
    }
}

/// # Errors
/// `moderated`, naming the field.
pub fn refuse(field: &str, rule: moderation::Rule) -> Failure {
    Failure::new(Code::FailedPrecondition, "moderated", "against the rules")
        .field(field, rule.public_text())
        .meta("rule", rule.as_str())
}
