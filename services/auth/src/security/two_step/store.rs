use kit::db::Transaction;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::error::Result;

/// A secret, and whether it counts.
pub struct Found {
    pub sealed: Vec<u8>,
    pub on: bool,
}

pub async fn is_on(db: impl PgExecutor<'_>, user: Uuid) -> Result<bool> {
    let on = sqlx::query_scalar!(
        r#"select exists(select 1 from two_step where user_id = $1 and confirmed_at is not null) as "on!""#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(on)
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<Found>> {
    let found = sqlx::query_as!(
        Found,
        r#"select sealed, confirmed_at is not null as "on!" from two_step where user_id = $1"#,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

/// Keeps a new secret; `false` when the second step is on already.
pub async fn begin(db: impl PgExecutor<'_>, user: Uuid, sealed: &[u8]) -> Result<bool> {
    let kept = sqlx::query!(
        "insert into two_step (user_id, sealed) values ($1, $2)
         on conflict (user_id) do update set sealed = excluded.sealed, last_step = 0
         where two_step.confirmed_at is null",
        user,
        sealed
    )
    .execute(db)
    .await?;
    Ok(kept.rows_affected() > 0)
}

/// From now on the secret counts; `false` when it did already.
pub async fn confirm(db: impl PgExecutor<'_>, user: Uuid, sealed: &[u8]) -> Result<bool> {
    let confirmed = sqlx::query!(
        "update two_step set confirmed_at = now()
         where user_id = $1 and sealed = $2 and confirmed_at is null",
        user,
        sealed
    )
    .execute(db)
    .await?;
    Ok(confirmed.rows_affected() > 0)
}

/// Uses a time step; `false` when it, or a later one, was used.
pub async fn use_step(db: impl PgExecutor<'_>, user: Uuid, step: i64) -> Result<bool> {
    let used =
        sqlx::query!("update two_step set last_step = $2 where user_id = $1 and last_step < $2", user, step)
            .execute(db)
            .await?;
    Ok(used.rows_affected() > 0)
}

pub async fn end(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!("delete from recovery_code where user_id = $1", user).execute(&mut **tx).await?;
    sqlx::query!("delete from two_step where user_id = $1", user).execute(&mut **tx).await?;
    Ok(())
}

pub async fn replace_recovery(tx: &mut Transaction, user: Uuid, hashes: &[Vec<u8>]) -> Result<()> {
    // Two lists at once: the later one is whole.
    sqlx::query!("select 1 as one from two_step where user_id = $1 for update", user)
        .fetch_optional(&mut **tx)
        .await?;
    sqlx::query!("delete from recovery_code where user_id = $1", user).execute(&mut **tx).await?;
    sqlx::query!("insert into recovery_code (user_id, hash) select $1, unnest($2::bytea[])", user, hashes)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Uses a recovery code; `false` when it is none.
pub async fn use_recovery(db: impl PgExecutor<'_>, user: Uuid, hash: &[u8]) -> Result<bool> {
    let used = sqlx::query!("delete from recovery_code where user_id = $1 and hash = $2", user, hash)
        .execute(db)
        .await?;
    Ok(used.rows_affected() > 0)
}
