//! Asks the house for what people do, judges every answer by what it is, and writes down what was promised.

use std::{pin::Pin, sync::Arc, time::Duration};

use reqwest::{Method, Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::House,
    journal::{Journal, LastWord, Sent},
};
use crate::{
    guest::{Guest, Refused},
    stream::{self, End},
};

/// For this long somebody tries again what the house has put off, or has not answered.
pub const PERSISTENCE: Duration = Duration::from_secs(20);
/// Before it is tried again; a browser waits as long as `Retry-After` says, which is longer.
pub const AGAIN: Duration = Duration::from_millis(200);
/// An answer later than this is none: the house promises 5 s (30 s with a picture), plus what two shared cores cost.
pub const PROMPT: Duration = Duration::from_secs(8);
/// The same for the first word about a message: the house promises 15 s.
const PROMPT_MESSAGE: Duration = Duration::from_secs(18);
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

/// Whether an answer is an honest "not now": a 503 that says when to come back.
#[must_use]
pub fn is_put_off(answer: &Response) -> bool {
    answer.status() == StatusCode::SERVICE_UNAVAILABLE && answer.headers().contains_key(header::RETRY_AFTER)
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
                match serde_json::from_str(&text) {
                    Ok(value) => {
                        self.journal.answered();
                        Told::Yes(value)
                    }
                    Err(error) => {
                        self.journal.wrong(format!("{what} was answered with what is no JSON: {error}"));
                        Told::Lost
                    }
                }
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
    ) -> Result<Response, Pin<Box<dyn Future<Output = Told> + Send>>> {
        let took = began.elapsed();
        let response = match sent {
            Ok(response) => response,
            Err(error) => {
                let told = self.broke(what, door, &format!("{error:?}"));
                return Err(Box::pin(std::future::ready(told)));
            }
        };
        let prompt = if what.ends_with("/messages") { PROMPT_MESSAGE } else { PROMPT };
        let prompt = self.house.patience(prompt);
        if took > prompt {
            self.journal.wrong(format!("{what} was answered after {:.1} s", took.as_secs_f32()));
        }
        let status = response.status();
        if status.is_success() || status.is_redirection() {
            return Ok(response);
        }
        let put_off = is_put_off(&response);
        let (journal, what) = (Arc::clone(&self.journal), what.to_owned());
        Err(Box::pin(async move {
            let text = response.text().await.unwrap_or_default();
            let code =
                serde_json::from_str::<Value>(&text).ok().and_then(|v| v["code"].as_str().map(str::to_owned));
            let code = code.unwrap_or_else(|| text.chars().take(80).collect());
            match status {
                _ if put_off => {
                    journal.put_off();
                    Told::Later
                }
                StatusCode::CONFLICT if code == "in_progress" || code == "generation_running" => Told::Later,
                status if status.is_server_error() || status == StatusCode::UNAUTHORIZED => {
                    journal.wrong(format!("{what} was answered {status} ({code}) and not when to come back"));
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
                End::Failed(code) => {
                    if code == "internal" {
                        self.journal.wrong("a reply ended with an error of the house's own".into());
                    }
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

    /// Sets something of one's own once, and writes down what the house says of it then; false when it was not done, as
    /// far as is known.
    async fn set<T: Clone>(
        &self,
        guest: &Guest,
        (method, path): (Method, &str),
        body: Option<Value>,
        (told, about): (&LastWord<T>, Uuid),
        word: impl Fn(&Value) -> Option<T>,
    ) -> bool {
        // Whoever asks may be stopped while they wait, and then nobody knows what stands.
        told.hear(about, &guest.username, None);
        let answer = self.ask(guest, (method.clone(), path), body, None).await;
        let heard = match &answer {
            Told::Yes(value) => {
                let heard = word(value);
                if heard.is_none() {
                    self.journal.wrong(format!("{method} {path} does not say what stands now"));
                }
                heard
            }
            Told::No(status, code) => {
                self.journal.wrong(format!("{method} {path} was answered {status} ({code})"));
                None
            }
            Told::Later | Told::Lost => None,
        };
        told.hear(about, &guest.username, heard);
        matches!(answer, Told::Yes(_))
    }

    /// `like`s or `dislike`s, or no longer.
    pub async fn react(&self, guest: &Guest, character: Uuid, kind: &str) -> bool {
        let path = format!("/api/character/{character}/react");
        let body = json!({ "reactionType": kind });
        let stands = |answer: &Value| {
            let reaction = answer.get("userReaction")?;
            Some(reaction.as_str().map(str::to_owned))
        };
        let told = (&self.journal.reactions, character);
        self.set(guest, (Method::POST, &path), Some(body), told, stands).await
    }

    /// Follows a character, or no longer.
    pub async fn follow(&self, guest: &Guest, character: Uuid) -> bool {
        let path = format!("/api/character/{character}/follow");
        let told = (&self.journal.follows, character);
        self.set(guest, (Method::POST, &path), None, told, |answer| answer["isFollowing"].as_bool()).await
    }

    /// Follows a creator, or no longer.
    pub async fn follow_creator(&self, guest: &Guest, creator: Uuid) -> bool {
        let path = format!("/api/user/{creator}/follow");
        let told = (&self.journal.creators, creator);
        self.set(guest, (Method::POST, &path), None, told, |answer| answer["isFollowing"].as_bool()).await
    }

    /// Reviews a character, or takes one's own review away that is known to stand.
    pub async fn review(&self, guest: &Guest, character: Uuid, rating: i32) -> bool {
        let path = format!("/api/character/{character}/review");
        let told = (&self.journal.ratings, character);
        if self.journal.ratings.last(character, &guest.username).flatten() == Some(rating) {
            return self.set(guest, (Method::DELETE, &path), None, told, |_| Some(None)).await;
        }
        let body = json!({ "rating": rating, "comment": "Good company." });
        let stands = |answer: &Value| Some(Some(i32::try_from(answer["review"]["rating"].as_i64()?).ok()?));
        self.set(guest, (Method::POST, &path), Some(body), told, stands).await
    }

    /// Has a picture drawn; `None` when the house has not taken it.
    pub async fn picture(&self, guest: &Guest) -> Option<Uuid> {
        let key = Uuid::new_v4().to_string();
        let ask = (Method::POST, "/api/images/create");
        match self.insist(guest, ask, Some(json!({ "prompt": "a poet by the sea" })), Some(&key)).await {
            Some(Ok(made)) => {
                let id = made["image"]["_id"].as_str().and_then(|id| Uuid::try_parse(id).ok())?;
                self.journal.image(id);
                Some(id)
            }
            // All spent; or it was ended meanwhile, because it was not paid for in time.
            Some(Err((StatusCode::PAYMENT_REQUIRED | StatusCode::CONFLICT, _))) | None => None,
            Some(Err((status, code))) => {
                self.journal.wrong(format!("a picture was refused: {status} ({code})"));
                None
            }
        }
    }

    /// Pays for a plan; answers the checkout.
    pub async fn pay(&self, guest: &Guest) -> Option<Uuid> {
        let wish = json!({ "plan": "premium", "period": "monthly" });
        let key = Uuid::new_v4().to_string();
        let started =
            match self.insist(guest, (Method::POST, "/api/checkout"), Some(wish), Some(&key)).await? {
                Ok(started) => started,
                Err((status, code)) => {
                    self.journal.wrong(format!("a checkout was refused: {status} ({code})"));
                    return None;
                }
            };
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
                // The second time as well, when the answer to the first was lost: what was paid leads on.
                Ok(answer) if answer.status().is_redirection() => {
                    self.journal.answered();
                    self.journal.paid(&guest.username, checkout);
                    return Some(checkout);
                }
                Ok(answer) if is_put_off(&answer) => self.journal.put_off(),
                Ok(answer) => {
                    let status = answer.status();
                    self.journal.wrong(format!("a payment was answered {status} and not when to come back"));
                }
                Err(error) => drop(self.broke("a payment", door, &error.to_string())),
            }
            tokio::time::sleep(AGAIN).await;
        }
        None
    }

    /// Signs up and in; `None` when some step was put off. What is refused otherwise is wrong.
    pub async fn newcomer(&self) -> Option<Guest> {
        let door = self.house.door();
        let why = match Guest::new(&self.house.http, &self.house.address).await {
            Ok(guest) => {
                self.journal.answered();
                self.journal.person(&guest.username);
                return Some(guest);
            }
            Err(why) => why,
        };
        match why.downcast_ref::<Refused>() {
            Some(refused) if refused.is_put_off() => self.journal.put_off(),
            Some(refused) => self.journal.wrong(format!("somebody new: {refused}")),
            // Due mail is looked for when all has come to rest.
            None if why.to_string().starts_with("no mail for") => self.journal.put_off(),
            None => drop(self.broke("somebody new", door, &format!("{why:#}"))),
        }
        None
    }
}
