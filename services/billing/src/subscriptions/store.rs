use kit::db::Transaction;
use serde::Deserialize;
use sqlx::{PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Status, Subscription};
use crate::{
    coins::store::Balance,
    error::Result,
    limits,
    plans::{Period, Plan},
};

#[derive(Debug, Deserialize)]
struct Row {
    user_id: Uuid,
    id: Uuid,
    status: String,
    plan: String,
    period: Option<String>,
    provider: Option<String>,
    provider_ref: Option<String>,
    customer: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    started_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    ends_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    next_payment_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    last_payment_at: Option<OffsetDateTime>,
    next_plan: Option<String>,
    next_period: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    grace_until: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    last_event_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    kept_until: Option<OffsetDateTime>,
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
            provider: row.provider,
            provider_ref: row.provider_ref,
            customer: row.customer,
            started_at: row.started_at,
            ends_at: row.ends_at,
            next_payment_at: row.next_payment_at,
            last_payment_at: row.last_payment_at,
            next: row.next_plan.zip(row.next_period).map(|(p, q)| (Plan::parse(&p), Period::parse(&q))),
            grace_until: row.grace_until,
            last_event_at: row.last_event_at,
            kept_until: row.kept_until,
            version: row.version,
        }
    }
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid) -> Result<Subscription> {
    let row = sqlx::query_as!(
        Row,
        "select user_id, id, status, plan, period, provider, provider_ref, customer, started_at, ends_at,
             next_payment_at, last_payment_at, next_plan, next_period, grace_until, last_event_at, kept_until, version
         from subscription where user_id = $1",
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or_else(|| Subscription::none(user), Subscription::from))
}

/// The user's subscription and coins, as they are at one moment. One statement, since every login answers with them.
pub async fn find_with_balance(db: impl PgExecutor<'_>, user: Uuid) -> Result<(Subscription, Balance)> {
    let found = sqlx::query!(
        r#"select (select to_json(s) from subscription s where s.user_id = $1) as "subscription: Json<Row>",
                  coalesce(sum(balance) filter (where kind = 'available'), 0)::bigint as "available!",
                  coalesce(sum(balance) filter (where kind = 'reserved'), 0)::bigint as "reserved!"
           from coin_account where user_id = $1"#,
        user
    )
    .fetch_one(db)
    .await?;
    let subscription = found.subscription.map_or_else(|| Subscription::none(user), |row| row.0.into());
    Ok((subscription, Balance { available: found.available, reserved: found.reserved }))
}

/// The user's subscription, locked until the end of the transaction; made when there is none.
pub async fn lock(tx: &mut Transaction, user: Uuid) -> Result<Subscription> {
    sqlx::query!(
        "insert into subscription (user_id, id, status, plan) values ($1, $2, 'inactive', 'free')
         on conflict (user_id) do nothing",
        user,
        Uuid::now_v7()
    )
    .execute(&mut **tx)
    .await?;
    let row = sqlx::query_as!(
        Row,
        "select user_id, id, status, plan, period, provider, provider_ref, customer, started_at, ends_at,
             next_payment_at, last_payment_at, next_plan, next_period, grace_until, last_event_at, kept_until, version
         from subscription where user_id = $1 for update",
        user
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(row.into())
}

/// Whom the provider charges under this id.
pub async fn owner(db: impl PgExecutor<'_>, provider: &str, reference: &str) -> Result<Option<Uuid>> {
    let user = sqlx::query_scalar!(
        "select user_id from subscription where provider = $1 and provider_ref = $2",
        provider,
        reference
    )
    .fetch_optional(db)
    .await?;
    Ok(user)
}

/// Writes a locked subscription back, one version further.
pub async fn save(db: impl PgExecutor<'_>, s: &mut Subscription) -> Result<()> {
    s.version += 1;
    sqlx::query!(
        "update subscription set id = $2, status = $3, plan = $4, period = $5, provider = $6, provider_ref = $7,
             customer = $8, started_at = $9, ends_at = $10, next_payment_at = $11, last_payment_at = $12,
             next_plan = $13, next_period = $14, grace_until = $15, last_event_at = $16, version = $17
         where user_id = $1",
        s.user,
        s.id,
        s.status.as_str(),
        s.plan.as_str(),
        s.period.as_str(),
        s.provider,
        s.provider_ref,
        s.customer,
        s.started_at,
        s.ends_at,
        s.next_payment_at,
        s.last_payment_at,
        s.next.map(|(plan, _)| plan.as_str()),
        s.next.map(|(_, period)| period.as_str()),
        s.grace_until,
        s.last_event_at,
        s.version
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Users whose subscription is to change by the clock alone.
pub async fn due(db: impl PgExecutor<'_>) -> Result<Vec<Uuid>> {
    let patience = limits::RENEWAL_PATIENCE.as_seconds_f64();
    let users = sqlx::query_scalar!(
        "select user_id from subscription
         where status <> 'inactive' and ends_at <= now()
           and (status = 'canceled' or (status = 'active' and ends_at <= now() - make_interval(secs => $1))
                or (status = 'past_due' and coalesce(grace_until, ends_at) <= now()))
         limit 200",
        patience
    )
    .fetch_all(db)
    .await?;
    Ok(users)
}

/// Users who have come to a term of another plan than the one they are on.
pub async fn moved_on(db: impl PgExecutor<'_>) -> Result<Vec<Uuid>> {
    let users = sqlx::query_scalar!(
        "select s.user_id from term t join subscription s on s.id = t.subscription
         where t.closed_at is null and t.ends_at > now() and t.starts_at between now() - interval '7 days' and now()
           and s.status <> 'inactive' and (s.plan <> t.plan or s.period <> t.period)
         limit 200"
    )
    .fetch_all(db)
    .await?;
    Ok(users)
}
