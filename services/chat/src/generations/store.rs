use kit::db::{Db, Transaction};
use sqlx::{PgExecutor, types::Json};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::{End, HELP_LINES};
use crate::{
    chats::{self, Message, STREAMING, Told},
    error::Result,
    limits::{LEASE_S, PREVIEW_MAX, RENEW_BELOW_S},
    prompt::Manifest,
    usage::{self, store::Span},
};

/// One reply at a time in a chat, one effect of a key.
const IN_THE_WAY: [&str; 2] = ["generation_one", "idempotency_pkey"];
/// PostgreSQL's code for two that wait for each other: a reply that is given back in another chat of the user holds the
/// rows of their usage in an order of its own.
const DEADLOCK: &str = "40P01";

/// A generation as its row says.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Uuid,
    pub chat_id: Uuid,
    pub message_id: Uuid,
    pub user_message_id: Option<Uuid>,
    pub state: String,
}

/// A turn to be written: what the user says, if anything, and the place of the reply to it.
pub struct New<'a> {
    pub id: Uuid,
    /// The message after which it stands.
    pub after: &'a Told,
    pub said: Option<Said<'a>>,
    /// The message that is to be the reply.
    pub reply: Uuid,
    pub engine: &'a str,
    pub character: Uuid,
    /// The character's name as it is now, which the list of chats keeps.
    pub name: &'a str,
    pub owner: Uuid,
    pub charged_on: Date,
    pub charged_to: Uuid,
    pub manifest: &'a Manifest,
    /// Set when the same statement also holds the chat, counts, and remembers the key.
    pub at_once: Option<AtOnce<'a>>,
}

/// What a turn needs that nothing was held or counted for.
pub struct AtOnce<'a> {
    /// It is counted in these, the first of which may be used up.
    pub spans: [Span; 2],
    /// Under which name and key it is remembered, and the hash of what was asked.
    pub key: Option<(&'a str, &'a str, [u8; 32])>,
}

impl New<'_> {
    /// The messages as they were written at this moment, where nothing stands beside them: what the user said, if
    /// anything, and the reply.
    pub fn written(&self, at: OffsetDateTime) -> (Option<Message>, Message) {
        let said = self.said.map(|said| Message {
            id: said.id,
            chat_id: self.after.chat_id,
            parent_id: Some(self.after.id),
            depth: self.after.depth + 1,
            sender: "user".to_owned(),
            content: said.words.to_owned(),
            state: "complete".to_owned(),
            reason: String::new(),
            generation_id: None,
            engine: String::new(),
            created_at: at,
            edited: said.instead,
            siblings: vec![said.id],
        });
        let (after, depth) =
            said.as_ref().map_or((self.after.id, self.after.depth), |said| (said.id, said.depth));
        let reply = Message {
            id: self.reply,
            chat_id: self.after.chat_id,
            parent_id: Some(after),
            depth: depth + 1,
            sender: "character".to_owned(),
            content: String::new(),
            state: STREAMING.to_owned(),
            reason: String::new(),
            generation_id: Some(self.id),
            engine: self.engine.to_owned(),
            created_at: at,
            edited: false,
            siblings: vec![self.reply],
        };
        (said, reply)
    }
}

/// Words of the user, as a message of their own.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    pub id: Uuid,
    pub words: &'a str,
    /// In place of other words.
    pub instead: bool,
}

/// The generation that runs in a chat.
pub async fn running(db: impl PgExecutor<'_>, chat: Uuid) -> Result<Option<Uuid>> {
    let id = sqlx::query_scalar!("select id from generation where chat_id = $1 and state = 'running'", chat)
        .fetch_optional(db)
        .await?;
    Ok(id)
}

/// What a turn meets below the message that it follows, in a chat that is held.
pub struct Met {
    /// The generation that runs in the chat.
    pub running: Option<Uuid>,
    /// Versions of what follows, by the user or by the character; replies that came to nothing are none.
    pub versions: i64,
    /// Replies, those that were taken away included.
    pub replies_ever: i64,
}

/// Looks below a message, and counts the versions that the user or the character wrote there.
pub async fn meet(tx: &mut Transaction, chat: Uuid, parent: Uuid, by_user: bool) -> Result<Met> {
    let met = sqlx::query_as!(
        Met,
        r#"select (select id from generation where chat_id = $1 and state = 'running') as running,
                  count(*) filter (where (sender = 'user') = $3 and deleted_at is null and btrim(content) <> '')
                    as "versions!",
                  count(*) filter (where sender = 'character') as "replies_ever!"
           from message where parent_id = $2"#,
        chat,
        parent,
        by_user,
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(met)
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

/// Writes a turn: its messages, the end of the path that is shown, what counts for the character, and the generation. In
/// one statement, since each is a way to the database and back while the chat is held.
///
/// One that is written [`AtOnce`] holds its chat and is counted and remembered in the same statement, and has an effect only
/// where nothing is in its way: its path is the one that is shown, nothing stands below it or is being written, and nothing
/// is used up. Otherwise it answers `None`, and which of these it was is for [`super::send`] to find out.
pub async fn begin(db: impl PgExecutor<'_>, new: &New<'_>) -> Result<Option<OffsetDateTime>> {
    let spans = new.at_once.as_ref().map(|at_once| at_once.spans);
    let key = new.at_once.as_ref().and_then(|at_once| at_once.key);
    let at = sqlx::query_scalar!(
        "with held as (
           -- Waits for whoever holds it, and looks at it again then.
           select id from chat
           where id = $2 and ($18::text is null or user_id = $15 and leaf_id = $3 and deleted_at is null) for update
         ), free as (
           -- What another turn has begun meanwhile has moved the leaf.
           select id from held
           where $18::text is null
              or not exists (select from generation where chat_id = $2 and state = 'running')
                 and not exists (select from message where parent_id = $3)
         ), charged as (
           insert into usage (user_id, span, period_start, used)
           select $15, $18::text, $19::date, 1 from free where $20::int > 0
           on conflict (user_id, span, period_start) do update set used = usage.used + 1 where usage.used < $20
           returning span
         ), charged_beside as (
           insert into usage (user_id, span, period_start, used) select $15, $21::text, $22::date, 1 from charged
           on conflict (user_id, span, period_start) do update set used = usage.used + 1
         ), place as (
           select id from free where $18::text is null or exists (select from charged)
         ), remembered as (
           -- As `kit::idempotency` has it when what it held is finished.
           insert into idempotency (owner, op, key, hash, state, lease_until, response)
           select $15, $23::text, $24::text, $25::bytea, 'done', now(), uuid_send($1) from place
           where $24::text is not null
         ), said as (
           insert into message (id, chat_id, parent_id, depth, sender, content, state, edited)
           select $5::uuid, place.id, $3::uuid, $4::int + 1, 'user', $6::text, 'complete', $7::boolean from place
           where $5::uuid is not null
         ), reply as (
           insert into message (id, chat_id, parent_id, depth, sender, content, state, generation_id, engine)
           select $8, place.id, coalesce($5::uuid, $3::uuid), $4::int + case when $5::uuid is null then 1 else 2 end,
                  'character', '', 'streaming', $1, $9::text
           from place
         ), shown as (
           update chat set leaf_id = $8, last_message = coalesce($10, last_message), last_message_at = now(),
                           character_name = $11
           from place where chat.id = place.id
         ), counted as (
           insert into activity (character_id, user_id, kind)
           select $17, $15, 'message' from place, generate_series(1, case when $5::uuid is null then 1 else 2 end)
         )
         insert into generation
           (id, chat_id, message_id, user_message_id, owner, lease_until, state, charged_on, charged_to, manifest)
         select $1::uuid, place.id, $8::uuid, $5::uuid, $12::uuid, now() + make_interval(secs => $13), 'running', $14::date,
                $15::uuid, $16::jsonb
         from place
         returning created_at",
        new.id,
        new.after.chat_id,
        new.after.id,
        new.after.depth,
        new.said.map(|said| said.id),
        new.said.map(|said| said.words),
        new.said.is_some_and(|said| said.instead),
        new.reply,
        new.engine,
        new.said.map(|said| chats::preview(said.words)),
        new.name,
        new.owner,
        LEASE_S,
        new.charged_on,
        new.charged_to,
        Json(new.manifest) as _,
        new.character,
        spans.map(|[first, _]| first.name),
        spans.map(|[first, _]| first.start),
        spans.map(|[first, _]| first.limit),
        spans.map(|[_, beside]| beside.name),
        spans.map(|[_, beside]| beside.start),
        key.map(|(op, ..)| op),
        key.map(|(_, key, _)| key),
        key.as_ref().map(|(.., hash)| hash.as_slice()),
    )
    .fetch_optional(db)
    .await;
    match at {
        Ok(at) => Ok(at),
        Err(error) if new.at_once.is_some() && is_in_the_way(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether somebody had the same key, or began to write, at the same moment.
fn is_in_the_way(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    IN_THE_WAY.map(Some).contains(&kit::error::constraint(error)) || code.is_some_and(|code| code == DEADLOCK)
}

/// A piece of a reply that is to be kept.
#[derive(Debug, Default)]
pub struct Pieces {
    pub generations: Vec<Uuid>,
    pub offsets: Vec<i32>,
    pub texts: Vec<String>,
}

/// A generation that still belongs to its owner, and whether somebody wants it stopped.
pub struct Held {
    pub id: Uuid,
    pub stop_asked: bool,
}

/// Keeps the pieces of the replies of `owner` and renews their leases, in one statement; those that are not answered are
/// no longer its own.
///
/// A piece that is there already, because the answer to its save was lost, comes again with more behind it. A lease is
/// renewed once it lasts no longer than [`RENEW_BELOW_S`]: the row of a generation is a wide one, and a short reply ends
/// before. One that lasts longer than any lease is from a clock that was set back since.
pub async fn hold(
    db: impl PgExecutor<'_>,
    owner: Uuid,
    generations: &[Uuid],
    pieces: &Pieces,
) -> Result<Vec<Held>> {
    let held = sqlx::query_as!(
        Held,
        "with held as (
           select id, stop_asked from generation where id = any($1) and owner = $2 and state = 'running'
         ), kept as (
           insert into generation_text (generation_id, off, text)
           select p.id, p.off, p.text from unnest($3::uuid[], $4::int[], $5::text[]) as p (id, off, text)
           join held on held.id = p.id
           on conflict (generation_id, off) do update set text = excluded.text
             where octet_length(excluded.text) > octet_length(generation_text.text)
         ), renewed as (
           update generation set lease_until = now() + make_interval(secs => $6)
           where id in (select id from held) and owner = $2 and state = 'running'
             and lease_until not between now() + make_interval(secs => $7) and now() + make_interval(secs => $6)
         )
         select id, stop_asked from held",
        generations,
        owner,
        &pieces.generations,
        &pieces.offsets,
        &pieces.texts,
        LEASE_S,
        RENEW_BELOW_S,
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

impl Ending<'_> {
    /// What was cut, or stands in place of a reply, is not paid for.
    fn is_free(&self) -> bool {
        self.end == End::Refused || self.reason == HELP_LINES
    }

    fn is_nothing(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Saves the reply for good and ends the generation; what came to nothing is not counted. `None`, with
/// no effect, when it was not `by`'s to end (any more).
pub async fn end(db: &Db, id: Uuid, by: By, ending: Ending<'_>) -> Result<Option<Message>> {
    // Nearly all of them are paid for: one statement needs no transaction around it, and readers wait for its end.
    let paid = matches!(by, By::Owner(_)) && !ending.is_free() && !ending.is_nothing();
    if paid {
        let ended = write_end(db, id, by, &ending).await?;
        return Ok(ended.map(|ended| ended.message));
    }
    let mut tx = db.begin().await?;
    let Some(ended) = write_end(&mut *tx, id, by, &ending).await? else { return Ok(None) };
    if let Some(day) = ended.charged_on.filter(|_| ended.free) {
        usage::store::give_back(&mut *tx, ended.charged_to, day, usage::first_of_month(day)).await?;
    }
    tx.commit().await?;
    Ok(Some(ended.message))
}

/// A generation that has just ended.
struct Ended {
    message: Message,
    charged_on: Option<Date>,
    charged_to: Uuid,
    /// Is to be given back.
    free: bool,
}

/// All rows of an end in one statement. Whether a reply is nothing is told by whoever has its text; of pieces that are
/// only put together here, PostgreSQL tells.
async fn write_end(db: impl PgExecutor<'_>, id: Uuid, by: By, ending: &Ending<'_>) -> Result<Option<Ended>> {
    let (owner, text, nothing) = match by {
        By::Owner(owner) => (Some(owner), Some(ending.text), Some(ending.is_nothing())),
        By::Sweeper => (None, None, None),
    };
    let ended = sqlx::query!(
        r#"with held as (
            select id, chat_id, message_id, charged_on, charged_to from generation
            where id = $1 and state = 'running' and (owner = $4 or ($4::uuid is null and lease_until < now()))
            for update
          ), kept as (
            delete from generation_text where generation_id in (select id from held) returning off, text
          ), reply as (
            select held.*, coalesce($6, (select string_agg(text, '' order by off) from kept), '') as text from held
          ), judged as (
            select reply.*, coalesce($11, text !~ '\S') as nothing from reply
          ), ended as (
            update generation g
            set state = $2, reason = nullif($3, ''), manifest = g.manifest || coalesce($5, '{}'::jsonb),
                charged_on = case when $7::boolean or j.nothing then null else g.charged_on end
            from judged j where g.id = j.id
          ), written as (
            update message m set content = j.text, state = $8, reason = $3, engine = coalesce($9, m.engine)
            from judged j where m.id = j.message_id returning m.*
          ), shown as (
            update chat c
            set last_message = case when c.leaf_id = j.message_id then left(j.text, $10) else c.last_message end,
                last_message_at = now()
            from judged j where c.id = j.chat_id and not j.nothing
          )
          select m.id, m.chat_id, m.parent_id, m.depth, m.sender, m.content, m.state, m.reason, m.generation_id, m.engine,
                 m.created_at, m.edited,
                 array(select s.id from message s where s.parent_id = m.parent_id and s.sender = m.sender
                       and s.deleted_at is null order by s.id) as "siblings!",
                 j.charged_on, j.charged_to, $7::boolean or j.nothing as "free!"
          from judged j join written m on m.id = j.message_id"#,
        id,
        ending.end.as_str(),
        ending.reason,
        owner,
        ending.tokens,
        text,
        ending.is_free(),
        ending.end.message_state(),
        ending.engine,
        i32::try_from(PREVIEW_MAX).unwrap_or(i32::MAX),
        nothing,
    )
    .fetch_optional(db)
    .await?;
    Ok(ended.map(|row| Ended {
        message: Message {
            id: row.id,
            chat_id: row.chat_id,
            parent_id: row.parent_id,
            depth: row.depth,
            sender: row.sender,
            content: row.content,
            state: row.state,
            reason: row.reason,
            generation_id: row.generation_id,
            engine: row.engine,
            created_at: row.created_at,
            edited: row.edited,
            siblings: row.siblings,
        },
        charged_on: row.charged_on,
        charged_to: row.charged_to,
        free: row.free,
    }))
}
