//! The outbox: events are written with the change they tell of, and published after it is committed.
//! At least once, in no promised order; consumers go by the event's id and the aggregate's version.

use std::time::Duration;

use prost::Message;
use proto::events::v1::Envelope;
use sqlx::{PgExecutor, PgPool, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    broker::{Broker, Outgoing},
    shutdown::Shutdown,
    telemetry,
};

/// DDL of the outbox, the inbox and the idempotency table, the first part of each first migration.
pub const DDL: &str = include_str!("../sql/house.sql");

/// Events of one round.
const BATCH: i64 = 256;
/// Pause when there is nothing to publish.
const IDLE: Duration = Duration::from_millis(100);
/// Pause while the broker or the database is away.
const AWAY: Duration = Duration::from_millis(500);

/// Writes an event in the caller's transaction.
///
/// # Errors
/// Whatever the database says.
pub async fn enqueue(db: impl PgExecutor<'_>, topic: &str, event: &impl Message) -> sqlx::Result<Uuid> {
    enqueue_at(db, topic, event, OffsetDateTime::now_utc()).await
}

/// Writes an event that is not published before `at`: a delayed retry.
///
/// # Errors
/// Whatever the database says.
pub async fn enqueue_at(
    db: impl PgExecutor<'_>,
    topic: &str,
    event: &impl Message,
    at: OffsetDateTime,
) -> sqlx::Result<Uuid> {
    let id = Uuid::now_v7();
    // Five schemas share this text, so it is checked by this crate's tests and not by `query!`.
    sqlx::query(
        "insert into outbox (id, topic, body, traceparent, available_at) values ($1, $2, $3, $4, $5)",
    )
    .bind(id)
    .bind(topic)
    .bind(event.encode_to_vec())
    .bind(telemetry::traceparent())
    .bind(at)
    .execute(db)
    .await?;
    Ok(id)
}

/// Publishes what is due until shutdown.
pub(crate) async fn relay(db: PgPool, broker: Broker, shutdown: Shutdown) {
    loop {
        let pause = match round(&db, &broker).await {
            Ok(0) => IDLE,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::warn!(%error, "outbox not relayed");
                AWAY
            }
        };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

/// Publishes a batch with confirms and deletes it, in one transaction: a crash in between publishes
/// again, which consumers know by the event's id.
async fn round(db: &PgPool, broker: &Broker) -> anyhow::Result<usize> {
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
        let envelope = Envelope {
            id: id.to_string(),
            topic: topic.clone(),
            at: Some(crate::time::to_proto(row.try_get("available_at")?)),
            body: row.try_get("body")?,
        };
        ids.push(id);
        batch.push(Outgoing {
            id,
            topic,
            body: envelope.encode_to_vec(),
            traceparent: row.try_get("traceparent")?,
        });
    }
    broker.publish(batch).await?;
    sqlx::query("delete from outbox where id = any($1)").bind(&ids).execute(&mut *tx).await?;
    tx.commit().await?;
    metrics::counter!("outbox_published_total").increment(ids.len() as u64);
    Ok(ids.len())
}
