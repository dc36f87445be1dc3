//! The outbox: events are written with the change they tell of, and published after it is committed.
//! At least once, in no promised order; consumers go by the event's id and the aggregate's version.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use prost::Message;
use proto::events::v1::Envelope;
use sqlx::{PgExecutor, Row as _};
use tokio::sync::watch;
use uuid::Uuid;

use crate::{
    broker::{Broker, Outgoing},
    db::{self, Db},
    shutdown::Shutdown,
    telemetry,
};

/// DDL of the outbox, the inbox and the idempotency table, the first part of each first migration.
pub const DDL: &str = include_str!("../sql/house.sql");

/// Events of one round.
const BATCH: i64 = 256;
/// First pause after an event was written here, which its transaction needs to commit; doubles while nothing is found …
const SOON: Duration = Duration::from_millis(2);
/// … up to here: so late is found what another process has written, or what has fallen due.
const IDLE: Duration = Duration::from_millis(250);
/// Pause while the broker or the database is away.
const AWAY: Duration = Duration::from_millis(500);

/// Counts the events that this process has written, committed or not. The database could tell of commits (`notify`), but
/// takes a lock of the whole server for each.
static WRITTEN: LazyLock<watch::Sender<u64>> = LazyLock::new(|| watch::Sender::new(0));

/// How often it is looked how much waits …
const LOOK: Duration = Duration::from_secs(5);
/// … and how far it is counted: more than this is simply much.
const COUNTED: i64 = 10_000;

/// Writes an event in the caller's transaction.
///
/// # Errors
/// Whatever the database says.
pub async fn enqueue(db: impl PgExecutor<'_>, topic: &str, event: &impl Message) -> sqlx::Result<Uuid> {
    enqueue_after(db, topic, event, Duration::ZERO).await
}

/// Writes an event that is not published before so long has passed: a delayed retry. It passes by the clock of the database,
/// which the relay goes by too: a process whose clock is an hour ahead would keep its events back for that hour.
///
/// # Errors
/// Whatever the database says.
pub async fn enqueue_after(
    db: impl PgExecutor<'_>,
    topic: &str,
    event: &impl Message,
    after: Duration,
) -> sqlx::Result<Uuid> {
    let id = Uuid::now_v7();
    // Five schemas share this text, so it is checked by this crate's tests and not by `query!`.
    sqlx::query(
        "insert into outbox (id, topic, body, traceparent, available_at)
         values ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))",
    )
    .bind(id)
    .bind(topic)
    .bind(event.encode_to_vec())
    .bind(telemetry::traceparent())
    .bind(after.as_secs_f64())
    .execute(db)
    .await?;
    WRITTEN.send_modify(|events| *events += 1);
    Ok(id)
}

/// Publishes what is due until shutdown.
pub(crate) async fn relay(db: Db, broker: Broker, shutdown: Shutdown) {
    let mut looked: Option<Instant> = None;
    let mut written = WRITTEN.subscribe();
    let mut pause = Duration::ZERO;
    loop {
        if looked.is_none_or(|at| at.elapsed() >= LOOK) {
            looked = Some(Instant::now());
            if let Err(error) = db::round(measure(&db)).await {
                tracing::warn!(%error, "outbox not measured");
            }
        }
        pause = match db::round(round(&db, &broker)).await {
            Ok(0) => (pause * 2).clamp(SOON, IDLE),
            Ok(_) => Duration::ZERO,
            Err(error) => {
                metrics::counter!("outbox_failures_total").increment(1);
                tracing::warn!(%error, "outbox not relayed");
                tokio::select! { () = tokio::time::sleep(AWAY) => {}, () = shutdown.wait() => return }
                Duration::ZERO
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            // The sender is a static: this is always a write.
            _ = written.changed() => {
                pause = Duration::ZERO;
                tokio::select! { () = tokio::time::sleep(SOON) => {}, () = shutdown.wait() => return }
            }
            () = shutdown.wait() => return,
        }
    }
}

/// Writes down how many events wait to be published and how long the first of them has, and how the pool stands.
async fn measure(db: &Db) -> sqlx::Result<()> {
    // Some dozens at most, so nothing is lost.
    let connections = db.status();
    metrics::gauge!("db_connections", "state" => "idle").set(connections.available as f64);
    metrics::gauge!("db_connections", "state" => "used")
        .set((connections.size - connections.available) as f64);
    metrics::gauge!("db_connections_max").set(connections.max_size as f64);
    let row = sqlx::query(
        "select count(*) as waiting, coalesce(extract(epoch from now() - min(available_at)), 0)::float8 as oldest
         from (select available_at from outbox where available_at <= now() order by available_at limit $1) due",
    )
    .bind(COUNTED)
    .fetch_one(db)
    .await?;
    let (waiting, oldest): (i64, f64) = (row.try_get("waiting")?, row.try_get("oldest")?);
    // At most COUNTED, so nothing is lost.
    metrics::gauge!("outbox_rows").set(waiting as f64);
    metrics::gauge!("outbox_oldest_seconds").set(oldest);
    Ok(())
}

/// Publishes a batch with confirms and deletes it, in one transaction: a crash in between publishes
/// again, which consumers know by the event's id.
async fn round(db: &Db, broker: &Broker) -> anyhow::Result<usize> {
    // Mostly nothing is due, and one statement says so more cheaply than a transaction.
    let due = "select exists (select from outbox where available_at <= now())";
    if !sqlx::query_scalar::<_, bool>(due).fetch_one(db).await? {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    let rows = sqlx::query(
        "select id, topic, body, traceparent, available_at from outbox where available_at <= now()
         order by available_at, id limit $1 for update skip locked",
    )
    .bind(BATCH)
    .fetch_all(&mut *tx)
    .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let mut ids = Vec::with_capacity(rows.len());
    let mut batch = Vec::with_capacity(rows.len());
    for row in rows {
        let id: Uuid = row.try_get("id")?;
        let topic: String = row.try_get("topic")?;
        let due = row.try_get("available_at")?;
        let envelope = Envelope {
            id: id.to_string(),
            topic: topic.clone(),
            at: Some(crate::time::to_proto(due)),
            body: row.try_get("body")?,
        };
        ids.push(id);
        batch.push(Outgoing {
            id,
            topic,
            body: envelope.encode_to_vec(),
            traceparent: row.try_get("traceparent")?,
            due,
        });
    }
    broker.publish(batch).await?;
    sqlx::query("delete from outbox where id = any($1)").bind(&ids).execute(&mut *tx).await?;
    tx.commit().await?;
    metrics::counter!("outbox_published_total").increment(ids.len() as u64);
    Ok(ids.len())
}
