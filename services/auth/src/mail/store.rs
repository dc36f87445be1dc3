use kit::db::Db;
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

/// The next mail that is due; its next attempt is put off, twice as far each time, and at first by longer
/// than a server takes: another replica must not send what is being sent.
pub async fn next(db: &Db, attempts_max: i32) -> Result<Option<Queued>> {
    let mail = sqlx::query_as!(
        Queued,
        "update mail set attempts = attempts + 1,
             available_at = now() + make_interval(secs => least(30 * power(2, attempts), 3600))
         where id = (select id from mail where available_at <= now() and attempts < $1
                     order by available_at limit 1 for update skip locked)
         returning id, recipient, subject, body",
        attempts_max
    )
    .fetch_optional(db)
    .await?;
    Ok(mail)
}

pub async fn sent(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("delete from mail where id = $1", id).execute(db).await?;
    Ok(())
}
