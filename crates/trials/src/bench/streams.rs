//! Many replies at once at the pace of a model, one reply without a pace, and browsers that only listen.

use std::{
    mem,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use eventsource_stream::Eventsource as _;
use futures::{StreamExt as _, future::try_join_all};
use hdrhistogram::Histogram;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    House,
    load::{Taken, Turns, closed, open},
    meter::{Meter, mebibytes, peak_mebibytes, sum},
    report::{Report, Row},
    turns,
};
use crate::{guest::Guest, stand, upstream::Script};

/// Replies that are written at any moment.
const STREAMS: f64 = 200.0;
/// A model's pace.
const PACE: Duration = Duration::from_millis(20);
/// Length of a reply …
const TOKENS: usize = 100;
/// … and how long it takes.
const REPLY: Duration = Duration::from_secs(2);
/// Stretches of each of what is compared, in a whole run and in a quick one.
const TURNS: (usize, usize) = (3, 1);
/// LiteLLM 1.106.2, CPU µs per streamed token, measured elsewhere.
const LITELLM_TOKEN: f64 = 1_300.0;
/// Tokens of the reply without a pace: with its beginning and its end 202 events.
const UNPACED: usize = 200;
/// Browsers that listen.
const LISTENERS: usize = 5_000;
/// Accounts they belong to.
const LISTENING: usize = 20;
/// Connections that are opened at a time.
const OPENING: usize = 50;

/// How long the first text of each reply and the whole of it took, counted from when it was asked for.
#[derive(Clone, Default)]
struct Times(Arc<Mutex<[Taken; 2]>>);

impl Times {
    fn add(&self, first: Duration, whole: Duration) {
        let [firsts, wholes] = &mut *self.0.lock().expect("no holder panics");
        firsts.add(Some(first));
        wholes.add(Some(whole));
    }

    /// What came since the last time.
    fn take(&self) -> [Taken; 2] {
        mem::take(&mut *self.0.lock().expect("no holder panics"))
    }
}

/// Replies of some stretches.
#[derive(Default)]
struct Replies {
    first: Turns,
    whole: Turns,
}

impl Replies {
    fn add(&mut self, [first, whole]: [Taken; 2]) {
        self.first.add(first);
        self.whole.add(whole);
    }
}

/// CPU µs a token that the floor relays, with 200 streams.
///
/// # Errors
/// When the floor does not relay.
pub async fn relayed(house: &House) -> Result<f64> {
    house.upstream.plays(Script { tokens: TOKENS, pace: PACE, ..Script::default() });
    let floor = house.floor()?;
    let (http, address) = (house.http.clone(), format!("{}/relay", floor.address));
    let relay = move |_| {
        let asked = http.post(&address).send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    };
    let meter = Meter::begin(std::iter::once(&floor.process))?;
    let rate = STREAMS / REPLY.as_secs_f64();
    let taken = open(rate, house.lasts(), relay).await.sound("streams of the floor")?;
    Ok(sum(&meter.per(taken.count() * TOKENS as u64)?))
}

/// Goals 3 and 4.
///
/// # Errors
/// When something fails that should not.
pub async fn paced(house: &House, report: &mut Report) -> Result<()> {
    house.upstream.plays(Script { tokens: TOKENS, pace: PACE, ..Script::default() });
    let rate = STREAMS / REPLY.as_secs_f64();
    // Until the last of the first 200 has begun, and a while at full height.
    let during = REPLY + house.stretch();

    // Before all else: who signs up hashes a password, for which `auth` has memory some seconds longer.
    let chats = turns::chats(house, (STREAMS * 1.2) as usize).await?;
    let times = Times::default();
    let bare = |address: String| {
        let (times, http) = (times.clone(), house.http.clone());
        move |_| {
            let (times, asked) = (times.clone(), http.post(&address));
            async move { read_bare(asked, &times).await }
        }
    };
    let of_model = bare(format!("{}/chat/completions", house.upstream.base()));
    let of_floor = bare(format!("{}/turn", house.floor()?.address));
    let of_ours = {
        let times = times.clone();
        move |number: u64| {
            let (chat, times) = (chats[number as usize % chats.len()].clone(), times.clone());
            async move {
                let began = Instant::now();
                let reply = chat.turn().await?;
                ensure!(
                    reply.text.split_whitespace().count() == TOKENS,
                    "a reply lacks words: {}",
                    reply.text
                );
                times.add(reply.first.context("no text")? - began, reply.ended - began);
                Ok(())
            }
        }
    };
    let floor_token = relayed(house).await?;
    report.relayed.push(floor_token);

    // What is made at first use (a connection for each stream, plans of PostgreSQL for each of its own) is made now.
    open(rate, house.warm(), of_floor.clone()).await.sound("streams of the floor, warming up")?;
    open(rate, house.warm(), of_ours.clone()).await.sound("streams, warming up")?;
    times.take();
    for process in house.services() {
        stand::forget_peak(process)?;
    }
    let (mut direct, mut floor, mut ours) = (Replies::default(), Replies::default(), Replies::default());
    let mut all_parts = Vec::new();
    for _ in 0..if house.quick { TURNS.1 } else { TURNS.0 } {
        open(rate, during, of_model.clone()).await.sound("streams of the model itself")?;
        direct.add(times.take());
        open(rate, during, of_floor.clone()).await.sound("streams of the floor's turns")?;
        floor.add(times.take());
        let meter = Meter::begin(house.services())?;
        let taken = open(rate, during, of_ours.clone()).await.sound("streams")?;
        all_parts.push(meter.per(taken.count() * TOKENS as u64)?);
        ours.add(times.take());
    }
    let of_two = |parts: &[(String, f64)]| -> Vec<(String, f64)> {
        parts.iter().filter(|(name, _)| ["bff", "chat"].contains(&name.as_str())).cloned().collect()
    };
    all_parts.sort_by(|one, other| sum(&of_two(one)).total_cmp(&sum(&of_two(other))));
    let parts = &all_parts[all_parts.len() / 2];
    let two = of_two(parts);

    let token = sum(&two);
    report.rows.push(
        Row::new(3, "CPU per token, BFF and chat, the turn included", "µs", token)
            .beside("µs floor's relay", floor_token)
            .at_most(65.0)
            .cpu(parts),
    );
    report.rows.push(
        Row::new(
            3,
            "times less of it than a token of LiteLLM's takes, elsewhere",
            "×",
            LITELLM_TOKEN / token,
        )
        .at_least(20.0)
        .note(format!("{LITELLM_TOKEN} µs")),
    );
    if let Some(here) = &house.litellm {
        report.rows.push(
            Row::new(3, "the same, of LiteLLM in this run", "×", here.token / token)
                .note(format!("{:.0} µs", here.token)),
        );
    }
    for percent in [50.0, 99.0] {
        let what = format!("first text later than from the model itself, p{percent:.0}, 200 streams");
        let row = Row::new(4, what, "ms", ours.first.added_to(&direct.first, percent))
            .beside("ms floor's turn", floor.first.added_to(&direct.first, percent))
            .note(format!(
                "{:.1} ms from the model; of all stretches together {:.1}, {:.1} and {:.1} ms: ours, the floor's, the model's",
                direct.first.percentile(percent),
                ours.first.altogether(percent),
                floor.first.altogether(percent),
                direct.first.altogether(percent)
            ));
        report.rows.push(if percent > 90.0 { row.at_most(10.0) } else { row });
    }
    let [ours_whole, direct_whole] = [&ours, &direct].map(|replies| replies.whole.percentile(50.0));
    report.rows.push(
        Row::new(4, "a whole reply takes longer by, p50", "%", (ours_whole / direct_whole - 1.0) * 100.0)
            .at_most(1.0)
            .note(format!("{ours_whole:.0} ms instead of {direct_whole:.0} ms")),
    );
    let mut most = (String::new(), 0.0);
    for process in house.services() {
        let peak = peak_mebibytes(process)?;
        if peak > most.1 {
            most = (process.name.clone(), peak);
        }
    }
    let what = format!("memory of the largest service meanwhile, at most, {}", most.0);
    report.rows.push(Row::new(4, what, "MiB", most.1).at_most(60.0));
    Ok(())
}

/// A reply of the model or of the floor, read to its end.
async fn read_bare(asked: reqwest::RequestBuilder, times: &Times) -> Result<()> {
    let began = Instant::now();
    let mut events = asked.send().await?.error_for_status()?.bytes_stream().eventsource();
    let mut first = None;
    while let Some(event) = events.next().await {
        let event = event?;
        ensure!(event.event != "error", "a reply ended early");
        if event.data.contains(crate::upstream::TOKENS_SAID[0]) {
            first.get_or_insert_with(|| began.elapsed());
        }
    }
    times.add(first.context("nothing was said")?, began.elapsed());
    Ok(())
}

/// Goal 5.
///
/// # Errors
/// When something fails that should not.
pub async fn unpaced(house: &House, report: &mut Report) -> Result<()> {
    house.upstream.plays(Script { tokens: UNPACED, ..Script::default() });
    let chats = turns::chats(house, 40).await?;
    let streamed = Times::default();
    let times = streamed.clone();
    let events = Arc::new(Mutex::new(Histogram::<u64>::new(3).expect("three digits")));
    let counted = events.clone();
    let read = move |number: u64| {
        let (chat, times) = (chats[number as usize % chats.len()].clone(), times.clone());
        let counted = counted.clone();
        async move {
            let began = Instant::now();
            let reply = chat.turn().await?;
            let first = reply.first.context("no text")?;
            times.add(first - began, reply.ended - first);
            counted.lock().expect("no holder panics").record(reply.events as u64)?;
            Ok(())
        }
    };
    let whole = closed(1, house.lasts(), read).await.sound("replies without a pace")?;
    let (http, address) = (house.http.clone(), format!("{}/turn", house.floor()?.address));
    let bare = move |_| {
        let asked = http.post(&address).send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    };
    let floors = closed(1, house.lasts(), bare).await.sound("turns of the floor without a pace")?;
    let events = events.lock().expect("no holder panics").value_at_percentile(50.0);
    let [_, written] = streamed.take();
    report.rows.push(
        Row::new(
            5,
            "a reply of 200 tokens without a pace, first text to the end, p50",
            "ms",
            written.percentile(50.0),
        )
        .at_most(5.0)
        .note(format!("{events} events; what is there at once is told at once. 44 ms without TCP_NODELAY")),
    );
    report.rows.push(
        Row::new(5, "the whole turn around it, both commits included, p50", "ms", whole.percentile(50.0))
            .beside("ms floor", floors.percentile(50.0)),
    );
    Ok(())
}

/// Open event streams on the BFF.
///
/// # Errors
/// When something fails that should not.
pub async fn listeners(house: &House, report: &mut Report) -> Result<()> {
    let guests: Vec<Guest> =
        try_join_all((0..LISTENING).map(|_| Guest::new(&house.http, &house.direct))).await?;
    let bff = house.stand.process("bff")?;
    let address = house.direct.strip_prefix("http://").context("plain HTTP")?.to_owned();
    let listen = |guest: &Guest| {
        let asked = format!(
            "GET /api/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nAccept: text/event-stream\r\n\r\n",
            guest.token
        );
        let address = address.clone();
        async move {
            let mut socket = TcpStream::connect(address).await?;
            socket.write_all(asked.as_bytes()).await?;
            let mut got = Vec::new();
            while !got.windows(9).any(|w| w == b"listening") {
                ensure!(socket.read_buf(&mut got).await? > 0, "refused: {}", String::from_utf8_lossy(&got));
                ensure!(got.starts_with(b"HTTP/1.1 200"), "refused: {}", String::from_utf8_lossy(&got));
            }
            Ok(socket)
        }
    };
    // The first of each account brings what the account costs by itself.
    let mut open: Vec<TcpStream> = try_join_all(guests.iter().map(&listen)).await?;
    let before = mebibytes(bff)?;
    while open.len() < LISTENERS {
        let from = open.len();
        let next = (from..(from + OPENING).min(LISTENERS)).map(|n| listen(&guests[n % LISTENING]));
        open.extend(try_join_all(next).await?);
    }
    let each = (mebibytes(bff)? - before) * 1024.0 / (LISTENERS - LISTENING) as f64;
    report.rows.push(
        Row::new(4, "memory of an open event stream on the BFF, 5,000 of them", "KiB", each).at_most(20.0),
    );
    Ok(())
}
