//! All that a prompt rests on, read for one turn.

use std::{collections::HashMap, mem, sync::Arc};

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Ask, Mind, Spoken, build};
use crate::{
    App,
    chats::{Chat, Told},
    engines::{Help, Job, Line, Person, Scene},
    error::Result,
    limits::{PROMPT_AT_ONCE, REPLY_PART},
    lorebooks::{self, Keyed, matching::Open, store::Lorebook},
    memories::{self, Memory, kept::Stamp, path::Holding},
    peers::{Entitlement, Opened},
    sampling::Values,
    tokens,
};

/// Newest messages that memories are compared with.
pub const COMPARED: usize = 3;

/// What the database holds of a turn beside its path.
pub struct Recalled {
    /// Those that hold on the path, and say something.
    memories: Vec<Arc<Memory>>,
    /// What they are compared with.
    said: String,
    /// The user's own lorebooks that are on for the character.
    books: Vec<Lorebook>,
}

/// What there is to be read for a turn: most users have no lorebooks, and a new chat remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct There {
    /// Which memories of the user and the character; `None` where nobody has looked.
    pub memories: Option<Stamp>,
    /// Of the user.
    pub books: bool,
}

impl There {
    /// Where nobody has looked.
    pub const ANYTHING: Self = Self { memories: None, books: true };

    /// Whether there may be memories.
    pub fn has_memories(&self) -> bool {
        self.memories.is_none_or(|stamp| stamp.count > 0)
    }
}

/// Who is in a turn.
pub struct Cast<'a> {
    pub chat: &'a Chat,
    pub card: &'a Opened,
    pub person: &'a Person,
    pub entitlement: Entitlement,
    /// How close memories are to what was said last, as far as vectors tell.
    pub near: &'a HashMap<Uuid, f32>,
}

/// What happens in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happens<'a> {
    /// The user says something.
    Said(&'a str),
    /// The character goes on, or answers anew.
    Nothing,
    /// Nothing yet: the prompt is only looked at.
    Looked,
}

impl App {
    /// Tokens of a whole prompt.
    fn context(&self, entitlement: Entitlement) -> u32 {
        match entitlement.memory_tokens {
            0 => self.context_tokens,
            tokens => self.context_tokens.min(tokens),
        }
    }

    /// Characters of a chat beyond which no prompt reaches back.
    pub(crate) fn reach(&self, entitlement: Entitlement) -> i64 {
        i64::from(self.context(entitlement)) * i64::from(self.counter.widest())
    }

    /// Reads what is remembered on a path, and the lorebooks of the user. Whoever takes a turn has messages of the path
    /// summarised that are due.
    pub(crate) async fn recall(
        &self,
        db: &mut PgConnection,
        user: Uuid,
        chat: &Chat,
        path: &[Told],
        happens: Happens<'_>,
        there: There,
    ) -> Result<Recalled> {
        let mut remembered = match there.has_memories() {
            true => self.remembered_before(&mut *db, user, chat.id, path, there.memories).await?,
            false => Vec::new(),
        };
        let holding = Holding::read(&mut *db, path, &remembered).await?;
        remembered.retain(|memory| holding.has(memory));
        if happens != Happens::Looked {
            memories::jobs::note(&mut *db, chat.id, &holding, &remembered).await?;
        }
        remembered.retain(|memory| !memory.text.is_empty());
        let said = compared(path, happens);
        let books = match there.books {
            true => lorebooks::store::for_character(&mut *db, user, chat.character_id).await?,
            false => Vec::new(),
        };
        Ok(Recalled { memories: remembered, said, books })
    }

    /// What is remembered before a turn, as it was read for the turn before where that still holds.
    async fn remembered_before(
        &self,
        db: &mut PgConnection,
        user: Uuid,
        chat: Uuid,
        path: &[Told],
        stamp: Option<Stamp>,
    ) -> Result<Vec<Arc<Memory>>> {
        let kept = stamp.and_then(|stamp| self.remembered.take(chat, stamp, path));
        let memories = match kept {
            Some(memories) => memories,
            None => {
                let read = memories::store::before_turn(db, user, chat, path).await?;
                read.into_iter().map(Arc::new).collect()
            }
        };
        if let Some(stamp) = stamp {
            self.remembered.keep(chat, stamp, path, &memories);
        }
        Ok(memories)
    }

    /// The job of writing the reply to `path`, with its prompt.
    pub(crate) async fn prepare(
        &self,
        cast: &Cast<'_>,
        path: &[Told],
        happens: Happens<'_>,
        recalled: Recalled,
    ) -> Result<Job> {
        let now = OffsetDateTime::now_utc();
        let spoken: Vec<&Told> = path.iter().filter(|m| m.is_said()).collect();
        let mut history: Vec<Line> =
            spoken.iter().map(|m| Line { by_user: m.by_user, text: m.content.clone() }).collect();
        let mut beside: Vec<Spoken> = spoken.iter().map(|m| Spoken { id: m.id, at: m.created_at }).collect();
        if let Happens::Said(content) = happens {
            history.push(Line { by_user: true, text: content.into() });
            beside.push(Spoken { id: Uuid::nil(), at: now });
        }
        let (mut mind, said) = mind(cast, path, beside, recalled);
        let scene = Scene {
            card: cast.card.card.clone(),
            user: cast.person.clone(),
            // After a reply that came to nothing, going on means answering.
            continuing: happens != Happens::Looked && history.last().is_some_and(|line| !line.by_user),
            history,
            seed: cast.chat.id.as_u64_pair().1,
        };
        tokens::warm(&self.counter, scene.history.iter().map(|line| line.text.as_str())).await;
        let context = self.context(cast.entitlement);
        // A cap that is made for large plans would leave a small one no room for the story.
        let reply = self.reply_tokens.min(context / REPLY_PART);
        let (engine, counter) = (self.engine.clone(), self.counter.clone());
        let bytes: usize = scene.history.iter().map(|line| line.text.len()).sum::<usize>()
            + mind.memories.iter().map(|memory| memory.text.len()).sum::<usize>();
        let is_small = !counter.exact() && mind.books.is_empty() && bytes <= PROMPT_AT_ONCE;
        let work = move || {
            // Vectors know better.
            let mut similar = memories::words::similar(&said, &mind.memories);
            similar.extend(mem::take(&mut mind.similar));
            mind.similar = similar;
            let prompt = build(&Ask {
                engine: engine.name(),
                model: engine.name(),
                scene: &scene,
                mind: &mind,
                context: context as usize,
                reply: reply as usize,
                counter: &*counter,
                naive: false,
            });
            (scene, prompt)
        };
        let (scene, prompt) = match is_small {
            true => work(),
            // Tokens are counted, lorebooks searched and long talks put together where nobody else waits for it.
            false => tokio::task::spawn_blocking(work).await.map_err(|error| {
                tracing::error!(%error, "a prompt could not be put together");
                kit::error::Failure::internal()
            })?,
        };
        let (sampling, help) = (Values::default(), Help::default());
        Ok(Job { scene, prompt, reply_tokens: reply, sampling, help, said: None })
    }
}

/// What memories are compared with.
fn compared(path: &[Told], happens: Happens<'_>) -> String {
    let now = match happens {
        Happens::Said(content) => Some(content),
        Happens::Nothing | Happens::Looked => None,
    };
    let before = path.iter().rev().filter(|m| m.is_said()).map(|m| m.content.as_str());
    now.into_iter().chain(before).take(COMPARED).collect::<Vec<_>>().join("\n")
}

/// What the prompt is made of beside the history, and what memories are compared with.
fn mind(cast: &Cast<'_>, path: &[Told], spoken: Vec<Spoken>, recalled: Recalled) -> (Mind, String) {
    let Recalled { memories, said, books: own } = recalled;
    let mut books: Vec<Open> = Vec::new();
    if let Some(book) = &cast.card.book {
        books.push(Open::new("card".to_owned(), book.clone()));
    }
    books.extend(own.into_iter().map(|own| Open::new(own.id.to_string(), Keyed::new(own.book.0))));
    let extras = &cast.card.extras;
    let mind = Mind {
        system_prompt: extras.system_prompt.clone(),
        instructions: extras.post_history_instructions.clone(),
        nickname: extras.nickname.clone(),
        books,
        memories,
        similar: cast.near.clone(),
        spoken,
        first_depth: path.first().map_or(1, |m| usize::try_from(m.depth).unwrap_or(1)),
        began: began(cast.chat.id),
        now: Some(OffsetDateTime::now_utc()),
    };
    (mind, said)
}

/// When a chat began: its id says so.
fn began(chat: Uuid) -> Option<OffsetDateTime> {
    let (seconds, _) = chat.get_timestamp()?.to_unix();
    OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).ok()?).ok()
}
