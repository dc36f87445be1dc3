//! What catalog counts: messages and chats of a character. Written with the turn as rows that nobody
//! fights over, summed and told every two seconds.

use kit::{db::Db, shutdown::Shutdown};
use proto::events::v1::CharacterActivity;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    error::Result,
    events,
    limits::{FLUSH_EVERY, FLUSH_MAX},
};

/// Notes a chat, in the transaction in which it begins. Messages are noted with the turn that writes them.
pub async fn note_chat(db: impl PgExecutor<'_>, character: Uuid, user: Uuid) -> Result<()> {
    sqlx::query!(
        "insert into activity (character_id, user_id, kind) values ($1, $2, 'chat')",
        character,
        user,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Tells catalog until shutdown, and once more then.
pub async fn flush(db: Db, shutdown: Shutdown) {
    loop {
        let last = shutdown.is_now();
        match kit::db::round(once(&db)).await {
            // There is more than one telling holds.
            Ok(rows) if rows >= FLUSH_MAX => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "activity not told; it is tried again"),
        }
        if last {
            return;
        }
        tokio::select! { () = tokio::time::sleep(FLUSH_EVERY) => {}, () = shutdown.wait() => {} }
    }
}

/// Rows that were told.
async fn once(db: &Db) -> Result<i64> {
    let mut tx = db.begin().await?;
    let sums = sqlx::query!(
        r#"with gone as (
             delete from activity where id in (select id from activity order by id limit $1 for update skip locked)
             returning character_id, kind
           )
           select character_id, count(*) filter (where kind = 'message') as "messages!",
                  count(*) filter (where kind = 'chat') as "chats!"
           from gone group by character_id order by character_id"#,
        FLUSH_MAX,
    )
    .fetch_all(&mut *tx)
    .await?;
    if sums.is_empty() {
        return Ok(0);
    }
    let rows = sums.iter().map(|s| s.messages + s.chats).sum();
    let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    let characters = sums
        .into_iter()
        .map(|s| CharacterActivity {
            character_id: s.character_id.to_string(),
            messages: count(s.messages),
            chats: count(s.chats),
        })
        .collect();
    events::activity_recorded(&mut tx, characters).await?;
    tx.commit().await?;
    Ok(rows)
}
