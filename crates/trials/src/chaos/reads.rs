//! What is read, and what an answer may say: a success that tells something else than what is known is worse than a
//! refusal.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use sqlx::Row as _;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::{House, Server},
    journal::Journal,
    judge::{PROMPT, is_put_off},
    report::Row,
    scene::Scene,
};
use crate::guest::Guest;

/// A word that many characters of the seeds have.
pub const SEARCH: &str = "/api/search?keywords=the";
/// Between two rounds of reads while something is wrong.
const BETWEEN: Duration = Duration::from_millis(100);
/// Pictures of one page of the gallery (`PAGE` of the BFF's images).
const GALLERY: usize = 20;
/// Chats of one's list (`CHATS_PAGE` of chat).
const CHATS: i64 = 50;

/// What does not change while the load is on: the characters of the seeds.
pub struct World {
    /// Names by id, of all that anybody may see.
    names: HashMap<String, String>,
    /// How many a search finds.
    found: u64,
}

impl World {
    /// Asks the databases, and a house that is whole.
    ///
    /// # Errors
    /// When the house does not answer, or has no characters.
    pub async fn learn(house: &House, guest: &Guest) -> Result<Self> {
        let names: HashMap<String, String> = sqlx::query(
            "select id::text, name from character where public and state = 'live' and deleted_at is null",
        )
        .fetch_all(house.db("catalog"))
        .await?
        .into_iter()
        .map(|row| (row.get("id"), row.get("name")))
        .collect();
        let page = guest.ask(Method::GET, SEARCH, None).await?;
        let found = page["total"].as_u64().context("a search has a total")?;
        ensure!(found > 0, "nothing is found in a house with seeds");
        Ok(Self { names, found })
    }

    /// A list of characters: some, all of the seeds, none twice.
    ///
    /// # Errors
    /// What it says otherwise.
    pub fn cards(&self, page: &Value) -> Result<(), String> {
        let cards = page["characters"].as_array().ok_or("has no characters")?;
        if cards.is_empty() {
            return Err("is empty".into());
        }
        let mut seen = HashSet::new();
        for card in cards {
            let id = card["_id"].as_str().unwrap_or_default();
            if self.names.get(id).is_none_or(|name| card["name"] != name.as_str()) {
                return Err(format!("names {id}, {}, whom nobody made so", card["name"]));
            }
            if !seen.insert(id) {
                return Err(format!("names {id} twice"));
            }
        }
        Ok(())
    }

    /// The first page of the search.
    ///
    /// # Errors
    /// What it says otherwise.
    pub fn search(&self, page: &Value) -> Result<(), String> {
        if page["total"].as_u64() != Some(self.found) {
            return Err(format!("finds {}, not {}", page["total"], self.found));
        }
        self.cards(page)
    }

    /// The page of a character, with what its reader was told of their own reaction, follow and review.
    ///
    /// # Errors
    /// What it says otherwise.
    pub fn character(&self, page: &Value, id: Uuid, by: &str, journal: &Journal) -> Result<(), String> {
        let character = &page["character"];
        let name = self.names.get(&id.to_string()).map(String::as_str);
        if character["_id"] != id.to_string() || character["name"].as_str() != name {
            return Err(format!("is that of {}, {}", character["_id"], character["name"]));
        }
        if let Some(reaction) = journal.reactions.last(id, by)
            && page["userReaction"].as_str() != reaction.as_deref()
        {
            return Err(format!("says {} where {by} was told {reaction:?}", page["userReaction"]));
        }
        if let Some(follows) = journal.follows.last(id, by)
            && page["isFollowing"].as_bool() != Some(follows)
        {
            return Err(format!("says follows: {} where {by} was told {follows}", page["isFollowing"]));
        }
        if journal.ratings.last(id, by).flatten().is_some() && character["reviewsCount"].as_u64() == Some(0) {
            return Err(format!("has no review where {by} wrote one"));
        }
        Ok(())
    }
}

/// A list of chats: that of `chat` is among them, with at least so many messages.
///
/// # Errors
/// What it says otherwise.
pub fn chats(page: &Value, chat: &str, messages: u64) -> Result<(), String> {
    let listed = page.as_array().ok_or("is no list")?;
    let own = listed.iter().find(|listed| listed["_id"] == chat);
    let count = own.and_then(|own| own["messageCount"].as_u64()).ok_or("misses a chat that was begun")?;
    if count < messages { Err(format!("counts {count} messages of at least {messages}")) } else { Ok(()) }
}

/// One's own gallery: what was in it before is still there. Remembers what is there now.
///
/// # Errors
/// What it says otherwise.
pub fn gallery(page: &Value, seen: &mut HashSet<String>) -> Result<(), String> {
    let listed = page["images"].as_array().ok_or("has no images")?;
    let ids: Vec<String> =
        listed.iter().filter_map(|image| image["_id"].as_str().map(str::to_owned)).collect();
    // Ids are in the order of time; what is older than a full page is on the next.
    let oldest = if ids.len() < GALLERY { "" } else { ids.last().map_or("", String::as_str) };
    let missing = seen.iter().find(|id| id.as_str() >= oldest && !ids.contains(*id));
    if let Some(missing) = missing {
        return Err(format!("has lost {missing}"));
    }
    seen.extend(ids);
    Ok(())
}

/// What the reader knows before something is taken away. They never do anything but read, so that none of it may be told
/// otherwise meanwhile.
pub struct Before {
    plans: Value,
    /// Ids of chats, in their order.
    chats: Vec<String>,
    /// Coins that can be spent.
    available: i64,
    /// The page of this one is read.
    character: Uuid,
}

impl Before {
    /// Asks the databases, and a house that is whole.
    ///
    /// # Errors
    /// When they do not answer.
    pub async fn learn(scene: &Scene) -> Result<Self> {
        let plans = scene.reader.ask(Method::GET, "/api/plans", None).await?;
        let me: Uuid = sqlx::query_scalar("select id from account where username = $1")
            .bind(&scene.reader.username)
            .fetch_one(scene.house.db("auth"))
            .await?;
        let chats: Vec<String> = sqlx::query_scalar(
            "select id::text from chat where user_id = $1 and deleted_at is null and not archived
             order by pinned desc, last_message_at desc, id desc limit $2",
        )
        .bind(me)
        .bind(CHATS)
        .fetch_all(scene.house.db("chat"))
        .await?;
        let available: i64 =
            sqlx::query_scalar("select balance from coin_account where user_id = $1 and kind = 'available'")
                .bind(me)
                .fetch_one(scene.house.db("billing"))
                .await?;
        Ok(Self { plans, chats, available, character: scene.crowd.characters[1] })
    }

    /// Reads everything, again and again until then, once at least: what can be served is served and says what is known,
    /// the rest is an honest 503, and soon. `away` is the server that is gone, if one is.
    pub async fn read(&self, scene: &Scene, row: &mut Row, away: Option<Server>, until: Instant) {
        let profile = format!("/api/user/{}", scene.reader.username);
        let character = format!("/api/character/{}", self.character);
        let paths = [
            "/api/plans",
            "/api/meta",
            "/api/characters/trending",
            SEARCH,
            "/api/chats",
            &character,
            &profile,
        ];
        let mut told = HashSet::new();
        loop {
            // All at once: one that is put off after seconds must not keep the others from being asked.
            let asked = paths.into_iter().enumerate().map(|(number, path)| {
                // Without rows there is nothing to show but what is no row; a server that stands and is slow may
                // make everybody late.
                let must = number == 0 || away.is_some_and(|away| away != Server::Postgres);
                async move { (path, self.one(scene, path, must).await) }
            });
            for (path, found) in join_all(asked).await {
                match found {
                    Ok(()) => row.checked += 1,
                    // Once each: a round later it is the same again.
                    Err(why) if told.insert(path) => row.broken.push(format!("GET {path} {why}")),
                    Err(_) => {}
                }
            }
            if Instant::now() + BETWEEN >= until {
                break;
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    async fn one(&self, scene: &Scene, path: &str, must: bool) -> Result<(), String> {
        let began = Instant::now();
        let sent = scene.reader.send(Method::GET, path, None, None).await;
        let answer = sent.map_err(|error| format!("was not answered: {error}"))?;
        let (status, put_off) = (answer.status(), is_put_off(&answer));
        let text = answer.text().await.map_err(|error| format!("broke off: {error}"))?;
        if began.elapsed() > scene.house.patience(PROMPT) {
            return Err(format!("took {:.1} s", began.elapsed().as_secs_f32()));
        }
        match status {
            StatusCode::OK => {
                let page: Value =
                    serde_json::from_str(&text).map_err(|error| format!("is no JSON: {error}"))?;
                self.judge(scene, path, &page)
            }
            _ if put_off && !must => Ok(()),
            status => Err(format!("was answered {status}, Retry-After: {put_off}")),
        }
    }

    /// Whether a page says what is known.
    fn judge(&self, scene: &Scene, path: &str, page: &Value) -> Result<(), String> {
        let (world, journal) = (&scene.crowd.world, scene.crowd.journal());
        let name = scene.reader.username.as_str();
        match path {
            "/api/plans" if *page == self.plans => Ok(()),
            "/api/plans" => Err("names other plans than before".into()),
            "/api/meta" if page["limits"]["ageMin"] == 18 => Ok(()),
            "/api/meta" => Err("does not tell the limits".into()),
            "/api/characters/trending" => world.cards(page),
            SEARCH => world.search(page),
            "/api/chats" => {
                let listed: Vec<&str> =
                    page.as_array().into_iter().flatten().filter_map(|c| c["_id"].as_str()).collect();
                if self.chats == listed { Ok(()) } else { Err("lists other chats than there are".into()) }
            }
            path if path.starts_with("/api/user/") => {
                if page["username"] != name {
                    return Err(format!("is that of {}", page["username"]));
                }
                let coins = page["coins"]["available"].as_i64();
                if coins == Some(self.available) {
                    Ok(())
                } else {
                    Err(format!("says {coins:?} coins, the ledger {}", self.available))
                }
            }
            _ => world.character(page, self.character, name, journal),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn world() -> World {
        World { names: [("a".into(), "Ada".into()), ("b".into(), "Bea".into())].into(), found: 2 }
    }

    #[test]
    fn a_list_that_is_empty_or_strange_is_a_wrong_answer() {
        let list = |cards: Value| json!({ "total": 2, "characters": cards });
        let ada = json!({ "_id": "a", "name": "Ada" });
        let bea = json!({ "_id": "b", "name": "Bea" });
        assert_eq!(world().search(&list(json!([ada, bea]))), Ok(()));
        for wrong in [json!([]), json!([ada, ada]), json!([{ "_id": "c", "name": "Ada" }]), Value::Null] {
            assert!(world().cards(&list(wrong.clone())).is_err(), "{wrong}");
        }
        let fewer = json!({ "total": 1, "characters": [ada] });
        assert!(world().search(&fewer).is_err() && world().cards(&fewer).is_ok());
    }

    #[test]
    fn a_character_s_page_says_what_its_reader_was_told() {
        let (journal, id) = (Journal::default(), Uuid::from_u128(1));
        let world = World { names: [(id.to_string(), "Ada".into())].into(), found: 1 };
        let page = |reaction: Value| {
            json!({
                "character": { "_id": id, "name": "Ada", "reviewsCount": 0 },
                "userReaction": reaction, "isFollowing": false,
            })
        };
        assert!(world.character(&page(json!("like")), id, "robin", &journal).is_ok(), "nothing is known");
        journal.reactions.hear(id, "robin", Some(None));
        assert!(world.character(&page(json!("like")), id, "robin", &journal).is_err());
        assert!(world.character(&page(Value::Null), id, "robin", &journal).is_ok());
        journal.ratings.hear(id, "robin", Some(Some(5)));
        assert!(world.character(&page(Value::Null), id, "robin", &journal).is_err());
    }

    #[test]
    fn a_chat_and_a_picture_that_were_there_are_not_lost() {
        let page = json!([{ "_id": "x", "messageCount": 3 }]);
        assert!(
            chats(&page, "x", 3).is_ok() && chats(&page, "x", 4).is_err() && chats(&page, "y", 0).is_err()
        );
        let page = |ids: &[String]| json!({ "images": ids.iter().map(|id| json!({ "_id": id })).collect::<Vec<_>>() });
        let ids: Vec<String> = (0..=GALLERY).rev().map(|id| format!("{id:04}")).collect();
        let mut seen = HashSet::new();
        assert!(gallery(&page(&ids[1..]), &mut seen).is_ok());
        assert!(gallery(&page(&ids[..GALLERY]), &mut seen).is_ok(), "the oldest is on the next page");
        assert!(gallery(&page(&ids[1..GALLERY]), &mut seen).is_err());
    }
}
