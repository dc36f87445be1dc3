//! What is looked at before a turn: in one statement, since each is a way to the database and back.

use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{chats::Chat, error::Result, memories::kept::Stamp, prompt::There, sampling};

/// A chat before a turn.
pub struct Before {
    pub chat: Chat,
    /// What the user has set for it.
    pub set: sampling::Set,
    /// The idempotency key was used before.
    pub is_known: bool,
    /// What the turn may rest on.
    pub there: There,
}

impl Before {
    /// A user's chat before a turn with an idempotency key under the name `op`; `None` when it is not theirs.
    pub async fn read(
        db: impl PgExecutor<'_>,
        user: Uuid,
        chat: Uuid,
        op: &str,
        key: Option<&str>,
    ) -> Result<Option<Self>> {
        let row = sqlx::query!(
            r#"select c.id, c.character_id, c.character_name, c.title, c.leaf_id,
                      s.preset as "preset?", s.values as "values?", p.values as "own?",
                      exists (select from idempotency i where i.owner = $2 and i.op = $3 and i.key = $4) as "is_known!",
                      m.count as "memories!", m.sum as "written!",
                      exists (select from lorebook b where b.user_id = $2 and b.enabled) as "books!"
               from chat c
               left join chat_sampling s on s.chat_id = c.id
               left join sampling_preset p on p.user_id = c.user_id and p.id::text = s.preset
               cross join lateral (
                 select count(*) as count, coalesce(sum(m.xmin::text::bigint), 0)::bigint as sum from memory m
                 where m.user_id = $2 and m.character_id = c.character_id and (m.chat_id is null or m.chat_id = c.id)) m
               where c.id = $1 and c.user_id = $2 and c.deleted_at is null"#,
            chat,
            user,
            op,
            key,
        )
        .fetch_optional(db)
        .await?;
        Ok(row.map(|row| Self {
            chat: Chat {
                id: row.id,
                character_id: row.character_id,
                character_name: row.character_name,
                title: row.title,
                leaf_id: row.leaf_id,
            },
            set: sampling::Set::kept(row.preset, row.own, row.values),
            is_known: row.is_known,
            there: There {
                memories: Some(Stamp { count: row.memories, sum: row.written }),
                books: row.books,
            },
        }))
    }
}
