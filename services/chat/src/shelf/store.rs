use kit::db::Transaction;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{error::Result, limits::UNDO_FOR_S};

/// What is to be changed; `None` stays.
pub struct Change<'a> {
    pub title: Option<&'a str>,
    pub pinned: Option<bool>,
    pub archived: Option<bool>,
}

/// Names, pins or puts away the user's own chat; whether there is one.
pub async fn update(db: impl PgExecutor<'_>, user: Uuid, id: Uuid, change: Change<'_>) -> Result<bool> {
    let changed = sqlx::query!(
        "update chat set title = coalesce($3, title), pinned = coalesce($4, pinned),
                         archived = coalesce($5, archived)
         where id = $1 and user_id = $2 and deleted_at is null",
        id,
        user,
        change.title,
        change.pinned,
        change.archived,
    )
    .execute(db)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// Takes the user's own chat away; answers when.
pub async fn delete(tx: &mut Transaction, user: Uuid, id: Uuid) -> Result<Option<OffsetDateTime>> {
    let at = sqlx::query_scalar!(
        r#"update chat set deleted_at = now() where id = $1 and user_id = $2 and deleted_at is null
           returning deleted_at as "at!""#,
        id,
        user,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(at)
}

/// Brings the user's own chat back, as long as it is there.
pub async fn restore(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<()> {
    sqlx::query!(
        "update chat set deleted_at = null
         where id = $1 and user_id = $2 and deleted_at > now() - make_interval(secs => $3)",
        id,
        user,
        UNDO_FOR_S,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A message that was found.
pub struct Found {
    pub id: Uuid,
    pub chat_id: Uuid,
    pub sender: String,
    pub content: String,
    pub created_at: OffsetDateTime,
    pub character_id: Uuid,
    pub character_name: String,
    pub title: String,
}

/// The user's own messages that match, newest first.
pub async fn search(
    db: impl PgExecutor<'_>,
    user: Uuid,
    query: &str,
    offset: i64,
    limit: i64,
) -> Result<Vec<Found>> {
    let found = sqlx::query_as!(
        Found,
        "select m.id, m.chat_id, m.sender, m.content, m.created_at, c.character_id, c.character_name, c.title
         from chat c join message m on m.chat_id = c.id
         where c.user_id = $1 and c.deleted_at is null and m.deleted_at is null
           and m.words @@ to_tsquery('simple', $2)
         order by m.created_at desc, m.id desc offset $3 limit $4",
        user,
        query,
        offset,
        limit,
    )
    .fetch_all(db)
    .await?;
    Ok(found)
}
