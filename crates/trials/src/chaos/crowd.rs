//! The load: people who sign up, pay, talk, like, review, follow and have pictures drawn, as fast as one after the other,
//! and who try again under the same key when the house asks them to. Every answer is judged, and what it says.

use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use futures::{FutureExt as _, future::try_join_all};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use reqwest::Method;
use serde_json::Value;
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::Instant,
};
use uuid::Uuid;

use super::{
    house::{House, LOOK},
    journal::Journal,
    judge::{Judge, PERSISTENCE, Told, opened},
    reads::{self, World},
};
use crate::guest::Guest;

/// Messages of one chat, before another is begun.
const CHAT: u32 = 8;
/// Pictures that the coins of one plan pay for.
const PICTURES: u32 = 40;

/// People at work until they are told to pause or to go.
pub struct Crowd {
    pub judge: Judge,
    /// Public characters of the seeds.
    pub characters: Arc<Vec<Uuid>>,
    pub world: Arc<World>,
    work: watch::Sender<bool>,
    resting: Turnstile,
    people: JoinSet<()>,
    size: u32,
}

/// One of the crowd at a time between two acts holds no permit.
type Turnstile = Arc<Semaphore>;

impl Crowd {
    /// Signs `size` people up, pays their plans, and puts them to work.
    ///
    /// # Errors
    /// When the house does not take them, whole as it is.
    pub async fn gather(house: &Arc<House>, size: u32, seed: u64) -> Result<Self> {
        let journal = Arc::new(Journal::default());
        let judge = Judge { house: Arc::clone(house), journal };
        let shown: Vec<(Uuid, Uuid)> = sqlx::query_as(
            "select id, owner from character where state = 'live' and not nsfw order by id limit 12",
        )
        .fetch_all(house.db("catalog"))
        .await?;
        let characters: Arc<Vec<Uuid>> = Arc::new(shown.iter().map(|(id, _)| *id).collect());
        let creators: Arc<Vec<Uuid>> = Arc::new(shown.iter().map(|(_, owner)| *owner).collect());
        // Together: most of it is waiting for mail and for coins.
        let guests = try_join_all((0..size).map(|_| member(&judge))).await?;
        let world = Arc::new(World::learn(house, guests.first().context("a crowd of nobody")?).await?);
        let (work, _) = watch::channel(true);
        let resting: Turnstile = Arc::new(Semaphore::new(size as usize));
        let mut people = JoinSet::new();
        for (number, guest) in guests.into_iter().enumerate() {
            let one = Person {
                judge: judge.clone(),
                guest,
                brings_friends: number == 0,
                characters: Arc::clone(&characters),
                creators: Arc::clone(&creators),
                world: Arc::clone(&world),
                luck: StdRng::seed_from_u64(seed.wrapping_add(number as u64)),
                work: work.subscribe(),
                turnstile: Arc::clone(&resting),
                chat: None,
                pictures: 0,
                gallery: HashSet::new(),
            };
            let journal = Arc::clone(&judge.journal);
            people.spawn(async move {
                // The load would only be smaller, and nobody see it.
                if AssertUnwindSafe(one.live()).catch_unwind().await.is_err() {
                    journal.wrong("somebody of the crowd has broken down; standard error says why".into());
                }
            });
        }
        Ok(Self { judge, characters, world, work, resting, people, size })
    }

    /// Waits until everybody has finished what they were at; nobody begins anything new until [`Crowd::go_on`].
    pub async fn pause(&self) {
        self.work.send_replace(false);
        if let Ok(all) = self.resting.acquire_many(self.size).await {
            drop(all);
        }
    }

    /// Lets everybody begin something new.
    pub fn go_on(&self) {
        self.work.send_replace(true);
    }

    /// What the crowd was promised.
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
        tokio::time::sleep(LOOK).await;
    }
}

/// A chat that somebody is in.
struct Talk {
    id: String,
    character: Uuid,
    /// What was said in it, and of that, what the house said that it has.
    said: u32,
    promised: u32,
}

struct Person {
    judge: Judge,
    guest: Guest,
    /// One of them: hashing a password is most of what a core can do.
    brings_friends: bool,
    characters: Arc<Vec<Uuid>>,
    /// Of the characters, in their order.
    creators: Arc<Vec<Uuid>>,
    world: Arc<World>,
    luck: StdRng,
    work: watch::Receiver<bool>,
    turnstile: Turnstile,
    chat: Option<Talk>,
    pictures: u32,
    /// Ids of pictures that were seen in it.
    gallery: HashSet<String>,
}

impl Person {
    async fn live(mut self) {
        loop {
            if self.work.wait_for(|work| *work).await.is_err() {
                return;
            }
            let Ok(busy) = Arc::clone(&self.turnstile).acquire_owned().await else { return };
            if *self.work.borrow() {
                self.act().await;
            }
            drop(busy);
            let pause = self.luck.random_range(60..240);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    async fn act(&mut self) {
        let number = self.luck.random_range(0..self.characters.len());
        let (character, creator) = (self.characters[number], self.creators[number]);
        let (judge, guest) = (&self.judge, &self.guest);
        match self.luck.random_range(0..100) {
            0..45 => self.talk(character).await,
            45..72 => self.read(character).await,
            72..78 => drop(judge.react(guest, character, "like").await),
            78..80 => drop(judge.react(guest, character, "dislike").await),
            80..83 => drop(judge.follow(guest, character).await),
            83..85 => drop(judge.follow_creator(guest, creator).await),
            85..88 => {
                let rating = self.luck.random_range(1..=5);
                judge.review(guest, character, rating).await;
            }
            88..91 if self.pictures < PICTURES => {
                self.pictures += 1;
                judge.picture(guest).await;
            }
            _ if self.brings_friends => {
                if let Some(guest) = judge.newcomer().await {
                    judge.pay(&guest).await;
                }
            }
            _ => self.read(character).await,
        }
    }

    async fn talk(&mut self, character: Uuid) {
        let mut talk = match self.chat.take() {
            Some(talk) if talk.said < CHAT => talk,
            _ => match self.judge.chat(&self.guest, character).await {
                Some(id) => Talk { id, character, said: 0, promised: 0 },
                None => return,
            },
        };
        let Some(sent) = self.judge.say(&self.guest, &talk.id).await else { return };
        talk.said += 1;
        talk.promised += u32::from(sent.promised);
        if sent.promised && self.luck.random_range(0..3) == 0 {
            let path = opened(talk.character, &talk.id);
            let told = self.judge.ask(&self.guest, (Method::GET, &path), None, None).await;
            match told {
                Told::Yes(page) => {
                    let said = |m: &&Value| m["content"] == sent.content.as_str();
                    let times = page["messages"].as_array().into_iter().flatten().filter(said).count();
                    if times != 1 {
                        self.judge.journal.wrong(format!("a message stands {times} times in its chat"));
                    }
                }
                Told::No(status, code) => {
                    self.judge.journal.wrong(format!("GET {path} was answered {status} ({code})"));
                }
                Told::Later | Told::Lost => {}
            }
        }
        self.chat = Some(talk);
    }

    /// Reads one of five pages, and holds what it says against what is known.
    async fn read(&mut self, character: Uuid) {
        let page = self.luck.random_range(0..5);
        let path = match page {
            0 => "/api/characters/trending".to_owned(),
            1 => reads::SEARCH.to_owned(),
            2 => format!("/api/character/{character}"),
            3 => "/api/chats".to_owned(),
            _ => "/api/images".to_owned(),
        };
        let journal = &self.judge.journal;
        let said = match self.judge.ask(&self.guest, (Method::GET, &path), None, None).await {
            Told::Yes(said) => said,
            Told::No(status, code) => {
                return journal.wrong(format!("GET {path} was answered {status} ({code})"));
            }
            Told::Later | Told::Lost => return,
        };
        let found = match page {
            0 => self.world.cards(&said),
            1 => self.world.search(&said),
            2 => self.world.character(&said, character, &self.guest.username, journal),
            3 => match &self.chat {
                Some(talk) => reads::chats(&said, &talk.id, talk.promised.into()),
                None => Ok(()),
            },
            _ => reads::gallery(&said, &mut self.gallery),
        };
        if let Err(why) = found {
            journal.wrong(format!("GET {path} {why}"));
        }
    }
}
