//! RabbitMQ, supervised by us: on any error the connection is dropped and made anew each half second.
//! (lapin's own recovery was measured to take 7 to 10 s, and to leave confirms unresolved.)

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt as _, future::BoxFuture};
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties, ExchangeKind,
    options::{
        BasicAckOptions, BasicConsumeOptions, BasicNackOptions, BasicPublishOptions, BasicQosOptions,
        ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions,
    },
    types::{AMQPValue, FieldTable},
};
use proto::queues::{self, Queue};
use thiserror::Error;
use time::OffsetDateTime;
use tokio::sync::{Mutex, watch};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::{config::Common, shutdown::Shutdown, telemetry};

/// Between attempts to connect.
const RETRY: Duration = Duration::from_millis(500);
/// An attempt that takes longer has gone to a broker that says nothing. All has to be well 5 s after its return, and an
/// attempt may have begun just before.
const CONNECT: Duration = Duration::from_secs(3);
/// A confirm that takes longer counts as unknown: the message is published again.
const CONFIRM: Duration = Duration::from_secs(5);
/// Seconds of AMQP's heartbeat: a broker from which nothing came for twice as long is gone. Unless the address says
/// otherwise; RabbitMQ's own word is a minute, and a connection that was lost silently would be believed in for two.
const HEARTBEAT_S: u16 = 3;
/// Bytes of a frame; what is longer comes in several. The client holds 32 of them for each direction and touches them
/// all: with RabbitMQ's own word, 128 KiB, that was 16 MiB in each process. RabbitMQ 4 takes none below 8 KiB.
const FRAME_MAX: u32 = 16 * 1024;
/// Deliveries of one message before it goes to the dead letters.
pub const DELIVERY_LIMIT: i64 = 10;
/// Pause before a failed message is given back: doubles from here with each delivery …
const BACKOFF: Duration = Duration::from_millis(100);
/// … up to here.
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// How often a consumer looks how long its queue is.
const LOOK: Duration = Duration::from_secs(10);
/// Header that says in milliseconds since 1970 from when on the message was due.
const DUE: &str = "due";

/// The broker did not take or give what was asked.
#[derive(Debug, Error)]
pub enum BrokerError {
    #[error("RabbitMQ is not connected")]
    Away,
    #[error("RabbitMQ: {0}")]
    Protocol(#[from] lapin::Error),
    #[error("no confirm within {} s", CONFIRM.as_secs())]
    NoConfirm,
    #[error("the message was refused")]
    Refused,
    #[error("a queue that has to hear {0} is not there")]
    Unheard(String),
}

/// A message to be published on the exchange.
pub struct Outgoing {
    pub id: Uuid,
    pub topic: String,
    pub body: Vec<u8>,
    pub traceparent: Option<String>,
    /// Since when it may be published: how long it waited is reckoned from here.
    pub due: OffsetDateTime,
}

/// A durable quorum queue bound to topics of the exchange, with dead letters at `<name>.dead`.
#[derive(Debug, Clone)]
pub struct QueueSpec {
    pub name: String,
    /// Routing keys; `*` and `#` as in AMQP.
    pub topics: Vec<String>,
}

impl QueueSpec {
    #[must_use]
    pub fn new(name: &str, topics: &[&str]) -> Self {
        Self { name: name.to_owned(), topics: topics.iter().map(|t| (*t).to_owned()).collect() }
    }
}

impl From<Queue> for QueueSpec {
    fn from(queue: Queue) -> Self {
        Self::new(queue.name, queue.topics)
    }
}

/// A message that was taken from a queue.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub topic: String,
    pub body: Vec<u8>,
    pub traceparent: Option<String>,
    /// Since when it could have been handled.
    pub due: Option<OffsetDateTime>,
    /// Earlier deliveries of the same message.
    pub redelivered: i64,
}

struct Inner {
    url: String,
    exchange: String,
    prefix: String,
    queue_life_s: Option<u32>,
    publisher: watch::Sender<Option<Publisher>>,
    shutdown: Shutdown,
}

/// What is published on, and which queues are known to exist since the connection was made.
#[derive(Clone)]
struct Publisher {
    channel: Channel,
    declared: Arc<Mutex<HashSet<&'static str>>>,
}

/// One connection for publishing; each consumer has its own. Cheap to clone.
#[derive(Clone)]
pub struct Broker(Arc<Inner>);

impl Broker {
    /// Begins to connect; does not wait for it.
    #[must_use]
    pub(crate) fn open(common: &Common, shutdown: Shutdown) -> Self {
        let broker = Self::closed(common, shutdown);
        tokio::spawn(broker.clone().keep_publisher());
        broker
    }

    /// One that never connects.
    #[must_use]
    pub(crate) fn closed(common: &Common, shutdown: Shutdown) -> Self {
        Self(Arc::new(Inner {
            url: common.amqp_url.expose().to_owned(),
            exchange: common.named("troupe.events"),
            prefix: common.prefix.clone(),
            queue_life_s: common.queue_life_s,
            publisher: watch::Sender::new(None),
            shutdown,
        }))
    }

    /// Whether messages can be published now.
    #[must_use]
    pub fn connected(&self) -> bool {
        self.0.publisher.borrow().as_ref().is_some_and(|p| p.channel.status().connected())
    }

    /// Publishes all with confirms, in one window, after declaring every queue that has to hear them
    /// ([`proto::queues`]): a broker that was emptied, or a service that was never started, loses nothing.
    ///
    /// # Errors
    /// When any of them was not confirmed, or came back because no queue took it: publish all again, consumers
    /// know them by their ids.
    pub async fn publish(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        let publisher = self.0.publisher.borrow().clone().ok_or(BrokerError::Away)?;
        let sent = tokio::time::timeout(CONFIRM, async {
            for message in &messages {
                self.declare_hearing(&publisher, &message.topic).await?;
            }
            let mut confirms = Vec::with_capacity(messages.len());
            for message in &messages {
                confirms.push((&message.topic, self.send(&publisher.channel, message).await?));
            }
            for (topic, confirm) in confirms {
                let confirm = confirm.await?;
                if confirm.is_nack() {
                    return Err(BrokerError::Refused);
                }
                if confirm.take_message().is_some() {
                    return Err(BrokerError::Unheard(topic.clone()));
                }
            }
            Ok(())
        })
        .await
        .unwrap_or(Err(BrokerError::NoConfirm));
        if sent.is_err() {
            // Whatever state the channel is in, a new one is clean.
            self.0.publisher.send_replace(None);
        }
        sent
    }

    /// Once per connection and queue.
    async fn declare_hearing(&self, publisher: &Publisher, topic: &str) -> Result<(), lapin::Error> {
        let mut declared = publisher.declared.lock().await;
        for queue in queues::hearing(topic) {
            if !declared.contains(queue.name) {
                self.declare_on(&publisher.channel, &queue.into()).await?;
                declared.insert(queue.name);
            }
        }
        Ok(())
    }

    async fn send(
        &self,
        channel: &Channel,
        message: &Outgoing,
    ) -> Result<lapin::PublisherConfirm, lapin::Error> {
        let mut headers = FieldTable::default();
        if let Some(trace) = &message.traceparent {
            headers.insert("traceparent".into(), AMQPValue::LongString(trace.as_str().into()));
        }
        // RabbitMQ's own timestamp counts whole seconds.
        headers.insert(DUE.into(), AMQPValue::LongLongInt(millis(message.due)));
        let properties = BasicProperties::default()
            .with_delivery_mode(2)
            .with_message_id(message.id.to_string().into())
            .with_content_type("application/x-protobuf".into())
            .with_headers(headers);
        channel
            .basic_publish(
                self.0.exchange.as_str().into(),
                message.topic.as_str().into(),
                // What nobody has asked for may go nowhere; what somebody has comes back when his queue is gone.
                BasicPublishOptions {
                    mandatory: queues::hearing(&message.topic).next().is_some(),
                    ..Default::default()
                },
                &message.body,
                properties,
            )
            .await
    }

    async fn connect(&self) -> Result<(Connection, Channel), lapin::Error> {
        let connection = Connection::connect(&watched(&self.0.url), ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        channel
            .exchange_declare(
                self.0.exchange.as_str().into(),
                ExchangeKind::Topic,
                ExchangeDeclareOptions { durable: true, ..Default::default() },
                FieldTable::default(),
            )
            .await?;
        Ok((connection, channel))
    }

    async fn keep_publisher(self) {
        loop {
            match tokio::time::timeout(CONNECT, self.connect()).await {
                Ok(Ok((connection, channel))) => {
                    if channel.confirm_select(ConfirmSelectOptions::default()).await.is_ok() {
                        tracing::info!("connected to RabbitMQ");
                        self.0.publisher.send_replace(Some(Publisher { channel, declared: Arc::default() }));
                        self.publisher_lost(&connection).await;
                        self.0.publisher.send_replace(None);
                    }
                    part(&connection).await;
                }
                Ok(Err(error)) => tracing::warn!(%error, "RabbitMQ cannot be reached"),
                Err(_) => tracing::warn!("RabbitMQ does not answer"),
            }
            tokio::select! { () = tokio::time::sleep(RETRY) => {}, () = self.0.shutdown.wait() => return }
        }
    }

    /// Returns when the channel was given up or the connection broke.
    async fn publisher_lost(&self, connection: &Connection) {
        let mut publisher = self.0.publisher.subscribe();
        loop {
            tokio::select! {
                () = async { drop(publisher.wait_for(Option::is_none).await) } => return,
                () = tokio::time::sleep(RETRY) => if !self.connected() || !connection.status().connected() { return },
                () = self.0.shutdown.wait() => {
                    // The relay may be in the middle of a batch.
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    return;
                }
            }
        }
    }

    /// Declares a queue, its dead letters and its bindings.
    ///
    /// # Errors
    /// When the broker is away or refuses (the queue exists with other arguments).
    pub async fn declare(&self, spec: &QueueSpec) -> Result<(), BrokerError> {
        let (connection, channel) =
            tokio::time::timeout(CONNECT, self.connect()).await.map_err(|_| BrokerError::Away)??;
        self.declare_on(&channel, spec).await?;
        part(&connection).await;
        Ok(())
    }

    async fn declare_on(&self, channel: &Channel, spec: &QueueSpec) -> Result<String, lapin::Error> {
        let name = self.queue_name(&spec.name);
        let dead = format!("{name}.dead");
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        if let Some(seconds) = self.0.queue_life_s {
            arguments.insert("x-expires".into(), AMQPValue::LongLongInt(i64::from(seconds) * 1_000));
        }
        channel.queue_declare(dead.as_str().into(), durable, arguments.clone()).await?;
        arguments.insert("x-delivery-limit".into(), AMQPValue::LongLongInt(DELIVERY_LIMIT));
        arguments.insert("x-dead-letter-exchange".into(), AMQPValue::LongString("".into()));
        arguments.insert("x-dead-letter-routing-key".into(), AMQPValue::LongString(dead.as_str().into()));
        channel.queue_declare(name.as_str().into(), durable, arguments).await?;
        for topic in &spec.topics {
            channel
                .queue_bind(
                    name.as_str().into(),
                    self.0.exchange.as_str().into(),
                    topic.as_str().into(),
                    QueueBindOptions::default(),
                    FieldTable::default(),
                )
                .await?;
        }
        Ok(name)
    }

    fn queue_name(&self, name: &str) -> String {
        if self.0.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.0.prefix) }
    }

    /// Hands each message of the queue to `handle`, at most `prefetch` at a time, until shutdown.
    /// Acknowledged after success; a failure is given back after a growing pause, and goes to the
    /// dead letters after [`DELIVERY_LIMIT`] deliveries.
    pub async fn consume<H>(
        &self,
        spec: QueueSpec,
        prefetch: u16,
        ready: Option<watch::Sender<bool>>,
        handle: H,
    ) where
        H: Fn(Delivery) -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync + 'static,
    {
        let handle = Arc::new(handle);
        while !self.0.shutdown.is_now() {
            if let Err(error) = self.consume_once(&spec, prefetch, ready.as_ref(), &handle).await {
                tracing::warn!(%error, queue = spec.name, "consumer lost");
            }
            tokio::select! { () = tokio::time::sleep(RETRY) => {}, () = self.0.shutdown.wait() => return }
        }
    }

    async fn consume_once<H>(
        &self,
        spec: &QueueSpec,
        prefetch: u16,
        ready: Option<&watch::Sender<bool>>,
        handle: &Arc<H>,
    ) -> Result<(), BrokerError>
    where
        H: Fn(Delivery) -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync + 'static,
    {
        let (connection, channel) =
            tokio::time::timeout(CONNECT, self.connect()).await.map_err(|_| BrokerError::Away)??;
        let queue = self.declare_on(&channel, spec).await?;
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let mut deliveries = channel
            .basic_consume(
                queue.as_str().into(),
                "".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await?;
        if let Some(ready) = ready {
            ready.send_replace(true);
        }
        tracing::info!(queue, "consuming");

        let running = tokio_util::task::TaskTracker::new();
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let ended = loop {
            let next = tokio::select! {
                next = deliveries.next() => next,
                _ = look.tick() => {
                    if let Err(error) = measure(&channel, &queue, &spec.name).await {
                        break Err(error.into());
                    }
                    continue;
                }
                () = self.0.shutdown.wait() => break Ok(()),
            };
            match next {
                Some(Ok(delivery)) => {
                    running.spawn(process(delivery, spec.name.clone(), Arc::clone(handle)));
                }
                Some(Err(error)) => break Err(error.into()),
                None => break Err(BrokerError::Away),
            }
        };
        if ended.is_ok() {
            running.close();
            running.wait().await;
        }
        // What still runs when the connection broke comes again, and is known by its id: nobody waits for it.
        part(&connection).await;
        ended
    }
}

/// Takes leave; of one that does not answer, without waiting for it.
async fn part(connection: &Connection) {
    let _ = tokio::time::timeout(RETRY, connection.close(200, "done".into())).await;
}

/// The address, with a heartbeat and a length of frames.
fn watched(url: &str) -> String {
    let mut url = url.to_owned();
    for (setting, value) in [("heartbeat=", u32::from(HEARTBEAT_S)), ("frame_max=", FRAME_MAX)] {
        if !url.contains(setting) {
            let mark = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{mark}{setting}{value}");
        }
    }
    url
}

/// Writes down how many messages wait, and how many are dead. RabbitMQ tells so of a queue that exists when it is
/// declared again, passively.
async fn measure(channel: &Channel, queue: &str, name: &str) -> Result<(), lapin::Error> {
    let passive = QueueDeclareOptions { passive: true, durable: true, ..Default::default() };
    let waiting = channel.queue_declare(queue.into(), passive, FieldTable::default()).await?;
    metrics::gauge!("queue_messages", "queue" => name.to_owned()).set(waiting.message_count());
    let dead = format!("{queue}.dead");
    let dead = channel.queue_declare(dead.as_str().into(), passive, FieldTable::default()).await?;
    metrics::gauge!("queue_dead_messages", "queue" => name.to_owned()).set(dead.message_count());
    Ok(())
}

async fn process<H>(delivery: lapin::message::Delivery, queue: String, handle: Arc<H>)
where
    H: Fn(Delivery) -> BoxFuture<'static, anyhow::Result<()>> + Send + Sync + 'static,
{
    let message = read(&delivery);
    let span = tracing::info_span!(
        "consume",
        otel.name = %format!("consume {}", message.topic),
        otel.kind = "consumer",
        otel.status_code = tracing::field::Empty,
        topic = %message.topic,
        queue,
        redelivered = message.redelivered,
    );
    if let Some(cause) = &message.traceparent {
        telemetry::link_trace(&span, cause);
    }
    let redelivered = message.redelivered;
    let topic = message.topic.clone();
    if let Some(due) = message.due {
        let lag = (OffsetDateTime::now_utc() - due).as_seconds_f64().max(0.0);
        metrics::histogram!("consume_lag_seconds", "queue" => queue.clone()).record(lag);
    }
    let (own, began) = (span.clone(), Instant::now());
    async {
        let outcome = handle(message).await;
        metrics::histogram!("consume_seconds", "queue" => queue).record(began.elapsed());
        metrics::counter!("consumed_total", "topic" => topic.clone(), "ok" => outcome.is_ok().to_string())
            .increment(1);
        if outcome.is_err() {
            own.record("otel.status_code", "ERROR");
        }
        let settled = match outcome {
            Ok(()) => delivery.ack(BasicAckOptions::default()).await,
            Err(error) => {
                tracing::warn!(%error, topic, redelivered, "message not handled");
                tokio::time::sleep(backoff(redelivered)).await;
                delivery.nack(BasicNackOptions { requeue: true, multiple: false }).await
            }
        };
        if let Err(error) = settled {
            tracing::warn!(%error, "delivery not settled; it comes again");
        }
    }
    .instrument(span)
    .await;
}

fn read(delivery: &lapin::message::Delivery) -> Delivery {
    let headers = delivery.properties.headers().as_ref().map(FieldTable::inner);
    let header = |name: &str| headers.and_then(|h| h.get(name));
    Delivery {
        topic: delivery.routing_key.to_string(),
        body: delivery.data.clone(),
        traceparent: match header("traceparent") {
            Some(AMQPValue::LongString(text)) => Some(text.to_string()),
            _ => None,
        },
        due: match header(DUE) {
            Some(AMQPValue::LongLongInt(millis)) => {
                OffsetDateTime::from_unix_timestamp_nanos(i128::from(*millis) * 1_000_000).ok()
            }
            _ => None,
        },
        redelivered: match header("x-delivery-count") {
            Some(AMQPValue::LongLongInt(n)) => *n,
            _ => i64::from(delivery.redelivered),
        },
    }
}

fn millis(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

fn backoff(redelivered: i64) -> Duration {
    let doublings = u32::try_from(redelivered.clamp(0, 10)).unwrap_or(10);
    (BACKOFF * 2u32.pow(doublings)).min(BACKOFF_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_and_short_frames_are_asked_for_unless_the_address_has_them() {
        assert_eq!(watched("amqp://h/%2f"), "amqp://h/%2f?heartbeat=3&frame_max=16384");
        assert_eq!(watched("amqp://h/%2f?frame_max=8192"), "amqp://h/%2f?frame_max=8192&heartbeat=3");
        assert_eq!(watched("amqp://h/%2f?heartbeat=30"), "amqp://h/%2f?heartbeat=30&frame_max=16384");
    }

    #[test]
    fn pauses_double_up_to_the_limit() {
        assert_eq!(backoff(0), Duration::from_millis(100));
        assert_eq!(backoff(3), Duration::from_millis(800));
        assert_eq!(backoff(99), BACKOFF_MAX);
    }
}
