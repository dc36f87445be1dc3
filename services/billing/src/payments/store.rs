use kit::db::Db;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{error::Result, providers::Event};

/// Remembers a webhook; false when it was seen before.
pub async fn first_sight(db: impl PgExecutor<'_>, provider: &str, webhook: &str) -> Result<bool> {
    let new = sqlx::query!(
        "insert into webhook_seen (provider, webhook_id) values ($1, $2) on conflict do nothing",
        provider,
        webhook
    )
    .execute(db)
    .await?;
    Ok(new.rows_affected() == 1)
}

/// One event of a subscription at a time: news and the payment that began it must see each other.
pub async fn lock(db: impl PgExecutor<'_>, provider: &str, reference: &str) -> Result<()> {
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended($1::text || ':' || $2::text, 1))",
        provider,
        reference
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps news of a subscription that has not begun yet.
pub async fn park(db: impl PgExecutor<'_>, provider: &str, reference: &str, event: &Event) -> Result<()> {
    let body = serde_json::to_value(event).expect("plain data");
    sqlx::query!(
        "insert into webhook_parked (provider, provider_ref, id, body) values ($1, $2, $3, $4)",
        provider,
        reference,
        Uuid::now_v7(),
        body
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes what was kept for a subscription.
pub async fn unpark(db: impl PgExecutor<'_>, provider: &str, reference: &str) -> Result<Vec<Event>> {
    let rows = sqlx::query_scalar!(
        "delete from webhook_parked where provider = $1 and provider_ref = $2 returning body",
        provider,
        reference
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().filter_map(|body| serde_json::from_value(body).ok()).collect())
}

/// When a refund of this payment, which is not known, was told for the first time.
pub async fn unknown_since(db: impl PgExecutor<'_>, provider: &str, payment: &str) -> Result<OffsetDateTime> {
    let since = sqlx::query_scalar!(
        "insert into refund_unknown (provider, payment_ref) values ($1, $2)
         on conflict (provider, payment_ref) do update set provider = excluded.provider returning first_seen",
        provider,
        payment
    )
    .fetch_one(db)
    .await?;
    Ok(since)
}

/// Forgets webhooks that were seen before `seen`, and news that nobody took since `parked`.
pub async fn clear(db: &Db, seen: OffsetDateTime, parked: OffsetDateTime) -> Result<()> {
    sqlx::query!("delete from webhook_seen where at < $1", seen).execute(db).await?;
    sqlx::query!("delete from refund_unknown where first_seen < $1", seen).execute(db).await?;
    sqlx::query!("delete from webhook_parked where at < $1", parked).execute(db).await?;
    Ok(())
}
