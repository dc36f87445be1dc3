use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Checkout;
use crate::{
    error::Result,
    plans::{Period, Plan},
};

struct Row {
    id: Uuid,
    user_id: Uuid,
    plan: String,
    period: String,
    amount: i64,
    list_amount: i64,
    credit: i64,
    currency: String,
    promo_code: Option<String>,
    expires_at: OffsetDateTime,
}

impl From<Row> for Checkout {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            user: row.user_id,
            plan: Plan::parse(&row.plan),
            period: Period::parse(&row.period),
            amount: row.amount,
            list_amount: row.list_amount,
            credit: row.credit,
            currency: row.currency,
            promo_code: row.promo_code,
            expires_at: row.expires_at,
        }
    }
}

pub async fn add(db: impl PgExecutor<'_>, c: &Checkout, provider: &str) -> Result<()> {
    sqlx::query!(
        "insert into checkout (id, user_id, provider, plan, period, amount, list_amount, credit, currency, promo_code,
             expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        c.id,
        c.user,
        provider,
        c.plan.as_str(),
        c.period.as_str(),
        c.amount,
        c.list_amount,
        c.credit,
        c.currency,
        c.promo_code,
        c.expires_at
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether the account has used the code for something it paid.
pub async fn promo_used(db: impl PgExecutor<'_>, user: Uuid, code: &str) -> Result<bool> {
    let used = sqlx::query_scalar!(
        r#"select exists(select 1 from promo_use where user_id = $1 and code = $2) as "used!""#,
        user,
        code
    )
    .fetch_one(db)
    .await?;
    Ok(used)
}

/// Takes the promotion for this checkout; false when another checkout of the account has it.
pub async fn use_promo(db: impl PgExecutor<'_>, c: &Checkout, code: &str) -> Result<bool> {
    let new = sqlx::query!(
        "insert into promo_use (user_id, code, checkout_id) values ($1, $2, $3)
         on conflict on constraint promo_use_once do update set code = excluded.code
             where promo_use.checkout_id = excluded.checkout_id",
        c.user,
        code,
        c.id
    )
    .execute(db)
    .await?;
    Ok(new.rows_affected() == 1)
}

/// A checkout is paid, in whatever state it was, also when it was open for too long: the money is there.
/// `None` when it was paid before.
pub async fn pay(db: impl PgExecutor<'_>, id: Uuid, provider: &str) -> Result<Option<Checkout>> {
    let row = sqlx::query_as!(
        Row,
        "update checkout set state = 'paid' where id = $1 and provider = $2 and state <> 'paid'
         returning id, user_id, plan, period, amount, list_amount, credit, currency, promo_code, expires_at",
        id,
        provider
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Checkout::from))
}

pub async fn find(db: impl PgExecutor<'_>, id: Uuid, provider: &str) -> Result<Option<Checkout>> {
    let row = sqlx::query_as!(
        Row,
        "select id, user_id, plan, period, amount, list_amount, credit, currency, promo_code, expires_at
         from checkout where id = $1 and provider = $2",
        id,
        provider
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Checkout::from))
}

/// Deletes what nobody has paid and whose time was over before `end`.
pub async fn clear(db: impl PgExecutor<'_>, end: OffsetDateTime) -> Result<()> {
    sqlx::query!(
        "delete from checkout c where state = 'open' and expires_at < $1 and kept_until is null
           and not exists (select 1 from promo_use p where p.checkout_id = c.id)",
        end
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A checkout that can still be paid on the sandbox's page.
pub async fn find_open(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Checkout>> {
    let row = sqlx::query_as!(
        Row,
        "select id, user_id, plan, period, amount, list_amount, credit, currency, promo_code, expires_at
         from checkout where id = $1 and provider = 'sandbox' and state = 'open' and expires_at > now()",
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Checkout::from))
}

/// The state of a checkout.
pub async fn state(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!("select state from checkout where id = $1", id).fetch_optional(db).await?)
}

/// Takes a checkout of the sandbox from one of the states `from` to `to`; `None` when it is in another, or was open for
/// too long.
pub async fn advance(db: impl PgExecutor<'_>, id: Uuid, from: &[&str], to: &str) -> Result<Option<Checkout>> {
    let from: Vec<String> = from.iter().map(|s| (*s).to_owned()).collect();
    let row = sqlx::query_as!(
        Row,
        "update checkout set state = $3
         where id = $1 and provider = 'sandbox' and state = any($2) and (state <> 'open' or expires_at > now())
         returning id, user_id, plan, period, amount, list_amount, credit, currency, promo_code, expires_at",
        id,
        &from,
        to
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Checkout::from))
}
