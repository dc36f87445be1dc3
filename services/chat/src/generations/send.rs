//! A turn: checked, counted and stored in one transaction; then the reply is begun.

use std::{collections::HashMap, ops::ControlFlow, sync::Arc};

use kit::{
    caller::User,
    error::Violations,
    idempotency::{self, Claim, Held},
    text,
};
use proto::chat::v1::{InlinePersona, SendRequest, send_request};
use time::Date;
use tracing::Instrument as _;
use uuid::Uuid;

use super::{
    before::Before,
    feed::Wish,
    live::Live,
    paths,
    stand::{Path, Stand},
    store, writer,
};
use crate::{
    App,
    chats::{self, Chat, Message, Told},
    engines::{Help, Job, Person},
    error::{Error, Result},
    limits::{MESSAGE_MAX, PERSONA_DESCRIPTION_MAX, PERSONA_NAME_MAX},
    peers::{Entitlement, Opened, one_line},
    prompt::{Cast, Happens, There},
    rules::{self, Judged, Kind},
    sampling::{self, Values},
    usage,
};

const GENDERS: [&str; 5] = ["", "male", "female", "trans", "other"];

/// What the user does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Turn {
    Says(String),
    Continues,
}

impl Turn {
    /// What the user says.
    fn words(&self) -> Option<&str> {
        match self {
            Self::Says(content) => Some(content),
            Self::Continues => None,
        }
    }

    fn happens(&self) -> Happens<'_> {
        self.words().map_or(Happens::Nothing, Happens::Said)
    }
}

/// Who the user says to be.
enum As {
    Default,
    Known(String),
    Inline(Person),
}

/// What is asked for, as far as it has been looked at.
struct Ask {
    user: User,
    who: As,
    set: sampling::Set,
    there: There,
    /// Whose help lines are shown.
    country: String,
    turn: Turn,
    stand: Stand,
    ruled: Judged,
}

/// All that a turn rests on and that is not in the chat.
struct Ground {
    card: Arc<Opened>,
    entitlement: Entitlement,
    person: Person,
    sampling: Values,
    help: Help,
    /// How close memories are to what was said last, as far as vectors tell.
    near: HashMap<Uuid, f32>,
}

/// What was read and made ready before the chat was held.
struct Ready {
    path: Path,
    /// The reply to it, where there is anything that can be replied to.
    job: Option<Job>,
}

impl Ground {
    fn cast<'a>(&'a self, chat: &'a Chat) -> Cast<'a> {
        Cast { chat, card: &self.card, person: &self.person, entitlement: self.entitlement, near: &self.near }
    }
}

/// A turn that is stored.
struct Stored {
    generation: Uuid,
    user_message: Option<Message>,
    ai_message: Message,
    /// Before both.
    path: Vec<Told>,
    job: Job,
}

impl App {
    /// Stores the turn and begins the reply, or joins the one that the same key has begun.
    pub(super) async fn send_turn(
        &self,
        user: User,
        key: Option<String>,
        request: SendRequest,
        stand: Stand,
    ) -> Result<Wish> {
        let chat_id = kit::ids::find("chat_not_found", &request.chat_id)?;
        let turn = read_turn(request.turn.clone())?;
        let who = read_persona(request.persona.clone())?;
        let ruled = match turn.words() {
            Some(words) => self.judge(user.id, Kind::TURN, words).await?,
            None => Judged::Stands,
        };
        let me = user.id;
        let looked = Before::read(&self.db, me, chat_id, stand.op(), key.as_deref()).await?;
        let Before { chat, set, is_known, there } = looked.ok_or(Error::ChatNotFound)?;
        let key = key.map(|key| (key, hash(&request, stand)));
        let ask = Ask { user, who, set, there, country: request.country, turn, stand, ruled };

        // Most turns are written at once, and what stands in the way of others is found out by taking one step after the
        // other.
        let mut made = None;
        if stand == Stand::AtLeaf && !is_known {
            let (ground, ready) = self.make_ready(&chat, &ask).await?;
            match self.store_at_once(&chat, &ask, &ground, ready, key.as_ref()).await? {
                ControlFlow::Break(stored) => return Ok(self.begun(me, chat_id, stored)),
                ControlFlow::Continue(ready) => made = Some((ground, ready)),
            }
        }
        let held = match key {
            None => None,
            Some((key, hash)) => match idempotency::claim(&self.db, me, stand.op(), &key, hash).await? {
                Claim::New(held) => Some(held),
                Claim::Done(answer) => return self.joined(chat_id, &answer).await,
            },
        };
        let stored = async {
            let (ground, ready) = match made {
                Some(made) => made,
                None => self.make_ready(&chat, &ask).await?,
            };
            self.store_turn(chat_id, &ask, &ground, ready, held.as_ref()).await
        };
        let stored = stored.await;
        match stored {
            Ok(stored) => Ok(self.begun(me, chat_id, stored)),
            Err(error) => {
                if let Some(held) = held {
                    held.abandon(&self.db).await;
                }
                Err(error)
            }
        }
    }

    /// The reply that was begun under the same key, from its first byte.
    async fn joined(&self, chat: Uuid, answer: &[u8]) -> Result<Wish> {
        let id = Uuid::from_slice(answer).map_err(|_| Error::GenerationNotFound)?;
        let row = store::find(&self.db, id).await?;
        let row = row.filter(|row| row.chat_id == chat).ok_or(Error::GenerationNotFound)?;
        let user_message = match row.user_message_id {
            Some(id) => chats::store::message(&self.db, id).await?,
            None => None,
        };
        let ai_message = chats::store::message(&self.db, row.message_id).await?;
        Ok(Wish { generation: id, message: row.message_id, from: 0, user_message, ai_message })
    }

    async fn ground(&self, chat: &Chat, ask: &Ask) -> Result<Ground> {
        let user = &ask.user;
        let person = async {
            match &ask.who {
                As::Default => self.peers.persona(user.id, None).await,
                As::Known(id) => self.peers.persona(user.id, Some(id.clone())).await,
                As::Inline(person) => Ok(Some(person.clone())),
            }
        };
        let (card, entitlement, person) = tokio::try_join!(
            self.peers.card(user.id, chat.character_id),
            self.peers.entitlement(user.id),
            person,
        )?;
        let person = person.unwrap_or_else(|| Person { name: user.name.clone(), ..Person::default() });
        let about = [person.name.as_str(), person.description.as_str()].join("\n");
        self.judge(user.id, Kind::PERSONA, &about).await?;
        let (.., sampling) = ask.set.hold(entitlement.paid, self.usual_presets.of(entitlement.plan));
        let help = Help { country: ask.country.clone(), ..Help::default() };
        Ok(Ground { card, entitlement, person, sampling, help, near: HashMap::new() })
    }

    /// Reads what the turn rests on and the path, judges the turn after it, and puts the prompt together: while the chat is
    /// held, nobody else can say anything in it.
    async fn make_ready(&self, chat: &Chat, ask: &Ask) -> Result<(Ground, Ready)> {
        let mut ground = self.ground(chat, ask).await?;
        let Ask { turn, stand, ruled, .. } = ask;
        let me = ask.user.id;
        // One connection for what is read in a row.
        let mut db = self.db.acquire().await?;
        let path = stand.path(&mut db, chat, self.reach(ground.entitlement), Some(&self.paths)).await?;
        let recalled = self.recall(&mut db, me, chat, &path.messages, turn.happens(), ask.there).await?;
        db.done();
        let mut said = None;
        let (ruled, kind, words) = match turn {
            Turn::Says(words) => {
                let said = said.insert(rules::said(&path.messages));
                self.judge_after(me, Kind::TURN, said, words).await?;
                (*ruled, Kind::TURN, words.as_str())
            }
            Turn::Continues => {
                let last = path.messages.iter().rfind(|message| message.is_said());
                let asked = last.filter(|message| message.by_user);
                let ruled = if rules::asks_for_help(&path.messages) { Judged::NeedsHelp } else { *ruled };
                (ruled, Kind::SAID, asked.map_or("", |message| message.content.as_str()))
            }
        };
        // Who needs help is shown help lines: nothing is recalled, and nobody else is told.
        let recalls = ask.there.has_memories() && ruled != Judged::NeedsHelp;
        let near = async {
            match recalls {
                true => Ok(self.near(me, chat, stand.message(), stand.is_anew(), turn.words()).await),
                false => Ok(HashMap::new()),
            }
        };
        // Judged once more, where there is a classifier.
        let (judged, near) = tokio::try_join!(self.classify(me, kind, words), near)?;
        ground.near = near;
        ground.help.now = [ruled, judged].contains(&Judged::NeedsHelp);
        let job = match path.messages.is_empty() {
            true => None,
            false => {
                let cast = ground.cast(chat);
                let job = self.prepare(&cast, &path.messages, turn.happens(), recalled).await?;
                Some(Job { said, ..job })
            }
        };
        Ok((ground, Ready { path, job }))
    }

    /// Writes a turn at the end of the path that is shown, in one statement. When something is in its way, all that was
    /// made ready is given back.
    async fn store_at_once(
        &self,
        chat: &Chat,
        ask: &Ask,
        ground: &Ground,
        ready: Ready,
        key: Option<&(String, [u8; 32])>,
    ) -> Result<ControlFlow<Stored, Ready>> {
        let Ready { path, job: Some(job) } = ready else { return Ok(ControlFlow::Continue(ready)) };
        // A reply that came to nothing stands at the end of what is shown, and is left beside the path.
        let Some(leaf) = path.at_end(chat) else {
            return Ok(ControlFlow::Continue(Ready { path, job: Some(job) }));
        };
        let today = usage::today();
        let at_once = store::AtOnce {
            spans: usage::spans(ground.entitlement, leaf.depth.unsigned_abs(), today)?,
            key: key.map(|(key, hash)| (ask.stand.op(), key.as_str(), *hash)),
        };
        let job = played(job, ground, false, 0);
        let new = self.rows(chat, ask, ground, leaf, &job, today);
        let new = store::New { at_once: Some(at_once), ..new };
        let Some(at) = store::begin(&self.db, &new).await? else {
            return Ok(ControlFlow::Continue(Ready { path, job: Some(job) }));
        };
        let (user_message, ai_message) = new.written(at);
        let generation = new.id;
        Ok(ControlFlow::Break(Stored { generation, user_message, ai_message, path: path.messages, job }))
    }

    /// Writes a turn wherever it is to stand, or says why it may not.
    async fn store_turn(
        &self,
        chat_id: Uuid,
        ask: &Ask,
        ground: &Ground,
        ready: Ready,
        held: Option<&Held>,
    ) -> Result<Stored> {
        let Ask { turn, stand, .. } = ask;
        let me = ask.user.id;
        let mut tx = self.db.begin().await?;
        let chat = chats::store::lock(&mut tx, me, chat_id).await?.ok_or(Error::ChatNotFound)?;
        let reach = self.reach(ground.entitlement);
        let place = stand.find(&mut tx, &chat, turn.words().is_some(), &ready.path, reach).await?;
        let today = usage::today();
        usage::charge(&mut tx, me, &usage::spans(ground.entitlement, place.length, today)?).await?;

        let (path, job) = match (place.anew, ready.job) {
            (None, Some(job)) => (ready.path.messages, job),
            // Somebody was faster, in another tab.
            (anew, _) => {
                let path = anew.unwrap_or(ready.path).messages;
                if let Turn::Says(words) = turn {
                    self.judge_after(me, Kind::TURN, &rules::said(&path), words).await?;
                }
                let recalled =
                    self.recall(&mut tx, me, &chat, &path, turn.happens(), There::ANYTHING).await?;
                let job = self.prepare(&ground.cast(&chat), &path, turn.happens(), recalled).await?;
                (path, job)
            }
        };
        let leaf = path.last().ok_or(Error::ChatNotFound)?;
        let needs_help = *turn == Turn::Continues && rules::asks_for_help(&path);
        let job = played(job, ground, needs_help, place.take);
        let new = self.rows(&chat, ask, ground, leaf, &job, today);
        let at = store::begin(&mut *tx, &new).await?.ok_or(Error::ChatNotFound)?;
        if let Some(held) = held {
            held.finish(&mut *tx, new.id.as_bytes()).await?;
        }
        let (user_message, ai_message) = if place.free {
            new.written(at)
        } else {
            let messages = if new.said.is_some() { 2 } else { 1 };
            let mut written = chats::store::back_from(&mut *tx, new.reply, messages).await?;
            let ai_message = written.pop().ok_or(Error::ChatNotFound)?;
            (written.pop(), ai_message)
        };
        tx.commit().await?;
        let generation = new.id;
        Ok(Stored { generation, user_message, ai_message, path, job })
    }

    /// The rows of a turn.
    fn rows<'a>(
        &'a self,
        chat: &Chat,
        ask: &'a Ask,
        ground: &'a Ground,
        after: &'a Told,
        job: &'a Job,
        today: Date,
    ) -> store::New<'a> {
        let instead = matches!(ask.stand, Stand::Instead(_));
        store::New {
            id: Uuid::now_v7(),
            after,
            said: ask.turn.words().map(|words| store::Said { id: Uuid::now_v7(), words, instead }),
            reply: Uuid::now_v7(),
            engine: self.engine.name(),
            character: chat.character_id,
            name: &ground.card.card.name,
            owner: self.me,
            charged_on: today,
            charged_to: ask.user.id,
            manifest: &job.prompt.manifest,
            at_once: None,
        }
    }

    /// Begins the reply to what is stored, and tells the other tabs.
    fn begun(&self, me: Uuid, chat: Uuid, stored: Stored) -> Wish {
        let wish = self.start(me, chat, stored);
        self.changed(me, chat);
        wish
    }

    /// Begins to write, in a task that outlives the caller.
    fn start(&self, user: Uuid, chat: Uuid, stored: Stored) -> Wish {
        let live = Arc::new(Live::new(stored.generation));
        let entered = self.live.enter(live);
        let (app, job) = (self.clone(), stored.job);
        let mut path = stored.path;
        path.extend(stored.user_message.as_ref().map(Told::of));
        // Not held for as long as a reply takes in vain.
        let path = Some(path).filter(|path| paths::is_keepable(path));
        let span = tracing::info_span!(
            "reply",
            generation = %stored.generation,
            otel.status_code = tracing::field::Empty,
        );
        // In a box at once, as a turn is.
        let work = Box::pin(async move {
            writer::write(app.clone(), entered, job, path).await;
            app.changed(user, chat);
        });
        self.writers.spawn(work.instrument(span));
        Wish {
            generation: stored.generation,
            message: stored.ai_message.id,
            from: 0,
            user_message: stored.user_message,
            ai_message: Some(stored.ai_message),
        }
    }
}

/// The job as it is played: `take` counts the replies that stood there before.
fn played(mut job: Job, ground: &Ground, needs_help: bool, take: u64) -> Job {
    job.sampling = ground.sampling.clone();
    job.help = Help { now: ground.help.now || needs_help, ..ground.help.clone() };
    // The same scene is played differently each time, and the same way when it is asked for again.
    job.scene.seed = job.scene.seed.wrapping_add(take.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    job
}

fn hash(request: &SendRequest, stand: Stand) -> [u8; 32] {
    let message = stand.message();
    let turn: (&[u8], &[u8]) = match &request.turn {
        Some(send_request::Turn::Content(content)) => (b"content", content.as_bytes()),
        Some(send_request::Turn::Continue(_)) | None => (b"continue", b""),
    };
    let persona = match &request.persona {
        None => String::new(),
        Some(send_request::Persona::PersonaId(id)) => format!("id:{id}"),
        Some(send_request::Persona::InlinePersona(p)) => {
            format!("inline:{}\n{}\n{}", p.name, p.description, p.gender)
        }
    };
    let mut fields = vec![request.chat_id.as_bytes(), turn.0, turn.1, persona.as_bytes()];
    fields.extend(message.as_ref().map(|id| id.as_bytes().as_slice()));
    idempotency::hash(&fields)
}

fn read_turn(turn: Option<send_request::Turn>) -> Result<Turn> {
    match turn {
        Some(send_request::Turn::Continue(true)) => Ok(Turn::Continues),
        Some(send_request::Turn::Content(content)) => {
            let mut wrong = Violations::new();
            let content = match text::clean(&content, MESSAGE_MAX) {
                Ok(content) => content,
                Err(error) => {
                    wrong.add("content", error.to_string());
                    String::new()
                }
            };
            wrong.check(!(wrong.is_empty() && content.is_empty()), "content", "Write a message first.");
            wrong.done()?;
            Ok(Turn::Says(content))
        }
        Some(send_request::Turn::Continue(false)) | None => {
            Err(kit::error::Failure::invalid("content", "Write a message first.").into())
        }
    }
}

fn read_persona(persona: Option<send_request::Persona>) -> Result<As> {
    match persona {
        None => Ok(As::Default),
        Some(send_request::Persona::PersonaId(id)) if id.trim().is_empty() => Ok(As::Default),
        Some(send_request::Persona::PersonaId(id)) => Ok(As::Known(id)),
        Some(send_request::Persona::InlinePersona(inline)) => read_inline(inline).map(As::Inline),
    }
}

fn read_inline(inline: InlinePersona) -> Result<Person> {
    let mut wrong = Violations::new();
    let mut clean = |field: &str, text: &str, max: usize| {
        text::clean(text, max).unwrap_or_else(|error| {
            wrong.add(field, error.to_string());
            String::new()
        })
    };
    let name = clean("persona.name", &inline.name, PERSONA_NAME_MAX);
    let description = clean("persona.description", &inline.description, PERSONA_DESCRIPTION_MAX);
    wrong.check(!inline.name.trim().is_empty(), "persona.name", "A persona needs a name.");
    wrong.check(GENDERS.contains(&inline.gender.as_str()), "persona.gender", "Not a gender of the list.");
    wrong.done()?;
    Ok(Person { name: one_line(&name), description, gender: inline.gender })
}
