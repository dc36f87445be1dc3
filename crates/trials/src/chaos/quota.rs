//! A quota that many race for: exactly what is left of it.

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use serde_json::json;
use sqlx::PgPool;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    house::PATIENCE,
    judge::{AGAIN, is_put_off, words},
    report::Row,
    scene::Scene,
};

/// Replies of a free account in a day (`FREE_PER_DAY` of chat).
const PER_DAY: i32 = 200;
/// Parallel sends at the edge of a quota.
const RACE: usize = 200;
/// How many of them it still allows.
const LEFT: i32 = 50;

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
                // An honest 503 under such a rush is asked again under its key, as the web app does; one that does not
                // say when to come back is neither allowed nor refused.
                loop {
                    let answer = guest.send(Method::POST, &path, Some(body.clone()), Some(&key)).await?;
                    let status = answer.status();
                    let later = is_put_off(&answer) || status == StatusCode::CONFLICT;
                    answer.bytes().await?;
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
