//! Who calls, for as long as a request is handled. The bearer and the deadline live in a task-local,
//! so that the calls a handler makes carry them on by themselves.

use std::sync::Arc;

use time::OffsetDateTime;
use tokio::time::Instant;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::error::Failure;

/// The role that decides reports and suspends accounts, as tokens say it.
pub const ADMIN: &str = "admin";

/// Longest idempotency key, in characters.
pub const MAX_IDEMPOTENCY_KEY: usize = 255;

/// A signed-in person, as the token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: Uuid,
    pub session: Uuid,
    /// Username when the token was issued.
    pub name: String,
    pub roles: Vec<String>,
    pub issued_at: OffsetDateTime,
}

/// Whoever calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Caller {
    #[default]
    Visitor,
    User(User),
}

/// What a request carries on to the calls made for it.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub caller: Caller,
    pub bearer: Option<Arc<str>>,
    pub deadline: Option<Instant>,
    /// Idempotency key that the next service is to honour.
    pub idempotency_key: Option<Arc<str>>,
}

tokio::task_local! {
    static CONTEXT: Context;
}

/// The context of the request that is being handled; empty outside of one.
#[must_use]
pub fn current() -> Context {
    CONTEXT.try_with(Clone::clone).unwrap_or_default()
}

/// Runs `work` in a context: a background task that acts for a caller, or the BFF's handlers.
pub async fn scope<F: Future>(context: Context, work: F) -> F::Output {
    CONTEXT.scope(context, work).await
}

/// # Errors
/// `unauthenticated` for a visitor.
pub fn user<T>(request: &Request<T>) -> Result<User, Status> {
    maybe(request).ok_or_else(|| Failure::unauthenticated().into())
}

/// The signed-in caller, who has the role [`ADMIN`].
///
/// # Errors
/// `unauthenticated` for a visitor, `forbidden` for everybody else without the role.
pub fn admin<T>(request: &Request<T>) -> Result<User, Status> {
    let user = user(request)?;
    if user.roles.iter().any(|role| role == ADMIN) {
        return Ok(user);
    }
    Err(Failure::new(Code::PermissionDenied, "forbidden", "this needs another role").into())
}

/// The signed-in caller, if there is one.
#[must_use]
pub fn maybe<T>(request: &Request<T>) -> Option<User> {
    match request.extensions().get::<Caller>() {
        Some(Caller::User(user)) => Some(user.clone()),
        _ => None,
    }
}

/// The `idempotency-key` of the request.
///
/// # Errors
/// `invalid` when it is empty, longer than [`MAX_IDEMPOTENCY_KEY`], or not visible ASCII.
pub fn idempotency_key<T>(request: &Request<T>) -> Result<Option<String>, Status> {
    let Some(value) = request.metadata().get("idempotency-key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) if valid_key(key) => Ok(Some(key.to_owned())),
        _ => Err(Failure::invalid("Idempotency-Key", "Between 1 and 255 visible ASCII characters.").into()),
    }
}

/// Whether a text can be an idempotency key.
#[must_use]
pub fn valid_key(key: &str) -> bool {
    (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(caller: Caller) -> Request<()> {
        let mut request = Request::new(());
        request.extensions_mut().insert(caller);
        request
    }

    fn with_roles(roles: &[&str]) -> Caller {
        Caller::User(User {
            id: Uuid::nil(),
            session: Uuid::nil(),
            name: "ada".into(),
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            issued_at: OffsetDateTime::UNIX_EPOCH,
        })
    }

    #[test]
    fn only_the_role_lets_somebody_decide() {
        assert_eq!(admin(&from(with_roles(&["other", ADMIN]))).expect("has the role").name, "ada");
        for (caller, code) in [
            (Caller::Visitor, Code::Unauthenticated),
            (with_roles(&[]), Code::PermissionDenied),
            (with_roles(&["administrator"]), Code::PermissionDenied),
        ] {
            assert_eq!(admin(&from(caller)).expect_err("refused").code(), code);
        }
    }
}
