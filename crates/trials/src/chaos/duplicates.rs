//! The same request many times at once: one effect, and one answer.

use std::{fs, time::Duration};

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, stream::FuturesUnordered};
use reqwest::{Client, StatusCode, header};
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    crowd::member,
    judge::{AGAIN, PERSISTENCE},
    keyed::{self, Keyed},
    report::Row,
    scene::Scene,
};
use crate::guest::{Guest, Payload};

/// Duplicates of each kind of request, all at once.
const EACH: usize = 1_000;
/// The same in a quick run.
const EACH_QUICK: usize = 25;
/// Duplicates of [`MOST_OF`], all at once.
const MOST: usize = 10_000;
/// The kind that costs most: each of its duplicates waits for a reply to its end.
const MOST_OF: &str = "a message";
/// How long one of so many may wait for its answer, which all others stand before.
const PATIENCE: Duration = Duration::from_secs(120);
/// Descriptors of a process that are no connections of duplicates, here and in the BFF.
const OTHERS: usize = 500;

/// What came of one request of many.
struct Came {
    status: StatusCode,
    /// Whether it says when to come back (`Retry-After`).
    waits: bool,
    body: Value,
}

impl Came {
    /// An honest "not now", or the first one is still being worked on.
    fn is_later(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE && self.waits
            || self.status == StatusCode::CONFLICT && self.body["code"] == "in_progress"
    }
}

/// Duplicates of every kind of request that takes a key.
///
/// # Errors
/// When the house does not take the requests at all.
pub async fn duplicates(scene: &mut Scene) -> Result<Row> {
    let mut row = Row::new("duplicates under one key, all at once");
    scene.crowd.pause().await;
    let guest = member(&scene.crowd.judge).await?;
    let all = keyed::all(scene, &guest).await?;
    let room = descriptors()?.saturating_sub(OTHERS);
    let (mut most, mut kinds) = (0, 0);
    let began = Instant::now();
    for request in &all {
        let wanted = match scene.quick {
            true => EACH_QUICK,
            false if request.what == MOST_OF => MOST,
            false => EACH,
        };
        let mut before = Vec::new();
        for effect in &request.effects {
            before.push(effect.count(&scene.house).await?);
        }
        let times = wanted.min(room);
        flood(&guest, request, times, &mut row).await?;
        for (effect, before) in request.effects.iter().zip(before) {
            let effects = effect.count(&scene.house).await? - before;
            row.expect(effects == 1, || format!("{}: {effects} times {}", request.what, effect.what));
        }
        (most, kinds) = (most.max(times), kinds + 1);
    }
    row.note = format!(
        "{kinds} kinds, up to {most} of one at once; {}{:.0}/s in all",
        row.note,
        row.times as f32 / began.elapsed().as_secs_f32()
    );
    if most < MOST && !scene.quick {
        row.note += &format!("; a process may open no more than {room} connections here");
    }
    scene.examine_resting(&mut row).await;
    scene.crowd.go_on();
    Ok(row)
}

/// The same request so many times, each over a connection of its own; every answer is the first one's, or says that it is
/// being worked on, or when to come back.
async fn flood(guest: &Guest, request: &Keyed, times: usize, row: &mut Row) -> Result<()> {
    let what = request.what;
    let key = Uuid::new_v4().to_string();
    let own = connections()?;
    let guest = guest.through(&own);
    let send = async |body: &Payload| {
        let answer = guest.send_under(request.method.clone(), &request.path, body.clone(), &key).await?;
        let (status, waits) = (answer.status(), answer.headers().contains_key(header::RETRY_AFTER));
        let body = answer.json().await.unwrap_or(Value::Null);
        Ok::<_, reqwest::Error>(Came { status, waits, body })
    };
    let mut waiting: FuturesUnordered<_> = (0..times).map(|_| send(&request.body)).collect();
    let mut answers = Vec::with_capacity(times);
    let mut silent = None;
    while let Some(answer) = waiting.next().await {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => silent = Some(error),
        }
    }
    drop(waiting);
    row.times += times;
    row.expect(answers.len() == times, || {
        format!("{what}: {} of {times} were answered, the last of the others not: {silent:?}", answers.len())
    });
    let dishonest = answers.iter().find(|came| !came.status.is_success() && !came.is_later());
    row.expect(dishonest.is_none(), || {
        dishonest.map_or_else(String::new, |came| {
            let (status, code, waits) = (came.status, &came.body["code"], came.waits);
            format!("{what}: a duplicate was answered {status} ({code}), Retry-After: {waits}")
        })
    });
    let put_off = answers.iter().filter(|came| came.is_later()).count();
    if put_off > 0 {
        row.note += &format!("{what}: {put_off} of {times} were told to come back; ");
    }

    // Whoever was put off comes back, as the web app does: there is an answer, and it is that of all.
    let began = Instant::now();
    let mut last = send(&request.body).await?;
    while !last.status.is_success() && began.elapsed() < PERSISTENCE {
        tokio::time::sleep(AGAIN).await;
        last = send(&request.body).await?;
    }
    let name = last.body.pointer(request.names).and_then(Value::as_str).map(str::to_owned);
    row.expect(name.is_some(), || {
        format!("{what}: who comes back is answered {} and {}", last.status, last.body)
    });
    let made = answers.iter().filter(|came| came.status.is_success());
    let others =
        made.filter(|came| came.body.pointer(request.names).and_then(Value::as_str) != name.as_deref());
    let others = others.count();
    row.expect(others == 0, || format!("{what}: {others} duplicates were told something else"));
    let other = send(&request.other).await?;
    row.expect(other.status == StatusCode::UNPROCESSABLE_ENTITY, || {
        format!("{what}: another request under its key was answered {}", other.status)
    });
    Ok(())
}

/// A client whose connections end with it: those of ten thousand duplicates are not kept.
fn connections() -> Result<Client> {
    let client = kit::outbound::builder().timeout(PATIENCE).connect_timeout(PATIENCE);
    // The edge's certificate is its own.
    Ok(client.tls_danger_accept_invalid_certs(true).build()?)
}

/// How many files a process of this house may open: it inherits the limit of this one.
fn descriptors() -> Result<usize> {
    let limits = fs::read_to_string("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next()).context("a limit of open files")?;
    Ok(soft.parse().unwrap_or(usize::MAX))
}
