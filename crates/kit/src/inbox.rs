//! Events of other services, each applied once: the inbox row and the effect commit together.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use async_trait::async_trait;
use prost::Message;
use proto::{events::v1::Envelope, queues::Queue};
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

use crate::{
    broker::{Broker, Delivery},
    db::{self, Db, Transaction},
    shutdown::Shutdown,
};

/// Events handled at a time by one process.
const PREFETCH: u16 = 16;
/// How often old rows are deleted.
const SWEEP: Duration = Duration::from_secs(3600);

/// An event as it came.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: Uuid,
    pub topic: String,
    pub at: Option<OffsetDateTime>,
    body: Vec<u8>,
}

impl Event {
    /// # Errors
    /// When the body is not the message that the topic promises; it will end as a dead letter.
    pub fn decode<M: Message + Default>(&self) -> anyhow::Result<M> {
        M::decode(self.body.as_slice()).with_context(|| format!("the body of {} cannot be read", self.topic))
    }
}

/// What a service does with events.
#[async_trait]
pub trait Apply: Send + Sync + 'static {
    /// Applies the event in the transaction that remembers it. Topics that mean nothing are ignored.
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()>;

    /// After the commit: what need not be certain (hints to browsers, dropping caches).
    async fn applied(&self, _event: &Event) {}
}

/// Consumes the queue until shutdown.
pub(crate) async fn run(
    db: Db,
    broker: Broker,
    queue: Queue,
    app: Arc<dyn Apply>,
    ready: watch::Sender<bool>,
    shutdown: Shutdown,
) {
    broker
        .consume(queue.into(), PREFETCH, Some(ready), move |delivery| {
            let (db, app, shutdown) = (db.clone(), Arc::clone(&app), shutdown.clone());
            Box::pin(
                async move { db.outlast(&shutdown, || db::round(once(&db, app.as_ref(), &delivery))).await },
            )
        })
        .await;
}

async fn once(db: &Db, app: &dyn Apply, delivery: &Delivery) -> anyhow::Result<()> {
    let envelope = Envelope::decode(delivery.body.as_slice()).context("not an envelope")?;
    let event = Event {
        id: Uuid::try_parse(&envelope.id).context("an envelope without an id")?,
        topic: envelope.topic,
        at: envelope.at.as_ref().and_then(crate::time::from_proto),
        body: envelope.body,
    };
    let mut tx = db.begin().await?;
    let new = sqlx::query("insert into inbox (event_id) values ($1) on conflict do nothing")
        .bind(event.id)
        .execute(&mut *tx)
        .await?
        .rows_affected();
    if new == 0 {
        return Ok(());
    }
    app.apply(&mut tx, &event).await?;
    tx.commit().await?;
    app.applied(&event).await;
    Ok(())
}

/// Deletes what needs no longer be remembered: events after 7 days, answers after 48 hours.
pub(crate) async fn sweep(db: Db, shutdown: Shutdown) {
    loop {
        for statement in [
            "delete from inbox where at < now() - interval '7 days'",
            "delete from idempotency where at < now() - interval '48 hours'",
        ] {
            if let Err(error) = sqlx::query(statement).execute(&db).await {
                tracing::warn!(%error, "old rows not deleted");
            }
        }
        tokio::select! { () = tokio::time::sleep(SWEEP) => {}, () = shutdown.wait() => return }
    }
}
