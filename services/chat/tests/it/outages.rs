//! Processes that die and stores that go away in the middle of a reply: no finished text is lost.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kit::{config::Secret, testing::eventually};
use proto::chat::v1::MessageState;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};
use uuid::Uuid;

use crate::{
    model::Step,
    support::{House, gather, house_with_model, next_text, read},
};

/// The way to a store, which can be cut.
struct Way {
    port: u16,
    open: watch::Sender<bool>,
}

impl Way {
    /// To what listens at `host`, `127.0.0.1:5432` for one.
    async fn to(host: &str) -> Self {
        let host: Arc<str> = host.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let open = watch::Sender::new(true);
        let opened = open.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (host, mut open) = (host.clone(), opened.subscribe());
                tokio::spawn(async move {
                    let through = async {
                        let mut far = TcpStream::connect(&*host).await?;
                        copy_bidirectional(&mut near, &mut far).await
                    };
                    tokio::select! {
                        _ = open.wait_for(|open| !open) => {}
                        _ = through => {}
                    }
                });
            }
        });
        Self { port, open }
    }

    /// The same address, by this way.
    async fn into(url: &Secret) -> (Self, Secret) {
        let text = url.expose();
        let from = text.rfind('@').map_or_else(|| text.find("//").expect("an address") + 2, |at| at + 1);
        let host = text[from..].split('/').next().expect("a host");
        let way = Self::to(host).await;
        let here = format!("127.0.0.1:{}", way.port);
        (way, Secret::new(text.replacen(host, &here, 1)))
    }

    fn cut(&self) {
        self.open.send_replace(false);
    }

    fn mend(&self) {
        self.open.send_replace(true);
    }
}

const STORY: &[Step] =
    &[Step::Say("It begins. "), Step::Wait, Step::Say("It goes on. "), Step::Say("It ends."), Step::Finish];
const WHOLE: &str = "It begins. It goes on. It ends.";

/// What the database has of a reply that is being written.
async fn kept(house: &House, generation: &str) -> String {
    sqlx::query_scalar(
        "select coalesce(string_agg(text, '' order by off), '') from generation_text where generation_id = $1",
    )
    .bind(Uuid::try_parse(generation).expect("an id"))
    .fetch_one(&house.db.pool)
    .await
    .expect("read")
}

#[tokio::test]
async fn a_process_that_is_killed_leaves_what_had_come_within_ten_seconds() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let doomed = house.doomed().await;
    house.model.streams(STORY);
    let mut events = talk.at(&doomed.server).begin("Tell me.").await.expect("sent");
    let (generation, ..) = next_text(&mut events).await;
    let came = Instant::now();
    eventually(|| async { (kept(&house, &generation).await == "It begins.").then_some(()) }).await;
    assert!(came.elapsed() < Duration::from_secs(3), "saved a second behind, not {:?}", came.elapsed());

    doomed.kill();
    let killed = Instant::now();
    let rest = gather(&talk.watch(&generation, 0).await.expect("watched"));
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    let (reason, message) = rest.trouble();
    assert_eq!((reason, message.state()), ("unavailable", MessageState::Interrupted));
    assert_eq!((message.content.as_str(), rest.text.as_str()), ("It begins.", "It begins."));
    assert_eq!(talk.page().await.running_generation_id, "");

    house.model.streams(&[Step::Say("It went on."), Step::Finish]);
    assert_eq!(talk.go_on().await.expect("sent").message().content, "It went on.");
}

#[tokio::test]
async fn another_process_is_a_quarter_of_a_second_behind() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let other = house.replica().await;
    house.model.streams(STORY);
    let mut events = talk.at(&other).begin("Tell me.").await.expect("sent");
    let (generation, ..) = next_text(&mut events).await;
    let came = Instant::now();
    let redis = kit::redis::Redis::connect(&house.common).await.expect("Redis");
    eventually(|| async {
        let mut len = redis::cmd("XLEN");
        len.arg(redis.key(format!("gen:{generation}")));
        (redis.run::<i64>(&len).await.expect("answered") > 0).then_some(())
    })
    .await;
    // Four times that, for a machine with other things to do.
    assert!(came.elapsed() < Duration::from_secs(1), "{:?}", came.elapsed());
    let (there, ()) = tokio::join!(talk.watch(&generation, 3), async { house.model.go_on() });
    assert_eq!(gather(&there.expect("watched")).text, WHOLE[3..]);
}

#[tokio::test]
async fn a_reply_ends_well_and_is_stored_while_redis_is_away() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let (way, url) = Way::into(&house.common.redis_url).await;
    let server = house.with_config(|config| config.common.redis_url = url).await;
    let there = talk.at(&server);
    house.model.streams(STORY);
    let mut events = there.begin("Tell me.").await.expect("sent");
    let (generation, _, first) = next_text(&mut events).await;
    way.cut();
    house.model.go_on();
    let reply = tokio::time::timeout(Duration::from_secs(10), read_on(events, first)).await.expect("in time");
    assert_eq!(reply, WHOLE);
    // From a process that sees Redis and from the one that does not.
    for reader in [&talk, &there] {
        let again = gather(&reader.watch(&generation, 0).await.expect("watched"));
        assert_eq!((again.text.as_str(), again.message().content.as_str()), (WHOLE, WHOLE));
    }
    house.model.streams(&[Step::Say("And again."), Step::Finish]);
    assert_eq!(there.say("More.").await.expect("sent").message().content, "And again.", "still away");
    way.mend();
}

#[tokio::test]
async fn a_reply_that_ends_while_the_database_is_away_is_stored_when_it_is_back() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let (way, url) = Way::into(&house.db.target().database_url).await;
    let server = house.with_config(|config| config.database.database_url = url).await;
    let there = talk.at(&server);
    house.model.streams(STORY);
    let mut events = there.begin("Tell me.").await.expect("sent");
    let (generation, _, first) = next_text(&mut events).await;
    way.cut();
    house.model.go_on();
    let (reply, ()) =
        tokio::join!(tokio::time::timeout(Duration::from_secs(15), read_on(events, first)), async {
            // As long as it is away.
            tokio::time::sleep(Duration::from_secs(3)).await;
            way.mend();
        });
    assert_eq!(reply.expect("in time"), WHOLE);
    let last = talk.settled().await;
    assert_eq!((last.content.as_str(), last.state()), (WHOLE, MessageState::Complete));
    assert_eq!(last.generation_id, generation);
    house.model.streams(&[Step::Say("And again."), Step::Finish]);
    assert_eq!(read(there.begin("More.").await.expect("sent")).await.text, "And again.");
}

/// All that comes after `text`, to a proper end.
async fn read_on(mut events: tonic::Streaming<proto::chat::v1::SendResponse>, mut text: String) -> String {
    use proto::chat::v1::generation_event::Event;
    while let Some(event) = events.message().await.expect("a stream") {
        match event.event.and_then(|e| e.event) {
            Some(Event::Delta(delta)) => text.push_str(&delta.text),
            Some(Event::Done(done)) => {
                assert_eq!(done.ai_message.expect("the message").content, text);
                return text;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the stream ended without an end");
}
