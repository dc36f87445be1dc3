//! Many messages at once: greetings, forks, chats that are brought in.

use kit::db::Transaction;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// A message of a batch.
pub struct Entry {
    pub parent: Option<Uuid>,
    pub depth: i32,
    pub by_user: bool,
    pub content: String,
    pub state: String,
    pub engine: String,
    pub edited: bool,
    /// What it is a copy of.
    pub origin: Option<Uuid>,
    pub created_at: OffsetDateTime,
}

impl Entry {
    /// A whole message that somebody wrote.
    pub fn new(parent: Option<Uuid>, depth: i32, by_user: bool, content: String) -> Self {
        Self {
            parent,
            depth,
            by_user,
            content,
            state: "complete".into(),
            engine: String::new(),
            edited: false,
            origin: None,
            created_at: OffsetDateTime::now_utc(),
        }
    }
}

/// Messages that are written in one statement. Ids are given in the order in which they are added, which
/// is the order of siblings.
#[derive(Default)]
pub struct Batch {
    ids: Vec<Uuid>,
    parents: Vec<Option<Uuid>>,
    depths: Vec<i32>,
    senders: Vec<String>,
    contents: Vec<String>,
    states: Vec<String>,
    engines: Vec<String>,
    edited: Vec<bool>,
    origins: Vec<Option<Uuid>>,
    created: Vec<OffsetDateTime>,
}

impl Batch {
    /// Adds a message; answers its id.
    pub fn add(&mut self, entry: Entry) -> Uuid {
        let id = Uuid::now_v7();
        self.ids.push(id);
        self.parents.push(entry.parent);
        self.depths.push(entry.depth);
        self.senders.push(if entry.by_user { "user" } else { "character" }.into());
        self.contents.push(entry.content);
        self.states.push(entry.state);
        self.engines.push(entry.engine);
        self.edited.push(entry.edited);
        self.origins.push(entry.origin);
        self.created.push(entry.created_at);
        id
    }

    /// Writes all of them into a chat.
    pub async fn write(self, tx: &mut Transaction, chat: Uuid) -> Result<()> {
        sqlx::query!(
            "insert into message (id, chat_id, parent_id, depth, sender, content, state, engine, edited, origin_id, created_at)
             select b.id, $1, b.parent, b.depth, b.sender, b.content, b.state, b.engine, b.edited, b.origin, b.at
             from unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[],
                         $9::bool[], $10::uuid[], $11::timestamptz[])
               as b (id, parent, depth, sender, content, state, engine, edited, origin, at)",
            chat,
            &self.ids,
            &self.parents as &[Option<Uuid>],
            &self.depths,
            &self.senders,
            &self.contents,
            &self.states,
            &self.engines,
            &self.edited,
            &self.origins as &[Option<Uuid>],
            &self.created,
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}
