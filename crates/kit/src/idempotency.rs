//! One effect and one answer per `Idempotency-Key`, kept for 48 hours in the database of the service
//! that owns the effect.
//!
//! The claim is a short transaction of its own: a duplicate that waited inside the effect's transaction
//! would hold a connection, and a thousand duplicates would empty the pool. An effect that is one statement may
//! write the row of its key in it, where a duplicate waits no longer than that statement takes.

use std::time::Duration;

use prost::Message;
use sha2::{Digest as _, Sha256};
use sqlx::{PgExecutor, Row as _};
use tokio::time::Instant;
use tonic::Code;
use uuid::Uuid;

use crate::{
    db::Db,
    error::{self, Failure},
};

/// After this a claim whose process died is taken over.
const LEASE_S: f64 = 60.0;
/// How long a duplicate waits for the first request's answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between looks: grows from here …
const LOOK: Duration = Duration::from_millis(50);
/// … to here.
const LOOK_MAX: Duration = Duration::from_millis(200);

/// What a key stands for.
#[derive(Debug)]
pub enum Claim {
    /// Nobody has done it: do it, and `finish` in the same transaction.
    New(Held),
    /// Done before; this was the answer.
    Done(Vec<u8>),
}

/// The right and the duty to do what the key stands for.
#[derive(Debug)]
pub struct Held {
    owner: Uuid,
    op: &'static str,
    key: String,
}

/// Digest of what was asked, field by field (not of the raw body: a multipart boundary differs on retry).
#[must_use]
pub fn hash(fields: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for field in fields {
        digest.update((field.len() as u64).to_be_bytes());
        digest.update(field);
    }
    digest.finalize().into()
}

/// Claims the key for `owner` and `op`, or finds the answer given before.
///
/// # Errors
/// `idempotency_mismatch` when the key was used for something else, `in_progress` when the first
/// request still runs after 5 s, `unavailable` when the database is.
pub async fn claim(
    db: &Db,
    owner: Uuid,
    op: &'static str,
    key: &str,
    hash: [u8; 32],
) -> Result<Claim, Failure> {
    let began = Instant::now();
    let mut pause = LOOK;
    loop {
        let claimed = sqlx::query(
            // Without waiting for the disk: the effect's commit follows this one there, and a claim that is lost with the
            // machine before that has had no effect.
            "insert into idempotency (owner, op, key, hash, state, lease_until)
             select $1, $2, $3, $4, 'running', now() + make_interval(secs => $5)
             from set_config('synchronous_commit', 'off', true) as waits where waits = 'off'
             on conflict (owner, op, key) do update set lease_until = excluded.lease_until, at = now()
             where idempotency.state = 'running' and idempotency.lease_until < now()
               and idempotency.hash = excluded.hash",
        )
        .bind(owner)
        .bind(op)
        .bind(key)
        .bind(hash.as_slice())
        .bind(LEASE_S)
        .execute(db)
        .await
        .map_err(|e| error::database(&e))?;
        if claimed.rows_affected() == 1 {
            return Ok(Claim::New(Held { owner, op, key: key.to_owned() }));
        }

        let row = sqlx::query(
            "select hash, state, response from idempotency where owner = $1 and op = $2 and key = $3",
        )
        .bind(owner)
        .bind(op)
        .bind(key)
        .fetch_optional(db)
        .await
        .map_err(|e| error::database(&e))?;
        // Gone again: the first request failed and gave the key back.
        let Some(row) = row else { continue };
        let read = |e: sqlx::Error| error::database(&e);
        if row.try_get::<Vec<u8>, _>("hash").map_err(read)? != hash {
            return Err(Failure::new(
                Code::InvalidArgument,
                "idempotency_mismatch",
                "the key was used for another request",
            ));
        }
        if row.try_get::<String, _>("state").map_err(read)? == "done" {
            return Ok(Claim::Done(
                row.try_get::<Option<Vec<u8>>, _>("response").map_err(read)?.unwrap_or_default(),
            ));
        }
        if began.elapsed() > PATIENCE {
            return Err(Failure::new(Code::Aborted, "in_progress", "the first request still runs"));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LOOK_MAX);
    }
}

/// What is to be done about a call that may have a key.
#[derive(Debug)]
pub enum Begun<A> {
    /// Nothing: this was the answer.
    Answered(A),
    /// It; what is held, when there is a key, is finished in the transaction of the effect.
    Do(Option<Held>),
}

/// Claims the key of a call, when it has one; what was asked is the message.
///
/// # Errors
/// Those of [`claim`].
pub async fn begin<A: Message + Default>(
    db: &Db,
    owner: Uuid,
    op: &'static str,
    key: Option<String>,
    ask: &impl Message,
) -> Result<Begun<A>, Failure> {
    let Some(key) = key else { return Ok(Begun::Do(None)) };
    match claim(db, owner, op, &key, hash(&[&ask.encode_to_vec()])).await? {
        Claim::New(held) => Ok(Begun::Do(Some(held))),
        Claim::Done(answer) => {
            Ok(Begun::Answered(A::decode(answer.as_slice()).map_err(|_| Failure::internal())?))
        }
    }
}

/// Gives the key back when there was no effect.
///
/// # Errors
/// That of the effect.
pub async fn settle<A, E>(db: &Db, held: Option<Held>, result: Result<A, E>) -> Result<A, E> {
    if let (Err(_), Some(held)) = (&result, held) {
        held.abandon(db).await;
    }
    result
}

impl Held {
    /// Remembers the answer, in the transaction of the effect.
    ///
    /// # Errors
    /// Whatever the database says; the effect must then not be committed.
    pub async fn finish(&self, tx: impl PgExecutor<'_>, response: &[u8]) -> sqlx::Result<()> {
        sqlx::query(
            "update idempotency set state = 'done', response = $4, at = now() where owner = $1 and op = $2 and key = $3",
        )
        .bind(self.owner)
        .bind(self.op)
        .bind(&self.key)
        .bind(response)
        .execute(tx)
        .await
        .map(drop)
    }

    /// Gives the key back because there was no effect: the same request may be tried again.
    pub async fn abandon(&self, db: &Db) {
        let given_back = sqlx::query(
            "delete from idempotency where owner = $1 and op = $2 and key = $3 and state = 'running'",
        )
        .bind(self.owner)
        .bind(self.op)
        .bind(&self.key)
        .execute(db)
        .await;
        if let Err(error) = given_back {
            tracing::warn!(%error, "idempotency key not given back; its lease will end");
        }
    }
}
