//! CPU of a reply on its way from the engine to its readers (`stream_bench [tokens] [readers]`), per token and
//! as a ratio to nothing but parsing the same stream in the same run. On one thread, the stream in memory:
//! what is left is the path itself. Build it with `--release`.

use std::{hint::black_box, sync::Arc, time::Instant};

use bytes::Bytes;
use chat::{
    engines::{
        Piece, openai,
        speech::Speech,
        wire::{Body, Sound},
    },
    generations::{
        live::{Live, Outcome},
        screen::{Screen, Then},
    },
};
use eventsource_stream::Eventsource as _;
use futures::{StreamExt as _, stream};
use uuid::Uuid;

const WORDS: &[&str] = &[
    "*She", " turns", " the", " lamp", " down", " and", " looks", " at", " you.*", " \"You", " came",
    " late,\"", " she", " says,", " and", " smiles.", "\n\n",
];
/// Tokens of one reply.
const REPLY: usize = 400;

fn body(tokens: usize) -> Body {
    let chunks = (0..tokens).map(|n| {
        let said = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": WORDS[n % WORDS.len()] } }] });
        Ok(Bytes::from(format!("data: {said}\n\n")))
    });
    let end = serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let end = [Ok(Bytes::from(format!("data: {end}\n\n"))), Ok(Bytes::from_static(b"data: [DONE]\n\n"))];
    Box::pin(stream::iter(chunks.chain(end).collect::<Vec<_>>()))
}

/// Nanoseconds that this thread has run; by the clock where the kernel does not tell.
fn cpu_ns(begun: Instant) -> u128 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next()?.parse().ok());
    told.unwrap_or_else(|| begun.elapsed().as_nanos())
}

async fn parse(body: Body) -> usize {
    let mut events = body.eventsource();
    let mut bytes = 0;
    while let Some(Ok(event)) = events.next().await {
        bytes += black_box(&event.data).len();
    }
    bytes
}

/// As the service's own readers do.
async fn follow(live: Arc<Live>) -> usize {
    let mut changes = live.changes();
    let mut offset = 0;
    loop {
        let (text, outcome) = live.after(offset);
        offset += black_box(text).len();
        if outcome.is_some() || changes.changed().await.is_err() {
            return offset;
        }
    }
}

async fn write(body: Body, readers: usize) -> usize {
    let live = Arc::new(Live::new(Uuid::now_v7()));
    let readers: Vec<_> = (0..readers).map(|_| tokio::spawn(follow(live.clone()))).collect();
    let mut screen = Screen::new(vec!["\nRobin:".to_owned(), "\n**Robin:".to_owned()], "And then?", []);
    let mut sounds = openai::read(body, Speech::default());
    while let Some(Ok(sound)) = sounds.next().await {
        if let Sound::Piece(Piece::Text(text)) = sound {
            let heard = screen.push(&text);
            live.append(&heard.text);
            if heard.then != Then::On {
                break;
            }
        }
        // A token comes by itself: readers have their turn.
        tokio::task::yield_now().await;
    }
    live.append(&screen.finish().text);
    live.end(Outcome::Lost);
    let mut read = 0;
    for reader in readers {
        read += reader.await.unwrap_or(0);
    }
    read
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let tokens = arguments.next().transpose()?.unwrap_or(100_000);
    let readers = arguments.next().transpose()?.unwrap_or(1);
    let replies = tokens.div_ceil(REPLY);
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        black_box((parse(body(REPLY)).await, write(body(REPLY), readers).await));
        let (mut bare, mut whole) = (0, 0);
        for _ in 0..replies {
            let (one, other) = (body(REPLY), body(REPLY));
            let at = cpu_ns(begun);
            black_box(parse(one).await);
            let then = cpu_ns(begun);
            black_box(write(other, readers).await);
            bare += then - at;
            whole += cpu_ns(begun) - then;
        }
        #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
        let per_token = |ns: u128| ns as f64 / (replies * REPLY) as f64 / 1_000.0;
        println!("bare SSE parse        {:8.2} µs/token", per_token(bare));
        println!("engine to {readers} reader(s)  {:8.2} µs/token", per_token(whole));
        println!("ratio                 {:8.2}", per_token(whole) / per_token(bare));
    });
    Ok(())
}
