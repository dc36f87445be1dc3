//! Suspension: nobody acts in the name of a suspended account, anywhere, until it is reinstated.

mod command;
mod grpc;
mod store;

use sqlx::PgTransaction;
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

/// Suspends an account in the caller's transaction: its sessions end, the person is told why. Twice is as
/// once.
///
/// # Errors
/// `user_not_found`.
pub async fn suspend(tx: &mut PgTransaction<'_>, user: Uuid, reason: &str, mail: &Mail) -> Result<Done> {
    let Some(person) = store::suspend(&mut **tx, user, reason).await? else {
        let at = store::suspended_at(&mut **tx, user).await?.ok_or(Error::UserNotFound)?;
        return Ok(Done { at, revoked: Vec::new(), note: None });
    };
    let ended = accounts::end_sessions(&mut **tx, user, None).await?;
    let mut revoked = keys::revoke_sessions(tx, &ended).await?;
    revoked.push(keys::revoke_user(tx, user).await?);
    events::suspended(&mut **tx, user, reason, person.version).await?;
    let letter = Letter::suspended(&person.username, reason, mail);
    mail::queue(&mut **tx, &person.email, &letter).await?;
    let note = notifications::add(tx, user, &Note::suspended(reason)).await?;
    Ok(Done { at: person.at, revoked, note })
}

/// Lets somebody back in, as they were before. Twice is as once.
///
/// # Errors
/// `user_not_found`.
pub async fn reinstate(tx: &mut PgTransaction<'_>, user: Uuid, mail: &Mail) -> Result<()> {
    let Some(person) = store::reinstate(&mut **tx, user).await? else {
        let known = accounts::find(&mut **tx, user).await?.is_some();
        return if known { Ok(()) } else { Err(Error::UserNotFound) };
    };
    events::reinstated(&mut **tx, user, person.version).await?;
    mail::queue(&mut **tx, &person.email, &Letter::reinstated(&person.username, mail)).await?;
    notifications::add(tx, user, &Note::reinstated()).await?;
    Ok(())
}
