//! Open event streams (`/api/events`) in a rolling restart. They never end by themselves, so that each must end with its
//! process: that is no cut when the reader is told to come back, is let in at once when it does, and hears on.
//!
//! What changed in between is not told again: the web app fetches everything anew when it comes back
//! (`web/src/shared/hintStream.ts`).

use std::{ops::Range, sync::Arc, time::Duration};

use anyhow::Result;
use futures::StreamExt as _;
use reqwest::{Response, StatusCode};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, timeout},
};
use uuid::Uuid;

use super::{house::House, judge::Judge, report::Row};
use crate::guest::Guest;

/// Streams of one person: Envoy chooses a replica for each.
const EACH: usize = 2;
/// What is said first, and tells a reader that it listens.
const OPENED: &str = ": listening";
/// The line of an event that is a hint.
const HINT: &str = "event: hint";
/// What a reader is told when its stream ends with its process: after how many milliseconds to come back.
const GOODBYE: &str = "retry: 1000";
/// … which this is.
const RETRY: Duration = Duration::from_secs(1);
/// A stream that says nothing for so long is lost: a comment comes every 15 s.
const SILENT: Duration = Duration::from_secs(20);
/// By then a stream has been opened.
const OPEN: Duration = Duration::from_secs(5);
/// By then a hint about what was done is heard.
const HEARD: Duration = Duration::from_secs(5);
/// Bytes of the end of a stream that are looked at.
const TAIL: usize = 256;

/// What all have heard so far.
#[derive(Debug, Clone, Default)]
struct Heard {
    /// Streams that are open.
    open: usize,
    goodbyes: usize,
    /// By the stream, in the order of their people.
    hints: Vec<usize>,
    /// What no stream may do.
    wrong: Vec<String>,
}

type Ears = Arc<watch::Sender<Heard>>;

/// People who listen until this is dropped.
pub struct Listeners {
    guests: Vec<Guest>,
    ears: Ears,
    _tasks: JoinSet<()>,
}

impl Listeners {
    /// So many people open their streams.
    ///
    /// # Errors
    /// When they are not taken.
    pub async fn open(house: &House, judge: &Judge, people: usize) -> Result<Self> {
        // Without an end of its own.
        let http =
            kit::outbound::builder().read_timeout(SILENT).tls_danger_accept_invalid_certs(true).build()?;
        let ears = Ears::new(watch::Sender::new(Heard { hints: vec![0; people * EACH], ..Heard::default() }));
        let (mut tasks, mut guests) = (JoinSet::new(), Vec::new());
        for person in 0..people {
            let guest = Guest::new(&house.http, &house.address).await?;
            judge.journal.person(&guest.username);
            for stream in streams(person) {
                tasks.spawn(listen(guest.through(&http), Arc::clone(&ears), stream));
            }
            guests.push(guest);
        }
        let listeners = Self { guests, ears, _tasks: tasks };
        anyhow::ensure!(listeners.all_are_open().await, "not everybody can listen");
        Ok(listeners)
    }

    /// Whether all streams are open, now or soon.
    async fn all_are_open(&self) -> bool {
        let all = self.guests.len() * EACH;
        let mut heard = self.ears.subscribe();
        timeout(RETRY + OPEN, heard.wait_for(|heard| heard.open == all)).await.is_ok()
    }

    /// Judges what they have heard; then something of each is changed, and each must hear of it.
    pub async fn leave(self, judge: &Judge, character: Uuid, row: &mut Row) {
        row.expect(self.all_are_open().await, || "not every event stream was taken up again".into());
        let mut heard = self.ears.subscribe();
        for (person, guest) in self.guests.iter().enumerate() {
            let before = heard.borrow().hints.clone();
            let chat = judge.chat(guest, character).await;
            let said = match &chat {
                Some(chat) => judge.say(guest, chat).await,
                None => None,
            };
            row.expect(said.is_some(), || "who listens cannot speak".into());
            let all = |heard: &Heard| streams(person).all(|stream| heard.hints[stream] > before[stream]);
            let hears = timeout(HEARD, heard.wait_for(all)).await;
            row.expect(hears.is_ok(), || "a hint was not heard by all who listen".into());
        }
        let Heard { goodbyes, wrong, .. } = heard.borrow().clone();
        row.expect(goodbyes > 0, || "no event stream ended with its process".into());
        row.checked += goodbyes as u64;
        row.broken.extend(wrong);
        row.note += &format!(
            "; {} event streams were told {goodbyes} times to come back, and did",
            self.guests.len() * EACH
        );
    }
}

/// Numbers of somebody's streams.
fn streams(person: usize) -> Range<usize> {
    person * EACH..(person + 1) * EACH
}

/// Listens, coming back when a stream ends.
async fn listen(guest: Guest, ears: Ears, stream: usize) {
    loop {
        let told = once(&guest, &ears, stream).await;
        ears.send_modify(|heard| match told {
            Ok(()) => heard.goodbyes += 1,
            Err(why) => heard.wrong.push(why),
        });
        tokio::time::sleep(RETRY).await;
    }
}

/// Opens a stream and reads it to its end, which must be a goodbye.
async fn once(guest: &Guest, ears: &Ears, stream: usize) -> Result<(), String> {
    let began = Instant::now();
    let response = guest.listen("/api/events").await;
    let response = response.map_err(|error| format!("an event stream was not opened: {error}"))?;
    if response.status() != StatusCode::OK {
        return Err(format!("an event stream was answered {}", response.status()));
    }
    let mut open = false;
    let told = read(response, ears, stream, |ears| {
        open = true;
        ears.send_modify(|heard| {
            heard.open += 1;
            if began.elapsed() > OPEN {
                heard
                    .wrong
                    .push(format!("an event stream opened after {:.1} s", began.elapsed().as_secs_f32()));
            }
        });
    })
    .await;
    if open {
        ears.send_modify(|heard| heard.open -= 1);
    }
    told
}

async fn read(
    response: Response,
    ears: &Ears,
    stream: usize,
    mut opens: impl FnMut(&Ears),
) -> Result<(), String> {
    let mut pieces = response.bytes_stream();
    let (mut line, mut tail, mut is_open) = (String::new(), String::new(), false);
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| format!("an event stream was cut: {error}"))?;
        let text = String::from_utf8_lossy(&piece);
        line.push_str(&text);
        while let Some((whole, rest)) = line.split_once('\n') {
            if whole.trim_end() == HINT {
                ears.send_modify(|heard| heard.hints[stream] += 1);
            }
            line = rest.to_owned();
        }
        tail.push_str(&text);
        if !is_open && tail.contains(OPENED) {
            is_open = true;
            opens(ears);
        }
        let surplus = tail.chars().count().saturating_sub(TAIL);
        tail = tail.chars().skip(surplus).collect();
    }
    if tail.contains(GOODBYE) {
        Ok(())
    } else {
        Err(format!("an event stream ended without a goodbye: {tail:?}"))
    }
}
