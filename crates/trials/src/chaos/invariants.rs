//! What must hold whatever happened, asked of the databases, of RabbitMQ and of the API; never of a log.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use anyhow::{Context as _, Result};
use lapin::{Connection, ConnectionProperties, Queue, options::QueueDeclareOptions, types::FieldTable};
use sqlx::{PgPool, Row as _};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::{House, LOOK},
    journal::Journal,
    rules::{RULES, Rule, When},
};

/// Until everything must have come to rest after the load paused: the lease of a generation whose process died (6 s)
/// and the sweep that ends it (2 s), the retries of a picture, the mail and webhooks that were put off, and all pictures
/// that the load has asked for, which two shared cores draw one after the other.
const REST: Duration = Duration::from_secs(90);
/// An answer of RabbitMQ later than this is none.
const BROKER: Duration = Duration::from_secs(3);
/// Queues of events and of work.
pub const QUEUES: [&str; 6] =
    ["auth.events", "billing.events", "catalog.events", "chat.events", "media.events", "media.jobs"];

/// How many things were found to hold, and what was not.
pub type Found = (u64, Vec<String>);

/// What may lie among the dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// Nothing: none of ours may end there.
    None,
    /// The poison that a trial has put into the queues, at most this once each.
    Poison,
}

/// Waits until all of it holds, at most [`REST`]; what does not hold by then is broken. Nobody may be at work.
pub async fn settled(house: &House, journal: &Journal, letters: Letters) -> Found {
    let began = Instant::now();
    loop {
        let found = match all(house, journal, letters).await {
            Ok(found) => found,
            Err(why) => (0, vec![format!("cannot be examined: {why:#}")]),
        };
        if found.1.is_empty() || began.elapsed() > REST {
            return with_wrong(found, house, journal);
        }
        tokio::time::sleep(LOOK * 4).await;
    }
}

/// What holds at any moment, looked at once; people may be at work.
pub async fn standing(house: &House, journal: &Journal, letters: Letters) -> Found {
    let found = match always(house, journal, letters).await {
        Ok(found) => found,
        Err(why) => (0, vec![format!("cannot be examined: {why:#}")]),
    };
    with_wrong(found, house, journal)
}

/// What was answered wrongly is not mended by waiting; nor is who died.
fn with_wrong((mut checked, mut broken): Found, house: &House, journal: &Journal) -> Found {
    let wrong = journal.take_wrong();
    checked += u64::from(wrong.is_empty());
    broken.extend(wrong);
    broken.extend(house.dead());
    (checked, broken)
}

async fn always(house: &House, journal: &Journal, letters: Letters) -> Result<Found> {
    let mut found = Found::default();
    rules(house, &mut found, |when| when == When::Always).await?;
    messages(house.db("chat"), journal, &mut found).await?;
    let coins = Coins::read(house).await?;
    pictures_kept(house, journal, &coins, &mut found).await?;
    accounts(house, journal, &mut found).await?;
    dead_letters(house, letters, &mut found).await?;
    Ok(found)
}

async fn all(house: &House, journal: &Journal, letters: Letters) -> Result<Found> {
    let mut found = Found::default();
    rules(house, &mut found, |_| true).await?;
    outboxes(house, &mut found).await?;
    if !found.1.is_empty() {
        // The rest follows from it.
        return Ok(found);
    }
    messages(house.db("chat"), journal, &mut found).await?;
    let coins = Coins::read(house).await?;
    pictures_kept(house, journal, &coins, &mut found).await?;
    pictures_ended(house, &coins, &mut found).await?;
    accounts(house, journal, &mut found).await?;
    known_and_paid(house, journal, &mut found).await?;
    counts(house, &mut found).await?;
    set_as_told(house, journal, &mut found).await?;
    dead_letters(house, letters, &mut found).await?;
    Ok(found)
}

async fn rules(house: &House, found: &mut Found, which: impl Fn(When) -> bool) -> Result<()> {
    for Rule { database, what, question, .. } in RULES.iter().filter(|rule| which(rule.when)) {
        let rows: Vec<Option<String>> =
            sqlx::query_scalar(*question).fetch_all(house.db(database)).await.context(*what)?;
        tell(found, what, rows.into_iter().flatten().collect());
    }
    Ok(())
}

fn tell(found: &mut Found, rule: &str, breaches: Vec<String>) {
    if breaches.is_empty() {
        found.0 += 1;
    } else {
        found.1.push(format!(
            "{rule}: not so for {} ({})",
            breaches.len(),
            breaches[..breaches.len().min(3)].join(", ")
        ));
    }
}

/// Every event was published, and every count told on.
async fn outboxes(house: &House, found: &mut Found) -> Result<()> {
    for name in xtask::infra::DATABASES {
        let waiting: i64 =
            sqlx::query_scalar("select count(*) from outbox").fetch_one(house.db(name)).await?;
        tell(found, &format!("the outbox of {name} is empty"), many(waiting));
    }
    let waiting: i64 =
        sqlx::query_scalar("select count(*) from activity").fetch_one(house.db("chat")).await?;
    tell(found, "activity is told on", many(waiting));
    Ok(())
}

fn many(rows: i64) -> Vec<String> {
    if rows == 0 { Vec::new() } else { vec![format!("{rows} rows")] }
}

/// Lost, doubled, or another text than was read.
async fn messages(chat: &PgPool, journal: &Journal, found: &mut Found) -> Result<()> {
    let sent = journal.all_sent();
    let said: HashMap<String, i64> = sqlx::query(
        // What a fork has of a chat are copies.
        "select content, count(*) as times from message where sender = 'user' and origin_id is null
             group by content",
    )
    .fetch_all(chat)
    .await?
    .into_iter()
    .map(|row| (row.get("content"), row.get("times")))
    .collect();
    let times = |content: &str| said.get(content).copied().unwrap_or(0);
    let lost = sent.iter().filter(|s| s.promised && times(&s.content) == 0);
    tell(found, "no message that was accepted is lost", lost.map(|s| s.content.clone()).collect());
    let doubled = sent.iter().filter(|s| times(&s.content) > 1);
    tell(found, "no message is doubled", doubled.map(|s| s.content.clone()).collect());

    let read: Vec<(Uuid, String)> = sent.into_iter().filter_map(|s| s.reply).collect();
    let ids: Vec<Uuid> = read.iter().map(|(id, _)| *id).collect();
    let stored: HashMap<Uuid, (String, String)> =
        sqlx::query("select id, content, state from message where id = any($1)")
            .bind(&ids)
            .fetch_all(chat)
            .await?
            .into_iter()
            .map(|row| (row.get("id"), (row.get("content"), row.get("state"))))
            .collect();
    let differs = read.iter().filter(|(id, text)| {
        stored.get(id).is_none_or(|(content, state)| content != text || state != "complete")
    });
    tell(found, "a reply is stored as it was read", differs.map(|(id, _)| id.to_string()).collect());
    Ok(())
}

/// What was done with coins for each picture.
struct Coins(HashMap<Uuid, Vec<String>>);

impl Coins {
    /// Read before the pictures: a picture is there before anything is reserved for it, and has ended before that is
    /// captured or released.
    async fn read(house: &House) -> Result<Self> {
        let mut kinds: HashMap<Uuid, Vec<String>> = HashMap::new();
        let rows: Vec<(Uuid, String)> =
            sqlx::query_as("select ref, kind from coin_tx where kind in ('reserve', 'capture', 'release')")
                .fetch_all(house.db("billing"))
                .await?;
        for (picture, kind) in rows {
            kinds.entry(picture).or_default().push(kind);
        }
        Ok(Self(kinds))
    }

    fn has(&self, picture: &Uuid, kind: &str) -> bool {
        self.0.get(picture).is_some_and(|kinds| kinds.iter().any(|k| k == kind))
    }
}

/// States of all pictures that cost something, those of characters too.
async fn jobs(house: &House) -> Result<HashMap<Uuid, String>> {
    let rows: Vec<(Uuid, String)> =
        sqlx::query_as("select id, state from job where cost > 0").fetch_all(house.db("media")).await?;
    Ok(rows.into_iter().collect())
}

/// No picture that was accepted is lost, and no coins are kept or given back against its end.
async fn pictures_kept(house: &House, journal: &Journal, coins: &Coins, found: &mut Found) -> Result<()> {
    let accepted = journal.all_images();
    let jobs = jobs(house).await?;
    let lost = accepted.iter().filter(|id| !jobs.contains_key(*id)).map(Uuid::to_string);
    tell(found, "no picture that was accepted is lost", lost.collect());
    let orphans = coins.0.keys().filter(|id| !jobs.contains_key(*id)).map(Uuid::to_string);
    tell(found, "no coins are held for a picture that is not there", orphans.collect());
    let against = jobs.iter().filter(|(id, state)| match state.as_str() {
        "completed" => coins.has(id, "release"),
        "failed" | "canceled" => coins.has(id, "capture"),
        _ => coins.has(id, "capture") || coins.has(id, "release"),
    });
    let against = against.map(|(id, state)| format!("{id} {state}"));
    tell(found, "no coins go against the end of their picture", against.collect());
    Ok(())
}

/// Each picture has ended once, in the ledger and among what its owner is told.
async fn pictures_ended(house: &House, coins: &Coins, found: &mut Found) -> Result<()> {
    let jobs = jobs(house).await?;
    let unpaid = jobs.iter().filter(|(id, state)| match state.as_str() {
        "completed" => !(coins.has(id, "reserve") && coins.has(id, "capture")),
        // Nothing reserved is nothing to give back.
        _ => coins.has(id, "reserve") && !coins.has(id, "release"),
    });
    tell(found, "coins go with the picture", unpaid.map(|(id, state)| format!("{id} {state}")).collect());

    // By owner: what they are told does not say which picture it is.
    let by_owner = async |database: &str, question: &'static str| -> Result<HashMap<Uuid, i64>> {
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(question).fetch_all(house.db(database)).await?;
        Ok(rows.into_iter().collect())
    };
    let drawn = by_owner(
        "media",
        "select owner, count(*) from job where purpose = 'gallery' and state = 'completed' group by owner",
    )
    .await?;
    let told = by_owner(
        "auth",
        "select user_id, count(*) from notification where kind = 'image_ready' group by user_id",
    )
    .await?;
    let wrong = drawn.iter().filter(|(owner, times)| told.get(*owner) != Some(*times));
    tell(found, "a finished picture is told of once", wrong.map(|(owner, _)| owner.to_string()).collect());
    Ok(())
}

/// Those of `people` who are not among `known`.
fn without(people: &[String], known: Vec<String>) -> Vec<String> {
    let known: HashSet<String> = known.into_iter().collect();
    people.iter().filter(|name| !known.contains(*name)).cloned().collect()
}

/// Whoever has signed in has an account.
async fn accounts(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    // Whoever is in the journal has been in the database before.
    let people = journal.all_people();
    let accounts = sqlx::query_scalar("select username from account").fetch_all(house.db("auth")).await?;
    tell(found, "who has signed in has an account", without(&people, accounts));
    Ok(())
}

/// … and is known where the event of it goes; what was paid is paid.
async fn known_and_paid(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    let creators = sqlx::query_scalar("select username from creator").fetch_all(house.db("catalog")).await?;
    tell(found, "who has an account is known to catalog", without(&journal.all_people(), creators));
    let paid: Vec<Uuid> = journal.all_paid().into_iter().map(|(_, checkout)| checkout).collect();
    let stands: HashSet<Uuid> =
        sqlx::query_scalar("select id from checkout where id = any($1) and state = 'paid'")
            .bind(&paid)
            .fetch_all(house.db("billing"))
            .await?
            .into_iter()
            .collect();
    let open = paid.iter().filter(|checkout| !stands.contains(checkout));
    tell(found, "what was paid is paid", open.map(Uuid::to_string).collect());
    Ok(())
}

/// What catalog counts of chat is what chat has: messages, and people who have a chat (not their chats).
async fn counts(house: &House, found: &mut Found) -> Result<()> {
    let had: HashMap<Uuid, (i64, i64)> = sqlx::query(
        "select c.character_id, count(distinct c.user_id) as chats,
                count(g.id) + count(g.user_message_id) as messages
         from chat c left join generation g on g.chat_id = c.id group by c.character_id",
    )
    .fetch_all(house.db("chat"))
    .await?
    .into_iter()
    .map(|row| (row.get("character_id"), (row.get("messages"), row.get("chats"))))
    .collect();
    let counted: HashMap<Uuid, (i64, i64)> =
        sqlx::query("select character_id, messages, chats from character_stats")
            .fetch_all(house.db("catalog"))
            .await?
            .into_iter()
            .map(|row| (row.get("character_id"), (row.get("messages"), row.get("chats"))))
            .collect();
    let differs = had.iter().filter(|(id, has)| counted.get(id).copied().unwrap_or_default() != **has);
    tell(
        found,
        "messages and chats are counted as they are",
        differs
            .map(|(id, has)| {
                format!("{id} has {has:?}, counted {:?}", counted.get(id).copied().unwrap_or_default())
            })
            .collect(),
    );
    Ok(())
}

/// What people set themselves stands as they were told last; and who follows whom is known to both who keep it.
async fn set_as_told(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    let catalog = house.db("catalog");
    let people: Vec<(Uuid, String)> =
        sqlx::query_as("select id, username from account").fetch_all(house.db("auth")).await?;
    let ids: HashMap<String, Uuid> = people.into_iter().map(|(id, username)| (username, id)).collect();

    let rows: Vec<(Uuid, Uuid, String)> =
        sqlx::query_as("select character_id, user_id, kind from reaction").fetch_all(catalog).await?;
    let stands = rows.into_iter().map(|(about, by, kind)| ((about, by), Some(kind))).collect();
    agree(found, "a reaction stands as it was told", &ids, journal.reactions.all(), &stands);

    let rows: Vec<(Uuid, Uuid)> =
        sqlx::query_as("select character_id, user_id from character_follow").fetch_all(catalog).await?;
    let stands = rows.into_iter().map(|row| (row, true)).collect();
    agree(found, "a character is followed as it was told", &ids, journal.follows.all(), &stands);

    let rows: Vec<(Uuid, Uuid, i32)> =
        sqlx::query_as("select character_id, user_id, rating from review").fetch_all(catalog).await?;
    let stands = rows.into_iter().map(|(about, by, rating)| ((about, by), Some(rating))).collect();
    agree(found, "a review stands as it was told", &ids, journal.ratings.all(), &stands);

    let rows: Vec<(Uuid, Uuid)> =
        sqlx::query_as("select followee, follower from follow").fetch_all(house.db("auth")).await?;
    let stands: HashMap<(Uuid, Uuid), bool> = rows.into_iter().map(|row| (row, true)).collect();
    agree(found, "a creator is followed as it was told", &ids, journal.creators.all(), &stands);
    let copied: Vec<(Uuid, Uuid)> =
        sqlx::query_as("select followee, follower from creator_follow where is_on")
            .fetch_all(catalog)
            .await?;
    let copied: HashSet<(Uuid, Uuid)> = copied.into_iter().collect();
    let differs = stands
        .keys()
        .filter(|row| !copied.contains(row))
        .chain(copied.iter().filter(|row| !stands.contains_key(row)));
    let differs = differs.map(|(whom, by)| format!("{by} of {whom}")).collect();
    tell(found, "catalog knows who follows whom", differs);
    Ok(())
}

/// Whether what stands is what was told; where there is no row, the default of `T` stands.
fn agree<T: PartialEq + Default>(
    found: &mut Found,
    what: &str,
    ids: &HashMap<String, Uuid>,
    told: HashMap<(Uuid, String), T>,
    stands: &HashMap<(Uuid, Uuid), T>,
) {
    let differs = told.into_iter().filter(|((about, name), told)| {
        let nothing = T::default();
        ids.get(name).is_some_and(|id| stands.get(&(*about, *id)).unwrap_or(&nothing) != told)
    });
    tell(found, what, differs.map(|((about, name), _)| format!("{name} of {about}")).collect());
}

/// Nothing of ours is poison.
async fn dead_letters(house: &House, letters: Letters, found: &mut Found) -> Result<()> {
    let names = QUEUES.map(|queue| format!("{queue}.dead"));
    let allowed = u32::from(letters == Letters::Poison);
    let dead = queues(house, &names).await?.into_iter().filter(|(_, there)| there.message_count() > allowed);
    let dead = dead.map(|(name, there)| format!("{} in {name}", there.message_count())).collect();
    tell(found, "no event has become a dead letter", dead);
    Ok(())
}

/// Whether each queue has somebody who reads it, by what RabbitMQ says.
pub async fn everybody_listens(house: &House) -> bool {
    let names = QUEUES.map(str::to_owned);
    queues(house, &names).await.is_ok_and(|all| all.iter().all(|(_, there)| there.consumer_count() > 0))
}

/// What RabbitMQ says of some queues.
async fn queues<'a>(house: &House, names: &'a [String]) -> Result<Vec<(&'a str, Queue)>> {
    let ask = async {
        let connection = Connection::connect(&house.amqp(), ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let passive = QueueDeclareOptions { passive: true, durable: true, ..Default::default() };
            let there = channel.queue_declare(name.as_str().into(), passive, FieldTable::default()).await?;
            all.push((name.as_str(), there));
        }
        let _ = connection.close(200, "done".into()).await;
        Ok(all)
    };
    tokio::time::timeout(BROKER, ask).await.context("RabbitMQ does not answer")?
}
