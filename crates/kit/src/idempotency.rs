//! One effect and one answer per `Idempotency-Key`, kept for 48 hours in the database of the service
//! that owns the effect.
//!
//! The claim is a short transaction of its own: a duplicate that waited inside the effect's transaction
//! would hold a connection, and a thousand duplicates would empty the pool. An effect that is one statement may
//! write the row of its key in it, where a duplicate waits no longer than that statement takes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use prost::Message;
use sha2::{Digest as _, Sha256};
use sqlx::{PgExecutor, Postgres, Row as _, postgres::PgArguments, query::Query};
use tokio::{runtime::Handle, time::Instant};
use tonic::Code;
use uuid::Uuid;

use crate::{
    db::{Db, round},
    error::{self, Failure},
};

/// After this a claim whose process died is taken over.
const LEASE_S: f64 = 60.0;
/// How long a duplicate waits for the first request's answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between tries to give a key back while the database is away: twice as long each time, from here …
const AGAIN: Duration = Duration::from_millis(250);
/// … to here, so that the key is free soon after the database is there again.
const AGAIN_MAX: Duration = Duration::from_secs(2);
/// Tries that are made to find a claim of which nobody knows whether it was written: it may still be, by a connection that
/// was lost.
const UNSEEN: u32 = 4;
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

/// The right and the duty to do what the key stands for. Dropped without having done it, it gives the key back.
#[derive(Debug)]
pub struct Held {
    db: Db,
    row: Row,
    /// Whether it is known that the claim was written.
    written: bool,
    /// Whether nothing is left to be given back.
    settled: AtomicBool,
}

/// The row of a claim.
#[derive(Debug, Clone)]
struct Row {
    owner: Uuid,
    op: &'static str,
    key: String,
    /// This claim and no other: it stands in the place of the answer for as long as there is none. Whoever comes too late,
    /// because another has taken the key over, neither finishes it nor gives it back.
    claim: Uuid,
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
    let row = Row { owner, op, key: key.to_owned(), claim: Uuid::now_v7() };
    loop {
        let connection = db.acquire().await.map_err(|e| error::database(&e))?;
        // From here on the key may be held by nobody: the answer may be lost, and whoever waits for it may go.
        let mut held =
            Held { db: db.clone(), row: row.clone(), written: false, settled: AtomicBool::new(false) };
        let asked = sqlx::query(
            // Without waiting for the disk: the effect's commit follows this one there, and a claim that is lost with the
            // machine before that has had no effect.
            "insert into idempotency (owner, op, key, hash, state, lease_until, response)
             select $1, $2, $3, $4, 'running', now() + make_interval(secs => $5), $6
             from set_config('synchronous_commit', 'off', true) as waits where waits = 'off'
             on conflict (owner, op, key) do update
             set lease_until = excluded.lease_until, response = excluded.response, at = now()
             where idempotency.state = 'running' and idempotency.lease_until < now()
               and idempotency.hash = excluded.hash",
        )
        .bind(owner)
        .bind(op)
        .bind(key)
        .bind(hash.as_slice())
        .bind(LEASE_S)
        .bind(row.claim.as_bytes().as_slice());
        let claimed =
            connection.once(async |c| asked.execute(c).await).await.map_err(|e| error::database(&e))?;
        if claimed.rows_affected() == 1 {
            held.written = true;
            return Ok(Claim::New(held));
        }
        held.settle();

        let found = sqlx::query(
            "select hash, state, response from idempotency where owner = $1 and op = $2 and key = $3",
        )
        .bind(owner)
        .bind(op)
        .bind(key)
        .fetch_optional(db)
        .await
        .map_err(|e| error::database(&e))?;
        // Gone again: the first request failed and gave the key back.
        let Some(found) = found else { continue };
        let read = |e: sqlx::Error| error::database(&e);
        if found.try_get::<Vec<u8>, _>("hash").map_err(read)? != hash {
            return Err(Failure::new(
                Code::InvalidArgument,
                "idempotency_mismatch",
                "the key was used for another request",
            ));
        }
        if found.try_get::<String, _>("state").map_err(read)? == "done" {
            return Ok(Claim::Done(
                found.try_get::<Option<Vec<u8>>, _>("response").map_err(read)?.unwrap_or_default(),
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
    /// Whatever the database says, `RowNotFound` when another has taken the key over; the effect must then not be committed.
    pub async fn finish(&self, tx: impl PgExecutor<'_>, response: &[u8]) -> sqlx::Result<()> {
        let finished = sqlx::query(
            "update idempotency set state = 'done', response = $5, at = now()
             where owner = $1 and op = $2 and key = $3 and state = 'running' and response = $4",
        );
        let finished = self.row.bound(finished).bind(response).execute(tx).await?;
        if finished.rows_affected() == 0 {
            return Err(sqlx::Error::RowNotFound);
        }
        self.settle();
        Ok(())
    }

    /// Gives the key back because there was no effect: the same request may be tried again. Where the database is away, or
    /// nobody waits for it, that is done later.
    pub async fn abandon(self, db: &Db) {
        match self.row.give_back(db).await {
            Ok(_) => self.settle(),
            Err(error) => tracing::warn!(%error, "idempotency key not given back; tried again"),
        }
    }

    fn settle(&self) {
        self.settled.store(true, Ordering::Relaxed);
    }

    /// Until it is given back, or its lease has ended.
    fn give_back_later(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let (db, row) = (self.db.clone(), self.row.clone());
        let mut unseen = if self.written { 1 } else { UNSEEN };
        let end = Instant::now() + Duration::from_secs_f64(LEASE_S);
        let mut pause = AGAIN;
        runtime.spawn(async move {
            while unseen > 0 && Instant::now() < end {
                match round(row.give_back(&db)).await {
                    Ok(true) => return,
                    Ok(false) => unseen -= 1,
                    Err(error) => tracing::debug!(%error, "idempotency key not given back yet"),
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(AGAIN_MAX);
            }
        });
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.settled.load(Ordering::Relaxed) {
            self.give_back_later();
        }
    }
}

impl Row {
    /// With the first four arguments of a statement about it.
    fn bound<'q>(&'q self, query: Query<'q, Postgres, PgArguments>) -> Query<'q, Postgres, PgArguments> {
        query.bind(self.owner).bind(self.op).bind(&self.key).bind(self.claim.as_bytes().as_slice())
    }

    /// Answers whether it was there. Waits for whoever is about to finish it, and leaves what is finished.
    async fn give_back(&self, db: &Db) -> sqlx::Result<bool> {
        let gone = sqlx::query(
            "delete from idempotency
             where owner = $1 and op = $2 and key = $3 and state = 'running' and response = $4",
        );
        Ok(self.bound(gone).execute(db).await?.rows_affected() > 0)
    }
}
