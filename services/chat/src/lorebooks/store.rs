use kit::db::Transaction;
use sqlx::{PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Book;
use crate::error::Result;

/// A lorebook of a user.
#[derive(Debug, Clone)]
pub struct Lorebook {
    pub id: Uuid,
    pub name: String,
    pub enabled: bool,
    /// Empty: every character.
    pub character_ids: Vec<Uuid>,
    pub book: Json<Book>,
    pub updated_at: OffsetDateTime,
}

/// What a list shows of a lorebook.
pub struct Listed {
    pub id: Uuid,
    pub name: String,
    pub enabled: bool,
    pub character_ids: Vec<Uuid>,
    pub entries: i32,
    pub updated_at: OffsetDateTime,
}

/// A lorebook as its user wants it.
pub struct Draft {
    pub name: String,
    pub enabled: bool,
    pub character_ids: Vec<Uuid>,
    pub book: Book,
}

/// The user's lorebooks, by name.
pub async fn list(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Listed>> {
    let found = sqlx::query_as!(
        Listed,
        r#"select id, name, enabled, character_ids, updated_at,
                  coalesce(jsonb_array_length(book -> 'entries'), 0) as "entries!"
           from lorebook where user_id = $1 order by name, id"#,
        user,
    )
    .fetch_all(db)
    .await?;
    Ok(found)
}

/// Those that are on for a character.
pub async fn for_character(db: impl PgExecutor<'_>, user: Uuid, character: Uuid) -> Result<Vec<Lorebook>> {
    let found = sqlx::query_as!(
        Lorebook,
        r#"select id, name, enabled, character_ids, book as "book: Json<Book>", updated_at
           from lorebook
           where user_id = $1 and enabled and (character_ids = '{}' or $2 = any (character_ids))
           order by name, id"#,
        user,
        character,
    )
    .fetch_all(db)
    .await?;
    Ok(found)
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<Option<Lorebook>> {
    let found = sqlx::query_as!(
        Lorebook,
        r#"select id, name, enabled, character_ids, book as "book: Json<Book>", updated_at
           from lorebook where id = $1 and user_id = $2"#,
        id,
        user,
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

/// How many the user has; those who make one at once wait for each other here.
pub async fn count_held(tx: &mut Transaction, user: Uuid) -> Result<i64> {
    sqlx::query!(
        r#"select pg_advisory_xact_lock(hashtextextended('lorebook/' || $1, 0)) as "locked!: ()""#,
        user.to_string(),
    )
    .fetch_one(&mut **tx)
    .await?;
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from lorebook where user_id = $1"#, user)
        .fetch_one(&mut **tx)
        .await?;
    Ok(count)
}

pub async fn add(db: impl PgExecutor<'_>, user: Uuid, draft: &Draft) -> Result<Lorebook> {
    let made = sqlx::query_as!(
        Lorebook,
        r#"insert into lorebook (id, user_id, name, enabled, character_ids, book) values ($1, $2, $3, $4, $5, $6)
           returning id, name, enabled, character_ids, book as "book: Json<Book>", updated_at"#,
        Uuid::now_v7(),
        user,
        draft.name,
        draft.enabled,
        &draft.character_ids,
        Json(&draft.book) as _,
    )
    .fetch_one(db)
    .await?;
    Ok(made)
}

pub async fn replace(
    db: impl PgExecutor<'_>,
    user: Uuid,
    id: Uuid,
    draft: &Draft,
) -> Result<Option<Lorebook>> {
    let kept = sqlx::query_as!(
        Lorebook,
        r#"update lorebook set name = $3, enabled = $4, character_ids = $5, book = $6, updated_at = now()
           where id = $2 and user_id = $1
           returning id, name, enabled, character_ids, book as "book: Json<Book>", updated_at"#,
        user,
        id,
        draft.name,
        draft.enabled,
        &draft.character_ids,
        Json(&draft.book) as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(kept)
}

pub async fn delete(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<bool> {
    let gone =
        sqlx::query!("delete from lorebook where id = $2 and user_id = $1", user, id).execute(db).await?;
    Ok(gone.rows_affected() > 0)
}
