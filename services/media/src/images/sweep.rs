//! What nobody else ends: jobs that were never paid for, and jobs whose worker went silent.

use std::time::Duration;

use kit::{
    db::{Db, round},
    shutdown::Shutdown,
};
use sqlx::types::Json;
use uuid::Uuid;

use super::{
    gallery,
    store::{self, Stored},
};
use crate::{
    engines::Options,
    error::Result,
    events::{self, End},
    limits,
};

/// Sweeps until shutdown. Any number of replicas may: rows are locked and skipped.
pub async fn run(db: Db, shutdown: Shutdown) {
    loop {
        if let Err(error) = measure(&db).await {
            tracing::warn!(%error, "waiting pictures not counted");
        }
        for (what, swept) in [
            ("unpaid jobs", round(unpaid(&db)).await),
            ("ended leases", round(silent(&db)).await),
            ("deleted pictures", gallery::erase(&db).await),
        ] {
            match swept {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, what, "swept"),
                Err(error) => tracing::warn!(%error, what, "not swept"),
            }
        }
        tokio::select! { () = tokio::time::sleep(limits::SWEEP) => {}, () = shutdown.wait() => return }
    }
}

/// Every replica tells the same.
async fn measure(db: &Db) -> Result<()> {
    let waiting = store::waiting(db).await?;
    #[expect(clippy::cast_precision_loss, reason = "a queue is far from 2^52 jobs")]
    for (state, jobs) in [("queued", waiting.queued as f64), ("running", waiting.running as f64)] {
        metrics::gauge!("image_jobs", "state" => state).set(jobs);
    }
    metrics::gauge!("image_jobs_oldest_seconds").set(waiting.oldest_s);
    Ok(())
}

/// Cancels what was not paid for in time. Reserving needs the user's own call, which is over; should the
/// coins be reserved after all, the event releases them.
async fn unpaid(db: &Db) -> Result<usize> {
    let mut tx = db.begin().await?;
    let rows = sqlx::query_as!(
        Stored,
        r#"update job set state = 'canceled', reason = 'unpaid', ended_at = now()
           where id in (select id from job where state = 'unpaid' and created_at < now() - make_interval(secs => $1)
                        order by created_at limit $2 for update skip locked)
           returning id, owner, purpose, character_id, version, options as "options: Json<Options>", tags, label,
                     private, priority, cost, attempts"#,
        limits::UNPAID.as_secs_f64(),
        limits::SWEEP_BATCH
    )
    .fetch_all(&mut *tx)
    .await?;
    let count = rows.len();
    for row in rows {
        events::image_ended(&mut tx, &row.into(), End::Canceled("unpaid")).await?;
    }
    tx.commit().await?;
    Ok(count)
}

/// Queues again what a worker left lying; its attempt counts, and the last one is failed by whoever
/// takes it up.
async fn silent(db: &Db) -> Result<usize> {
    let mut tx = db.begin().await?;
    let jobs: Vec<Uuid> = sqlx::query_scalar!(
        "update job set state = 'queued', available_at = now(), worker = null, lease_until = null
         where id in (select id from job where state = 'running' and lease_until < now()
                      order by lease_until limit $1 for update skip locked)
         returning id",
        limits::SWEEP_BATCH
    )
    .fetch_all(&mut *tx)
    .await?;
    for id in &jobs {
        events::ticket(&mut tx, *id, Duration::ZERO).await?;
    }
    tx.commit().await?;
    Ok(jobs.len())
}
