//! What goes on behind the replies: copies to Redis, text and leases to the database, the sweep of
//! those whose owner died, and an orderly end.

use std::{collections::HashMap, time::Duration};

use kit::shutdown::Shutdown;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::{End, copy_key, pace, store};
use crate::{
    App,
    error::Result,
    limits::{COPY_EVERY, COPY_LIFE_S, GRACE_MARGIN, SAVE_EVERY, SWEEP_EVERY},
};

/// True until shutdown, and then as long as something is still written.
async fn pause(app: &App, shutdown: &Shutdown, every: Duration) -> bool {
    tokio::time::sleep(every).await;
    !(shutdown.is_now() && app.live.is_empty())
}

/// Copies new text to Redis, at most 250 ms behind, in one pipeline for all replies.
pub async fn copy(app: App, shutdown: Shutdown) {
    while pause(&app, &shutdown, COPY_EVERY).await {
        let mut pipe = redis::pipe();
        let mut any = false;
        for live in app.live.all() {
            if live.closing() {
                continue;
            }
            if let Some((from, text)) = live.take_uncopied() {
                let key = app.redis.key(copy_key(live.id));
                // The id is the byte at which the piece ends: a duplicate is refused, a range is a resume.
                let id = format!("{}-0", from + text.len());
                pipe.cmd("XADD").arg(&key).arg(id).arg("t").arg(text).ignore();
                pipe.cmd("EXPIRE").arg(&key).arg(COPY_LIFE_S).ignore();
                any = true;
            }
        }
        if any && let Err(error) = app.redis.pipe::<()>(&pipe).await {
            tracing::debug!(%error, "replies not copied; the database has them within a second");
        }
    }
}

/// Writes text and leases each second, for all replies in one statement, and lets go of what was kept for a turn
/// in vain.
pub async fn save(app: App, shutdown: Shutdown) {
    while pause(&app, &shutdown, SAVE_EVERY).await {
        app.paths.let_go();
        app.remembered.let_go();
        if let Err(error) = kit::db::round(save_once(&app)).await {
            tracing::warn!(%error, "running replies not saved");
        }
    }
}

async fn save_once(app: &App) -> Result<()> {
    let running: Vec<_> = app.live.all().into_iter().filter(|live| !live.closing()).collect();
    if running.is_empty() {
        return Ok(());
    }
    let mut pieces = store::Pieces::default();
    let mut reached = Vec::new();
    for live in &running {
        if let Some((from, text)) = live.unsaved() {
            reached.push((live.clone(), from + text.len()));
            pieces.generations.push(live.id);
            pieces.offsets.push(i32::try_from(from).unwrap_or(i32::MAX));
            pieces.texts.push(text);
        }
    }
    let ids: Vec<Uuid> = running.iter().map(|live| live.id).collect();
    let held = store::hold(&app.db, app.me, &ids, &pieces).await?;
    let stop_asked: HashMap<Uuid, bool> = held.into_iter().map(|held| (held.id, held.stop_asked)).collect();
    for (live, bytes) in reached {
        live.saved(bytes);
    }
    for live in running {
        match stop_asked.get(&live.id) {
            Some(true) => live.stop.cancel(),
            Some(false) => {}
            None if live.closing() => {}
            None => live.fenced.cancel(),
        }
    }
    Ok(())
}

/// Ends the replies of processes that died, keeping what they had saved.
pub async fn sweep(app: App, shutdown: Shutdown) {
    while !shutdown.is_now() {
        if let Err(error) = kit::db::round(sweep_once(&app)).await {
            tracing::warn!(%error, "expired replies not looked for");
        }
        tokio::select! { () = tokio::time::sleep(SWEEP_EVERY) => {}, () = shutdown.wait() => {} }
    }
}

async fn sweep_once(app: &App) -> Result<()> {
    for id in store::expired(&app.db).await? {
        let ending = store::Ending {
            end: End::Interrupted,
            reason: "unavailable",
            text: "",
            tokens: None,
            engine: None,
        };
        if store::end(&app.db, id, store::By::Sweeper, ending).await?.is_some() {
            pace::counted(End::Interrupted, "unavailable", app.engine.name().to_owned());
            tracing::warn!(generation = %id, "a reply was interrupted: its owner gave no sign of life");
        }
    }
    Ok(())
}

/// After the signal: what is written may be finished within the grace period, the rest is kept as
/// interrupted in time for its readers to hear of it.
pub async fn drain(app: App, writers: TaskTracker, grace: Duration, shutdown: Shutdown) {
    shutdown.wait().await;
    writers.close();
    if tokio::time::timeout(grace.saturating_sub(GRACE_MARGIN), writers.wait()).await.is_err() {
        for live in app.live.all() {
            live.cut.cancel();
        }
        writers.wait().await;
    }
    // Their ends are told a moment later, and readers at other processes wait for them.
    app.redis.settled().await;
}
