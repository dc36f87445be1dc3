//! A whole persisted turn against a model that answers at once: what it costs, and how many there can be.

use std::sync::Arc;

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use reqwest::{Client, Method, header};
use serde_json::json;
use uuid::Uuid;

use super::{
    House,
    load::{closed, median, open},
    meter::{Meter, sum},
    report::{Report, Row},
};
use crate::{
    guest::Guest,
    stream::{self, End, Reply},
    upstream::Script,
};

/// Turns a chat has held when it has been used for a measurement, about: as long as a chat of a free user.
const CHATS: usize = 160;
/// Paid accounts that own them.
const OWNERS: usize = 4;
/// Stretches in which the CPU time of a turn is measured.
const TURNS: u32 = 5;
/// CPU time of all our processes per turn, ms.
const TURN_CPU: f64 = 1.2;
/// LiteLLM 1.106.2 with a mock model (`wrk`, one core, measured elsewhere): CPU ms per request, from the lower end of what was
/// measured to the upper one.
const LITELLM_CPU: (f64, f64) = (19.0, 25.0);
/// Its requests per second of one core that did nothing else, the upper end: what a core's time is enough for.
const LITELLM_RATE: f64 = 52.0;
/// Turns per second at which latencies are taken: a third of what one core was seen to give.
const RATE: f64 = 60.0;
/// Who takes part in a measurement of throughput.
const CLIENTS: usize = 16;

/// Somebody's chat.
#[derive(Clone)]
pub struct Chat {
    pub owner: Guest,
    pub id: String,
}

impl Chat {
    /// Says something and reads the reply to its end.
    ///
    /// # Errors
    /// When it is refused, or ends otherwise than it should.
    pub async fn turn(&self) -> Result<Reply> {
        let path = format!("/api/chats/{}/messages", self.id);
        // The web app gives each turn a key, and what that costs is part of it.
        let key = Uuid::new_v4().to_string();
        let answer = self.owner.stream(&path, &json!({ "content": "And what then?" }), &key).await?;
        ensure!(answer.status().is_success(), "a turn was answered {}", answer.status());
        let reply = stream::reply(answer).await?;
        ensure!(reply.end == End::Done, "a reply ended {:?}", reply.end);
        Ok(reply)
    }
}

/// Chats of paid accounts, each at its greeting.
///
/// # Errors
/// When the house refuses one.
pub async fn chats(house: &House, count: usize) -> Result<Arc<Vec<Chat>>> {
    let owners = try_join_all((0..OWNERS).map(|_| async {
        let guest = Guest::new(&house.http, &house.direct).await?;
        guest.subscribe("deluxe").await?;
        anyhow::Ok(guest)
    }))
    .await?;
    let mut chats = Vec::with_capacity(count);
    for number in 0..count {
        let owner = owners[number % OWNERS].clone();
        let character = &house.characters[number / OWNERS % house.characters.len()];
        let started =
            owner.ask(Method::POST, "/api/chats", Some(json!({ "characterId": character }))).await?;
        let id = started["chatId"].as_str().unwrap_or_default().to_owned();
        chats.push(Chat { owner, id });
    }
    Ok(Arc::new(chats))
}

/// A turn of the floor, read to its end.
async fn floor_turn(http: &Client, floor: &str) -> Result<()> {
    let answer =
        http.post(format!("{floor}/turn")).header(header::ACCEPT, "text/event-stream").send().await?;
    let text = answer.error_for_status()?.text().await?;
    ensure!(text.contains("event: done"), "a turn of the floor ended early");
    Ok(())
}

/// Goal 1.
///
/// # Errors
/// When something fails that should not.
pub async fn measure(house: &House, report: &mut Report) -> Result<()> {
    house.upstream.plays(Script::default());
    let chats = chats(house, CHATS).await?;
    let say = move |number: u64| {
        let chat = chats[number as usize % chats.len()].clone();
        async move { chat.turn().await.map(drop) }
    };
    let (http, floor) = (house.http.clone(), house.floor()?.address.clone());
    let bare = move |_| {
        let (http, floor) = (http.clone(), floor.clone());
        async move { floor_turn(&http, &floor).await }
    };
    // What is made at first use is made now.
    closed(2, house.warm(), say.clone()).await.sound("turns, warming up")?;
    closed(2, house.warm(), bare.clone()).await.sound("turns of the floor, warming up")?;

    // In turns: the same work costs a quarter more or less from one moment to the next. All of them together are as long as
    // one measurement, or the chats would be longer than they should be.
    let each = house.lasts() / TURNS;
    let (mut floors, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let meter = Meter::begin(std::iter::once(&house.floor()?.process))?;
        let taken = closed(2, each, bare.clone()).await.sound("turns of the floor")?;
        floors.push(sum(&meter.per(taken.count())?) / 1000.0);
        let meter = Meter::begin(house.services())?;
        let taken = closed(2, each, say.clone()).await.sound("turns")?;
        ours.push(meter.per(taken.count())?);
    }
    ours.sort_by(|one, other| sum(one).total_cmp(&sum(other)));
    let (floor_cpu, parts) = (median(floors), &ours[ours.len() / 2]);
    let cpu = sum(parts) / 1000.0;
    report.rows.push(
        Row::new(1, "CPU per turn, all our processes", "ms", cpu)
            .beside("ms floor", floor_cpu)
            .at_most(TURN_CPU)
            .cpu(parts),
    );
    report.rows.push(
        Row::new(1, "times less of it than a request of LiteLLM's takes, elsewhere", "×", LITELLM_CPU.1 / cpu)
            .at_least(20.0)
            .note(format!(
                "{} ms, the upper end of what was measured, from which the goal's {TURN_CPU} ms are; {:.1} times less than \
                 the lower one",
                LITELLM_CPU.1,
                LITELLM_CPU.0 / cpu
            )),
    );
    if let Some(here) = &house.litellm {
        report.rows.push(
            Row::new(1, "the same, of LiteLLM in this run", "×", here.request / cpu)
                .note(format!("{:.2} ms; with its own mock, which stores nothing", here.request)),
        );
    }

    let ours = open(RATE, house.lasts(), say.clone()).await.sound("turns at a fixed rate")?;
    let floors = open(RATE, house.lasts(), bare.clone()).await.sound("turns of the floor at a fixed rate")?;
    for (percent, name) in [(50.0, "p50"), (99.0, "p99")] {
        let what = format!("turn at {RATE:.0}/s, {name}");
        let row = Row::new(1, what, "ms", ours.percentile(percent));
        report.rows.push(row.beside("ms floor", floors.percentile(percent)));
    }

    let meter = Meter::begin(house.services())?;
    let most = closed(CLIENTS, house.lasts(), say).await.sound("turns, as many as can be")?;
    let busy = meter.per(most.count())?;
    let meter = Meter::begin(std::iter::once(&house.floor()?.process))?;
    let floors = closed(CLIENTS, house.lasts(), bare).await.sound("turns of the floor, as many as can be")?;
    let busy_floor = sum(&meter.per(floors.count())?) / 1000.0;
    report.rows.push(
        Row::new(1, "CPU per turn, 16 clients", "ms", sum(&busy) / 1000.0)
            .beside("ms floor", busy_floor)
            .cpu(&busy),
    );
    report.rows.push(
        Row::new(1, "turns per second, 16 clients", "/s", most.rate())
            .beside("/s floor", floors.rate())
            .note("everything on this machine: PostgreSQL, the model and the clients share its cores"),
    );
    if let Some(here) = &house.litellm {
        report.rows.push(
            Row::new(1, "the same, beside LiteLLM's mock in this run", "/s", most.rate())
                .beside("/s LiteLLM", here.rate),
        );
    }
    report.rows.push(
        Row::new(1, "turns that a second of a core is enough for, by their CPU", "/s", 1000.0 / cpu)
            .beside("/s LiteLLM, elsewhere", LITELLM_RATE)
            .at_least(10.0)
            .of_ratio(),
    );
    Ok(())
}
