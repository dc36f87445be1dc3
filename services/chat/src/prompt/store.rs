use sqlx::PgExecutor;
use uuid::Uuid;

use super::manifest::Manifest;
use crate::error::Result;

/// What the character saw when it wrote a reply.
pub async fn manifest(db: impl PgExecutor<'_>, generation: Uuid) -> Result<Option<Manifest>> {
    let json = sqlx::query_scalar!("select manifest from generation where id = $1", generation)
        .fetch_optional(db)
        .await?;
    Ok(json.and_then(|json| serde_json::from_value(json).ok()))
}

/// The same, of a message of a chat.
pub async fn of_message(db: impl PgExecutor<'_>, chat: Uuid, message: Uuid) -> Result<Option<Manifest>> {
    let json = sqlx::query_scalar!(
        "select g.manifest from generation g join message m on m.id = g.message_id
         where g.message_id = $2 and m.chat_id = $1 order by g.id desc limit 1",
        chat,
        message,
    )
    .fetch_optional(db)
    .await?;
    Ok(json.and_then(|json| serde_json::from_value(json).ok()))
}
