use kit::db::Db;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Result,
    limits,
    plans::{Period, Plan},
};

/// Writes down a task in place of older ones about the same thing that do what `supersedes` names.
pub async fn add_task(
    db: impl PgExecutor<'_>,
    provider: &str,
    about: &str,
    body: Value,
    supersedes: &[&str],
) -> Result<()> {
    let supersedes: Vec<String> = supersedes.iter().map(|s| (*s).to_owned()).collect();
    sqlx::query!(
        "with older as (delete from provider_task where provider = $2 and about = $3 and body->>'do' = any($5))
         insert into provider_task (id, provider, about, body) values ($1, $2, $3, $4)",
        Uuid::now_v7(),
        provider,
        about,
        body,
        &supersedes
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the next task that is due, none before an older one about the same thing, and puts its next
/// attempt off, twice as far each time; by then, this one has ended.
pub async fn next_task(db: &Db, providers: &[String]) -> Result<Option<(Uuid, String, Value)>> {
    let row = sqlx::query!(
        "update provider_task set attempts = attempts + 1,
             available_at = now() + make_interval(secs => 60 * power(2, least(attempts, 6)))
         where id = (select t.id from provider_task t
                     where t.available_at <= now() and t.provider = any($1)
                       and not exists (select 1 from provider_task o where o.provider = t.provider
                                       and o.about = t.about and o.id < t.id)
                     order by t.available_at limit 1 for update skip locked)
         returning id, provider, body",
        providers
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.id, r.provider, r.body)))
}

pub async fn task_done(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("delete from provider_task where id = $1", id).execute(db).await?;
    Ok(())
}

pub async fn add_delivery(db: impl PgExecutor<'_>, id: &str, body: &[u8], late: f64) -> Result<()> {
    sqlx::query!(
        "insert into sandbox_delivery (id, body, available_at) values ($1, $2, now() + make_interval(secs => $3))",
        id,
        body,
        late
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the next webhook that is due and puts its next attempt off, twice as far each time.
pub async fn next_delivery(db: &Db) -> Result<Option<(String, Vec<u8>)>> {
    let row = sqlx::query!(
        "update sandbox_delivery set attempts = attempts + 1,
             available_at = now() + make_interval(secs => least(0.5 * power(2, attempts), 300))
         where id = (select id from sandbox_delivery where available_at <= now() and attempts < $1
                     order by available_at limit 1 for update skip locked)
         returning id, body",
        limits::DELIVERIES_MAX
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.id, r.body)))
}

pub async fn delivered(db: impl PgExecutor<'_>, id: &str) -> Result<()> {
    sqlx::query!("delete from sandbox_delivery where id = $1", id).execute(db).await?;
    Ok(())
}

/// What the sandbox charges at the end of each period.
pub struct Mandate {
    pub id: Uuid,
    pub plan: Plan,
    pub period: Period,
    pub amount: i64,
    pub currency: String,
    /// When it began, and how many months are paid for since.
    pub anchor: OffsetDateTime,
    pub months: i32,
    pub next_charge_at: Option<OffsetDateTime>,
    pub renews: bool,
    pub fails: bool,
    pub tries: i32,
    /// What it is charged for from the next period on.
    pub next: Option<(Plan, Period)>,
}

pub async fn add_mandate(db: impl PgExecutor<'_>, m: &Mandate) -> Result<()> {
    sqlx::query!(
        "insert into sandbox_mandate (id, plan, period, amount, currency, anchor, months, next_charge_at, fails)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        m.id,
        m.plan.as_str(),
        m.period.as_str(),
        m.amount,
        m.currency,
        m.anchor,
        m.months,
        m.next_charge_at,
        m.fails
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A mandate whose period is over, locked until the end of the transaction.
pub async fn due_mandate(db: impl PgExecutor<'_>) -> Result<Option<Mandate>> {
    let row = sqlx::query!(
        "select id, plan, period, amount, currency, anchor, months, next_charge_at, renews, fails, tries,
             next_plan, next_period
         from sandbox_mandate where next_charge_at <= now()
         order by next_charge_at limit 1 for update skip locked"
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| Mandate {
        id: r.id,
        plan: Plan::parse(&r.plan),
        period: Period::parse(&r.period),
        amount: r.amount,
        currency: r.currency,
        anchor: r.anchor,
        months: r.months,
        next_charge_at: r.next_charge_at,
        renews: r.renews,
        fails: r.fails,
        tries: r.tries,
        next: r.next_plan.zip(r.next_period).map(|(p, q)| (Plan::parse(&p), Period::parse(&q))),
    }))
}

/// Writes down when a mandate is charged next, for what, and how often it was tried.
pub async fn put_off(db: impl PgExecutor<'_>, m: &Mandate) -> Result<()> {
    sqlx::query!(
        "update sandbox_mandate set months = $2, next_charge_at = $3, tries = $4, plan = $5, period = $6, amount = $7,
             next_plan = $8, next_period = $9
         where id = $1",
        m.id,
        m.months,
        m.next_charge_at,
        m.tries,
        m.plan.as_str(),
        m.period.as_str(),
        m.amount,
        m.next.map(|(plan, _)| plan.as_str()),
        m.next.map(|(_, period)| period.as_str())
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether a mandate is charged again; a change that waits is dropped.
pub async fn set_renewal(db: impl PgExecutor<'_>, id: Uuid, on: bool) -> Result<()> {
    sqlx::query!(
        "update sandbox_mandate set renews = $2, next_plan = null, next_period = null where id = $1",
        id,
        on
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn set_next(db: impl PgExecutor<'_>, id: Uuid, plan: Plan, period: Period) -> Result<()> {
    sqlx::query!(
        "update sandbox_mandate set next_plan = $2, next_period = $3 where id = $1",
        id,
        plan.as_str(),
        period.as_str()
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn end_mandate(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("update sandbox_mandate set renews = false, next_charge_at = null where id = $1", id)
        .execute(db)
        .await?;
    Ok(())
}
