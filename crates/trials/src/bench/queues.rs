//! The way of events and pictures: from a committed row to whoever works on it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, ensure};
use futures::{StreamExt as _, future::try_join_all};
use hdrhistogram::Histogram;
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties, Consumer,
    options::{
        BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
        QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions,
    },
    types::{AMQPValue, FieldTable},
};
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use super::{
    House,
    load::{median, open},
    report::{Report, Row},
};
use crate::guest::Guest;

/// The exchange of the house's events (`crates/kit/src/broker.rs`).
const EXCHANGE: &str = "troupe.events";
/// A topic that nobody but us listens to.
const FLOOD: &str = "bench.flood";
/// An event of something that people do.
const FOLLOWED: &str = "auth.follow.changed";
/// Since when a message could be handled, milliseconds since 1970.
const DUE: &str = "due";
/// Confirms of the bare publisher that are outstanding at a time: as many as a round of the outbox.
const WINDOW: usize = 256;
/// Follows per second while their way is timed.
const RATE: f64 = 40.0;
/// Longest wait for what was published.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at the jobs.
const LOOK: Duration = Duration::from_millis(20);

/// A queue of our own, of the kind that the services have.
struct Queue {
    channel: Channel,
    consumer: Consumer,
    name: &'static str,
    _connection: Connection,
}

impl Queue {
    async fn bound(house: &House, name: &'static str, topic: &str) -> Result<Self> {
        let port = house.stand.instance.known_port("rabbitmq").context("no broker of its own")?;
        let address = format!("amqp://guest:guest@127.0.0.1:{port}/%2f");
        let connection = Connection::connect(&address, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        let mut kind = FieldTable::default();
        kind.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        channel.queue_declare(name.into(), durable, kind).await?;
        let plain = QueueBindOptions::default();
        channel.queue_bind(name.into(), EXCHANGE.into(), topic.into(), plain, FieldTable::default()).await?;
        channel.basic_qos(1_000, BasicQosOptions::default()).await?;
        let consume = BasicConsumeOptions::default();
        let consumer =
            channel.basic_consume(name.into(), "bench".into(), consume, FieldTable::default()).await?;
        Ok(Self { channel, consumer, name, _connection: connection })
    }

    /// Takes so many messages; answers how long each was under way, milliseconds.
    async fn take(&mut self, count: usize) -> Result<Histogram<u64>> {
        let mut times = Histogram::new_with_bounds(1, 600_000, 3)?;
        let all = async {
            for _ in 0..count {
                let delivery = self.consumer.next().await.context("the queue ended")??;
                let headers = delivery.properties.headers().as_ref();
                if let Some(AMQPValue::LongLongInt(due)) = headers.and_then(|h| h.inner().get(DUE)) {
                    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
                    times.saturating_record(u64::try_from(now)?.saturating_sub(due.unsigned_abs()));
                }
                delivery.ack(BasicAckOptions::default()).await?;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(PATIENCE, all).await.context("messages are missing")??;
        Ok(times)
    }

    async fn forget(self) -> Result<()> {
        self.channel.queue_delete(self.name.into(), QueueDeleteOptions::default()).await?;
        Ok(())
    }
}

/// Goal 11, events.
///
/// # Errors
/// When something fails that should not.
pub async fn events(house: &House, report: &mut Report) -> Result<()> {
    let count = if house.quick { 6_000 } else { 20_000 };
    let mut queue = Queue::bound(house, "bench.flood", FLOOD).await?;

    queue.channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let publisher = queue.channel.clone();
    let began = Instant::now();
    let publish = async {
        for _ in 0..count / WINDOW {
            let mut window = Vec::with_capacity(WINDOW);
            for _ in 0..WINDOW {
                let persistent = BasicProperties::default().with_delivery_mode(2);
                let plain = BasicPublishOptions::default();
                let sent = publisher
                    .basic_publish(EXCHANGE.into(), FLOOD.into(), plain, &[0; 100], persistent)
                    .await?;
                window.push(sent);
            }
            for confirm in window {
                confirm.await?;
            }
        }
        anyhow::Ok(())
    };
    tokio::try_join!(publish, async { queue.take(count / WINDOW * WINDOW).await.map(drop) })?;
    let bare = (count / WINDOW * WINDOW) as f64 / began.elapsed().as_secs_f64();

    let began = Instant::now();
    house.stand.sql(
        "catalog",
        &format!(
            "insert into outbox (id, topic, body) select gen_random_uuid(), '{FLOOD}', decode(repeat('00', 100), 'hex')
             from generate_series(1, {count})"
        ),
    )?;
    queue.take(count).await?;
    let rate = count as f64 / began.elapsed().as_secs_f64();
    queue.forget().await?;
    report.rows.push(
        Row::new(11, "outbox to worker, messages per second", "/s", rate)
            .beside("/s bare publisher", bare)
            .at_least(3_000.0)
            .note("from the commit of all rows to the last acknowledgement; both with confirms in windows of 256"),
    );

    let mut queue = Queue::bound(house, "bench.follows", FOLLOWED).await?;
    let guests = try_join_all((0..2).map(|_| Guest::new(&house.http, &house.direct))).await?;
    let whom = guests[1].ask(Method::GET, &format!("/api/user/{}", guests[1].username), None).await?;
    let path = format!("/api/user/{}/follow", whom["_id"].as_str().context("an id")?);
    let follower = guests[0].clone();
    let follow = move |_| {
        let (follower, path) = (follower.clone(), path.clone());
        async move { follower.ask(Method::POST, &path, None).await.map(drop) }
    };
    let made = (RATE * house.lasts().as_secs_f64()).ceil() as usize;
    let (done, times) = tokio::join!(open(RATE, house.lasts(), follow), queue.take(made));
    done.sound("follows")?;
    let times = times?;
    queue.forget().await?;
    report.rows.push(
        Row::new(
            11,
            format!("from the event's writing to its worker at {RATE:.0}/s, p99"),
            "ms",
            times.value_at_percentile(99.0) as f64,
        )
        .at_most(50.0)
        .note(format!(
            "p50 {} ms; the commit of the transaction is part of it",
            times.value_at_percentile(50.0)
        )),
    );
    Ok(())
}

/// Goal 11, pictures: as many again with as many workers again.
///
/// # Errors
/// When something fails that should not.
pub async fn pictures(house: &mut House, report: &mut Report) -> Result<()> {
    let [one, two] = drawn_by(house).await?;
    // Whatever is measured next asks the processes that the house knows of.
    house.stand.restart("media-worker")?;
    report.rows.push(
        Row::new(11, "pictures per second with two workers", "/s", two)
            .beside("/s with one", one)
            .at_least(if std::thread::available_parallelism()?.get() > 1 { 1.6 } else { 0.9 })
            .of_ratio()
            .note("servers and services share the two cores with the workers"),
    );
    Ok(())
}

/// Pictures per second that one worker draws, and two: in turns, the median of each.
async fn drawn_by(house: &House) -> Result<[f64; 2]> {
    let (count, turns) = if house.quick { (16, 1) } else { (40, 3) };
    let register = &house.stand.instance.register;
    let stop = |name: &'static str| register.stop(move |running| running == name);
    let start = |name: &str, port: Option<u16>| -> Result<()> {
        let mut command = house.stand.command("media-worker")?;
        if let Some(port) = port {
            command.env("OPS_ADDR", format!("127.0.0.1:{port}"));
        }
        register.start(name, &mut command, &house.stand.instance.log(name)).map_err(|e| anyhow!(e))?;
        Ok(())
    };
    // On one connection: a `psql` for each look took a third of a core from whoever draws.
    let db = PgPool::connect(&house.database("media")?).await?;
    let drawn = async |before: i64| -> Result<i64> {
        let done = sqlx::query_scalar("select count(*) from job where state = 'completed'");
        let done: i64 = done.fetch_one(&db).await?;
        Ok(done - before)
    };
    let mut rates = [Vec::new(), Vec::new()];
    for workers in [1, 2].repeat(turns) {
        stop("media-worker");
        let guest = Guest::new(&house.http, &house.direct).await?;
        guest.subscribe("deluxe").await?;
        let before = drawn(0).await?;
        for number in 0..count {
            let wish = json!({ "label": format!("number {number}") });
            guest.ask(Method::POST, "/api/images/create", Some(wish)).await?;
        }
        let began = Instant::now();
        start("media-worker", None)?;
        if workers > 1 {
            start(
                "media-worker-2",
                Some(house.stand.instance.port("media-worker-2-ops").map_err(|e| anyhow!(e))?),
            )?;
        }
        // From the first picture to the last: what a start costs is measured elsewhere.
        let mut first: Option<(Instant, i64)> = None;
        loop {
            let done = drawn(before).await?;
            if done > 0 && first.is_none() {
                first = Some((Instant::now(), done));
            }
            if done >= count {
                break;
            }
            ensure!(began.elapsed() < PATIENCE * 2, "only {done} of {count} pictures were drawn");
            tokio::time::sleep(LOOK).await;
        }
        let (at, done) = first.context("nothing was drawn")?;
        rates[workers - 1].push((count - done) as f64 / at.elapsed().as_secs_f64());
        stop("media-worker-2");
    }
    Ok(rates.map(median))
}
