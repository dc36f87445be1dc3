use sqlx::PgExecutor;
use time::Date;
use uuid::Uuid;

use crate::error::Result;

/// A day or a month of a user, and how many replies may fall into it.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub name: &'static str,
    pub start: Date,
    pub limit: i32,
}

/// Takes one of each span that is not used up, and tells of which it did.
pub async fn take(db: impl PgExecutor<'_>, user: Uuid, spans: &[Span]) -> Result<Vec<String>> {
    let names: Vec<String> = spans.iter().map(|span| span.name.to_owned()).collect();
    let starts: Vec<Date> = spans.iter().map(|span| span.start).collect();
    let limits: Vec<i32> = spans.iter().map(|span| span.limit).collect();
    let taken = sqlx::query_scalar!(
        "insert into usage (user_id, span, period_start, used)
         select $1, s.name, s.start, 1 from unnest($2::text[], $3::date[], $4::int[]) as s (name, start, most)
         where s.most > 0
         on conflict (user_id, span, period_start) do update set used = usage.used + 1
           where usage.used < ($4::int[])[array_position($2::text[], excluded.span)]
         returning span",
        user,
        &names,
        &starts,
        &limits,
    )
    .fetch_all(db)
    .await?;
    Ok(taken)
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
