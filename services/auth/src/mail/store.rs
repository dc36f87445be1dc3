use kit::db::{Db, Transaction};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::Letter;
use crate::error::Result;

/// A mail on its way.
pub struct Queued {
    pub id: Uuid,
    pub recipient: String,
    pub subject: String,
    pub body: String,
}

/// Queues a mail in the caller's transaction.
pub async fn queue(db: impl PgExecutor<'_>, recipient: &str, letter: &Letter) -> Result<()> {
    sqlx::query!(
        "insert into mail (id, recipient, subject, body) values ($1, $2, $3, $4)",
        Uuid::now_v7(),
        recipient,
        letter.subject,
        letter.body
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The next mail that is due, with a transaction whose it is until that ends: no other replica sends it meanwhile,
/// and one whose sender is gone, or never heard what it took, is due again at once.
pub async fn take(db: &Db, attempts_max: i32) -> Result<Option<(Transaction, Queued)>> {
    // Mostly nothing is due, and one statement says so more cheaply than a transaction.
    let due = sqlx::query_scalar!(
        r#"select exists (select from mail where available_at <= now() and attempts < $1) as "due!""#,
        attempts_max
    );
    if !due.fetch_one(db).await? {
        return Ok(None);
    }
    let mut tx = db.begin().await?;
    let mail = sqlx::query_as!(
        Queued,
        "select id, recipient, subject, body from mail where available_at <= now() and attempts < $1
         order by available_at limit 1 for update skip locked",
        attempts_max
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(mail.map(|mail| (tx, mail)))
}

pub async fn sent(mut tx: Transaction, id: Uuid) -> Result<()> {
    forget(&mut *tx, id).await?;
    Ok(tx.commit().await?)
}

pub async fn forget(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("delete from mail where id = $1", id).execute(db).await?;
    Ok(())
}

/// It could not be sent; each time the pause is twice as long.
pub async fn put_off(mut tx: Transaction, id: Uuid) -> Result<()> {
    sqlx::query!(
        "update mail set attempts = attempts + 1,
             available_at = clock_timestamp() + make_interval(secs => least(30 * power(2, attempts), 3600))
         where id = $1",
        id
    )
    .execute(&mut *tx)
    .await?;
    Ok(tx.commit().await?)
}
