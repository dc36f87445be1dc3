use serde_json::Value;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{Set, Values};
use crate::error::Result;

/// A preset of a user's own.
#[derive(Debug, Clone)]
pub struct Own {
    pub id: Uuid,
    pub label: String,
    pub values: Values,
}

fn values(json: Value) -> Values {
    serde_json::from_value(json).unwrap_or_default()
}

fn json(values: &Values) -> Value {
    serde_json::to_value(values).unwrap_or_default()
}

impl Set {
    /// As it is kept: the name of a preset, its values where it is the user's own, and those of the chat.
    pub fn kept(preset: Option<String>, own: Option<Value>, chat: Option<Value>) -> Self {
        Self { preset, own: own.map(values), values: chat.map(values).unwrap_or_default() }
    }
}

/// What a user has set for a chat; `None` when it is not theirs.
pub async fn of_chat(db: impl PgExecutor<'_>, user: Uuid, chat: Uuid) -> Result<Option<Set>> {
    let row = sqlx::query!(
        r#"select s.preset as "preset?", s.values as "values?", p.values as "own?"
           from chat c
           left join chat_sampling s on s.chat_id = c.id
           left join sampling_preset p on p.user_id = c.user_id and p.id::text = s.preset
           where c.id = $1 and c.user_id = $2 and c.deleted_at is null"#,
        chat,
        user,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| Set::kept(row.preset, row.own, row.values)))
}

/// Replaces what is set for a chat; false when the chat is not the user's.
pub async fn set(
    db: impl PgExecutor<'_>,
    user: Uuid,
    chat: Uuid,
    preset: &str,
    set: &Values,
) -> Result<bool> {
    let done = sqlx::query!(
        "insert into chat_sampling (chat_id, preset, values)
         select c.id, $3, $4 from chat c where c.id = $1 and c.user_id = $2 and c.deleted_at is null
         on conflict (chat_id) do update set preset = $3, values = $4, updated_at = now()",
        chat,
        user,
        preset,
        json(set),
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A user's own presets, by label.
pub async fn own(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Own>> {
    let rows = sqlx::query!(
        "select id, label, values from sampling_preset where user_id = $1 order by label, id",
        user
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| Own { id: row.id, label: row.label, values: values(row.values) }).collect())
}

/// Keeps a preset, in place of the one of that label; `None` when the user has `limit` others.
pub async fn save(
    db: impl PgExecutor<'_>,
    user: Uuid,
    label: &str,
    values: &Values,
    limit: i64,
) -> Result<Option<Uuid>> {
    let id = sqlx::query_scalar!(
        "insert into sampling_preset (id, user_id, label, values)
         select $1, $2, $3, $4
         where (select count(*) from sampling_preset where user_id = $2 and label <> $3) < $5
         on conflict (user_id, label) do update set values = $4
         returning id",
        Uuid::now_v7(),
        user,
        label,
        json(values),
        limit,
    )
    .fetch_optional(db)
    .await?;
    Ok(id)
}

/// False when the user has no such preset.
pub async fn delete(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<bool> {
    let done = sqlx::query!("delete from sampling_preset where id = $1 and user_id = $2", id, user)
        .execute(db)
        .await?;
    Ok(done.rows_affected() > 0)
}
