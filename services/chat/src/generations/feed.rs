//! A reader's view of a reply: the bytes after its offset and then what is still written, whether it is
//! in this process's memory, in Redis, in the database's pieces, or in the finished message.

use std::sync::Arc;

use futures::{Stream, StreamExt as _};
use proto::chat::v1::{GenerationEvent, Started, generation_event::Event};
use redis::streams::StreamRangeReply;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tokio_stream::wrappers::ReceiverStream;
use tracing::Instrument as _;
use uuid::Uuid;

use super::{
    HELP_LINES, copy_key, delta, ending, event,
    live::{Live, Outcome},
    store, text_after,
};
use crate::{
    App,
    chats::{self, Message},
    error::Result,
    limits::{FOLLOW_EVERY, TELL_EVERY},
};

/// Events that a slow reader may be behind; then it waits, and nobody else does.
const BEHIND: usize = 64;
/// Looks into Redis for one into the database.
const LOOKS: u32 = 10;

/// What a reader wants.
pub struct Wish {
    pub generation: Uuid,
    pub message: Uuid,
    /// The reader has the bytes before this.
    pub from: usize,
    pub user_message: Option<Message>,
    pub ai_message: Option<Message>,
}

/// Why a source has no more for a reader.
enum Next {
    /// The reader has it all, or has left.
    Finished,
    /// Another source knows on.
    Elsewhere,
}

/// Begins with `Started`, ends with `Done` or `Failed`.
pub fn feed(app: &App, wish: Wish) -> impl Stream<Item = GenerationEvent> + Send + use<> {
    // In boxes: the channel makes room for 32 of them at a time, and each would have room for the two messages that the
    // first one tells, 16 KiB or twice that for each reader.
    let (out, events) = mpsc::channel(BEHIND);
    // Taken now: a reply may end before the task runs, and its memory is the surest source.
    let live = app.live.get(wish.generation);
    tokio::spawn(run(app.clone(), wish, live, out).in_current_span());
    ReceiverStream::new(events).map(|event: Box<GenerationEvent>| *event)
}

async fn run(app: App, wish: Wish, live: Option<Arc<Live>>, out: mpsc::Sender<Box<GenerationEvent>>) {
    let started = Started {
        generation_id: wish.generation.to_string(),
        user_message: wish.user_message.map(Into::into),
        ai_message: wish.ai_message.map(Into::into),
    };
    if out.send(Box::new(event(wish.generation, wish.from, Event::Started(started)))).await.is_err() {
        return;
    }
    let mut reader = Reader { generation: wish.generation, message: wish.message, offset: wish.from, out };
    if let Some(live) = live
        && let Next::Finished = reader.local(&live).await
    {
        return;
    }
    reader.follow(&app).await;
}

struct Reader {
    generation: Uuid,
    message: Uuid,
    offset: usize,
    out: mpsc::Sender<Box<GenerationEvent>>,
}

impl Reader {
    /// True as long as the reader is there.
    async fn tell(&mut self, text: String) -> bool {
        if text.is_empty() {
            return true;
        }
        self.offset += text.len();
        self.out.send(Box::new(delta(self.generation, self.offset, text))).await.is_ok()
    }

    async fn tell_end(&mut self, message: Message) {
        // Help lines stand in place of what was begun: they are not its rest.
        let replaced = message.reason == HELP_LINES && self.offset > 0;
        let rest = if replaced { "" } else { text_after(&message.content, self.offset) }.to_owned();
        if self.tell(rest).await {
            // A reader who has left hears no end.
            let _ = self.out.send(Box::new(ending(self.generation, message))).await;
        }
    }

    /// From the memory of the process that writes.
    async fn local(&mut self, live: &Live) -> Next {
        let mut changes = live.changes();
        loop {
            let (text, outcome) = live.after(self.offset);
            let next = (!text.is_empty()).then(|| Instant::now() + TELL_EVERY);
            if !self.tell(text).await {
                return Next::Finished;
            }
            match outcome {
                Some(Outcome::Ended(message)) => {
                    self.tell_end(*message).await;
                    return Next::Finished;
                }
                Some(Outcome::Lost) => return Next::Elsewhere,
                None => {}
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return Next::Elsewhere },
                () = self.out.closed() => return Next::Finished,
            }
            // Each event is a message and an answer of several processes. Words that come faster than a screen shows them
            // are told together, and the end as soon as it is there.
            if let Some(next) = next.filter(|next| Instant::now() < *next) {
                tokio::select! {
                    _ = timeout_at(next, changes.wait_for(|ended| *ended)) => {}
                    () = self.out.closed() => return Next::Finished,
                }
            }
        }
    }

    /// From Redis and the database.
    async fn follow(&mut self, app: &App) {
        let mut look = 0;
        loop {
            let (there, ended) = self.read_redis(app).await;
            if !there {
                return;
            }
            if ended || look % LOOKS == 0 {
                match self.read_database(app).await {
                    Ok(Next::Finished) => return,
                    Ok(Next::Elsewhere) => {}
                    Err(error) => tracing::warn!(%error, "a reply cannot be followed; trying again"),
                }
            }
            look += 1;
            tokio::select! {
                () = tokio::time::sleep(FOLLOW_EVERY) => {}
                () = self.out.closed() => return,
            }
        }
    }

    /// Whether the reader is still there, and whether the copy says that it is complete.
    async fn read_redis(&mut self, app: &App) -> (bool, bool) {
        let mut range = redis::cmd("XRANGE");
        range.arg(app.redis.key(copy_key(self.generation))).arg(format!("({}-0", self.offset)).arg("+");
        let Ok(copy) = app.redis.run::<StreamRangeReply>(&range).await else { return (true, false) };
        for entry in copy.ids {
            let Some(text) = entry.get::<String>("t") else { return (true, true) };
            let end = entry.id.split('-').next().and_then(|end| end.parse::<usize>().ok()).unwrap_or(0);
            let begin = end.saturating_sub(text.len());
            if begin > self.offset {
                // A piece is missing here; the database has it.
                return (true, false);
            }
            let new = text_after(&text, self.offset - begin).to_owned();
            if !self.tell(new).await {
                return (false, false);
            }
        }
        (true, false)
    }

    async fn read_database(&mut self, app: &App) -> Result<Next> {
        let running = store::find(&app.db, self.generation).await?.is_some_and(|row| row.state == "running");
        if !running {
            // The chat may have been cleared meanwhile: then there is nothing to tell.
            if let Some(message) = chats::store::message(&app.db, self.message).await? {
                self.tell_end(message).await;
            }
            return Ok(Next::Finished);
        }
        let offset = i32::try_from(self.offset).unwrap_or(i32::MAX);
        for (begin, text) in store::kept(&app.db, self.generation, offset).await? {
            let begin = usize::try_from(begin).unwrap_or(0);
            if begin > self.offset {
                break;
            }
            let new = text_after(&text, self.offset - begin).to_owned();
            if !self.tell(new).await {
                return Ok(Next::Finished);
            }
        }
        Ok(Next::Elsewhere)
    }
}
