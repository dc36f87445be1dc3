use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Withdrawal;
use crate::error::Result;

pub async fn add(
    db: impl PgExecutor<'_>,
    id: Uuid,
    user: Uuid,
    subscription: Uuid,
    (refund, at_stake): (i64, i64),
    currency: &str,
) -> Result<()> {
    sqlx::query!(
        "insert into withdrawal (id, user_id, subscription, refund, currency, at_stake)
         values ($1, $2, $3, $4, $5, $6)",
        id,
        user,
        subscription,
        refund,
        currency,
        at_stake
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<Option<Withdrawal>> {
    let found = sqlx::query_as!(
        Withdrawal,
        "select subscription, refund, at_stake, begun_at, receipt from withdrawal where id = $1 and user_id = $2",
        id,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

pub async fn confirm(db: impl PgExecutor<'_>, id: Uuid, receipt: &str, refund: i64) -> Result<()> {
    sqlx::query!(
        "update withdrawal set confirmed_at = now(), receipt = $2, refund = $3 where id = $1",
        id,
        receipt,
        refund
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes what was begun before `end` and never confirmed.
pub async fn clear(db: impl PgExecutor<'_>, end: OffsetDateTime) -> Result<()> {
    sqlx::query!("delete from withdrawal where begun_at < $1 and confirmed_at is null", end)
        .execute(db)
        .await?;
    Ok(())
}
