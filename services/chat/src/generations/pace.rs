//! How fast replies are written and how they end, by who writes them.

use std::time::Instant;

use kit::telemetry;
use tracing::Span;

use super::End;

/// One reply, from the engine's start to its end. A piece of text costs a comparison and an addition.
pub struct Pace {
    pub engine: String,
    /// As the engine counts them; else each piece of text is one.
    pub tokens: Option<u64>,
    began: Instant,
    first: Option<Instant>,
    pieces: u64,
}

impl Pace {
    pub fn begin(engine: &str) -> Self {
        metrics::gauge!("chat_generations_running").increment(1);
        Self { engine: engine.to_owned(), tokens: None, began: Instant::now(), first: None, pieces: 0 }
    }

    /// So many pieces of text have come.
    pub fn pieces(&mut self, times: u64) {
        self.first.get_or_insert_with(Instant::now);
        self.pieces += times;
    }

    pub fn ended(&self, end: End, reason: &'static str) {
        let engine = || self.engine.clone();
        let span = Span::current();
        telemetry::tell(&span, "engine", engine());
        telemetry::tell(&span, "end", end.as_str());
        telemetry::tell(&span, "reason", reason);
        if matches!(end, End::Failed | End::Interrupted) {
            span.record("otel.status_code", "ERROR");
        }
        counted(end, reason, engine());
        let Some(first) = self.first else { return };
        let tokens = self.tokens.unwrap_or(self.pieces);
        metrics::counter!("chat_reply_tokens_total", "engine" => engine()).increment(tokens);
        metrics::histogram!("chat_first_token_seconds", "engine" => engine()).record(first - self.began);
        // The first token is where the clock starts, so one alone has no speed.
        let (after, took) = (tokens.saturating_sub(1), first.elapsed().as_secs_f64());
        if after > 0 && took > 0.0 {
            #[expect(clippy::cast_precision_loss, reason = "a reply is far from 2^52 tokens")]
            metrics::histogram!("chat_tokens_per_second", "engine" => engine()).record(after as f64 / took);
        }
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        metrics::gauge!("chat_generations_running").decrement(1);
    }
}

/// Counts a reply that has ended, also one whose writer is not there to tell.
pub fn counted(end: End, reason: &'static str, engine: String) {
    metrics::counter!("chat_generations_total", "state" => end.as_str(), "reason" => reason, "engine" => engine)
        .increment(1);
}
