//! Which messages are due to be summarised, and the queue of chats that have some. Any process takes from it; a
//! turn only adds to it.

use kit::db::Db;
use std::{borrow::Borrow, collections::HashSet};

use sqlx::PgConnection;
use uuid::Uuid;

use super::{Memory, path::Holding};
use crate::{
    chats::Step,
    error::Result,
    limits::{SUMMARY_BATCH, SUMMARY_LEASE, SUMMARY_NEWEST, SUMMARY_RETRY_MAX_S, SUMMARY_RETRY_S},
};

/// The messages of the end of a path that no summary tells of, the oldest first, without the newest. They are summarised
/// in batches of [`SUMMARY_BATCH`]; what does not fill one waits. `held` are the memories that hold on the path.
#[must_use]
pub fn untold(path: &[Step], held: &[impl Borrow<Memory>]) -> Vec<Uuid> {
    let steps: HashSet<Uuid> = path.iter().map(|step| step.id).collect();
    // A summary that ends before the first step tells of none of them.
    let near = held
        .iter()
        .map(Borrow::borrow)
        .filter(|memory| memory.anchor().is_some_and(|anchor| steps.contains(&anchor)));
    let told: HashSet<Uuid> = near.flat_map(|memory| memory.sources.iter().copied()).collect();
    let old = &path[..path.len().saturating_sub(SUMMARY_NEWEST)];
    old.iter().filter(|step| step.said && !told.contains(&step.id)).map(|step| step.id).collect()
}

/// Puts a chat into the queue when messages of its path are due, or its summaries are to be put in a row. `held` are the
/// memories that hold on it.
///
/// # Errors
/// When the database does not answer.
pub async fn note(
    db: &mut PgConnection,
    chat: Uuid,
    path: &Holding,
    held: &[impl Borrow<Memory>],
) -> Result<()> {
    if path.is_loose || untold(&path.steps, held).len() >= SUMMARY_BATCH {
        sqlx::query!("insert into memory_job (chat_id) values ($1) on conflict do nothing", chat)
            .execute(db)
            .await?;
    }
    Ok(())
}

/// Puts a chat into the queue, because memories of it have no vectors.
///
/// # Errors
/// When the database does not answer.
pub async fn wake(db: &Db, chat: Uuid) -> Result<()> {
    sqlx::query!("insert into memory_job (chat_id) values ($1) on conflict do nothing", chat)
        .execute(db)
        .await?;
    Ok(())
}

/// A chat to be worked on.
pub struct Taken {
    pub chat: Uuid,
    pub user: Uuid,
    pub character: Uuid,
    pub name: String,
    pub leaf: Option<Uuid>,
    pub attempts: i32,
}

/// Takes a chat from the queue; nobody else gets it for a while.
pub async fn take(db: &Db) -> Result<Option<Taken>> {
    let taken = sqlx::query_as!(
        Taken,
        r#"update memory_job j set due_at = now() + make_interval(secs => $1), attempts = j.attempts + 1
           from chat c
           where c.id = j.chat_id and j.chat_id = (
             select chat_id from memory_job where due_at <= now() order by due_at limit 1 for update skip locked)
           returning j.chat_id as chat, c.user_id as "user!", c.character_id as "character!",
                     c.character_name as "name!", c.leaf_id as leaf, j.attempts"#,
        SUMMARY_LEASE.as_secs_f64(),
    )
    .fetch_optional(db)
    .await?;
    Ok(taken)
}

/// Nothing more is due in a chat.
pub async fn done(db: &Db, chat: Uuid) -> Result<()> {
    sqlx::query!("delete from memory_job where chat_id = $1", chat).execute(db).await?;
    Ok(())
}

/// There may be more to do, which may begin at once: the time was over, or what was due has changed meanwhile.
pub async fn again(db: &Db, chat: Uuid) -> Result<()> {
    sqlx::query!("update memory_job set due_at = now(), attempts = 0 where chat_id = $1", chat)
        .execute(db)
        .await?;
    Ok(())
}

/// It did not work; each time the pause grows.
pub async fn later(db: &Db, taken: &Taken) -> Result<()> {
    let doubled = SUMMARY_RETRY_S * f64::from(1_u32 << taken.attempts.clamp(0, 16));
    sqlx::query!(
        "update memory_job set due_at = now() + make_interval(secs => $2) where chat_id = $1",
        taken.chat,
        doubled.min(SUMMARY_RETRY_MAX_S),
    )
    .execute(db)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [Memory; 0] = [];

    fn step(n: usize) -> Step {
        Step { id: Uuid::from_u128(n as u128), said: true }
    }

    #[test]
    fn what_is_not_said_is_not_summarised() {
        let mut path: Vec<Step> = (0..SUMMARY_BATCH + SUMMARY_NEWEST).map(step).collect();
        assert_eq!(untold(&path, &NONE).len(), SUMMARY_BATCH);
        path[4].said = false;
        assert_eq!(untold(&path, &NONE).len(), SUMMARY_BATCH - 1, "one that is left out fills no place");
        path.push(step(path.len()));
        let untold = untold(&path, &NONE);
        assert_eq!(untold.len(), SUMMARY_BATCH);
        assert!(!untold.contains(&path[4].id));
    }
}
