//! The load: people who sign up, pay, talk, like and have pictures drawn, as fast as one after the other, and who try
//! again under the same key when the house asks them to. Every answer is judged.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use reqwest::{Method, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::Instant,
};
use uuid::Uuid;

use super::{
    house::House,
    journal::{Journal, Sent},
};
use crate::{
    guest::Guest,
    stream::{self, End},
};

/// For this long somebody tries again what the house has put off, or has not answered.
const PERSISTENCE: Duration = Duration::from_secs(20);
/// Before it is tried again; a browser waits as long as `Retry-After` says, which is longer.
pub const AGAIN: Duration = Duration::from_millis(200);
/// An answer later than this is none: the house promises 5 s (30 s with a picture), plus what two shared cores cost.
const PROMPT: Duration = Duration::from_secs(8);
/// The same for the first word about a message: the house promises 15 s.
const PROMPT_MESSAGE: Duration = Duration::from_secs(18);
/// Messages of one chat, before another is begun.
const CHAT: u32 = 8;
/// Consonants: letters that add up to no word.
const LETTERS: &[u8; 16] = b"bcdfghjklmnpqrst";

/// How a request ended.
#[derive(Debug)]
pub enum Told {
    Yes(Value),
    /// Not now: an honest 503, or somebody else is at it.
    Later,
    /// The door was shut while it was asked.
    Lost,
    /// A refusal that is right or wrong; the caller knows.
    No(StatusCode, String),
}

/// Words that nobody has said before.
#[must_use]
pub fn words() -> String {
    let id = Uuid::new_v4();
    let letters: String = id
        .as_bytes()
        .iter()
        .flat_map(|b| [b & 15, b >> 4])
        .map(|n| char::from(LETTERS[usize::from(n)]))
        .collect();
    format!("Tell me more about {letters}, please.")
}

/// Where a chat is read: under its character.
#[must_use]
pub fn opened(character: Uuid, chat: &str) -> String {
    format!("/api/chats/{character}/messages?chat={chat}")
}

/// Judges answers by what they are, and writes down those that no house may give.
#[derive(Clone)]
pub struct Judge {
    pub house: Arc<House>,
    pub journal: Arc<Journal>,
}

impl Judge {
    /// Asks once. `what` names the request where it is told.
    pub async fn ask(
        &self,
        guest: &Guest,
        (method, path): (Method, &str),
        body: Option<Value>,
        key: Option<&str>,
    ) -> Told {
        let what = format!("{method} {path}");
        let began = (Instant::now(), self.house.door());
        let sent = guest.send(method, path, body, key).await;
        match self.first(&what, began, sent) {
            Ok(response) => {
                let text = match response.text().await {
                    Ok(text) => text,
                    Err(error) => return self.broke(&what, began.1, &error.to_string()),
                };
                self.journal.answered();
                Told::Yes(serde_json::from_str(&text).unwrap_or(Value::Null))
            }
            Err(refused) => refused.await,
        }
    }

    /// Judges status and headers; the response, when it is a success.
    fn first(
        &self,
        what: &str,
        (began, door): (Instant, u64),
        sent: reqwest::Result<Response>,
    ) -> Result<Response, std::pin::Pin<Box<dyn Future<Output = Told> + Send>>> {
        let took = began.elapsed();
        let response = match sent {
            Ok(response) => response,
            Err(error) => {
                let told = self.broke(what, door, &format!("{error:?}"));
                return Err(Box::pin(std::future::ready(told)));
            }
        };
        let prompt = if what.ends_with("/messages") { PROMPT_MESSAGE } else { PROMPT };
        if took > prompt {
            self.journal.wrong(format!("{what} was answered after {:.1} s", took.as_secs_f32()));
        }
        let status = response.status();
        if status.is_success() || status.is_redirection() {
            return Ok(response);
        }
        let waits = response.headers().contains_key(header::RETRY_AFTER);
        let (journal, what) = (Arc::clone(&self.journal), what.to_owned());
        Err(Box::pin(async move {
            let text = response.text().await.unwrap_or_default();
            let code =
                serde_json::from_str::<Value>(&text).ok().and_then(|v| v["code"].as_str().map(str::to_owned));
            let code = code.unwrap_or_else(|| text.chars().take(80).collect());
            match status {
                StatusCode::SERVICE_UNAVAILABLE if waits => {
                    journal.put_off();
                    Told::Later
                }
                StatusCode::CONFLICT if code == "in_progress" || code == "generation_running" => Told::Later,
                status if status.is_server_error() || status == StatusCode::UNAUTHORIZED => {
                    journal.wrong(format!("{what} was answered {status} ({code}), Retry-After: {waits}"));
                    Told::No(status, code)
                }
                status => Told::No(status, code),
            }
        }))
    }

    fn broke(&self, what: &str, door: u64, why: &str) -> Told {
        // Odd: the door is shut now. Moved on: it was, meanwhile.
        let now = self.house.door();
        if now == door && now.is_multiple_of(2) {
            self.journal.wrong(format!("{what} was not answered although the door stood: {why}"));
        } else {
            self.journal.lost();
        }
        Told::Lost
    }

    /// Asks until there is an answer, always under the same key; `None` when there was none for [`PERSISTENCE`].
    pub async fn insist(
        &self,
        guest: &Guest,
        ask: (Method, &str),
        body: Option<Value>,
        key: Option<&str>,
    ) -> Option<Result<Value, (StatusCode, String)>> {
        let began = Instant::now();
        while began.elapsed() < PERSISTENCE {
            match self.ask(guest, ask.clone(), body.clone(), key).await {
                Told::Yes(value) => return Some(Ok(value)),
                Told::No(status, code) => return Some(Err((status, code))),
                Told::Later | Told::Lost => tokio::time::sleep(AGAIN).await,
            }
        }
        None
    }

    /// Says something and reads the reply to its end, however often the way to it breaks. `None`: it cannot be said
    /// whether the house has it.
    pub async fn say(&self, guest: &Guest, chat: &str) -> Option<Sent> {
        let mut sent = Sent { content: words(), promised: false, reply: None };
        let key = Uuid::new_v4().to_string();
        let path = format!("/api/chats/{chat}/messages");
        let began = Instant::now();
        let mut ended = None;
        while began.elapsed() < PERSISTENCE && ended.is_none() {
            let door = self.house.door();
            let asked = (Instant::now(), door);
            let answer = guest.stream(&path, &json!({ "content": sent.content }), &key).await;
            let read = match self.first(&path, asked, answer) {
                Ok(response) => stream::reply(response).await,
                Err(refused) => {
                    if let Told::No(status, code) = refused.await {
                        self.journal.wrong(format!("a message was refused: {status} ({code})"));
                        return None;
                    }
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            };
            let reply = match read {
                Ok(reply) => reply,
                Err(why) => {
                    self.journal.wrong(format!("a reply that cannot be read: {why:#}"));
                    return None;
                }
            };
            sent.promised |= reply.user_message.is_some();
            match reply.end {
                End::Done => {
                    self.journal.answered();
                    let id = reply.ai_message.as_deref().and_then(|id| Uuid::try_parse(id).ok());
                    if let (Some(id), Some(stored)) = (id, reply.stored) {
                        if reply.text.trim() != stored.trim() {
                            self.journal.wrong(format!(
                                "{id} was read as {} bytes and stored as {}",
                                reply.text.len(),
                                stored.len()
                            ));
                        }
                        sent.reply = Some((id, stored));
                    }
                    ended = Some(());
                }
                // The way broke, not the reply: asked again under its key, the house goes on telling it.
                End::Failed(code) if code == "unavailable" => self.journal.put_off(),
                End::Failed(_) => {
                    self.journal.failed();
                    ended = Some(());
                }
                End::Cut => drop(self.broke(&path, door, "the stream was cut")),
            }
            if ended.is_none() {
                tokio::time::sleep(AGAIN).await;
            }
        }
        self.journal.sent(sent.clone());
        Some(sent)
    }

    /// Begins a chat with a character.
    pub async fn chat(&self, guest: &Guest, character: Uuid) -> Option<String> {
        let body = json!({ "characterId": character });
        let key = Uuid::new_v4().to_string();
        let begun = self.insist(guest, (Method::POST, "/api/chats"), Some(body), Some(&key)).await?;
        match begun {
            Ok(chat) => chat["chatId"].as_str().map(str::to_owned),
            Err((status, code)) => {
                self.journal.wrong(format!("a chat was refused: {status} ({code})"));
                None
            }
        }
    }

    /// Likes, or no longer.
    pub async fn like(&self, guest: &Guest, character: Uuid) -> bool {
        let path = format!("/api/character/{character}/react");
        let told =
            self.ask(guest, (Method::POST, &path), Some(json!({ "reactionType": "like" })), None).await;
        let on = match &told {
            Told::Yes(value) => Some(value["userReaction"] == "like"),
            _ => None,
        };
        self.journal.liked(character, &guest.username, on);
        on.is_some()
    }

    /// Has a picture drawn; false when the house has not taken it.
    pub async fn picture(&self, guest: &Guest) -> bool {
        let key = Uuid::new_v4().to_string();
        let ask = (Method::POST, "/api/images/create");
        match self.insist(guest, ask, Some(json!({ "prompt": "a poet by the sea" })), Some(&key)).await {
            Some(Ok(made)) => {
                let id = made["image"]["_id"].as_str().and_then(|id| Uuid::try_parse(id).ok());
                id.map(|id| self.journal.image(id)).is_some()
            }
            // All spent; or it was ended meanwhile, because it was not paid for in time.
            Some(Err((StatusCode::PAYMENT_REQUIRED | StatusCode::CONFLICT, _))) | None => false,
            Some(Err((status, code))) => {
                self.journal.wrong(format!("a picture was refused: {status} ({code})"));
                false
            }
        }
    }

    /// Pays for a plan; answers the checkout.
    pub async fn pay(&self, guest: &Guest) -> Option<Uuid> {
        let wish = json!({ "plan": "premium", "period": "monthly" });
        let key = Uuid::new_v4().to_string();
        let started =
            self.insist(guest, (Method::POST, "/api/checkout"), Some(wish), Some(&key)).await?.ok()?;
        let page = started["url"].as_str()?.to_owned();
        let checkout = page.rsplit('/').next().and_then(|id| Uuid::try_parse(id).ok())?;
        let began = Instant::now();
        while began.elapsed() < PERSISTENCE {
            let door = self.house.door();
            let sent = self
                .house
                .http
                .post(format!("{}{page}", self.house.address))
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body("outcome=pay")
                .send()
                .await;
            match sent {
                Ok(answer) if answer.status().is_redirection() => {
                    self.journal.paid(&guest.username, checkout);
                    return Some(checkout);
                }
                // Pressed twice, because the answer to the first time was lost.
                Ok(answer) if answer.status() == StatusCode::NOT_FOUND => return Some(checkout),
                Ok(answer) if answer.status() == StatusCode::SERVICE_UNAVAILABLE => {}
                Ok(answer) => self.journal.wrong(format!("a payment was answered {}", answer.status())),
                Err(error) => drop(self.broke("a payment", door, &error.to_string())),
            }
            tokio::time::sleep(AGAIN).await;
        }
        None
    }

    /// Signs up and in; `None` when some step was put off. What is refused otherwise is wrong.
    pub async fn newcomer(&self) -> Option<Guest> {
        let door = self.house.door();
        match Guest::new(&self.house.http, &self.house.address).await {
            Ok(guest) => {
                self.journal.answered();
                self.journal.person(&guest.username);
                Some(guest)
            }
            Err(why) => {
                let why = format!("{why:#}");
                if why.contains("answered 503") || why.contains("no mail for") {
                    self.journal.put_off();
                } else if why.contains("answered") {
                    self.journal.wrong(format!("somebody new: {why}"));
                } else {
                    self.broke("somebody new", door, &why);
                }
                None
            }
        }
    }
}

/// People at work until they are told to pause or to go.
pub struct Crowd {
    pub judge: Judge,
    /// Public characters of the seeds.
    pub characters: Arc<Vec<Uuid>>,
    work: watch::Sender<bool>,
    resting: Arc<tokio::sync::Semaphore>,
    people: JoinSet<()>,
    size: u32,
}

/// One of the crowd at a time between two acts holds no permit.
type Turnstile = Arc<tokio::sync::Semaphore>;

impl Crowd {
    /// Signs `size` people up, pays their plans, and puts them to work.
    ///
    /// # Errors
    /// When the house does not take them, whole as it is.
    pub async fn gather(house: &Arc<House>, size: u32, seed: u64) -> Result<Self> {
        let journal = Arc::new(Journal::default());
        let judge = Judge { house: Arc::clone(house), journal };
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "select id from character where state = 'live' and not nsfw order by id limit 12",
        )
        .fetch_all(house.db("catalog"))
        .await?;
        let characters = Arc::new(ids);
        let (work, _) = watch::channel(true);
        let resting: Turnstile = Arc::new(tokio::sync::Semaphore::new(size as usize));
        let mut people = JoinSet::new();
        for number in 0..size {
            let guest = member(&judge).await?;
            let one = Person {
                judge: judge.clone(),
                guest,
                characters: Arc::clone(&characters),
                luck: StdRng::seed_from_u64(seed.wrapping_add(u64::from(number))),
                work: work.subscribe(),
                turnstile: Arc::clone(&resting),
                chat: None,
                pictures: 0,
            };
            people.spawn(one.live(number));
        }
        Ok(Self { judge, characters, work, resting, people, size })
    }

    /// Waits until everybody has finished what they were at; nobody begins anything new until [`Crowd::go_on`].
    pub async fn pause(&self) {
        self.work.send_replace(false);
        if let Ok(all) = self.resting.acquire_many(self.size).await {
            drop(all);
        }
    }

    pub fn go_on(&self) {
        self.work.send_replace(true);
    }

    /// Somebody who does something while nobody else does anything: see [`watchman`].
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.judge.journal
    }

    /// Ends the load.
    pub async fn leave(mut self) {
        self.pause().await;
        self.people.shutdown().await;
    }
}

/// A signed-in account with a paid plan.
///
/// # Errors
/// When the house refuses.
pub async fn member(judge: &Judge) -> Result<Guest> {
    let guest = judge.newcomer().await.context("nobody can sign up")?;
    judge.pay(&guest).await.context("nobody can pay")?;
    let began = Instant::now();
    loop {
        let coins = guest.ask(Method::GET, "/api/coins/movements", None).await?;
        if coins["movements"].as_array().is_some_and(|m| !m.is_empty()) {
            return Ok(guest);
        }
        anyhow::ensure!(began.elapsed() < PERSISTENCE, "what was paid for does not come");
        tokio::time::sleep(super::house::LOOK).await;
    }
}

struct Person {
    judge: Judge,
    guest: Guest,
    characters: Arc<Vec<Uuid>>,
    luck: StdRng,
    work: watch::Receiver<bool>,
    turnstile: Turnstile,
    /// The chat, its character, and messages in it.
    chat: Option<(String, Uuid, u32)>,
    pictures: u32,
}

/// Pictures that the coins of one plan pay for.
const PICTURES: u32 = 40;

impl Person {
    async fn live(mut self, number: u32) {
        loop {
            if self.work.wait_for(|work| *work).await.is_err() {
                return;
            }
            let Ok(busy) = Arc::clone(&self.turnstile).acquire_owned().await else { return };
            if *self.work.borrow() {
                self.act(number).await;
            }
            drop(busy);
            let pause = self.luck.random_range(60..240);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn act(&mut self, number: u32) {
        let character = self.characters[self.luck.random_range(0..self.characters.len())];
        match self.luck.random_range(0..100) {
            0..45 => self.talk(character).await,
            45..75 => self.read(character).await,
            75..88 => drop(self.judge.like(&self.guest, character).await),
            88..91 if self.pictures < PICTURES => {
                self.pictures += 1;
                self.judge.picture(&self.guest).await;
            }
            // One of them is the one who brings friends along: hashing a password is most of what a core can do.
            _ if number == 0 => {
                if let Some(guest) = self.judge.newcomer().await {
                    self.judge.pay(&guest).await;
                }
            }
            _ => self.read(character).await,
        }
    }

    async fn talk(&mut self, character: Uuid) {
        let (chat, character, messages) = match self.chat.take() {
            Some((chat, character, messages)) if messages < CHAT => (chat, character, messages),
            _ => match self.judge.chat(&self.guest, character).await {
                Some(chat) => (chat, character, 0),
                None => return,
            },
        };
        let Some(sent) = self.judge.say(&self.guest, &chat).await else { return };
        if sent.promised && self.luck.random_range(0..3) == 0 {
            let path = opened(character, &chat);
            let told = self.judge.ask(&self.guest, (Method::GET, &path), None, None).await;
            if let Told::Yes(page) = told {
                let said = |m: &&Value| m["content"] == sent.content.as_str();
                let times = page["messages"].as_array().into_iter().flatten().filter(said).count();
                if times != 1 {
                    self.judge.journal.wrong(format!("a message stands {times} times in its chat"));
                }
            }
        }
        self.chat = Some((chat, character, messages + 1));
    }

    async fn read(&mut self, character: Uuid) {
        let path = match self.luck.random_range(0..5) {
            0 => "/api/characters/trending".to_owned(),
            1 => "/api/search?keywords=the".to_owned(),
            2 => format!("/api/character/{character}"),
            3 => "/api/chats".to_owned(),
            _ => "/api/images".to_owned(),
        };
        if let Told::No(status, code) = self.judge.ask(&self.guest, (Method::GET, &path), None, None).await
            && status.is_client_error()
            && status != StatusCode::UNAUTHORIZED
        {
            self.judge.journal.wrong(format!("GET {path} was answered {status} ({code})"));
        }
    }
}

/// Runs something beside the crowd until it is dropped.
pub struct Beside(JoinHandle<()>);

impl Beside {
    pub fn new(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(work))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.0.abort();
    }
}
