//! Messages that nobody can read, put into each queue: they end among the dead letters after exactly so many tries,
//! and keep nobody waiting.

use std::time::Duration;

use anyhow::Result;
use kit::broker::DELIVERY_LIMIT;
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties,
    options::{BasicGetOptions, BasicPublishOptions, QueueDeclareOptions, QueuePurgeOptions},
    types::FieldTable,
};
use tokio::time::Instant;

use super::{
    house::LOOK,
    invariants::{Letters, QUEUES},
    report::Row,
    scene::Scene,
};

/// The pauses before each further try add up to 31 s (100 ms, doubled up to 5 s); then it must be dead.
const DEAD: Duration = Duration::from_secs(45);
/// Pictures that are drawn beside the poison, one after the other, while nobody else wants one.
const PICTURES: usize = 3;
/// No message of ours, and no text.
const POISON: &[u8] = b"\xff\xffpoison";
/// Who works on which queue.
const WORKERS: [(&str, &str); 6] = [
    ("auth.events", "auth"),
    ("billing.events", "billing"),
    ("catalog.events", "catalog"),
    ("chat.events", "chat"),
    ("media.events", "media-api"),
    ("media.jobs", "media-worker"),
];

/// Poison that lies in every queue.
pub struct Poison {
    connection: Connection,
    channel: Channel,
    since: Instant,
    row: Row,
}

/// Puts poison into every queue, and looks that everything else goes its way.
///
/// # Errors
/// When RabbitMQ cannot be spoken to.
pub async fn put(scene: &mut Scene) -> Result<Poison> {
    let mut row = Row::new("poison in every queue");
    row.times = QUEUES.len();
    scene.crowd.pause().await;
    let connection = Connection::connect(&scene.house.amqp(), ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    for queue in QUEUES {
        let persistent = BasicProperties::default().with_delivery_mode(2);
        let sent = channel
            .basic_publish("".into(), queue.into(), BasicPublishOptions::default(), POISON, persistent)
            .await?;
        sent.await?;
    }
    scene.letters = Letters::Poison;
    let since = Instant::now();
    for _ in 0..PICTURES {
        let taken = scene.crowd.judge.picture(&scene.watchman).await;
        row.expect(taken.is_some(), || "no picture is taken beside poison".into());
        let wait = settled_pictures(scene).await?;
        row.expect(wait <= scene.recovery(), || {
            format!("a picture waited {:.1} s behind poison", wait.as_secs_f32())
        });
    }
    scene.crowd.go_on();
    Ok(Poison { connection, channel, since, row })
}

impl Poison {
    /// Waits until all of it has been given up, and takes it away.
    ///
    /// # Errors
    /// When RabbitMQ cannot be spoken to.
    pub async fn dead(self, scene: &mut Scene) -> Result<Row> {
        let Self { connection, channel, since, mut row } = self;
        while since.elapsed() < DEAD {
            let mut dead = 0;
            for queue in QUEUES {
                dead += usize::from(waiting(&channel, &format!("{queue}.dead")).await? == 1);
            }
            if dead == QUEUES.len() {
                break;
            }
            tokio::time::sleep(LOOK * 4).await;
        }
        for (queue, worker) in WORKERS {
            let dead = format!("{queue}.dead");
            let count = waiting(&channel, &dead).await?;
            row.expect(count == 1, || format!("{count} messages in {dead}"));
            let tries = failures(scene, worker, queue).await?;
            row.expect(tries == DELIVERY_LIMIT as u64 + 1, || {
                format!("{queue}: tried {tries} times, not {}", DELIVERY_LIMIT + 1)
            });
            let letter = channel.basic_get(dead.as_str().into(), BasicGetOptions { no_ack: true }).await?;
            row.expect(letter.is_some_and(|l| l.data == POISON), || format!("{dead} holds another message"));
            channel.queue_purge(dead.as_str().into(), QueuePurgeOptions::default()).await?;
        }
        let _ = connection.close(200, "done".into()).await;
        scene.letters = Letters::None;
        row.note = format!("dead after {:.0} s at the latest", since.elapsed().as_secs_f32());
        Ok(row)
    }
}

async fn waiting(channel: &Channel, queue: &str) -> Result<u32> {
    let passive = QueueDeclareOptions { passive: true, durable: true, ..Default::default() };
    Ok(channel.queue_declare(queue.into(), passive, FieldTable::default()).await?.message_count())
}

/// How long until no picture is waited for.
async fn settled_pictures(scene: &Scene) -> Result<Duration> {
    let began = Instant::now();
    let open = "select count(*) from job where state in ('unpaid', 'queued', 'running')";
    loop {
        let left: i64 = sqlx::query_scalar(open).fetch_one(scene.house.db("media")).await?;
        if left == 0 || began.elapsed() > DEAD {
            return Ok(began.elapsed());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// How often a process has failed at messages that came straight into its queue, by its own figures.
async fn failures(scene: &Scene, worker: &str, queue: &str) -> Result<u64> {
    let text = scene.house.ask_ops(worker, "/metrics").await?.text().await?;
    let line = text.lines().find(|line| {
        line.starts_with("consumed_total{")
            && line.contains(&format!("\"{queue}\""))
            && line.contains("ok=\"false\"")
    });
    Ok(line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0))
}
