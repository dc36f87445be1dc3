//! Keeps the listing index right: reads what has changed, builds it anew, at intervals that grow with
//! what a build costs.

use std::{collections::HashMap, sync::Arc, time::Duration};

use kit::{db::Db, shutdown::Shutdown};
use time::OffsetDateTime;
use tokio::time::Instant;

use super::{
    Shared,
    index::{Entry, Index},
    store,
};
use crate::{error::Result, limits};

/// Numbers of a sequence are taken before they are committed: a little of the past is read again.
const OVERLAP: i64 = 1_000;
/// Rows that are read at once.
const PART: usize = 10_000;
/// *Recent* moves on also when nothing changes.
const AT_LEAST: Duration = Duration::from_secs(600);

/// Reads changes and builds, until shutdown.
pub async fn follow(db: Db, shared: Shared, shutdown: Shutdown) {
    let mut state = State::default();
    loop {
        let cost = state.refresh(&db, &shared).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "listing index not refreshed");
            Duration::ZERO
        });
        let pause = limits::REFRESH_MIN.max(cost * limits::REFRESH_FACTOR);
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

#[derive(Default)]
struct State {
    entries: HashMap<i32, Arc<Entry>>,
    last: i64,
    built: Option<Instant>,
    /// Whether anything was learnt since.
    news: bool,
}

impl State {
    /// How long a core was at it. Waiting for PostgreSQL costs none: when that counted, a moment in which the database was slow
    /// kept lists as they were for twenty times as long.
    async fn refresh(&mut self, db: &Db, shared: &Shared) -> Result<Duration> {
        let since = (self.last - OVERLAP).max(0);
        let mut from = since;
        // A part at a time: a million rows at once took more memory than the index that is made of them.
        let last = loop {
            let changed = store::changed_since(db, from, PART).await?;
            match changed.last() {
                Some((seq, _)) if changed.len() == PART => from = *seq,
                _ => break changed,
            }
            self.learn(changed, Vec::new());
        };
        let gone = store::gone_since(db, since).await?;
        // Only now: what could not be read is asked for again.
        let read = last.last().map(|(seq, _)| *seq).into_iter().chain(gone.iter().map(|(seq, _)| *seq));
        self.last = read.fold(self.last.max(from), i64::max);
        self.news |= self.built.is_none_or(|at| at.elapsed() > AT_LEAST);
        let mut state = std::mem::take(self);
        // Ranking a million takes half a second, and to go through them some hundredths: not on a thread that answers
        // requests. Should it break, everything is read anew.
        let built = tokio::task::spawn_blocking(move || {
            state.learn(last, gone);
            let began = Instant::now();
            let index = state
                .news
                .then(|| Index::build(state.entries.values().cloned().collect(), OffsetDateTime::now_utc()));
            (state, index, began.elapsed())
        });
        let Ok((state, index, took)) = built.await else { return Ok(Duration::ZERO) };
        *self = state;
        let Some(index) = index else { return Ok(Duration::ZERO) };
        tracing::debug!(characters = index.len(), "listing index built");
        shared.set(index);
        (self.built, self.news) = (Some(Instant::now()), false);
        Ok(took)
    }

    /// What was committed late is read twice, and is news once.
    fn learn(&mut self, changed: Vec<(i64, Entry)>, gone: Vec<(i64, i32)>) {
        for (_, entry) in changed {
            if self.entries.get(&entry.ord).map(AsRef::as_ref) != Some(&entry) {
                self.entries.insert(entry.ord, Arc::new(entry));
                self.news = true;
            }
        }
        for (_, ord) in gone {
            self.news |= self.entries.remove(&ord).is_some();
        }
    }
}
