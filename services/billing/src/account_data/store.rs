use kit::db::{Db, Transaction};
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// All that is stored about a user, as one object.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<Value> {
    let json = sqlx::query_scalar!(
        r#"select jsonb_build_object(
             'subscription', (select to_jsonb(x) from (
                 select status, plan, period, provider, started_at, period_start, ends_at, next_payment_at,
                     last_payment_at, next_plan, next_period, grace_until from subscription where user_id = $1) x),
             'payments', (select coalesce(jsonb_agg(x order by paid_at), '[]') from (
                 select provider, payment_ref, plan, period, amount, refunded, currency, promo_code, paid_at,
                     starts_at, ends_at, closed_at from term where user_id = $1) x),
             'checkouts', (select coalesce(jsonb_agg(x order by created_at), '[]') from (
                 select id, provider, plan, period, amount, list_amount, credit, currency, promo_code, state,
                     created_at, expires_at from checkout where user_id = $1) x),
             'promotions', (select coalesce(jsonb_agg(x order by at), '[]') from (
                 select code, at from promo_use where user_id = $1) x),
             'receipts', (select coalesce(jsonb_agg(x order by number), '[]') from (
                 select number, kind, plan, period, amount, currency, promo_code, at
                 from receipt where user_id = $1) x),
             'withdrawals', (select coalesce(jsonb_agg(x order by begun_at), '[]') from (
                 select id, refund, currency, begun_at, confirmed_at, receipt from withdrawal where user_id = $1) x),
             'coins', (select coalesce(jsonb_object_agg(kind, balance), '{}') from coin_account where user_id = $1),
             'coinMovements', (select coalesce(jsonb_agg(x order by at, id), '[]') from (
                 select t.id, t.kind, t.reason, t.at, jsonb_object_agg(a.kind, e.amount) as changes
                 from coin_account a join coin_entry e on e.account = a.id join coin_tx t on t.id = e.tx
                 where a.user_id = $1 group by t.id) x)
           ) as "json!""#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(json)
}

/// Whether books are kept under this pseudonym already.
pub async fn is_erased(db: impl PgExecutor<'_>, pseudonym: Uuid) -> Result<bool> {
    let known = sqlx::query_scalar!(
        r#"select exists(select 1 from subscription where user_id = $1) as "known!""#,
        pseudonym
    )
    .fetch_one(db)
    .await?;
    Ok(known)
}

/// Puts `pseudonym` in the place of `user` in all books, to be kept until `until`; deletes what is no book.
pub async fn rename(tx: &mut Transaction, user: Uuid, pseudonym: Uuid, until: OffsetDateTime) -> Result<()> {
    sqlx::query!("delete from checkout where user_id = $1 and state not in ('submitted', 'paid')", user)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("delete from withdrawal where user_id = $1 and confirmed_at is null", user)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("delete from idempotency where owner = $1", user).execute(&mut **tx).await?;
    sqlx::query!(
        "update checkout set user_id = $2, kept_until = $3 where user_id = $1",
        user,
        pseudonym,
        until
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("update promo_use set user_id = $2 where user_id = $1", user, pseudonym)
        .execute(&mut **tx)
        .await?;
    sqlx::query!(
        "update subscription set user_id = $2, kept_until = $3 where user_id = $1",
        user,
        pseudonym,
        until
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("update term set user_id = $2, kept_until = $3 where user_id = $1", user, pseudonym, until)
        .execute(&mut **tx)
        .await?;
    sqlx::query!(
        "update receipt set user_id = $2, kept_until = $3 where user_id = $1",
        user,
        pseudonym,
        until
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update withdrawal set user_id = $2, kept_until = $3 where user_id = $1",
        user,
        pseudonym,
        until
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update coin_account set user_id = $2, kept_until = $3 where user_id = $1",
        user,
        pseudonym,
        until
    )
    .execute(&mut **tx)
    .await?;
    // Who never came to a payment has no books.
    sqlx::query!(
        "delete from subscription where user_id = $1 and started_at is null
           and not exists (select 1 from checkout where user_id = $1)",
        pseudonym
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Deletes the books that need not be kept any longer.
pub async fn clear(db: &Db, now: OffsetDateTime) -> Result<()> {
    let mut tx = db.begin().await?;
    sqlx::query!("delete from receipt where kept_until < $1", now).execute(&mut *tx).await?;
    sqlx::query!("delete from withdrawal where kept_until < $1", now).execute(&mut *tx).await?;
    sqlx::query!("delete from term where kept_until < $1", now).execute(&mut *tx).await?;
    sqlx::query!(
        "delete from promo_use where checkout_id in (select id from checkout where kept_until < $1)",
        now
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!("delete from checkout where kept_until < $1", now).execute(&mut *tx).await?;
    sqlx::query!("delete from subscription where kept_until < $1", now).execute(&mut *tx).await?;
    // Whole movements, so that what is left still sums to nothing.
    sqlx::query!(
        "with gone as (select distinct e.tx from coin_entry e join coin_account a on a.id = e.account
                       where a.kept_until < $1),
              entries as (delete from coin_entry where tx in (select tx from gone))
         select 1 as one from gone limit 1",
        now
    )
    .fetch_optional(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from coin_account a where a.kept_until < $1
           and not exists (select 1 from coin_entry e where e.account = a.id)",
        now
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from coin_tx t where t.at < $1::timestamptz - interval '5 years'
           and not exists (select 1 from coin_entry e where e.tx = t.id)",
        now
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}
