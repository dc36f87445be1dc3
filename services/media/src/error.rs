//! What can go wrong, and what callers are told: the one table.

use kit::error::Failure;
use moderation::Rule;
use thiserror::Error;
use tonic::{Code, Status};

use crate::{limits, pictures::Unfit};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("the asset is not there, or its signature does not hold")]
    AssetNotFound,
    #[error("the image is not there, or not the caller's")]
    ImageNotFound,
    #[error("nobody has to decide about the picture")]
    NotWaiting,
    #[error("a picture with this choice stays private")]
    MustBePrivate,
    #[error("a choice that is NSFW, where NSFW is off")]
    NsfwOff,
    #[error("creating needs a paid plan")]
    UpgradeRequired,
    #[error("{field} is against the rule {}", rule.as_str())]
    Moderated { field: &'static str, rule: Rule },
    #[error("a copy of a picture that was removed")]
    Banned,
    #[error("the upload does not do: {0}")]
    Unfit(#[from] Unfit),
    #[error("the job was ended while it was paid for")]
    EndedMeanwhile,
    #[error("refused: {}", .0.message)]
    Refused(Failure),
    /// Another service's answer, handed on as it came.
    #[error("another service refused: {0}")]
    Upstream(Status),
    #[error("files: {0}")]
    Files(#[from] object_store::Error),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error("{0}")]
    Internal(String),
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
            Self::AssetNotFound => Failure::not_found("not_found"),
            Self::ImageNotFound => Failure::not_found("image_not_found"),
            Self::NotWaiting => Failure::new(Code::FailedPrecondition, "not_waiting", text),
            Self::MustBePrivate => Failure::new(Code::FailedPrecondition, "image_private", text),
            Self::NsfwOff => Failure::new(Code::PermissionDenied, "nsfw_off", text),
            Self::UpgradeRequired => Failure::new(Code::FailedPrecondition, "upgrade_required", text),
            Self::Moderated { field, rule } => Failure::new(Code::FailedPrecondition, "moderated", text)
                .field(*field, rule.public_text())
                .meta("rule", rule.as_str()),
            Self::Banned => Failure::new(Code::FailedPrecondition, "moderated", text)
                .field("image", "This picture was removed after a report, and cannot be used again.")
                .meta("rule", "removed_picture"),
            Self::Unfit(unfit) => unfit_failure(unfit),
            Self::EndedMeanwhile => Failure::new(Code::Aborted, "conflict", text),
            Self::Refused(failure) => failure.clone(),
            Self::Upstream(status) => Failure::from_status(status),
            Self::Database(error) => kit::error::database(error),
            Self::Files(error) => {
                tracing::error!(%error, "files cannot be read or written");
                Failure::unavailable("the store of pictures")
            }
            Self::Internal(cause) => {
                tracing::error!(cause, "internal error");
                Failure::internal()
            }
        }
    }
}

fn unfit_failure(unfit: &Unfit) -> Failure {
    let (code, reason, text) = match unfit {
        Unfit::TooManyBytes => {
            (Code::OutOfRange, "too_large", format!("At most {} MB.", limits::UPLOAD_BYTES / 1024 / 1024))
        }
        Unfit::TooManyPixels => (
            Code::OutOfRange,
            "too_large",
            format!(
                "At most {} megapixels, a quarter less with transparency.",
                limits::UPLOAD_PIXELS / 1_000_000
            ),
        ),
        Unfit::TooSmall => {
            (Code::InvalidArgument, "invalid", format!("At least {0} × {0} pixels.", limits::UPLOAD_SIDE_MIN))
        }
        Unfit::TooDense => {
            (Code::OutOfRange, "too_large", "This picture unpacks to far more than its file holds.".into())
        }
        Unfit::SeveralKinds => (
            Code::InvalidArgument,
            "unsupported_media",
            "This file is a picture and something else as well.".into(),
        ),
        Unfit::Unreadable => (
            Code::InvalidArgument,
            "unsupported_media",
            "Please choose a PNG, JPEG, WebP or GIF picture.".into(),
        ),
    };
    Failure::new(code, reason, text.clone()).field("image", text)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.failure().into()
    }
}
