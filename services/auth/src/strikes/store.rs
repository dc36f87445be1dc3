use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Strike;
use crate::error::Result;

/// Whether an occasion was opened since then.
pub async fn opened_since(db: impl PgExecutor<'_>, user: Uuid, since: OffsetDateTime) -> Result<bool> {
    let opened = sqlx::query_scalar!(
        r#"select exists (select 1 from strike where user_id = $1 and opens and at > $2) as "opened!""#,
        user,
        since
    )
    .fetch_one(db)
    .await?;
    Ok(opened)
}

pub async fn add(db: impl PgExecutor<'_>, strike: &Strike<'_>, opens: bool) -> Result<()> {
    sqlx::query!(
        "insert into strike (id, user_id, rule, object, service, at, opens) values ($1, $2, $3, $4, $5, $6, $7)",
        strike.id,
        strike.user,
        strike.rule,
        strike.object,
        strike.service,
        strike.at,
        opens
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn occasions(db: impl PgExecutor<'_>, user: Uuid, since: OffsetDateTime) -> Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from strike where user_id = $1 and opens and at > $2"#,
        user,
        since
    )
    .fetch_one(db)
    .await?;
    Ok(count)
}

/// Strikes that count no longer.
pub async fn forget(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<()> {
    sqlx::query!("delete from strike where at < $1", before).execute(db).await?;
    Ok(())
}
