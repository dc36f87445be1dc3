use std::collections::HashMap;

use kit::{db::Transaction, page::Page};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::Memory;
use crate::{chats::Told, error::Result};

/// What a chat remembers, and its character in every chat of the user; in the order of the story.
pub async fn of_chat(db: impl PgExecutor<'_>, user: Uuid, chat: Uuid) -> Result<Vec<Memory>> {
    before(db, user, chat, None).await
}

/// The same for a turn after these messages. Of a summary that ends before them only the first and the last source are told:
/// those of a long chat are as many as its messages.
pub async fn before_turn(
    db: impl PgExecutor<'_>,
    user: Uuid,
    chat: Uuid,
    end: &[Told],
) -> Result<Vec<Memory>> {
    let end: Vec<Uuid> = end.iter().map(|message| message.id).collect();
    before(db, user, chat, Some(&end)).await
}

async fn before(
    db: impl PgExecutor<'_>,
    user: Uuid,
    chat: Uuid,
    end: Option<&[Uuid]>,
) -> Result<Vec<Memory>> {
    let memories = sqlx::query_as!(
        Memory,
        r#"select m.id, m.character_id, m.chat_id, m.kind, m.text, m.importance, m.pinned, m.edited,
                  -- Not `= any`: that compares each of many memories with each of many messages.
                  case when $3::uuid[] is null or m.anchor_id is null or m.anchor_id in (select unnest($3)) then m.sources
                       else array[m.sources[1], m.anchor_id] end as "sources!",
                  m.since_id as since, m.created_at
           from memory m join chat c on c.user_id = m.user_id and c.character_id = m.character_id
           where c.id = $1 and c.user_id = $2 and (m.chat_id is null or m.chat_id = c.id)
           order by m.created_at, m.id"#,
        chat,
        user,
        end,
    )
    .fetch_all(db)
    .await?;
    Ok(memories)
}

/// A page of what a character remembers of the user, newest first; of all characters without one. What was deleted,
/// chats or messages, is not told in summaries either.
pub async fn page(
    db: impl PgExecutor<'_>,
    user: Uuid,
    character: Option<Uuid>,
    page: Page,
) -> Result<Vec<Memory>> {
    let memories = sqlx::query_as!(
        Memory,
        "select id, character_id, chat_id, kind, text, importance, pinned, edited, sources, since_id as since, created_at
         from memory m where user_id = $1 and ($2::uuid is null or character_id = $2) and text <> ''
           and not exists (select from chat c where c.id = m.chat_id and c.deleted_at is not null)
           and not exists (select from message s where s.id = any (m.sources) and s.deleted_at is not null)
         order by created_at desc, id desc offset $3 limit $4",
        user,
        character,
        i64::try_from(page.offset()).unwrap_or(i64::MAX),
        i64::from(page.limit),
    )
    .fetch_all(db)
    .await?;
    Ok(memories)
}

/// How many of them there are.
pub async fn count(db: impl PgExecutor<'_>, user: Uuid, character: Option<Uuid>) -> Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from memory m
           where user_id = $1 and ($2::uuid is null or character_id = $2) and text <> ''
             and not exists (select from chat c where c.id = m.chat_id and c.deleted_at is not null)
             and not exists (select from message s where s.id = any (m.sources) and s.deleted_at is not null)"#,
        user,
        character,
    )
    .fetch_one(db)
    .await?;
    Ok(count.unsigned_abs())
}

/// How many facts a chat remembers, its character's included; summaries take nobody's place.
pub async fn facts_of_chat(db: impl PgExecutor<'_>, user: Uuid, chat: Uuid) -> Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from memory m join chat c on c.user_id = m.user_id and c.character_id = m.character_id
           where c.id = $1 and c.user_id = $2 and (m.chat_id is null or m.chat_id = c.id) and m.kind = 'fact'"#,
        chat,
        user,
    )
    .fetch_one(db)
    .await?;
    Ok(count)
}

/// A fact to be kept.
pub struct NewFact<'a> {
    pub user: Uuid,
    pub character: Uuid,
    pub chat: Option<Uuid>,
    pub text: &'a str,
    pub pinned: bool,
}

pub async fn add_fact(db: impl PgExecutor<'_>, new: NewFact<'_>) -> Result<Memory> {
    let memory = sqlx::query_as!(
        Memory,
        "insert into memory (id, user_id, character_id, chat_id, kind, text, pinned)
         values ($1, $2, $3, $4, 'fact', $5, $6)
         returning id, character_id, chat_id, kind, text, importance, pinned, edited, sources, since_id as since, created_at",
        Uuid::now_v7(),
        new.user,
        new.character,
        new.chat,
        new.text,
        new.pinned,
    )
    .fetch_one(db)
    .await?;
    Ok(memory)
}

/// Changes what is given. A text that is changed loses its vector, which spoke of another. A summary that was forgotten
/// comes back with the text that is written to it, and stands for its messages again.
pub async fn update(
    db: impl PgExecutor<'_>,
    user: Uuid,
    id: Uuid,
    text: Option<&str>,
    pinned: Option<bool>,
    importance: Option<i16>,
) -> Result<Option<Memory>> {
    let memory = sqlx::query_as!(
        Memory,
        "update memory set
           edited = edited or (kind = 'summary' and text <> '' and $3::text is not null and text <> $3),
           embedding = case when $3 is null or text = $3 then embedding end,
           text = coalesce($3, text), pinned = coalesce($4, pinned), importance = coalesce($5, importance)
         where id = $2 and user_id = $1 and (text <> '' or $3::text is not null)
         returning id, character_id, chat_id, kind, text, importance, pinned, edited, sources, since_id as since, created_at",
        user,
        id,
        text,
        pinned,
        importance,
    )
    .fetch_optional(db)
    .await?;
    Ok(memory)
}

/// Forgets a memory. Of a summary an empty one is left, or it would be made again.
pub async fn forget(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<bool> {
    let gone = sqlx::query_scalar!(
        "with emptied as (
           update memory set text = '', pinned = false, embedding = null
           where id = $2 and user_id = $1 and kind = 'summary' and text <> '' returning id
         ), gone as (
           delete from memory where id = $2 and user_id = $1 and kind = 'fact' returning id
         )
         select id from emptied union all select id from gone",
        user,
        id,
    )
    .fetch_optional(db)
    .await?;
    Ok(gone.is_some())
}

/// Gives a fork what its path remembers: the facts of the chat, and the summaries of which it has every
/// message. `messages` leads from the messages of the chat it came from to their copies.
///
/// # Errors
/// When the database does not answer.
pub async fn copy_for_fork(
    tx: &mut Transaction,
    from_chat: Uuid,
    to_chat: Uuid,
    messages: &HashMap<Uuid, Uuid>,
) -> Result<()> {
    let (old, new): (Vec<Uuid>, Vec<Uuid>) = messages.iter().map(|(old, new)| (*old, *new)).unzip();
    sqlx::query!(
        "with copied as (select * from unnest($3::uuid[], $4::uuid[]) as copied (old, new))
         insert into memory (id, user_id, character_id, chat_id, kind, text, importance, pinned, edited,
                             sources, anchor_id, since_id, embedder, embedding, created_at)
         select gen_random_uuid(), m.user_id, m.character_id, $2, m.kind, m.text, m.importance, m.pinned, m.edited,
                array(select c.new from unnest(m.sources) with ordinality as s (id, at)
                      join copied c on c.old = s.id order by s.at),
                (select c.new from copied c where c.old = m.anchor_id),
                (select c.new from copied c where c.old = m.since_id), m.embedder, m.embedding, m.created_at
         from memory m where m.chat_id = $1 and m.sources <@ $3::uuid[]",
        from_chat,
        to_chat,
        &old,
        &new,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A summary of messages of a chat, which are still there: one that was deleted meanwhile takes it along.
pub struct NewSummary<'a> {
    pub user: Uuid,
    pub character: Uuid,
    pub chat: Uuid,
    pub text: &'a str,
    pub sources: &'a [Uuid],
    /// As [`Memory::since`] has it.
    pub since: Option<Uuid>,
}

/// Keeps a summary, unless one of its messages is gone or another process has told of them.
pub async fn add_summary(db: impl PgExecutor<'_>, new: NewSummary<'_>) -> Result<bool> {
    let added = sqlx::query!(
        "insert into memory (id, user_id, character_id, chat_id, kind, text, sources, anchor_id, since_id)
         select $1, $2, $3, $4, 'summary', $5, $6::uuid[], ($6::uuid[])[cardinality($6)], $7
         where (select count(*) from (select 1 from message where chat_id = $4 and id = any ($6) for key share) s)
               = cardinality($6)
           and not exists (select 1 from memory where chat_id = $4 and sources = $6)",
        Uuid::now_v7(),
        new.user,
        new.character,
        new.chat,
        new.text,
        new.sources,
        new.since,
    )
    .execute(db)
    .await?;
    Ok(added.rows_affected() > 0)
}

/// Says of summaries with which message the one before each ends.
pub async fn link(db: impl PgExecutor<'_>, loose: &[(Uuid, Uuid)]) -> Result<()> {
    let (ids, since): (Vec<Uuid>, Vec<Uuid>) = loose.iter().copied().unzip();
    sqlx::query!(
        "update memory m set since_id = l.since from unnest($1::uuid[], $2::uuid[]) as l (id, since) where m.id = l.id",
        &ids,
        &since,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What the memories of a chat say that may be chosen and have no vector of `model`; at most `limit`.
pub async fn lacking(
    db: impl PgExecutor<'_>,
    user: Uuid,
    chat: Uuid,
    model: &str,
    limit: i64,
) -> Result<Vec<(Uuid, String)>> {
    let lacking = sqlx::query!(
        "select m.id, m.text
         from memory m join chat c on c.user_id = m.user_id and c.character_id = m.character_id
         where c.id = $1 and c.user_id = $2 and (m.chat_id is null or m.chat_id = c.id)
           and not m.pinned and m.text <> '' and (m.embedding is null or m.embedder <> $3)
         order by m.created_at desc limit $4",
        chat,
        user,
        model,
        limit,
    )
    .fetch_all(db)
    .await?;
    Ok(lacking.into_iter().map(|row| (row.id, row.text)).collect())
}

/// The vectors of `model` that the memories of a chat have.
pub async fn vectors(
    db: impl PgExecutor<'_>,
    user: Uuid,
    chat: Uuid,
    model: &str,
) -> Result<Vec<(Uuid, Vec<f32>)>> {
    let vectors = sqlx::query!(
        r#"select m.id, m.embedding as "embedding!"
           from memory m join chat c on c.user_id = m.user_id and c.character_id = m.character_id
           where c.id = $1 and c.user_id = $2 and (m.chat_id is null or m.chat_id = c.id)
             and not m.pinned and m.text <> '' and m.embedding is not null and m.embedder = $3"#,
        chat,
        user,
        model,
    )
    .fetch_all(db)
    .await?;
    Ok(vectors.into_iter().map(|row| (row.id, row.embedding)).collect())
}

/// Keeps the vector of a memory, if it still says what the vector was made of.
pub async fn keep_vector(
    db: impl PgExecutor<'_>,
    id: Uuid,
    text: &str,
    model: &str,
    vector: &[f32],
) -> Result<()> {
    sqlx::query!(
        "update memory set embedder = $3, embedding = $4 where id = $1 and text = $2",
        id,
        text,
        model,
        vector,
    )
    .execute(db)
    .await?;
    Ok(())
}
