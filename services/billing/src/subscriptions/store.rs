use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Status, Subscription};
use crate::{
    error::Result,
    plans::{Period, Plan},
};

struct Row {
    user_id: Uuid,
    id: Uuid,
    status: String,
    plan: String,
    period: Option<String>,
    ends_at: Option<OffsetDateTime>,
    next_payment_at: Option<OffsetDateTime>,
    last_payment_at: Option<OffsetDateTime>,
    version: i64,
}

impl From<Row> for Subscription {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            user: row.user_id,
            status: Status::parse(&row.status),
            plan: Plan::parse(&row.plan),
            period: Period::parse(row.period.as_deref().unwrap_or_default()),
            ends_at: row.ends_at,
            next_payment_at: row.next_payment_at,
            last_payment_at: row.last_payment_at,
            version: row.version,
        }
    }
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid) -> Result<Subscription> {
    let row = sqlx::query_as!(
        Row,
        "select user_id, id, status, plan, period, ends_at, next_payment_at, last_payment_at, version
         from subscription where user_id = $1",
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or_else(|| Subscription::none(user), Subscription::from))
}

/// Active from `start` to `end`, whatever was before.
pub async fn activate(
    db: impl PgExecutor<'_>,
    user: Uuid,
    plan: Plan,
    period: Period,
    start: OffsetDateTime,
    end: OffsetDateTime,
) -> Result<Subscription> {
    let row = sqlx::query_as!(
        Row,
        "insert into subscription
             (user_id, id, status, plan, period, period_start, ends_at, next_payment_at, last_payment_at, version)
         values ($1, $2, 'active', $3, $4, $5, $6, $6, $5, 1)
         on conflict (user_id) do update set status = 'active', plan = excluded.plan, period = excluded.period,
             period_start = excluded.period_start, ends_at = excluded.ends_at,
             next_payment_at = excluded.next_payment_at, last_payment_at = excluded.last_payment_at,
             version = subscription.version + 1
         returning user_id, id, status, plan, period, ends_at, next_payment_at, last_payment_at, version",
        user,
        Uuid::now_v7(),
        plan.as_str(),
        period.as_str(),
        start,
        end
    )
    .fetch_one(db)
    .await?;
    Ok(row.into())
}

/// Ends the renewal of what is active or past due; `None` when there is no such subscription. One that
/// is canceled already stays as it is.
pub async fn cancel(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<Subscription>> {
    let row = sqlx::query_as!(
        Row,
        "update subscription set version = version + (status <> 'canceled')::int, status = 'canceled',
             next_payment_at = null
         where user_id = $1 and status <> 'inactive'
         returning user_id, id, status, plan, period, ends_at, next_payment_at, last_payment_at, version",
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Subscription::from))
}

/// Makes inactive what has run out.
pub async fn expire(db: impl PgExecutor<'_>) -> Result<Vec<Subscription>> {
    let rows = sqlx::query_as!(
        Row,
        "update subscription set status = 'inactive', plan = 'free', next_payment_at = null, version = version + 1
         where user_id in (select user_id from subscription where status <> 'inactive' and ends_at < now()
                           limit 500 for update skip locked)
         returning user_id, id, status, plan, period, ends_at, next_payment_at, last_payment_at, version"
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Subscription::from).collect())
}
