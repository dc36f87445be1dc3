//! What must hold whatever happened, asked of the databases, of RabbitMQ and of the API; never of a log.

use std::{collections::HashMap, time::Duration};

use anyhow::{Context as _, Result};
use lapin::{Connection, ConnectionProperties, Queue, options::QueueDeclareOptions, types::FieldTable};
use sqlx::{PgPool, Row as _};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::{House, LOOK},
    journal::Journal,
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

/// Rules about rows of one database: each question answers the rows that break it.
const RULES: [(&str, &str, &str); 14] = [
    ("billing", "the ledger sums to zero", "select sum(amount)::text from coin_entry having sum(amount) <> 0"),
    (
        "billing",
        "a movement of coins sums to zero",
        "select tx::text from coin_entry group by tx having sum(amount) <> 0",
    ),
    (
        "billing",
        "a balance is the sum of its entries",
        "select a.id::text from coin_account a left join coin_entry e on e.account = a.id
         group by a.id, a.balance having a.balance <> coalesce(sum(e.amount), 0)",
    ),
    (
        "billing",
        "a reservation ends once",
        "select ref::text from coin_tx where kind in ('capture', 'release') group by ref having count(*) > 1",
    ),
    (
        "billing",
        "a payment gives its coins once",
        "select a.user_id::text from coin_tx t join coin_entry e on e.tx = t.id
         join coin_account a on a.id = e.account and a.kind = 'available'
         where t.kind = 'grant' group by a.user_id having count(*) <> 1",
    ),
    ("chat", "no generation is left running", "select id::text from generation where state = 'running'"),
    (
        "chat",
        "no message is left without an end",
        "select id::text from message where state in ('streaming', 'pending')",
    ),
    (
        "chat",
        "a message is answered once",
        "select user_message_id::text from generation where user_message_id is not null
         group by user_message_id having count(*) > 1",
    ),
    (
        "chat",
        "a quota counts what was written",
        "select u.user_id::text from usage u where u.span = 'day' and u.period_start = (now() at time zone 'utc')::date
         and u.used <> (select count(*) from generation g where g.charged_to = u.user_id and g.charged_on = u.period_start)",
    ),
    ("media", "every picture has an end", "select id::text from job where state in ('unpaid', 'queued', 'running')"),
    ("auth", "whoever asked for mail is written to", "select id::text from wish"),
    ("auth", "mail is sent", "select id::text from mail where available_at < now() - interval '1 second'"),
    (
        "catalog",
        "likes are their rows",
        "select s.character_id::text from character_stats s
         where s.likes <> (select count(*) from reaction r where r.character_id = s.character_id and r.kind = 'like')",
    ),
    (
        "catalog",
        "reviews are their rows",
        "select s.character_id::text from character_stats s
         where s.reviews <> (select count(*) from review r where r.character_id = s.character_id)",
    ),
];

/// How many things were found to hold, and what was not.
pub type Found = (u64, Vec<String>);

/// Waits until all of it holds, at most [`REST`]; what does not hold by then is broken. Nobody may be at work.
pub async fn settled(house: &House, journal: &Journal) -> Found {
    let began = Instant::now();
    loop {
        let (mut checked, mut broken) = match look(house, journal).await {
            Ok(found) => found,
            Err(why) => (0, vec![format!("cannot be examined: {why:#}")]),
        };
        if broken.is_empty() || began.elapsed() > REST {
            // What was answered wrongly is not mended by waiting.
            let wrong = journal.take_wrong();
            checked += u64::from(wrong.is_empty());
            broken.extend(wrong);
            broken.extend(house.dead());
            return (checked, broken);
        }
        tokio::time::sleep(LOOK * 4).await;
    }
}

async fn look(house: &House, journal: &Journal) -> Result<Found> {
    let mut found = Found::default();
    for (database, rule, question) in RULES {
        let rows: Vec<Option<String>> =
            sqlx::query_scalar(question).fetch_all(house.db(database)).await.context(rule)?;
        tell(&mut found, rule, rows.into_iter().flatten().collect());
    }
    outboxes(house, &mut found).await?;
    if !found.1.is_empty() {
        // The rest follows from it.
        return Ok(found);
    }
    messages(house.db("chat"), journal, &mut found).await?;
    pictures(house, journal, &mut found).await?;
    people(house, journal, &mut found).await?;
    counts(house, &mut found).await?;
    likes(house, journal, &mut found).await?;
    dead_letters(house, &mut found).await?;
    Ok(found)
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
    let said: HashMap<String, i64> =
        sqlx::query("select content, count(*) as times from message where sender = 'user' group by content")
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

/// Each picture that was accepted has ended once, for its owner, in the ledger and among what they are told.
async fn pictures(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    let jobs: Vec<(Uuid, String, i32)> =
        sqlx::query("select id, state, cost from job where purpose = 'gallery'")
            .fetch_all(house.db("media"))
            .await?
            .into_iter()
            .map(|row| (row.get("id"), row.get("state"), row.get("cost")))
            .collect();
    let accepted = journal.all_images();
    let known = |id: &Uuid| jobs.iter().any(|(job, ..)| job == id);
    tell(
        found,
        "no picture that was accepted is lost",
        accepted.iter().filter(|id| !known(id)).map(Uuid::to_string).collect(),
    );
    let mut ends: HashMap<Uuid, Vec<String>> = HashMap::new();
    for row in sqlx::query("select ref, kind from coin_tx where kind in ('reserve', 'capture', 'release')")
        .fetch_all(house.db("billing"))
        .await?
    {
        ends.entry(row.get("ref")).or_default().push(row.get("kind"));
    }
    let unpaid = jobs.iter().filter(|(id, state, _)| {
        let kinds = ends.get(id).map(Vec::as_slice).unwrap_or_default();
        let has = |kind: &str| kinds.iter().any(|k| k == kind);
        match state.as_str() {
            "completed" => !(has("reserve") && has("capture") && !has("release")),
            // Nothing reserved is nothing to give back.
            _ => has("capture") || (has("reserve") && !has("release")),
        }
    });
    tell(found, "coins go with the picture", unpaid.map(|(id, state, _)| format!("{id} {state}")).collect());
    let orphans = ends.keys().filter(|id| !known(id)).map(Uuid::to_string).collect();
    tell(found, "no coins are held for a picture that is not there", orphans);

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

/// Whoever has signed in has an account, and is known where the event of it goes; whoever has paid has a plan.
async fn people(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    let names = |rows: Vec<String>| rows.into_iter().collect::<std::collections::HashSet<_>>();
    let accounts =
        names(sqlx::query_scalar("select username from account").fetch_all(house.db("auth")).await?);
    let creators =
        names(sqlx::query_scalar("select username from creator").fetch_all(house.db("catalog")).await?);
    let people = journal.all_people();
    let without = |known: &std::collections::HashSet<String>| {
        people.iter().filter(|name| !known.contains(*name)).cloned().collect::<Vec<_>>()
    };
    tell(found, "who has signed in has an account", without(&accounts));
    tell(found, "who has an account is known to catalog", without(&creators));
    let paid: Vec<Uuid> = journal.all_paid().into_iter().map(|(_, checkout)| checkout).collect();
    let open: Vec<Uuid> =
        sqlx::query_scalar("select id from checkout where id = any($1) and state <> 'paid'")
            .bind(&paid)
            .fetch_all(house.db("billing"))
            .await?;
    tell(found, "what was paid is paid", open.iter().map(Uuid::to_string).collect());
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

/// Who was told that they like somebody, does.
async fn likes(house: &House, journal: &Journal, found: &mut Found) -> Result<()> {
    let ids: HashMap<String, Uuid> = sqlx::query("select id, username from account")
        .fetch_all(house.db("auth"))
        .await?
        .into_iter()
        .map(|row| (row.get("username"), row.get("id")))
        .collect();
    let rows: std::collections::HashSet<(Uuid, Uuid)> =
        sqlx::query("select character_id, user_id from reaction where kind = 'like'")
            .fetch_all(house.db("catalog"))
            .await?
            .into_iter()
            .map(|row| (row.get("character_id"), row.get("user_id")))
            .collect();
    let known = journal.all_likes();
    let differs = known.iter().filter(|((character, name), on)| {
        ids.get(name).is_some_and(|id| rows.contains(&(*character, *id)) != **on)
    });
    tell(found, "a like stands as it was told", differs.map(|((c, n), _)| format!("{n} of {c}")).collect());
    Ok(())
}

/// Nothing of ours is poison.
async fn dead_letters(house: &House, found: &mut Found) -> Result<()> {
    let names = QUEUES.map(|queue| format!("{queue}.dead"));
    let dead = queues(house, &names).await?.into_iter().filter(|(_, there)| there.message_count() > 0);
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
