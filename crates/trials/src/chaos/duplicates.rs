//! The same request many times at once: one effect. A quota that many race for: exactly what is left of it.

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    crowd::{AGAIN, member, words},
    faults::Scene,
    house::PATIENCE,
    report::Row,
};
use crate::guest::Guest;

/// Requests that are under way at a time: more are only a queue at our own side.
const AT_ONCE: usize = 200;
/// Replies of a free account in a day (`FREE_PER_DAY` of chat).
const PER_DAY: i32 = 200;
/// Parallel sends at the edge of a quota.
const RACE: usize = 200;
/// How many of them it still allows.
const LEFT: i32 = 50;

/// One request that must have one effect however often it comes.
struct Once {
    what: &'static str,
    path: String,
    body: Value,
    /// The same key with this is another request.
    other: Value,
    /// Database, and what counts the effects there of `$1`.
    database: &'static str,
    count: &'static str,
    of: String,
}

/// `times` duplicates, spread over all kinds of requests that take a key.
///
/// # Errors
/// When the house does not take the request at all.
pub async fn duplicates(scene: &mut Scene, times: usize) -> Result<Row> {
    let mut row = Row::new("duplicates under one key");
    scene.crowd.pause().await;
    let guest = member(&scene.crowd.judge).await?;
    let me: Uuid = sqlx::query_scalar("select id from account where username = $1")
        .bind(&guest.username)
        .fetch_one(scene.house.db("auth"))
        .await?;
    let character = scene.anybody();
    let chat = scene.crowd.judge.chat(&guest, character).await.context("no chat can be begun")?;
    let said = words();
    let all = [
        Once {
            what: "a message",
            path: format!("/api/chats/{chat}/messages"),
            body: json!({ "content": said }),
            other: json!({ "content": words() }),
            database: "chat",
            count: "select count(*) from message where content = $1",
            of: said,
        },
        Once {
            what: "a chat",
            path: "/api/chats".into(),
            body: json!({ "characterId": character }),
            other: json!({ "characterId": scene.anybody(), "greeting": 1 }),
            database: "chat",
            // The one before is the chat of the message.
            count: "select count(*) - 1 from chat where user_id::text = $1",
            of: me.to_string(),
        },
        Once {
            what: "a picture",
            path: "/api/images/create".into(),
            body: json!({ "prompt": "a lighthouse" }),
            other: json!({ "prompt": "a harbour" }),
            database: "media",
            count: "select count(*) from job where owner::text = $1",
            of: me.to_string(),
        },
        Once {
            what: "its coins",
            path: String::new(),
            body: Value::Null,
            other: Value::Null,
            database: "billing",
            count: "select count(*) from coin_tx t join coin_entry e on e.tx = t.id join coin_account a on a.id = e.account
                    where a.user_id::text = $1 and t.kind = 'reserve' and a.kind = 'reserved'",
            of: me.to_string(),
        },
        Once {
            what: "a checkout",
            path: "/api/checkout".into(),
            body: json!({ "plan": "deluxe", "period": "yearly" }),
            other: json!({ "plan": "deluxe", "period": "monthly" }),
            database: "billing",
            count: "select count(*) from checkout where user_id::text = $1 and plan = 'deluxe'",
            of: me.to_string(),
        },
        Once {
            what: "a review",
            path: format!("/api/characters/{character}/reviews"),
            body: json!({ "rating": 5, "comment": "Good company." }),
            other: json!({ "rating": 1, "comment": "Good company." }),
            database: "catalog",
            count: "select count(*) from review where user_id::text = $1",
            of: me.to_string(),
        },
    ];
    let asked = all.iter().filter(|once| !once.path.is_empty() && once.what != "a review").count();
    for once in all.iter().filter(|once| once.what != "a review") {
        if !once.path.is_empty() {
            flood(&guest, once, times / asked, &mut row).await?;
        }
        let effects: i64 =
            sqlx::query_scalar(once.count).bind(&once.of).fetch_one(scene.house.db(once.database)).await?;
        row.expect(effects == 1, || format!("{}: {effects} effects", once.what));
    }
    scene.crowd.go_on();
    scene.examine(&mut row).await;
    Ok(row)
}

/// The same request so many times; every answer is the first one's, or says that it is being worked on.
async fn flood(guest: &Guest, once: &Once, times: usize, row: &mut Row) -> Result<()> {
    let key = Uuid::new_v4().to_string();
    let send = |body: Value| guest.send(Method::POST, &once.path, Some(body), Some(&key));
    let began = Instant::now();
    let answers: Vec<(StatusCode, Value)> = stream::iter(0..times)
        .map(|_| async {
            let answer = send(once.body.clone()).await?;
            let status = answer.status();
            let value: Value = answer.json().await.unwrap_or(Value::Null);
            Ok::<_, reqwest::Error>((status, value))
        })
        .buffer_unordered(AT_ONCE)
        .filter_map(async |answer| answer.ok())
        .collect()
        .await;
    row.times += times;
    row.expect(answers.len() == times, || {
        format!("{}: {} of {times} were answered", once.what, answers.len())
    });
    let honest = |(status, body): &(StatusCode, Value)| {
        status.is_success()
            || (*status == StatusCode::CONFLICT && body["code"] == "in_progress")
            || *status == StatusCode::SERVICE_UNAVAILABLE
    };
    if let Some((status, body)) = answers.iter().find(|answer| !honest(answer)) {
        row.broken.push(format!("{}: a duplicate was answered {status} ({})", once.what, body["code"]));
    }
    let made: Vec<&Value> =
        answers.iter().filter(|(status, _)| status.is_success()).map(|(_, body)| body).collect();
    let name = |body: &Value| {
        let id = [&body["aiMessage"]["_id"], &body["chatId"], &body["image"]["_id"], &body["url"]];
        id.iter().find_map(|v| v.as_str().map(str::to_owned))
    };
    let same = made.windows(2).all(|pair| name(pair[0]) == name(pair[1]) && name(pair[0]).is_some());
    row.expect(same && !made.is_empty(), || format!("{}: not all duplicates were told the same", once.what));
    let other = send(once.other.clone()).await?;
    row.expect(other.status() == StatusCode::UNPROCESSABLE_ENTITY, || {
        format!("{}: another request under its key was answered {}", once.what, other.status())
    });
    row.note = format!("{} {}/s; ", row.note, (times as u128 * 1000) / began.elapsed().as_millis().max(1));
    Ok(())
}

/// Two hundred parallel sends in two hundred chats of one person whose day has room for fifty.
///
/// # Errors
/// When the chats cannot be begun.
pub async fn quota(scene: &mut Scene) -> Result<Row> {
    let mut row = Row::new(format!("{RACE} sends race for the last {LEFT} of a day"));
    row.times = RACE;
    scene.crowd.pause().await;
    let judge = scene.crowd.judge.clone();
    let guest = judge.newcomer().await.context("nobody can sign up")?;
    let character = scene.anybody();
    let chats: Vec<String> = stream::iter(0..RACE)
        .map(|_| judge.chat(&guest, character))
        .buffer_unordered(16)
        .filter_map(std::future::ready)
        .collect()
        .await;
    let chat = scene.house.db("chat");
    let me: Uuid = sqlx::query_scalar("select user_id from chat where id::text = $1")
        .bind(chats.first().context("no chat can be begun")?)
        .fetch_one(chat)
        .await?;
    set_used(chat, me, PER_DAY - LEFT).await?;
    let answers: Vec<StatusCode> = stream::iter(&chats)
        .map(|chat| {
            let guest = &guest;
            async move {
                let path = format!("/api/chats/{chat}/messages");
                let (key, body) = (Uuid::new_v4().to_string(), json!({ "content": words() }));
                let began = Instant::now();
                // An honest 503 under such a rush is asked again under its key, as the web app does.
                loop {
                    let answer = guest.send(Method::POST, &path, Some(body.clone()), Some(&key)).await?;
                    let status = answer.status();
                    answer.bytes().await?;
                    let later = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::CONFLICT].contains(&status);
                    if !later || began.elapsed() > PATIENCE {
                        return Ok::<_, reqwest::Error>(status);
                    }
                    tokio::time::sleep(AGAIN).await;
                }
            }
        })
        .buffer_unordered(RACE)
        .filter_map(async |answer| answer.ok())
        .collect()
        .await;
    let count = |status: StatusCode| answers.iter().filter(|s| **s == status).count();
    let (allowed, refused) = (count(StatusCode::OK), count(StatusCode::TOO_MANY_REQUESTS));
    row.expect(allowed == usize::try_from(LEFT)?, || format!("{allowed} were allowed, not {LEFT}"));
    row.expect(allowed + refused == RACE, || {
        format!("{} were neither allowed nor refused", RACE - allowed - refused)
    });
    let written: i64 = sqlx::query_scalar(
        "select count(*) from generation where charged_to = $1 and charged_on is not null",
    )
    .bind(me)
    .fetch_one(chat)
    .await?;
    row.expect(written == i64::from(LEFT), || format!("{written} replies were charged, not {LEFT}"));
    let used: i32 = sqlx::query_scalar(
        "select used from usage where user_id = $1 and span = 'day' order by period_start desc",
    )
    .bind(me)
    .fetch_one(chat)
    .await?;
    row.expect(used == PER_DAY, || format!("{used} are counted, not {PER_DAY}"));
    // As it would be without our word.
    set_used(chat, me, LEFT).await?;
    scene.crowd.go_on();
    scene.examine(&mut row).await;
    Ok(row)
}

async fn set_used(chat: &PgPool, user: Uuid, used: i32) -> Result<()> {
    sqlx::query(
        "insert into usage (user_id, span, period_start, used) values ($1, 'day', (now() at time zone 'utc')::date, $2)
         on conflict (user_id, span, period_start) do update set used = excluded.used",
    )
    .bind(user)
    .bind(used)
    .execute(chat)
    .await?;
    Ok(())
}
