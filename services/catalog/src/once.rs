//! One effect and one answer per `Idempotency-Key` (architecture, rule 11), for calls that may have one.

use kit::{
    error::Failure,
    idempotency::{self, Claim, Held},
};
use prost::Message;
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::Result;

/// What is to be done about a call.
pub enum Begun<A> {
    /// Nothing: this was the answer.
    Answered(A),
    /// It; with the key, when there is one, to be finished in its transaction.
    Do(Option<Held>),
}

/// # Errors
/// `in_progress`, or `idempotency_mismatch`.
pub async fn begin<A: Message + Default>(
    db: &PgPool,
    owner: Uuid,
    op: &'static str,
    key: Option<String>,
    ask: &impl Message,
) -> Result<Begun<A>> {
    let Some(key) = key else { return Ok(Begun::Do(None)) };
    let hash = idempotency::hash(&[&ask.encode_to_vec()]);
    match idempotency::claim(db, owner, op, &key, hash).await? {
        Claim::New(held) => Ok(Begun::Do(Some(held))),
        Claim::Done(answer) => {
            Ok(Begun::Answered(A::decode(answer.as_slice()).map_err(|_| Failure::internal())?))
        }
    }
}

/// Gives the key back when there was no effect.
pub async fn settle<A>(db: &PgPool, held: Option<Held>, result: Result<A>) -> Result<A> {
    if let (Err(_), Some(held)) = (&result, held) {
        held.abandon(db).await;
    }
    result
}
