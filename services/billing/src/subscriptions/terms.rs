//! Terms: what one payment pays for, its coins month by month, and what is left of it.

use kit::db::Transaction;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::months_after;
use crate::{
    coins,
    error::Result,
    plans::{Period, Plan},
};

/// What one payment pays for. Amounts in minor units.
#[derive(Debug, Clone)]
pub struct Term {
    pub id: Uuid,
    pub user: Uuid,
    pub subscription: Uuid,
    pub provider: String,
    pub payment: String,
    /// The provider's id of the subscription at that time.
    pub provider_ref: Option<String>,
    pub plan: Plan,
    pub period: Period,
    pub currency: String,
    pub promo_code: Option<String>,
    pub amount: i64,
    /// The amount and what an earlier plan has added to it.
    pub value: i64,
    pub refunded: i64,
    pub paid_at: OffsetDateTime,
    pub starts_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
    /// The next month whose coins are due, from 0.
    pub month: i32,
    /// Replaced or given back before its end.
    pub closed: bool,
}

impl Term {
    /// The part of its value that is neither used at `now`, by the second, nor given back; rounded down.
    pub fn unused(&self, now: OffsetDateTime) -> i64 {
        let whole = (self.ends_at - self.starts_at).whole_seconds();
        let left = (self.ends_at - now.max(self.starts_at)).whole_seconds().max(0);
        (share(self.value, left, whole) - self.refunded).max(0)
    }

    /// What goes back in a withdrawal at `now`: the day that has begun counts as used.
    pub fn withdrawable(&self, now: OffsetDateTime) -> i64 {
        let whole = (self.ends_at - self.starts_at).whole_days();
        let used = if now < self.starts_at { 0 } else { (now - self.starts_at).whole_days() + 1 };
        (share(self.value, (whole - used).max(0), whole) - self.refunded).max(0)
    }

    /// What can still be given back of the payment.
    pub fn refundable(&self) -> i64 {
        self.amount - self.refunded
    }
}

fn share(value: i64, part: i64, whole: i64) -> i64 {
    if whole <= 0 {
        return 0;
    }
    i64::try_from(i128::from(value) * i128::from(part.min(whole)) / i128::from(whole)).unwrap_or(value)
}

/// Writes a term; false when its payment was counted before.
pub async fn add(db: impl PgExecutor<'_>, t: &Term) -> Result<bool> {
    let new = sqlx::query!(
        "insert into term (id, user_id, subscription, provider, payment_ref, provider_ref, plan, period, currency,
             promo_code, amount, value, paid_at, starts_at, ends_at, coins_due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
             case when $15::timestamptz > $14::timestamptz then $14::timestamptz end)
         on conflict on constraint term_payment do nothing",
        t.id,
        t.user,
        t.subscription,
        t.provider,
        t.payment,
        t.provider_ref,
        t.plan.as_str(),
        t.period.as_str(),
        t.currency,
        t.promo_code,
        t.amount,
        t.value,
        t.paid_at,
        t.starts_at,
        t.ends_at
    )
    .execute(db)
    .await?;
    Ok(new.rows_affected() == 1)
}

struct Row {
    id: Uuid,
    user_id: Uuid,
    subscription: Uuid,
    provider: String,
    payment_ref: String,
    provider_ref: Option<String>,
    plan: String,
    period: String,
    currency: String,
    promo_code: Option<String>,
    amount: i64,
    value: i64,
    refunded: i64,
    paid_at: OffsetDateTime,
    starts_at: OffsetDateTime,
    ends_at: OffsetDateTime,
    month: i32,
    closed: bool,
}

impl From<Row> for Term {
    fn from(r: Row) -> Self {
        Self {
            id: r.id,
            user: r.user_id,
            subscription: r.subscription,
            provider: r.provider,
            payment: r.payment_ref,
            provider_ref: r.provider_ref,
            plan: Plan::parse(&r.plan),
            period: Period::parse(&r.period),
            currency: r.currency,
            promo_code: r.promo_code,
            amount: r.amount,
            value: r.value,
            refunded: r.refunded,
            paid_at: r.paid_at,
            starts_at: r.starts_at,
            ends_at: r.ends_at,
            month: r.month,
            closed: r.closed,
        }
    }
}

/// The terms with these ids, newest first.
async fn with_ids(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Term>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select id, user_id, subscription, provider, payment_ref, provider_ref, plan, period, currency, promo_code,
             amount, value, refunded, paid_at, starts_at, ends_at, month, closed_at is not null as "closed!"
           from term where id = any($1) order by ends_at desc, id desc"#,
        ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Term::from).collect())
}

/// The terms of a subscription, newest first.
pub async fn of(tx: &mut PgConnection, subscription: Uuid, open_only: bool) -> Result<Vec<Term>> {
    let ids = sqlx::query_scalar!(
        "select id from term where subscription = $1 and (closed_at is null or not $2)",
        subscription,
        open_only
    )
    .fetch_all(&mut *tx)
    .await?;
    with_ids(tx, &ids).await
}

/// Who has made a payment.
pub async fn payer(db: impl PgExecutor<'_>, provider: &str, payment: &str) -> Result<Option<Uuid>> {
    let user = sqlx::query_scalar!(
        "select user_id from term where provider = $1 and payment_ref = $2",
        provider,
        payment
    )
    .fetch_optional(db)
    .await?;
    Ok(user)
}

/// The term that a payment has paid for, locked.
pub async fn of_payment(tx: &mut PgConnection, provider: &str, payment: &str) -> Result<Option<Term>> {
    let id = sqlx::query_scalar!(
        "select id from term where provider = $1 and payment_ref = $2 for update",
        provider,
        payment
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(with_ids(tx, id.as_slice()).await?.pop())
}

/// Whose subscription the provider once renewed under this id.
pub async fn once_of(db: impl PgExecutor<'_>, provider: &str, reference: &str) -> Result<Option<Uuid>> {
    let user = sqlx::query_scalar!(
        "select user_id from term where provider = $1 and provider_ref = $2 order by id desc limit 1",
        provider,
        reference
    )
    .fetch_optional(db)
    .await?;
    Ok(user)
}

/// Ends all open terms of a subscription.
pub async fn close(db: impl PgExecutor<'_>, subscription: Uuid, at: OffsetDateTime) -> Result<()> {
    sqlx::query!(
        "update term set closed_at = $2, coins_due_at = null where subscription = $1 and closed_at is null",
        subscription,
        at
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends one term, which gives nothing.
pub async fn close_one(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("update term set closed_at = now(), coins_due_at = null where id = $1", id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn set_refunded(db: impl PgExecutor<'_>, id: Uuid, refunded: i64) -> Result<()> {
    sqlx::query!("update term set refunded = $2 where id = $1", id, refunded).execute(db).await?;
    Ok(())
}

/// Coins that a term has given.
pub async fn granted_by(db: impl PgExecutor<'_>, term: Uuid) -> Result<i64> {
    let sum = sqlx::query_scalar!(
        r#"select coalesce(sum(coins), 0)::bigint as "sum!" from term_grant where term = $1"#,
        term
    )
    .fetch_one(db)
    .await?;
    Ok(sum)
}

/// Coins that all terms of a subscription have given.
pub async fn granted_in_all(db: impl PgExecutor<'_>, subscription: Uuid) -> Result<i64> {
    let sum = sqlx::query_scalar!(
        r#"select coalesce(sum(coins), 0)::bigint as "sum!" from term_grant where subscription = $1"#,
        subscription
    )
    .fetch_one(db)
    .await?;
    Ok(sum)
}

/// Gives the coins of every month of open terms that has begun, at most 100 months at once; answers whose.
pub async fn grant_due(tx: &mut Transaction, only: Option<Uuid>) -> Result<Vec<Uuid>> {
    let due = sqlx::query_scalar!(
        "select id from term where coins_due_at <= now() and closed_at is null and ($1::uuid is null or subscription = $1)
         order by coins_due_at limit 100 for update skip locked",
        only
    )
    .fetch_all(&mut **tx)
    .await?;
    let mut users = Vec::new();
    if due.is_empty() {
        return Ok(users);
    }
    for term in with_ids(&mut **tx, &due).await?.into_iter().rev() {
        grant_month(tx, &term).await?;
        users.push(term.user);
    }
    Ok(users)
}

/// Gives the coins of a term's next month: after an upgrade only what is more than the month that runs has
/// given already.
async fn grant_month(tx: &mut Transaction, term: &Term) -> Result<()> {
    let month = months_after(term.starts_at, term.month.unsigned_abs());
    let next = months_after(term.starts_at, term.month.unsigned_abs() + 1);
    let before = sqlx::query_scalar!(
        r#"select coalesce(sum(coins), 0)::bigint as "sum!" from term_grant
           where subscription = $1 and term <> $2 and starts_at <= $3 and ends_at > $3"#,
        term.subscription,
        term.id,
        month
    )
    .fetch_one(&mut **tx)
    .await?;
    let before = u32::try_from(before).unwrap_or(u32::MAX);
    let coins = term.plan.details().coins_per_month.saturating_sub(before);
    let new = sqlx::query!(
        "insert into term_grant (term, month, subscription, coins, starts_at, ends_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
        term.id,
        term.month,
        term.subscription,
        i64::from(coins),
        month,
        next
    )
    .execute(&mut **tx)
    .await?;
    if new.rows_affected() == 1 {
        let key = format!("{}:{}", term.id, term.month);
        let grant = Uuid::new_v5(&Uuid::NAMESPACE_OID, key.as_bytes());
        coins::store::grant(tx, term.user, grant, coins, "Monthly coins of your plan").await?;
    }
    sqlx::query!(
        "update term set month = month + 1, coins_due_at = case when $2::timestamptz < ends_at then $2 end
         where id = $1",
        term.id,
        next
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    fn term() -> Term {
        let starts_at = datetime!(2026-04-01 0:00 UTC);
        Term {
            id: Uuid::nil(),
            user: Uuid::nil(),
            subscription: Uuid::nil(),
            provider: "sandbox".into(),
            payment: "pay_1".into(),
            provider_ref: None,
            plan: Plan::Premium,
            period: Period::Monthly,
            currency: "USD".into(),
            promo_code: None,
            amount: 900,
            value: 900,
            refunded: 0,
            paid_at: starts_at,
            starts_at,
            ends_at: starts_at + Duration::days(30),
            month: 0,
            closed: false,
        }
    }

    #[test]
    fn what_is_left_is_by_the_second_and_rounded_down() {
        let term = term();
        assert_eq!(term.unused(term.starts_at - Duration::DAY), 900);
        assert_eq!(term.unused(term.starts_at + Duration::days(15)), 450);
        assert_eq!(term.unused(term.starts_at + Duration::SECOND), 899);
        assert_eq!(term.unused(term.ends_at + Duration::DAY), 0);
    }

    #[test]
    fn a_withdrawal_keeps_the_days_that_have_begun() {
        let term = term();
        assert_eq!(term.withdrawable(term.starts_at), 870, "the first day has begun");
        assert_eq!(term.withdrawable(term.starts_at + Duration::days(13)), 480);
        assert_eq!(term.withdrawable(term.ends_at), 0);
        let half_back = Term { refunded: 450, ..term };
        assert_eq!(half_back.withdrawable(half_back.starts_at), 420, "what went back does not go back again");
    }
}
