//! Failures that cross a wire: a gRPC code, a stable reason, and what was wrong with which field.
//!
//! A service has one table from its errors to a [`Failure`]; the BFF has one from reasons to HTTP.

use std::{collections::HashMap, time::Duration};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

/// `ErrorInfo.domain` of every failure of the house.
const DOMAIN: &str = "troupe";

/// A refusal with all that the caller may know about it.
#[derive(Debug, Clone)]
pub struct Failure {
    pub code: Code,
    /// Stable, snake case; the BFF's table goes by it.
    pub reason: String,
    /// A sentence for developers; never shown to people.
    pub message: String,
    /// Field name and the sentence shown beside it.
    pub fields: Vec<(String, String)>,
    pub meta: HashMap<String, String>,
    pub retry_after: Option<Duration>,
}

impl Failure {
    #[must_use]
    pub fn new(code: Code, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            fields: Vec::new(),
            meta: HashMap::new(),
            retry_after: None,
        }
    }

    /// `invalid`: a request that cannot be understood or accepted as it is.
    #[must_use]
    pub fn invalid(field: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(Code::InvalidArgument, "invalid", text.clone()).field(field, text)
    }

    #[must_use]
    pub fn not_found(reason: impl Into<String>) -> Self {
        Self::new(Code::NotFound, reason, "absent, or not the caller's to see")
    }

    #[must_use]
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthenticated, "unauthenticated", "a valid bearer token is needed")
    }

    #[must_use]
    pub fn unavailable(what: &str) -> Self {
        Self::new(Code::Unavailable, "unavailable", format!("{what} cannot be reached"))
            .retry_after(Duration::from_secs(2))
    }

    /// An error that says nothing to the caller; log the cause before making one.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Code::Internal, "internal", "an error on our side")
    }

    #[must_use]
    pub fn field(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.fields.push((name.into(), text.into()));
        self
    }

    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// Reads a failure back from the status that carried it. A status without details (a deadline) gets the reason that
    /// belongs to its code.
    #[must_use]
    pub fn from_status(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info();
        Self {
            code: status.code(),
            reason: info.map_or_else(|| reason_of(status.code()).to_owned(), |i| i.reason.clone()),
            message: status.message().to_owned(),
            fields: details.bad_request().map_or_else(Vec::new, |b| {
                b.field_violations.iter().map(|v| (v.field.clone(), v.description.clone())).collect()
            }),
            meta: info.map(|i| i.metadata.clone()).unwrap_or_default(),
            retry_after: details.retry_info().and_then(|r| r.retry_delay),
        }
    }
}

impl From<Failure> for Status {
    fn from(f: Failure) -> Self {
        let mut details = ErrorDetails::new();
        details.set_error_info(f.reason, DOMAIN, f.meta);
        if !f.fields.is_empty() {
            details.set_bad_request(
                f.fields.into_iter().map(|(n, t)| FieldViolation::new(n, t)).collect::<Vec<_>>(),
            );
        }
        if let Some(delay) = f.retry_after {
            details.set_retry_info(Some(delay));
        }
        Status::with_error_details(f.code, f.message, details)
    }
}

/// The reason of a status that carries none.
fn reason_of(code: Code) -> &'static str {
    match code {
        Code::InvalidArgument | Code::OutOfRange => "invalid",
        Code::Unauthenticated => "unauthenticated",
        Code::PermissionDenied => "forbidden",
        Code::NotFound => "not_found",
        Code::AlreadyExists | Code::Aborted | Code::FailedPrecondition => "conflict",
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => "unavailable",
        _ => "internal",
    }
}

/// Collects everything that is wrong with a request, so that people are told all of it at once.
#[derive(Debug, Default)]
pub struct Violations(Vec<(String, String)>);

impl Violations {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a violation unless `ok`.
    pub fn check(&mut self, ok: bool, field: impl Into<String>, text: impl Into<String>) {
        if !ok {
            self.add(field, text);
        }
    }

    pub fn add(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.0.push((field.into(), text.into()));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// # Errors
    /// `invalid` with all fields, when there is any violation.
    pub fn done(self) -> Result<(), Failure> {
        let Some((_, first)) = self.0.first() else { return Ok(()) };
        let mut failure = Failure::new(Code::InvalidArgument, "invalid", first.clone());
        failure.fields = self.0;
        Err(failure)
    }
}

/// Name of the constraint that PostgreSQL says was broken.
#[must_use]
pub fn constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(sqlx::error::DatabaseError::constraint)
}

/// True when the database could not be asked at all (down, or no connection in time). What breaks the protocol is no
/// PostgreSQL: a balancer before one that is stopped takes the connection and says nothing.
#[must_use]
pub fn database_down(error: &sqlx::Error) -> bool {
    matches!(
        error,
        sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
    ) || error
        .as_database_error()
        .and_then(|e| e.code())
        .is_some_and(|c| c.starts_with("57P") || c.starts_with("08"))
}

/// PostgreSQL stores every character but U+0000.
fn unstorable(error: &sqlx::Error) -> bool {
    const CHARACTER_NOT_IN_REPERTOIRE: &str = "22021";
    error.as_database_error().and_then(|e| e.code()).is_some_and(|c| c == CHARACTER_NOT_IN_REPERTOIRE)
}

/// What a database error means when no constraint of the service explains it: `unavailable` when it
/// is down, else logged whole and answered `internal`.
#[must_use]
pub fn database(error: &sqlx::Error) -> Failure {
    if database_down(error) {
        tracing::warn!(%error, "database unavailable");
        Failure::unavailable("the database")
    } else if unstorable(error) {
        // A zero byte in an id or a name that is looked up: nothing that is stored has one.
        Failure::invalid("request", "Contains characters that cannot be stored.")
    } else {
        tracing::error!(%error, "database error");
        Failure::internal()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_survives_the_wire() {
        let sent = Failure::new(Code::FailedPrecondition, "coins_short", "needs 10")
            .field("cost", "You need 10 coins.")
            .meta("needed", "10")
            .retry_after(Duration::from_secs(3));
        let status = Status::from(sent);
        let back = Failure::from_status(&status);
        assert_eq!(back.code, Code::FailedPrecondition);
        assert_eq!(back.reason, "coins_short");
        assert_eq!(back.fields, [("cost".to_owned(), "You need 10 coins.".to_owned())]);
        assert_eq!(back.meta["needed"], "10");
        assert_eq!(back.retry_after, Some(Duration::from_secs(3)));
    }

    #[test]
    fn violations_are_told_all_at_once() {
        let mut v = Violations::new();
        v.check(true, "name", "never");
        v.check(false, "age", "Minimum age is 18");
        v.check(false, "tags", "You can add a maximum of 5 tags");
        let failure = v.done().expect_err("two are wrong");
        assert_eq!(failure.message, "Minimum age is 18");
        assert_eq!(failure.fields.len(), 2);
    }

    #[test]
    fn a_bare_status_gets_the_reason_of_its_code() {
        assert_eq!(Failure::from_status(&Status::unavailable("x")).reason, "unavailable");
        assert_eq!(Failure::from_status(&Status::unknown("x")).reason, "internal");
    }

    #[test]
    fn a_server_that_speaks_no_postgresql_is_away() {
        let silent = sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".into());
        assert_eq!(database(&silent).reason, "unavailable");
        assert_eq!(database(&sqlx::Error::RowNotFound).reason, "internal");
    }
}
