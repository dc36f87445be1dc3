//! Suspension: nobody acts in the name of a suspended account, anywhere, until it is reinstated.

mod command;
mod grpc;
pub mod store;

use kit::db::Transaction;
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::command::{Reinstate, Suspend};
use crate::{
    accounts::store as accounts,
    config::Mail,
    error::{Error, Result},
    events,
    keys::{self, Told},
    mail::{self, Letter},
    notifications::{Note, store as notifications},
};

/// What is done, and still to be told after the commit.
pub struct Done {
    pub at: OffsetDateTime,
    pub revoked: Vec<Told>,
    pub note: Option<Uuid>,
}

/// Why somebody is suspended. Causes are kept apart: what takes one away leaves the others.
#[derive(Debug, Clone, Copy)]
pub enum Cause<'a> {
    /// A moderator's or the operator's word.
    Moderator,
    /// A report that was decided so, by its id.
    Report(&'a str),
    /// Strikes: what was refused by a rule whose repeat suspends.
    Moderation,
}

impl<'a> Cause<'a> {
    fn as_str(self) -> &'a str {
        match self {
            Self::Moderator => "moderator",
            Self::Report(id) => id,
            Self::Moderation => "moderation",
        }
    }
}

/// Suspends an account in the caller's transaction: its sessions end, the person is told why. Twice for one
/// cause is as once.
///
/// # Errors
/// `user_not_found`.
pub async fn suspend(
    tx: &mut Transaction,
    user: Uuid,
    cause: Cause<'_>,
    reason: &str,
    mail: &Mail,
) -> Result<Done> {
    let person = store::lock(&mut **tx, user).await?.ok_or(Error::UserNotFound)?;
    let new = store::add_cause(&mut **tx, user, cause.as_str(), reason).await?;
    let mut revoked = Vec::new();
    let at = match store::suspend(&mut **tx, user, reason).await? {
        Some((version, at)) => {
            let ended = accounts::end_sessions(&mut **tx, user, None).await?;
            revoked = keys::revoke_sessions(tx, &ended).await?;
            revoked.push(keys::revoke_user(tx, user).await?);
            events::suspended(&mut **tx, user, reason, version).await?;
            at
        }
        None => person.suspended_at.ok_or(Error::UserNotFound)?,
    };
    let mut note = None;
    if new {
        let letter = Letter::suspended(&person.username, reason, mail);
        mail::queue(&mut **tx, &person.email, &letter).await?;
        note = notifications::add(tx, user, &Note::suspended(reason)).await?;
    }
    Ok(Done { at, revoked, note })
}

/// A moderator's word lets somebody back in as they were before, whatever they were suspended for. Twice is
/// as once.
///
/// # Errors
/// `user_not_found`.
pub async fn reinstate(tx: &mut Transaction, user: Uuid, mail: &Mail) -> Result<()> {
    lift(tx, user, None, mail).await
}

/// A report is decided otherwise: who was suspended for nothing else is let back in.
///
/// # Errors
/// `user_not_found`.
pub async fn undo(tx: &mut Transaction, user: Uuid, report: &str, mail: &Mail) -> Result<()> {
    lift(tx, user, Some(Cause::Report(report)), mail).await
}

async fn lift(tx: &mut Transaction, user: Uuid, cause: Option<Cause<'_>>, mail: &Mail) -> Result<()> {
    let person = store::lock(&mut **tx, user).await?.ok_or(Error::UserNotFound)?;
    if !store::take_causes(tx, user, cause.map(Cause::as_str)).await? {
        return Ok(());
    }
    let Some(version) = store::reinstate(&mut **tx, user).await? else { return Ok(()) };
    events::reinstated(&mut **tx, user, version).await?;
    mail::queue(&mut **tx, &person.email, &Letter::reinstated(&person.username, mail)).await?;
    notifications::add(tx, user, &Note::reinstated()).await?;
    Ok(())
}
