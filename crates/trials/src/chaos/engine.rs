//! A language model that misbehaves in every way that one has.

use std::time::Duration;

use anyhow::Result;
use reqwest::Method;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    PACE,
    judge::{opened, words},
    report::Row,
    scene::Scene,
};
use crate::{
    stream::{self, End},
    upstream::{Manner, Script},
};

/// By then a turn has ended, however its model behaves: the time-outs of the trial, and tries again.
const ENDED: Duration = Duration::from_secs(20);
/// Bytes that a reply may have (`REPLY_MAX` of chat).
const REPLY: usize = 64 * 1024;
/// Bytes by which a process may grow from what a model sends.
const GROWTH: u64 = 64 * 1024 * 1024;

/// Every manner, once or more.
///
/// # Errors
/// When the house takes no message at all.
pub async fn engine(scene: &mut Scene, times: usize) -> Result<Vec<Row>> {
    let manners = [
        ("hangs", Manner::Hangs),
        ("hangs midway", Manner::HangsMidway),
        ("breaks midway", Manner::Breaks),
        ("floods", Manner::Floods),
        ("sends one event of 100 MB", Manner::Endless),
        ("sends invalid UTF-8", Manner::Garbles),
        ("fails", Manner::Fails),
    ];
    let mut rows = Vec::new();
    scene.crowd.pause().await;
    for (name, manner) in manners {
        let mut row = Row::new(format!("the model {name}"));
        for _ in 0..times {
            row.times += 1;
            turn(scene, manner, &mut row).await?;
            scene.house.upstream.plays(Script { pace: PACE, ..Script::default() });
            scene.examine_resting(&mut row).await;
        }
        rows.push(row);
    }
    scene.crowd.go_on();
    Ok(rows)
}

async fn turn(scene: &mut Scene, manner: Manner, row: &mut Row) -> Result<()> {
    let judge = scene.crowd.judge.clone();
    let character = scene.anybody();
    let guest = scene.watchman.clone();
    // What a turn before did to the breaker is over.
    scene.house.upstream.plays(Script { pace: PACE, ..Script::default() });
    let Some(chat) = judge.chat(&guest, character).await else { anyhow::bail!("no chat can be begun") };
    let began = Instant::now();
    while judge.say(&guest, &chat).await.is_none_or(|said| said.reply.is_none()) {
        anyhow::ensure!(began.elapsed() < ENDED, "the model is not asked again once it is well");
    }

    let before = scene.house.resident("chat")?;
    scene.house.upstream.plays(Script { pace: Duration::from_millis(1), manner, ..Script::default() });
    let content = words();
    let path = format!("/api/chats/{chat}/messages");
    let began = Instant::now();
    let body = serde_json::json!({ "content": content });
    let response = guest.stream(&path, &body, &Uuid::new_v4().to_string()).await?;
    row.expect(response.status().is_success(), || format!("a turn was answered {}", response.status()));
    let reply = stream::reply(response).await?;
    let took = began.elapsed();
    row.expect(took <= ENDED, || format!("the reply ended after {:.1} s", took.as_secs_f32()));
    row.expect(!matches!(reply.end, End::Cut), || "the stream was cut".into());
    row.expect(reply.text.len() <= REPLY, || format!("the reply had {} bytes", reply.text.len()));
    let grown = scene.house.peak("chat")?.saturating_sub(before);
    row.expect(grown <= GROWTH, || format!("chat grew by {} MiB", grown >> 20));
    // What never ends well is told as it is; one that only talks too much is cut and kept.
    let well = manner == Manner::Floods;
    row.expect(matches!(reply.end, End::Done) == well, || format!("the reply ended {:?}", reply.end));
    let told = match &reply.end {
        End::Done => "done".to_owned(),
        End::Failed(code) => code.clone(),
        End::Cut => "cut".into(),
    };
    row.note = format!(
        "{told} after {:.1} s, {} bytes, chat +{} MiB",
        took.as_secs_f32(),
        reply.text.len(),
        grown >> 20
    );

    let page = guest.ask(Method::GET, &opened(character, &chat), None).await?;
    let said = |m: &&Value| m["content"] == content.as_str();
    let times = page["messages"].as_array().into_iter().flatten().filter(said).count();
    row.expect(times == 1, || format!("what was said stands {times} times in the chat"));
    row.expect(page["running"].is_null(), || "the chat is still at it".into());
    Ok(())
}
