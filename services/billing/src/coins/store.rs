use kit::{
    db::{Db, Transaction},
    page::Page,
};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::{Error, Result};

/// Coins of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    pub available: i64,
    pub reserved: i64,
}

/// Whose coins, and in which state.
#[derive(Clone, Copy)]
enum Account {
    Available(Uuid),
    Reserved(Uuid),
    HouseIssued,
    HouseEarned,
}

impl Account {
    fn key(self) -> (Option<Uuid>, &'static str) {
        match self {
            Self::Available(user) => (Some(user), "available"),
            Self::Reserved(user) => (Some(user), "reserved"),
            Self::HouseIssued => (None, "house_issued"),
            Self::HouseEarned => (None, "house_earned"),
        }
    }
}

pub async fn balance(db: impl PgExecutor<'_>, user: Uuid) -> Result<Balance> {
    let row = sqlx::query!(
        r#"select coalesce(sum(balance) filter (where kind = 'available'), 0)::bigint as "available!",
                  coalesce(sum(balance) filter (where kind = 'reserved'), 0)::bigint as "reserved!"
           from coin_account where user_id = $1"#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(Balance { available: row.available, reserved: row.reserved })
}

/// Gives coins of the house; the same reference again gives nothing.
pub async fn grant(
    tx: &mut Transaction,
    user: Uuid,
    reference: Uuid,
    amount: u32,
    reason: &str,
) -> Result<()> {
    if amount == 0 || !begin(tx, "grant", reference, reason).await? {
        return Ok(());
    }
    transfer(tx, ("grant", reference), Account::HouseIssued, Account::Available(user), amount.into()).await
}

/// Moves available coins to reserved; the same reference again changes nothing.
///
/// # Errors
/// `CoinsShort`, by the constraint that no balance is negative; `ReservationEnded` when the release of this
/// reference has come first: coins reserved now would never be given back.
pub async fn reserve(db: &Db, user: Uuid, reference: Uuid, amount: u32, reason: &str) -> Result<Balance> {
    let mut tx = db.begin().await?;
    lock(&mut tx, reference).await?;
    if begin(&mut tx, "reserve", reference, reason).await? {
        if ended(&mut tx, reference).await? {
            return Err(Error::ReservationEnded);
        }
        let movement = ("reserve", reference);
        transfer(&mut tx, movement, Account::Available(user), Account::Reserved(user), amount.into()).await?;
    }
    let after = balance(&mut *tx, user).await?;
    tx.commit().await?;
    Ok(after)
}

/// Takes available coins back, at most so many and never more than there are.
pub async fn withdraw(
    tx: &mut Transaction,
    user: Uuid,
    reference: Uuid,
    at_most: i64,
    reason: &str,
) -> Result<()> {
    // In the order of every transfer: the house first.
    sqlx::query!("select id from coin_account where user_id is null and kind = 'house_issued' for update")
        .fetch_one(&mut **tx)
        .await?;
    let available = sqlx::query_scalar!(
        "select balance from coin_account where user_id = $1 and kind = 'available' for update",
        user
    )
    .fetch_optional(&mut **tx)
    .await?;
    let amount = available.unwrap_or_default().min(at_most);
    if amount <= 0 || !begin(tx, "withdraw", reference, reason).await? {
        return Ok(());
    }
    transfer(tx, ("withdraw", reference), Account::Available(user), Account::HouseIssued, amount).await
}

/// What the user has reserved and neither got nor got back.
pub async fn reservations(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Uuid>> {
    let open = sqlx::query_scalar!(
        "select t.ref from coin_account a join coin_entry e on e.account = a.id join coin_tx t on t.id = e.tx
         where a.user_id = $1 and a.kind = 'reserved' and t.kind = 'reserve'
           and not exists (select 1 from coin_tx d where d.ref = t.ref and d.kind in ('capture', 'release'))
         order by t.id",
        user
    )
    .fetch_all(db)
    .await?;
    Ok(open)
}

/// One movement as its user sees it.
pub struct Movement {
    pub id: Uuid,
    pub kind: String,
    pub reason: String,
    pub available: i64,
    pub reserved: i64,
    pub at: OffsetDateTime,
}

/// The user's movements, newest first.
pub async fn movements(db: impl PgExecutor<'_>, user: Uuid, page: Page) -> Result<Vec<Movement>> {
    let rows = sqlx::query_as!(
        Movement,
        r#"select t.id, t.kind, t.reason, t.at,
             coalesce(sum(e.amount) filter (where a.kind = 'available'), 0)::bigint as "available!",
             coalesce(sum(e.amount) filter (where a.kind = 'reserved'), 0)::bigint as "reserved!"
           from coin_account a join coin_entry e on e.account = a.id join coin_tx t on t.id = e.tx
           where a.user_id = $1 group by t.id order by t.id desc limit $2 offset $3"#,
        user,
        i64::from(page.limit),
        page.offset().cast_signed()
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub async fn count_movements(db: impl PgExecutor<'_>, user: Uuid) -> Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select count(distinct e.tx) as "count!" from coin_account a join coin_entry e on e.account = a.id
           where a.user_id = $1"#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(count.unsigned_abs())
}

/// How a reservation ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The house has earned the coins.
    Capture,
    /// They go back to the user.
    Release,
}

/// Ends the reservation with this reference, once: what was captured is not released, and the other way
/// round. The release of a reference that is not reserved yet is remembered, so that a reservation which
/// comes late is refused.
pub async fn end(tx: &mut Transaction, user: Uuid, reference: Uuid, end: End, reason: &str) -> Result<()> {
    lock(tx, reference).await?;
    let reserved = sqlx::query_scalar!(
        "select e.amount from coin_tx t join coin_entry e on e.tx = t.id join coin_account a on a.id = e.account
         where t.kind = 'reserve' and t.ref = $1 and a.user_id = $2 and a.kind = 'reserved'",
        reference,
        user
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(amount) = reserved else {
        if end == End::Release {
            begin(tx, "release", reference, reason).await?;
        }
        return Ok(());
    };
    let (kind, to) = match end {
        End::Capture => ("capture", Account::HouseEarned),
        End::Release => ("release", Account::Available(user)),
    };
    if begin(tx, kind, reference, reason).await? {
        transfer(tx, (kind, reference), Account::Reserved(user), to, amount).await?;
    }
    Ok(())
}

/// One movement of a reference at a time: its reservation and its end must see each other.
async fn lock(tx: &mut Transaction, reference: Uuid) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))", reference)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn ended(tx: &mut Transaction, reference: Uuid) -> Result<bool> {
    let ended = sqlx::query_scalar!(
        r#"select exists(select 1 from coin_tx where ref = $1 and kind in ('capture', 'release')) as "ended!""#,
        reference
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(ended)
}

/// Writes the head of a transaction; false when this (or its opposite) was done before.
async fn begin(tx: &mut Transaction, kind: &str, reference: Uuid, reason: &str) -> Result<bool> {
    let new = sqlx::query!(
        "insert into coin_tx (id, kind, ref, reason) values ($1, $2, $3, $4) on conflict do nothing",
        Uuid::now_v7(),
        kind,
        reference,
        reason
    )
    .execute(&mut **tx)
    .await?;
    Ok(new.rows_affected() == 1)
}

async fn transfer(
    tx: &mut Transaction,
    (kind, reference): (&'static str, Uuid),
    from: Account,
    to: Account,
    amount: i64,
) -> Result<()> {
    // Always in the same order, so that two transfers never wait for each other.
    let mut legs = [(from, -amount), (to, amount)];
    legs.sort_by_key(|(account, _)| account.key());
    for (account, change) in legs {
        let (user, name) = account.key();
        // Apart from the update: a check holds for what an insert proposes, also when it then updates.
        sqlx::query!(
            "insert into coin_account (user_id, kind) values ($1, $2) on conflict do nothing",
            user,
            name
        )
        .execute(&mut **tx)
        .await?;
        let id = sqlx::query_scalar!(
            "update coin_account set balance = balance + $3
             where user_id is not distinct from $1 and kind = $2 returning id",
            user,
            name,
            change
        )
        .fetch_one(&mut **tx)
        .await?;
        sqlx::query!(
            "insert into coin_entry (tx, account, amount)
             select id, $3, $4 from coin_tx where kind = $1 and ref = $2",
            kind,
            reference,
            id,
            change
        )
        .execute(&mut **tx)
        .await?;
    }
    // Told before the commit, which may fail: the ledger is what is exact.
    metrics::counter!("coins_moved_total", "kind" => kind).increment(amount.unsigned_abs());
    Ok(())
}
