use sqlx::{PgExecutor, PgPool, PgTransaction};
use time::Date;
use uuid::Uuid;

use super::{End, HELP_LINES};
use crate::{
    chats::{self, Message},
    error::Result,
    limits::LEASE_S,
    usage,
};

/// A generation as its row says.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Uuid,
    pub chat_id: Uuid,
    pub message_id: Uuid,
    pub user_message_id: Option<Uuid>,
    pub state: String,
}

/// A generation to be begun.
pub struct New {
    pub id: Uuid,
    pub chat: Uuid,
    pub message: Uuid,
    pub user_message: Option<Uuid>,
    pub owner: Uuid,
    pub charged_on: Date,
    pub charged_to: Uuid,
    pub manifest: serde_json::Value,
}

/// The generation that runs in a chat.
pub async fn running(db: impl PgExecutor<'_>, chat: Uuid) -> Result<Option<Uuid>> {
    let id = sqlx::query_scalar!("select id from generation where chat_id = $1 and state = 'running'", chat)
        .fetch_optional(db)
        .await?;
    Ok(id)
}

pub async fn find(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Row>> {
    let row = sqlx::query_as!(
        Row,
        "select id, chat_id, message_id, user_message_id, state from generation where id = $1",
        id,
    )
    .fetch_optional(db)
    .await?;
    Ok(row)
}

pub async fn begin(tx: &mut PgTransaction<'_>, new: &New) -> Result<()> {
    sqlx::query!(
        "insert into generation (id, chat_id, message_id, user_message_id, owner, lease_until, state, charged_on, charged_to, manifest)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), 'running', $7, $8, $9)",
        new.id,
        new.chat,
        new.message,
        new.user_message,
        new.owner,
        LEASE_S,
        new.charged_on,
        new.charged_to,
        new.manifest,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A piece of a reply that is to be kept.
#[derive(Debug, Default)]
pub struct Pieces {
    pub generations: Vec<Uuid>,
    pub offsets: Vec<i32>,
    pub texts: Vec<String>,
}

/// Keeps the pieces of all replies of `owner` in one statement. One that is there already, because the answer to
/// its save was lost, comes again with more behind it.
pub async fn save(db: impl PgExecutor<'_>, owner: Uuid, pieces: &Pieces) -> Result<()> {
    sqlx::query!(
        "insert into generation_text (generation_id, off, text)
         select p.id, p.off, p.text from unnest($1::uuid[], $2::int[], $3::text[]) as p (id, off, text)
         join generation g on g.id = p.id and g.owner = $4 and g.state = 'running'
         on conflict (generation_id, off) do update set text = excluded.text
           where octet_length(excluded.text) > octet_length(generation_text.text)",
        &pieces.generations,
        &pieces.offsets,
        &pieces.texts,
        owner,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A generation that still belongs to its owner, and whether somebody wants it stopped.
pub struct Held {
    pub id: Uuid,
    pub stop_asked: bool,
}

/// Renews the leases of `owner`; those that are not answered are no longer its own.
pub async fn renew(db: impl PgExecutor<'_>, owner: Uuid, generations: &[Uuid]) -> Result<Vec<Held>> {
    let held = sqlx::query_as!(
        Held,
        "update generation set lease_until = now() + make_interval(secs => $3)
         where id = any($1) and owner = $2 and state = 'running' returning id, stop_asked",
        generations,
        owner,
        LEASE_S,
    )
    .fetch_all(db)
    .await?;
    Ok(held)
}

/// Leaves word for the owner, wherever it is.
pub async fn ask_stop(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("update generation set stop_asked = true where id = $1 and state = 'running'", id)
        .execute(db)
        .await?;
    Ok(())
}

/// Generations whose owner has given no sign of life.
pub async fn expired(db: impl PgExecutor<'_>) -> Result<Vec<Uuid>> {
    let ids = sqlx::query_scalar!(
        "select id from generation where state = 'running' and lease_until < now() order by lease_until limit 100"
    )
    .fetch_all(db)
    .await?;
    Ok(ids)
}

/// What was kept of a reply from byte `offset` on: where each piece begins, and the piece.
pub async fn kept(db: impl PgExecutor<'_>, id: Uuid, offset: i32) -> Result<Vec<(i32, String)>> {
    let pieces = sqlx::query!(
        "select off, text from generation_text
         where generation_id = $1 and off + octet_length(text) > $2 order by off",
        id,
        offset,
    )
    .fetch_all(db)
    .await?;
    Ok(pieces.into_iter().map(|p| (p.off, p.text)).collect())
}

/// Who may end a generation.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// Its owner, with the whole text.
    Owner(Uuid),
    /// Anyone, once the lease has run out.
    Sweeper,
}

/// How a reply is to be saved.
pub struct Ending<'a> {
    pub end: End,
    pub reason: &'a str,
    pub text: &'a str,
    /// Tokens as the engine counted them, for the manifest.
    pub tokens: Option<serde_json::Value>,
    /// Who wrote it, where that is not who was asked; empty: nobody.
    pub engine: Option<&'a str>,
}

/// Saves the reply for good and ends the generation; what came to nothing is not counted. `None`, with
/// no effect, when it was not `by`'s to end (any more).
pub async fn end(db: &PgPool, id: Uuid, by: By, ending: Ending<'_>) -> Result<Option<Message>> {
    let mut tx = db.begin().await?;
    let owner = match by {
        By::Owner(owner) => Some(owner),
        By::Sweeper => None,
    };
    let ended = sqlx::query!(
        r#"with ended as (
             update generation
             set state = $2, reason = nullif($3, ''), manifest = manifest || coalesce($5, '{}'::jsonb)
             where id = $1 and state = 'running' and (owner = $4 or ($4::uuid is null and lease_until < now()))
             returning id, chat_id, message_id, charged_on, charged_to
           ), kept as (
             delete from generation_text where generation_id in (select id from ended) returning off, text
           )
           select chat_id, message_id, charged_on, charged_to,
                  (select coalesce(string_agg(text, '' order by off), '') from kept) as "kept!"
           from ended"#,
        id,
        ending.end.as_str(),
        ending.reason,
        owner,
        ending.tokens,
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(ended) = ended else { return Ok(None) };

    let text = match by {
        By::Owner(_) => ending.text,
        By::Sweeper => &ended.kept,
    };
    sqlx::query!(
        "update message set content = $2, state = $3, reason = $4, engine = coalesce($5, engine) where id = $1",
        ended.message_id,
        text,
        ending.end.message_state(),
        ending.reason,
        ending.engine,
    )
    .execute(&mut *tx)
    .await?;
    let nothing = text.trim().is_empty();
    // What was cut, or stands in place of a reply, is not paid for.
    let free = nothing || ending.end == End::Refused || ending.reason == HELP_LINES;
    if let Some(day) = ended.charged_on.filter(|_| free) {
        usage::store::give_back(&mut *tx, ended.charged_to, day, usage::first_of_month(day)).await?;
        sqlx::query!("update generation set charged_on = null where id = $1", id).execute(&mut *tx).await?;
    }
    if !nothing {
        sqlx::query!(
            "update chat set last_message = case when leaf_id = $3 then $2 else last_message end,
                             last_message_at = now()
             where id = $1",
            ended.chat_id,
            chats::preview(text),
            ended.message_id,
        )
        .execute(&mut *tx)
        .await?;
    }
    let message = chats::store::message(&mut *tx, ended.message_id).await?;
    tx.commit().await?;
    Ok(message)
}
