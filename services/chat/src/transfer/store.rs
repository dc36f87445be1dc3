use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// A message as a file has it.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Uuid,
    pub parent_id: Option<Uuid>,
    pub sender: String,
    pub content: String,
    pub state: String,
    pub edited: bool,
    pub engine: String,
    pub created_at: OffsetDateTime,
}

/// All messages of a chat, parents before what follows from them.
pub async fn all(db: impl PgExecutor<'_>, chat: Uuid) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        "select id, parent_id, sender, content, state, edited, engine, created_at from message
         where chat_id = $1 and deleted_at is null order by depth, id",
        chat,
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}
