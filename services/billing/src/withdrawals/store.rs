use sqlx::PgExecutor;
use uuid::Uuid;

use super::Withdrawal;
use crate::error::Result;

pub async fn add(
    db: impl PgExecutor<'_>,
    id: Uuid,
    user: Uuid,
    subscription: Uuid,
    refund: i64,
    currency: &str,
) -> Result<()> {
    sqlx::query!(
        "insert into withdrawal (id, user_id, subscription, refund, currency) values ($1, $2, $3, $4, $5)",
        id,
        user,
        subscription,
        refund,
        currency
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<Option<Withdrawal>> {
    let found = sqlx::query_as!(
        Withdrawal,
        "select subscription, refund, begun_at, receipt from withdrawal where id = $1 and user_id = $2",
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
