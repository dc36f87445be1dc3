//! Keeps the listing index right: reads what has changed, builds it anew, at intervals that grow with
//! what a build costs.

use std::{future::ready, time::Duration};

use futures::TryStreamExt as _;
use kit::{aside, db::Db, shutdown::Shutdown};
use time::OffsetDateTime;
use tokio::time::Instant;

use super::{Shared, index::Index, store, table::Table};
use crate::{error::Result, limits};

/// Numbers of a sequence are taken before they are committed: a little of the past is read again, and is news once.
const OVERLAP: i64 = 1_000;
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
    table: Table,
    last: i64,
    built: Option<Instant>,
    /// Whether anything was learnt since.
    news: bool,
}

impl State {
    /// How long a core was at it. Waiting for PostgreSQL, or for those who are answered, costs none: when that counted, a moment
    /// in which the database was slow kept lists as they were for twenty times as long.
    async fn refresh(&mut self, db: &Db, shared: &Shared) -> Result<Duration> {
        let since = (self.last - OVERLAP).max(0);
        let mut last = self.last;
        // As they come, on a connection of their own: a million rows at once take more memory than the index that is made
        // of them.
        let mut connection = db.acquire().await?;
        let changed = store::changed_since(&mut *connection, since).try_for_each(|(seq, entry)| {
            self.news |= self.table.learn(&entry);
            last = seq;
            ready(Ok(()))
        });
        changed.await?;
        connection.done();
        for (seq, ord) in store::gone_since(db, since).await? {
            self.news |= self.table.forget(ord);
            last = last.max(seq);
        }
        // Only now: what could not be read to its end is read again.
        self.last = last.max(self.last);
        self.news |= self.built.is_none_or(|at| at.elapsed() > AT_LEAST);
        let mut state = std::mem::take(self);
        // Should it break, everything is read anew.
        let built = aside::run("listing", move || {
            if state.built.is_none() {
                state.table.shrink();
            }
            let index = state.news.then(|| Index::rank(&state.table, OffsetDateTime::now_utc()));
            (state, index, aside::worked())
        });
        let Some((state, index, took)) = built.await else { return Ok(Duration::ZERO) };
        *self = state;
        let Some(index) = index else { return Ok(Duration::ZERO) };
        tracing::debug!(characters = index.len(), "listing index built");
        shared.set(index);
        (self.built, self.news) = (Some(Instant::now()), false);
        Ok(took)
    }
}
