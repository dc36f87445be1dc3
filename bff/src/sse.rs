//! Server-Sent Events: no buffering, a comment every 15 s, an orderly end.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt as _, stream};
use kit::shutdown::Shutdown;

/// A comment this often keeps proxies from closing a quiet stream, and tells us of a browser that left.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A browser comes back after this, when we end a stream because the process ends.
const RETRY: Duration = Duration::from_secs(1);

/// Kept back of the grace period, so that a reader of a long reply is told to come back.
const MARGIN: Duration = Duration::from_secs(2);

/// Counts the streams that are open: from its making until it is dropped with its stream.
struct Open;

impl Open {
    fn begin() -> Self {
        metrics::gauge!("event_streams_open").increment(1);
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        metrics::gauge!("event_streams_open").decrement(1);
    }
}

/// Answers with events that have an end of their own, and lets them come to it while the process ends, for nearly as
/// long as it may take (`grace`).
pub fn finish(
    events: impl Stream<Item = Event> + Send + 'static,
    shutdown: &Shutdown,
    grace: Duration,
) -> Response {
    let ends = shutdown.clone();
    until(events, async move { ends.overdue(grace.saturating_sub(MARGIN)).await })
}

/// Answers with events that never end, until the process does.
pub fn answer(events: impl Stream<Item = Event> + Send + 'static, shutdown: &Shutdown) -> Response {
    until(events, shutdown.wait_owned())
}

/// Tells the events until they end by themselves, or `cut` comes: then the reader is told to come back.
fn until(
    events: impl Stream<Item = Event> + Send + 'static,
    cut: impl Future<Output = ()> + Send + 'static,
) -> Response {
    let was_cut = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&was_cut);
    let cut = async move {
        cut.await;
        seen.store(true, Ordering::Relaxed);
    };
    let last = stream::once(async move {
        let again = || Event::default().comment("closing, come back").retry(RETRY);
        was_cut.load(Ordering::Relaxed).then(again)
    });
    let open = Open::begin();
    let events = events
        .inspect(move |_| {
            let _ = &open;
        })
        .take_until(Box::pin(cut))
        .chain(last.filter_map(std::future::ready))
        .map(Ok::<_, Infallible>);
    let mut response =
        Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE).text("still here")).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
