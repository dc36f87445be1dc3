//! Many replies at once at the pace of a model, one reply without a pace, and browsers that only listen.

use std::{
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
    load::{closed, open},
    meter::{Meter, Stolen, mebibytes, peak_mebibytes, sum},
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

/// When the first text came and when the last, counted from when the reply was due.
#[derive(Clone)]
struct Times(Arc<Mutex<(Histogram<u64>, Histogram<u64>)>>);

impl Times {
    fn new() -> Self {
        let new = || Histogram::new_with_bounds(1, 60_000_000, 3).expect("bounds in order");
        Self(Arc::new(Mutex::new((new(), new()))))
    }

    fn clear(&self) {
        let mut held = self.0.lock().expect("no holder panics");
        held.0.clear();
        held.1.clear();
    }

    fn add(&self, first: Duration, whole: Duration) {
        let mut held = self.0.lock().expect("no holder panics");
        for (time, took) in [(0, first), (1, whole)] {
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            if time == 0 { held.0.saturating_record(micros) } else { held.1.saturating_record(micros) }
        }
    }

    /// Milliseconds: the first text.
    fn first(&self, percent: f64) -> f64 {
        self.0.lock().expect("no holder panics").0.value_at_percentile(percent) as f64 / 1000.0
    }

    /// Milliseconds: the whole.
    fn whole(&self, percent: f64) -> f64 {
        self.0.lock().expect("no holder panics").1.value_at_percentile(percent) as f64 / 1000.0
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
    let (lasts, rate) = (REPLY, STREAMS / REPLY.as_secs_f64());
    // As long as the last of the first 200 takes to end, and as long again at full height.
    let during = lasts + house.lasts();

    // Before all else: who signs up hashes a password, for which `auth` has memory some seconds longer.
    let chats = turns::chats(house, (STREAMS * 1.2) as usize).await?;
    let direct = Times::new();
    let read = {
        let (times, http) = (direct.clone(), house.http.clone());
        let address = format!("{}/chat/completions", house.upstream.base());
        move |_| {
            let (times, asked) = (times.clone(), http.post(&address));
            async move { read_direct(asked, &times).await }
        }
    };
    let stolen = Stolen::begin();
    open(rate, during, read).await.sound("streams of the model itself")?;
    let stolen_directly = stolen.percent();
    let floor_token = relayed(house).await?;
    report.relayed.push(floor_token);

    let through = Times::new();
    let read = {
        let times = through.clone();
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
    // What is made at first use (a connection for each stream, plans of PostgreSQL for each of its own) is made now.
    open(rate, house.warm(), read.clone()).await.sound("streams, warming up")?;
    through.clear();
    for process in house.services() {
        stand::forget_peak(process)?;
    }
    let (meter, stolen) = (Meter::begin(house.services())?, Stolen::begin());
    let taken = open(rate, during, read).await.sound("streams")?;
    let stolen = stolen.percent();
    let parts = meter.per(taken.count() * TOKENS as u64)?;
    let two: Vec<_> =
        parts.iter().filter(|(name, _)| ["bff", "chat"].contains(&name.as_str())).cloned().collect();

    let token = sum(&two);
    report.rows.push(
        Row::new(3, "CPU per token, BFF and chat, the turn included", "µs", token)
            .beside("µs floor's relay", floor_token)
            .at_most(65.0)
            .cpu(&parts),
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
        let added = through.first(percent) - direct.first(percent);
        let what = format!("first text later than from the model itself, p{percent:.0}, 200 streams");
        let row = Row::new(4, what, "ms", added).beside("ms direct", direct.first(percent));
        let of_others = format!(
            "other machines took {stolen:.0} % of the processors' time, {stolen_directly:.0} % while the model itself was asked"
        );
        report.rows.push(if percent > 90.0 { row.at_most(10.0).note(of_others) } else { row });
    }
    let stretch = (through.whole(50.0) / direct.whole(50.0) - 1.0) * 100.0;
    report.rows.push(
        Row::new(4, "a whole reply takes longer by, p50", "%", stretch).at_most(1.0).note(format!(
            "{:.0} ms instead of {:.0} ms",
            through.whole(50.0),
            direct.whole(50.0)
        )),
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

async fn read_direct(asked: reqwest::RequestBuilder, times: &Times) -> Result<()> {
    let began = Instant::now();
    let mut events = asked.send().await?.error_for_status()?.bytes_stream().eventsource();
    let mut first = None;
    while let Some(event) = events.next().await {
        if event?.data.contains(crate::upstream::TOKENS_SAID[0]) {
            first.get_or_insert_with(|| began.elapsed());
        }
    }
    times.add(first.context("the model said nothing")?, began.elapsed());
    Ok(())
}

/// Goal 5.
///
/// # Errors
/// When something fails that should not.
pub async fn unpaced(house: &House, report: &mut Report) -> Result<()> {
    house.upstream.plays(Script { tokens: UNPACED, ..Script::default() });
    let chats = turns::chats(house, 40).await?;
    let streamed = Times::new();
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
    report.rows.push(
        Row::new(
            5,
            "a reply of 200 tokens without a pace, first text to the end, p50",
            "ms",
            streamed.whole(50.0),
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
