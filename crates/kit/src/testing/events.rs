//! Events seen and sent by a test, over the real broker.

use std::sync::{Arc, Mutex};

use prost::Message;
use proto::events::v1::Envelope;
use tokio::sync::watch;
use uuid::Uuid;

use super::eventually;
use crate::{
    broker::{Broker, Outgoing, QueueSpec},
    config::Common,
    shutdown::Shutdown,
};

/// What was published with certain routing keys since the recorder was made.
pub struct Recorder {
    seen: Arc<Mutex<Vec<Envelope>>>,
    shutdown: Shutdown,
}

impl Recorder {
    /// All events with this topic so far.
    ///
    /// # Panics
    /// When a body is not what the topic promises.
    #[must_use]
    pub fn all<M: Message + Default>(&self, topic: &str) -> Vec<M> {
        let seen = self.seen.lock().expect("no holder panics");
        seen.iter()
            .filter(|e| e.topic == topic)
            .map(|e| M::decode(e.body.as_slice()).expect("the body of the topic"))
            .collect()
    }

    /// Waits for an event with this topic that `wanted` accepts.
    pub async fn wait<M: Message + Default + Clone>(&self, topic: &str, wanted: impl Fn(&M) -> bool) -> M {
        eventually(|| async { self.all::<M>(topic).into_iter().find(|m| wanted(m)) }).await
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.shutdown.now();
    }
}

/// Records what is published on the test's exchange with these routing keys (`#` is all).
///
/// # Panics
/// When RabbitMQ cannot be reached.
pub async fn published(common: &Common, topics: &[&str]) -> Recorder {
    let shutdown = Shutdown::new();
    let broker = Broker::open(common, shutdown.clone());
    let seen: Arc<Mutex<Vec<Envelope>>> = Arc::default();
    let spec = QueueSpec::new(&format!("recorder.{}", Uuid::now_v7().simple()), topics);
    let (ready, mut gate) = watch::channel(false);
    let record = seen.clone();
    tokio::spawn(async move {
        broker
            .consume(spec, 64, Some(ready), move |delivery| {
                let record = record.clone();
                Box::pin(async move {
                    record
                        .lock()
                        .expect("no holder panics")
                        .push(Envelope::decode(delivery.body.as_slice())?);
                    Ok(())
                })
            })
            .await;
    });
    gate.wait_for(|ready| *ready).await.expect("the recorder's queue");
    Recorder { seen, shutdown }
}

/// Publishes an event as another service would; answers its id, so that it can be sent twice.
///
/// # Panics
/// When RabbitMQ does not take it.
pub async fn publish(common: &Common, topic: &str, event: &impl Message) -> Uuid {
    publish_as(common, Uuid::now_v7(), topic, event).await
}

/// Publishes an event under an id.
///
/// # Panics
/// When RabbitMQ does not take it.
pub async fn publish_as(common: &Common, id: Uuid, topic: &str, event: &impl Message) -> Uuid {
    let shutdown = Shutdown::new();
    let broker = Broker::open(common, shutdown.clone());
    eventually(|| async { broker.connected().then_some(()) }).await;
    let envelope = Envelope {
        id: id.to_string(),
        topic: topic.to_owned(),
        at: Some(crate::time::to_proto(time::OffsetDateTime::now_utc())),
        body: event.encode_to_vec(),
    };
    let (topic, body, due) = (topic.to_owned(), envelope.encode_to_vec(), time::OffsetDateTime::now_utc());
    let message = Outgoing { id, topic, body, traceparent: None, due };
    broker.publish(vec![message]).await.expect("RabbitMQ takes the event");
    shutdown.now();
    id
}
