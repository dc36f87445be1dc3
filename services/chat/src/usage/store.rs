use sqlx::PgExecutor;
use time::Date;
use uuid::Uuid;

use crate::error::Result;

/// Takes one, unless `limit` are taken.
pub async fn take(
    db: impl PgExecutor<'_>,
    user: Uuid,
    span: &str,
    period_start: Date,
    limit: i32,
) -> Result<bool> {
    let taken = sqlx::query_scalar!(
        "insert into usage (user_id, span, period_start, used)
         select $1, $2, $3, 1 where $4 > 0
         on conflict (user_id, span, period_start) do update set used = usage.used + 1 where usage.used < $4
         returning used",
        user,
        span,
        period_start,
        limit,
    )
    .fetch_optional(db)
    .await?;
    Ok(taken.is_some())
}

/// Gives one back, of that day and its month.
pub async fn give_back(db: impl PgExecutor<'_>, user: Uuid, day: Date, month: Date) -> Result<()> {
    sqlx::query!(
        "update usage set used = used - 1
         where user_id = $1 and used > 0
           and ((span = 'day' and period_start = $2) or (span = 'month' and period_start = $3))",
        user,
        day,
        month,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Replies of the month.
pub async fn used(db: impl PgExecutor<'_>, user: Uuid, month: Date) -> Result<i32> {
    let used = sqlx::query_scalar!(
        "select used from usage where user_id = $1 and span = 'month' and period_start = $2",
        user,
        month,
    )
    .fetch_optional(db)
    .await?;
    Ok(used.unwrap_or(0))
}
