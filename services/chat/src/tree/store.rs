use kit::db::{Db, Transaction};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    chats::{self, Message},
    error::Result,
    limits::{SWEPT_AT_ONCE, TREE_PREVIEW_MAX, UNDO_FOR_S},
};

/// A message of the chat, unless it was taken away.
pub async fn live(db: impl PgExecutor<'_>, chat: Uuid, id: Uuid) -> Result<Option<Message>> {
    let message = chats::store::message(db, id).await?;
    // What was taken away is none of its own siblings.
    Ok(message.filter(|m| m.chat_id == chat && m.siblings.contains(&m.id)))
}

/// The newest leaf below a message: at each step the newest of what follows.
pub async fn newest_leaf(db: impl PgExecutor<'_>, below: Uuid) -> Result<Uuid> {
    let leaf = sqlx::query_scalar!(
        r#"with recursive down as (
             select $1::uuid as id, 1 as n
             union all
             select next.id, d.n + 1 from down d cross join lateral (
               select m.id from message m where m.parent_id = d.id and m.deleted_at is null
               order by m.id desc limit 1) next
           )
           select id as "id!" from down order by n desc limit 1"#,
        below,
    )
    .fetch_one(db)
    .await?;
    Ok(leaf)
}

/// The greeting at which the path to `leaf` begins.
pub async fn root(db: impl PgExecutor<'_>, leaf: Uuid) -> Result<Option<Uuid>> {
    let root = sqlx::query_scalar!(
        r#"with recursive up as (
             select m.id, m.parent_id from message m where m.id = $1
             union all
             select m.id, m.parent_id from message m join up on m.id = up.parent_id
           )
           select id as "id!" from up where parent_id is null"#,
        leaf,
    )
    .fetch_optional(db)
    .await?;
    Ok(root)
}

/// What is taken away at once.
pub struct Removal {
    pub id: Uuid,
    pub leaf_id: Uuid,
    pub at: OffsetDateTime,
}

/// Opens a removal; what goes is marked with it in the same transaction.
pub async fn begin_removal(
    tx: &mut Transaction,
    chat: Uuid,
    message: Option<Uuid>,
    leaf: Uuid,
) -> Result<Removal> {
    let removal = sqlx::query_as!(
        Removal,
        "insert into removal (id, chat_id, message_id, leaf_id) values ($1, $2, $3, $4)
         returning id, leaf_id, at",
        Uuid::now_v7(),
        chat,
        message,
        leaf,
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(removal)
}

/// Takes a message away with all that follows from it; answers what went.
pub async fn remove_below(tx: &mut Transaction, removal: Uuid, message: Uuid) -> Result<Vec<Uuid>> {
    let gone = sqlx::query_scalar!(
        "with recursive gone as (
           select m.id from message m where m.id = $2 and m.deleted_at is null
           union all
           select m.id from message m join gone g on m.parent_id = g.id where m.deleted_at is null
         )
         update message set removal_id = $1, deleted_at = now() from gone where message.id = gone.id
         returning message.id",
        removal,
        message,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(gone)
}

/// Takes everything away but the greetings; answers how much went.
pub async fn remove_all(tx: &mut Transaction, removal: Uuid, chat: Uuid) -> Result<u64> {
    let gone = sqlx::query!(
        "update message set removal_id = $1, deleted_at = now()
         where chat_id = $2 and parent_id is not null and deleted_at is null",
        removal,
        chat,
    )
    .execute(&mut **tx)
    .await?;
    Ok(gone.rows_affected())
}

/// Takes away replies to a message that came to nothing, each by itself, as if it had been deleted.
pub async fn remove_void(tx: &mut Transaction, chat: Uuid, parent: Uuid, leaf: Uuid) -> Result<()> {
    sqlx::query!(
        "with void as (
           select v.id from message v
           where v.parent_id = $2 and v.sender = 'character' and v.deleted_at is null and btrim(v.content) = ''
             and v.state <> 'streaming'
             and not exists (select from message m where m.parent_id = v.id and m.deleted_at is null)
         ), filed as (
           insert into removal (id, chat_id, message_id, leaf_id)
           select gen_random_uuid(), $1, void.id, $3 from void returning id, message_id
         )
         update message set removal_id = filed.id, deleted_at = now() from filed where message.id = filed.message_id",
        chat,
        parent,
        leaf,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Forgets a removal that took nothing, or that was undone.
pub async fn end_removal(tx: &mut Transaction, removal: Uuid) -> Result<()> {
    sqlx::query!("delete from removal where id = $1", removal).execute(&mut **tx).await?;
    Ok(())
}

/// The newest removal of a message that can still be undone; without a message, the newest clearing.
pub async fn undoable(db: impl PgExecutor<'_>, chat: Uuid, message: Option<Uuid>) -> Result<Option<Removal>> {
    let removal = sqlx::query_as!(
        Removal,
        "select id, leaf_id, at from removal
         where chat_id = $1 and message_id is not distinct from $2 and at > now() - make_interval(secs => $3)
         order by at desc, id desc limit 1",
        chat,
        message,
        UNDO_FOR_S,
    )
    .fetch_optional(db)
    .await?;
    Ok(removal)
}

/// Brings back all that a removal took.
pub async fn bring_back(tx: &mut Transaction, removal: Uuid) -> Result<()> {
    sqlx::query!("update message set removal_id = null, deleted_at = null where removal_id = $1", removal)
        .execute(&mut **tx)
        .await?;
    end_removal(tx, removal).await
}

/// A message as the map shows it.
pub struct Node {
    pub id: Uuid,
    pub parent_id: Option<Uuid>,
    pub sender: String,
    pub preview: String,
    pub state: String,
    pub edited: bool,
    pub created_at: OffsetDateTime,
    pub depth: i32,
    pub variants: i64,
}

/// Messages of a chat after a place, parents before what follows from them.
pub async fn nodes(
    db: impl PgExecutor<'_>,
    chat: Uuid,
    after: Option<(i32, Uuid)>,
    limit: i64,
) -> Result<Vec<Node>> {
    let (depth, id) = after.unwrap_or((0, Uuid::nil()));
    let nodes = sqlx::query_as!(
        Node,
        r#"select id as "id!", parent_id, sender as "sender!", left(content, $4) as "preview!",
                  state as "state!", edited as "edited!", created_at as "created_at!", depth as "depth!",
                  variants as "variants!"
           from (select m.id, m.parent_id, m.sender, m.content, m.state, m.edited, m.created_at, m.depth,
                        count(*) over (partition by m.parent_id, m.sender) as variants
                 from message m where m.chat_id = $1 and m.deleted_at is null) live
           where (depth, id) > ($2, $3) order by depth, id limit $5"#,
        chat,
        depth,
        id,
        TREE_PREVIEW_MAX,
        limit,
    )
    .fetch_all(db)
    .await?;
    Ok(nodes)
}

/// Erases for good what was taken away more than a day ago; answers how many chats and removals.
pub async fn erase_removed(db: &Db) -> Result<u64> {
    let chats = sqlx::query!(
        "delete from chat where id in (
           select id from chat where deleted_at < now() - make_interval(secs => $1) limit $2)",
        UNDO_FOR_S,
        SWEPT_AT_ONCE,
    )
    .execute(db)
    .await?;
    let removals = sqlx::query!(
        "delete from removal where id in (
           select id from removal where at < now() - make_interval(secs => $1) order by at limit $2)",
        UNDO_FOR_S,
        SWEPT_AT_ONCE,
    )
    .execute(db)
    .await?;
    Ok(chats.rows_affected() + removals.rows_affected())
}
