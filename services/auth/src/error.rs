//! What can go wrong, and what callers are told: the one table.

use std::time::Duration;

use kit::error::Failure;
use moderation::Rule;
use thiserror::Error;
use tonic::{Code, Status};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("the code is not right")]
    CodeWrong,
    #[error("the code has expired or was tried too often")]
    CodeExpired,
    #[error("the reset link has expired or was used")]
    ResetExpired,
    #[error("e-mail or password is not right")]
    CredentialsWrong,
    #[error("the e-mail address is not verified")]
    EmailUnverified,
    #[error("the account is suspended")]
    Suspended(String),
    #[error("the second step is missing")]
    OtpRequired,
    #[error("the code of the second step is not right")]
    OtpWrong,
    /// In a session, where a 401 would end it.
    #[error("the code of the second step is not right")]
    StepCodeWrong,
    #[error("the second step is on already")]
    TwoStepOn,
    #[error("the second step is not on")]
    TwoStepOff,
    #[error("a role of the account needs the second step")]
    TwoStepRequired,
    /// Of the field that is named.
    #[error("the password is not right")]
    PasswordWrong(&'static str),
    #[error("not offered in this country")]
    CountryClosed,
    #[error("no such device")]
    DeviceNotFound,
    #[error("too many tries")]
    TooManyAttempts(Duration),
    #[error("the session has ended or is too old to be renewed")]
    SessionEnded,
    #[error("no such user")]
    UserNotFound,
    #[error("no such persona")]
    PersonaNotFound,
    /// Of the field that is named.
    #[error("{0} breaks the rule {rule}", rule = .1.as_str())]
    Moderated(String, Rule),
    #[error("refused: {}", .0.message)]
    Refused(Failure),
    #[error("redis is away: {0}")]
    Redis(#[from] kit::redis::Down),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Unexpected(#[from] anyhow::Error),
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
            Self::CodeWrong => Failure::new(Code::InvalidArgument, "code_wrong", text),
            Self::CodeExpired => Failure::new(Code::InvalidArgument, "code_expired", text),
            Self::ResetExpired => Failure::new(Code::InvalidArgument, "reset_expired", text),
            Self::CredentialsWrong => Failure::new(Code::Unauthenticated, "credentials_wrong", text),
            Self::EmailUnverified => Failure::new(Code::PermissionDenied, "email_unverified", text),
            Self::Suspended(why) => {
                Failure::new(Code::PermissionDenied, "suspended", text).meta("reason", why)
            }
            Self::OtpRequired => Failure::new(Code::Unauthenticated, "otp_required", text),
            Self::OtpWrong => Failure::new(Code::Unauthenticated, "otp_wrong", text),
            Self::StepCodeWrong => Failure::new(Code::InvalidArgument, "step_code_wrong", text)
                .field("code", "This code is not right."),
            Self::TwoStepOn => Failure::new(Code::AlreadyExists, "two_step_on", text),
            Self::TwoStepOff => Failure::new(Code::AlreadyExists, "two_step_off", text),
            Self::TwoStepRequired => Failure::new(Code::PermissionDenied, "two_step_required", text),
            Self::PasswordWrong(field) => Failure::new(Code::InvalidArgument, "password_wrong", text)
                .field(*field, "The password is not right."),
            Self::CountryClosed => Failure::new(Code::PermissionDenied, "country_closed", text),
            Self::DeviceNotFound => Failure::not_found("device_not_found"),
            Self::TooManyAttempts(wait) => {
                Failure::new(Code::ResourceExhausted, "too_many_attempts", text).retry_after(*wait)
            }
            Self::SessionEnded => Failure::new(Code::Unauthenticated, "unauthenticated", text),
            Self::UserNotFound => Failure::not_found("user_not_found"),
            Self::PersonaNotFound => Failure::not_found("persona_not_found"),
            Self::Moderated(field, rule) => Failure::new(Code::FailedPrecondition, "moderated", text)
                .field(field.as_str(), rule.public_text())
                .meta("rule", rule.as_str()),
            Self::Refused(failure) => failure.clone(),
            Self::Redis(error) => {
                tracing::warn!(%error, "redis unavailable");
                Failure::unavailable("redis")
            }
            Self::Database(error) => match kit::error::constraint(error) {
                Some("account_email_once") => {
                    Failure::new(Code::AlreadyExists, "email_taken", "the e-mail is taken")
                        .field("email", "This e-mail is already in use.")
                }
                Some("account_username_once" | "account_skeleton_once") => {
                    Failure::new(Code::AlreadyExists, "username_taken", "the username is taken")
                        .field("username", "This username is taken.")
                }
                Some("follow_not_self") => {
                    Failure::new(Code::InvalidArgument, "self_follow", "nobody follows themselves")
                }
                Some("follow_followee_fkey") => Self::UserNotFound.failure(),
                _ => kit::error::database(error),
            },
            Self::Unexpected(error) => {
                tracing::error!(%error, "unexpected error");
                Failure::internal()
            }
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.failure().into()
    }
}
