use kit::page::Page;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Kind, Receipt};
use crate::{
    error::Result,
    plans::{Period, Plan},
};

/// The next number of a year. The counter stays locked until the transaction ends, so that a receipt which
/// is not written leaves no gap.
pub async fn next_number(db: impl PgExecutor<'_>, year: i32) -> Result<String> {
    let last = sqlx::query_scalar!(
        "insert into receipt_counter (year, last) values ($1, 1)
         on conflict (year) do update set last = receipt_counter.last + 1 returning last",
        year
    )
    .fetch_one(db)
    .await?;
    Ok(format!("{year}-{last:06}"))
}

pub async fn add(db: impl PgExecutor<'_>, r: &Receipt, term: Uuid) -> Result<()> {
    sqlx::query!(
        "insert into receipt (number, user_id, kind, plan, period, amount, currency, promo_code, term, at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        r.number,
        r.user,
        r.kind.as_str(),
        r.plan.as_str(),
        r.period.as_str(),
        r.amount,
        r.currency,
        r.promo_code,
        term,
        r.at
    )
    .execute(db)
    .await?;
    Ok(())
}

struct Row {
    number: String,
    user_id: Uuid,
    kind: String,
    plan: String,
    period: String,
    amount: i64,
    currency: String,
    promo_code: Option<String>,
    at: OffsetDateTime,
}

impl From<Row> for Receipt {
    fn from(r: Row) -> Self {
        Self {
            number: r.number,
            user: r.user_id,
            kind: Kind::parse(&r.kind),
            plan: Plan::parse(&r.plan),
            period: Period::parse(&r.period),
            amount: r.amount,
            currency: r.currency,
            promo_code: r.promo_code,
            at: r.at,
        }
    }
}

/// The user's receipts, newest first.
pub async fn list(db: impl PgExecutor<'_>, user: Uuid, page: Page) -> Result<Vec<Receipt>> {
    let rows = sqlx::query_as!(
        Row,
        "select number, user_id, kind, plan, period, amount, currency, promo_code, at
         from receipt where user_id = $1 order by number desc limit $2 offset $3",
        user,
        i64::from(page.limit),
        page.offset().cast_signed()
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Receipt::from).collect())
}

pub async fn count(db: impl PgExecutor<'_>, user: Uuid) -> Result<u64> {
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from receipt where user_id = $1"#, user)
        .fetch_one(db)
        .await?;
    Ok(count.unsigned_abs())
}

pub async fn find(db: impl PgExecutor<'_>, number: &str) -> Result<Option<Receipt>> {
    let row = sqlx::query_as!(
        Row,
        "select number, user_id, kind, plan, period, amount, currency, promo_code, at
         from receipt where number = $1",
        number
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(Receipt::from))
}
