use std::collections::HashMap;

use kit::db::Transaction;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Chat, Message, STREAMING, Step, Told};
use crate::{
    error::Result,
    generations::HELP_LINES,
    limits::{CHATS_PAGE, PATH_MAX, PREVIEW_MAX, STRIDE},
};

/// A row of the list.
pub struct Summary {
    pub id: Uuid,
    pub character_id: Uuid,
    pub character_name: String,
    pub created_at: OffsetDateTime,
    pub last_message: String,
    pub last_message_at: OffsetDateTime,
    pub message_count: i32,
    pub title: String,
    pub pinned: bool,
    pub archived: bool,
}

/// The user's own chat.
pub async fn find(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<Option<Chat>> {
    let chat = sqlx::query_as!(
        Chat,
        "select id, character_id, character_name, title, leaf_id from chat
         where id = $1 and user_id = $2 and deleted_at is null",
        id,
        user,
    )
    .fetch_optional(db)
    .await?;
    Ok(chat)
}

/// The user's own chat, held until the transaction ends.
pub async fn lock(tx: &mut Transaction, user: Uuid, id: Uuid) -> Result<Option<Chat>> {
    let chat = sqlx::query_as!(
        Chat,
        "select id, character_id, character_name, title, leaf_id from chat
         where id = $1 and user_id = $2 and deleted_at is null for update",
        id,
        user,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(chat)
}

/// The most recent chat with a character.
pub async fn latest(db: impl PgExecutor<'_>, user: Uuid, character: Uuid) -> Result<Option<Chat>> {
    let chat = sqlx::query_as!(
        Chat,
        "select id, character_id, character_name, title, leaf_id from chat
         where user_id = $1 and character_id = $2 and deleted_at is null
         order by last_message_at desc, id desc limit 1",
        user,
        character,
    )
    .fetch_optional(db)
    .await?;
    Ok(chat)
}

/// Two tabs that open the same chat at once wait for each other here.
pub async fn hold_opening(tx: &mut Transaction, user: Uuid, character: Uuid) -> Result<()> {
    sqlx::query!(
        r#"select pg_advisory_xact_lock(hashtextextended($1, 0)) as "locked!: ()""#,
        format!("{user}/{character}"),
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// A chat to be made.
pub struct NewChat<'a> {
    pub user: Uuid,
    pub character: Uuid,
    pub name: &'a str,
    pub title: &'a str,
}

/// A new chat, empty; its messages follow in the same transaction, and [`show`] ends the path.
pub async fn create(tx: &mut Transaction, new: NewChat<'_>) -> Result<Uuid> {
    let id = Uuid::now_v7();
    sqlx::query!(
        "insert into chat (id, user_id, character_id, character_name, title) values ($1, $2, $3, $4, $5)",
        id,
        new.user,
        new.character,
        new.name,
        new.title,
    )
    .execute(&mut **tx)
    .await?;
    Ok(id)
}

/// The path from the root to `leaf`, at most [`PATH_MAX`] messages.
pub async fn path(db: impl PgExecutor<'_>, leaf: Uuid) -> Result<Vec<Message>> {
    back_from(db, leaf, PATH_MAX).await
}

/// What was said on that path.
pub async fn said(db: impl PgExecutor<'_>, leaf: Uuid) -> Result<Vec<Told>> {
    walk(db, leaf, PATH_MAX, i64::MAX).await
}

/// As much of it as a prompt may rest on: the newest messages with so many characters, and the [`STRIDE`] before them,
/// by which it is found where the history is cut.
pub async fn told(db: impl PgExecutor<'_>, leaf: Uuid, chars: i64) -> Result<Vec<Told>> {
    walk(db, leaf, PATH_MAX, chars).await
}

/// What was said in the last `at_most` messages.
pub async fn said_back_from(db: impl PgExecutor<'_>, leaf: Uuid, at_most: i32) -> Result<Vec<Told>> {
    walk(db, leaf, at_most, i64::MAX).await
}

async fn walk(db: impl PgExecutor<'_>, leaf: Uuid, at_most: i32, chars: i64) -> Result<Vec<Told>> {
    let path = sqlx::query_as!(
        Told,
        r#"with recursive path as (
             select m.id, m.chat_id, m.parent_id, m.depth, m.sender, m.content, m.state, m.reason,
                    m.generation_id, m.created_at, $2::int as room, length(m.content)::bigint as chars
             from message m where m.id = $1
             union all
             select m.id, m.chat_id, m.parent_id, m.depth, m.sender, m.content, m.state, m.reason,
                    m.generation_id, m.created_at,
                    case when p.chars < $3 then p.room - 1 else least(p.room - 1, $4::int) end,
                    p.chars + length(m.content)
             from message m join path p on m.id = p.parent_id where p.room > 1
           )
           select id as "id!", chat_id as "chat_id!", parent_id, depth as "depth!", sender = 'user' as "by_user!",
                  content as "content!", reason = $5 as "is_help!", state <> $6 as "is_written!", generation_id,
                  created_at as "created_at!"
           from path order by depth"#,
        leaf,
        at_most,
        chars,
        STRIDE as i32,
        HELP_LINES,
        STREAMING,
    )
    .fetch_all(db)
    .await?;
    Ok(path)
}

/// One message.
pub async fn message(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Message>> {
    Ok(back_from(db, id, 1).await?.pop())
}

/// The last `at_most` messages of the path from the root to `leaf`, with the versions beside each.
pub async fn back_from(db: impl PgExecutor<'_>, leaf: Uuid, at_most: i32) -> Result<Vec<Message>> {
    let path = sqlx::query_as!(
        Message,
        r#"with recursive path as (
             select m.id, m.chat_id, m.parent_id, m.depth, m.sender, m.content, m.state, m.reason,
                    m.generation_id, m.engine, m.created_at, m.edited, $2::int as room
             from message m where m.id = $1
             union all
             select m.id, m.chat_id, m.parent_id, m.depth, m.sender, m.content, m.state, m.reason,
                    m.generation_id, m.engine, m.created_at, m.edited, p.room - 1
             from message m join path p on m.id = p.parent_id where p.room > 1
           )
           select id as "id!", chat_id as "chat_id!", parent_id, depth as "depth!", sender as "sender!",
                  content as "content!", state as "state!", reason as "reason!", generation_id,
                  engine as "engine!", created_at as "created_at!", edited as "edited!",
                  -- Two branches: only an equation finds its way through the index.
                  case when parent_id is null then
                    array(select s.id from message s where s.chat_id = path.chat_id and s.parent_id is null
                          and s.sender = path.sender and s.deleted_at is null order by s.id)
                  else
                    array(select s.id from message s where s.parent_id = path.parent_id
                          and s.sender = path.sender and s.deleted_at is null order by s.id)
                  end as "siblings!"
           from path order by depth"#,
        leaf,
        at_most,
    )
    .fetch_all(db)
    .await?;
    Ok(path)
}

/// All steps of the path whose end `path` is, from the root: a long one is read in part only.
pub async fn steps(db: impl PgExecutor<'_>, path: &[Told]) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    if let Some((first, mut before)) = path.first().and_then(|first| Some((first, first.parent_id?))) {
        // The chat as far as it is no deeper, gone through here: from each message to the one before it, PostgreSQL took five
        // times as long for ten thousand.
        // In one row: to read thousands of them took longer than to find them.
        let rows = sqlx::query!(
            r#"select coalesce(array_agg(id), '{}') as "ids!", coalesce(array_agg(parent_id), '{}') as "parents!: Vec<Option<Uuid>>",
                      coalesce(array_agg(content ~ '\S' and reason <> $3), '{}') as "said!"
               from message where chat_id = $1 and depth < $2"#,
            first.chat_id,
            first.depth,
            HELP_LINES,
        )
        .fetch_one(db)
        .await?;
        let rows: HashMap<Uuid, (Option<Uuid>, bool)> =
            rows.ids.into_iter().zip(rows.parents.into_iter().zip(rows.said)).collect();
        while let Some(&(parent, said)) = rows.get(&before) {
            steps.push(Step { id: before, said });
            let Some(parent) = parent else { break };
            before = parent;
        }
        steps.reverse();
    }
    steps.extend(path.iter().map(Step::of));
    Ok(steps)
}

/// What was said in messages of a path, in its order, and whether the user said it.
pub async fn words(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<(bool, String)>> {
    let rows = sqlx::query!(
        r#"select sender = 'user' as "by_user!", content from message where id = any($1) order by depth"#,
        ids,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.by_user, row.content)).collect())
}

/// Ends the path that is shown with `leaf`, and the list of chats with its text; nobody said anything.
pub async fn show(tx: &mut Transaction, chat: Uuid, leaf: Uuid) -> Result<()> {
    sqlx::query!(
        "update chat set leaf_id = $2, last_message = coalesce(nullif(left(m.content, $3), ''), last_message)
         from message m where chat.id = $1 and m.id = $2",
        chat,
        leaf,
        i32::try_from(PREVIEW_MAX).unwrap_or(i32::MAX),
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Which chats are listed.
pub struct Wanted {
    pub archived: bool,
    /// A pattern of a title or a name.
    pub like: Option<String>,
    pub character: Option<Uuid>,
    /// The last one of the page before. Its place is looked up anew: it may have moved since, or be put away.
    pub after: Option<Uuid>,
}

/// A page of the user's chats, pinned ones first, then the latest.
pub async fn list(db: impl PgExecutor<'_>, user: Uuid, wanted: &Wanted) -> Result<Vec<Summary>> {
    let chats = sqlx::query_as!(
        Summary,
        r#"select c.id, c.character_id, c.character_name, c.title, c.pinned, c.archived, c.created_at,
                  c.last_message, c.last_message_at, coalesce(m.depth, 0) as "message_count!"
           from chat c left join message m on m.id = c.leaf_id
           where c.user_id = $1 and c.deleted_at is null and c.archived = $2
             and ($3::text is null or c.title ilike $3 or c.character_name ilike $3)
             and ($4::uuid is null or c.character_id = $4)
             and ($5::uuid is null or (c.pinned, c.last_message_at, c.id)
                  < (select l.pinned, l.last_message_at, l.id from chat l where l.id = $5 and l.user_id = $1))
           order by c.pinned desc, c.last_message_at desc, c.id desc limit $6"#,
        user,
        wanted.archived,
        wanted.like,
        wanted.character,
        wanted.after,
        CHATS_PAGE,
    )
    .fetch_all(db)
    .await?;
    Ok(chats)
}

/// A row of the list.
pub async fn summary(db: impl PgExecutor<'_>, user: Uuid, id: Uuid) -> Result<Option<Summary>> {
    let chat = sqlx::query_as!(
        Summary,
        r#"select c.id, c.character_id, c.character_name, c.title, c.pinned, c.archived, c.created_at,
                  c.last_message, c.last_message_at, coalesce(m.depth, 0) as "message_count!"
           from chat c left join message m on m.id = c.leaf_id
           where c.user_id = $1 and c.id = $2 and c.deleted_at is null"#,
        user,
        id,
    )
    .fetch_optional(db)
    .await?;
    Ok(chat)
}
