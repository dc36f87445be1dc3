use proto::chat::v1::{MessageState, SendResponse};
use tonic::Streaming;
use uuid::Uuid;

use crate::{
    model::Step,
    support::{House, Talk, gather, house_with_model, next_text, read, reason},
};

const SLOW: &[Step] = &[
    Step::Say("The lamp turns. "),
    Step::Wait,
    Step::Say("Grüße from the gulls."),
    Step::Say(" And that is all."),
    Step::Finish,
];

#[tokio::test]
async fn a_reader_who_leaves_loses_nothing_and_comes_back_to_exactly_the_rest() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(SLOW);
    let mut events = talk.begin("Hello.").await.expect("sent");
    let (generation, offset, seen) = next_text(&mut events).await;
    drop(events);
    assert_eq!(talk.page().await.running_generation_id, generation, "it goes on without a reader");

    let rest =
        tokio::join!(talk.watch(&generation, offset), async { house.model.go_on() }).0.expect("watched");
    let rest = gather(&rest);
    assert_eq!(format!("{seen}{}", rest.text), "The lamp turns. Grüße from the gulls. And that is all.");
    assert_eq!(rest.message().content, format!("{seen}{}", rest.text));

    // Ended long ago, from the beginning and from the middle.
    let again = gather(&talk.watch(&generation, 0).await.expect("watched"));
    assert_eq!(again.text, rest.message().content);
    let middle = gather(&talk.watch(&generation, 4).await.expect("watched"));
    assert_eq!(middle.text, again.text[4..]);
}

#[tokio::test]
async fn a_reply_can_be_read_and_stopped_at_another_process() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let other = house.replica().await;
    house.model.streams(&[
        Step::Say("First. "),
        Step::Say("Second. "),
        Step::Wait,
        Step::Say("Never."),
        Step::Finish,
    ]);
    let mut events = talk.begin("Hello.").await.expect("sent");
    let (generation, ..) = next_text(&mut events).await;

    let there = talk.at(&other);
    let (watched, stopped) = tokio::join!(there.watch(&generation, 0), async {
        // The reader there has to have seen the text from afar: Stop only once Redis or the table has it.
        kit::testing::eventually(|| async {
            let kept: i64 =
                sqlx::query_scalar("select count(*) from generation_text where generation_id = $1")
                    .bind(Uuid::try_parse(&generation).expect("an id"))
                    .fetch_one(&house.db.pool)
                    .await
                    .expect("counted");
            (kept > 0).then_some(())
        })
        .await;
        there.stop(&generation).await
    });
    let stopped = stopped.expect("stopped");
    assert_eq!((stopped.state(), stopped.content.trim()), (MessageState::Stopped, "First. Second."));
    let watched = gather(&watched.expect("watched"));
    assert_eq!(watched.text, stopped.content);
    assert_eq!(watched.message().state(), MessageState::Stopped);
}

#[tokio::test]
async fn stop_keeps_what_was_written_and_can_be_pressed_twice() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(SLOW);
    let mut events = talk.begin("Hello.").await.expect("sent");
    let (generation, _, seen) = next_text(&mut events).await;
    let stopped = talk.stop(&generation).await.expect("stopped");
    assert_eq!((stopped.content.as_str(), stopped.state()), (seen.as_str(), MessageState::Stopped));
    assert_eq!(talk.stop(&generation).await.expect("again").content, seen);
    assert_eq!(talk.settled().await.content, seen);

    house.model.streams(&[Step::Say("Where was I?"), Step::Finish]);
    let more = talk.go_on().await.expect("sent");
    assert_eq!(more.message().parent_id, stopped.id);
}

#[tokio::test]
async fn while_a_reply_is_written_another_turn_is_refused_and_the_same_key_joins() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(SLOW);
    let mut first = talk.begin_as("key-1", "Hello.").await.expect("sent");
    let (generation, ..) = next_text(&mut first).await;

    let refused = talk.begin("And another thing.").await.expect_err("refused");
    let failure = kit::error::Failure::from_status(&refused);
    assert_eq!(
        (failure.reason.as_str(), &failure.meta["generation_id"]),
        ("generation_running", &generation)
    );

    let joined = talk.begin_as("key-1", "Hello.").await.expect("joined");
    house.model.go_on();
    let joined = read(joined).await;
    assert_eq!(joined.generation, generation);
    assert_eq!(joined.user_message.as_ref().expect("told").content, "Hello.");
    assert_eq!(joined.text, "The lamp turns. Grüße from the gulls. And that is all.");
    assert_eq!(house.model.requests(), 1, "one reply, whoever reads it");
    assert_eq!(talk.page().await.messages.len(), 3);

    let mismatch = talk.begin_as("key-1", "Something else.").await.expect_err("refused");
    assert_eq!(reason(&mismatch), "idempotency_mismatch");
    // Long after its end the key still means the same reply.
    let later = read(talk.begin_as("key-1", "Hello.").await.expect("joined")).await;
    assert_eq!((later.generation, later.text), (generation, joined.text));
}

/// A reply whose model has said half a thought and waits, and what its reader hears of it.
async fn half_a_thought(house: &House, talk: &Talk) -> (Uuid, Streaming<SendResponse>) {
    house.model.streams(&[Step::Say("Half a thought. "), Step::Wait, Step::Finish]);
    let mut events = talk.begin("Hello.").await.expect("sent");
    let (generation, ..) = next_text(&mut events).await;
    (Uuid::try_parse(&generation).expect("an id"), events)
}

/// Until the half is saved, once.
async fn kept_half(house: &House, generation: Uuid) {
    kit::testing::eventually(|| async {
        let kept: Option<String> = sqlx::query_scalar(
            "select string_agg(text, '' order by off) from generation_text where generation_id = $1",
        )
        .bind(generation)
        .fetch_one(&house.db.pool)
        .await
        .expect("read");
        kept.filter(|text| text == "Half a thought.")
    })
    .await;
}

#[tokio::test]
async fn when_the_owner_dies_the_partial_reply_is_kept_and_can_be_continued() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let (id, events) = half_a_thought(&house, &talk).await;
    kept_half(&house, id).await;
    // As if the process had died seconds ago: nobody renews the lease of an unknown owner.
    sqlx::query("update generation set owner = $2, lease_until = now() - interval '1 second' where id = $1")
        .bind(id)
        .bind(Uuid::now_v7())
        .execute(&house.db.pool)
        .await
        .expect("written");

    let reply = read(events).await;
    let (_, message) = reply.trouble();
    assert_eq!((message.content.as_str(), message.state()), ("Half a thought.", MessageState::Interrupted));
    let last = talk.settled().await;
    assert_eq!((last.content.as_str(), last.state()), ("Half a thought.", MessageState::Interrupted));

    house.model.streams(&[Step::Say("And the other half."), Step::Finish]);
    let more = talk.go_on().await.expect("sent");
    assert_eq!(more.message().parent_id, last.id);
    assert!(house.model.last_prompt().contains("Half a thought."));
}

/// Or it would be taken from a process that is alive, or belong to a dead one for an hour.
#[tokio::test]
async fn a_lease_is_renewed_before_it_ends_and_lasts_for_seconds_whatever_the_clock_did() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let (id, _events) = half_a_thought(&house, &talk).await;
    for left in ["3 seconds", "1 hour"] {
        sqlx::query("update generation set lease_until = now() + $2::text::interval where id = $1")
            .bind(id)
            .bind(left)
            .execute(&house.db.pool)
            .await
            .expect("written");
        kit::testing::eventually(|| async {
            let renewed: bool = sqlx::query_scalar(
                "select lease_until between now() + interval '4 seconds' and now() + interval '6 seconds'
                 from generation where id = $1 and state = 'running'",
            )
            .bind(id)
            .fetch_one(&house.db.pool)
            .await
            .expect("it runs");
            renewed.then_some(())
        })
        .await;
    }
    house.model.go_on();
    assert_eq!(talk.settled().await.content, "Half a thought. ");
}

#[tokio::test]
async fn a_process_that_is_told_to_end_tells_its_readers_and_keeps_the_text() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let other = house.replica().await;
    house.model.streams(&[Step::Say("Just a moment. "), Step::Wait, Step::Finish]);
    let mut events = talk.at(&other).begin("Hello.").await.expect("sent");
    next_text(&mut events).await;
    let (reply, ()) = tokio::join!(read_rest(events), other.stop());
    let (state, text) = reply;
    assert_eq!((state, text.as_str()), (MessageState::Interrupted, "Just a moment."));
    assert_eq!(talk.settled().await.content, "Just a moment.");
}

async fn read_rest(mut events: Streaming<SendResponse>) -> (MessageState, String) {
    use proto::chat::v1::generation_event::Event;
    while let Some(event) = events.message().await.expect("a stream") {
        if let Some(Event::Failed(failed)) = event.event.and_then(|e| e.event) {
            let message = failed.ai_message.expect("the message");
            return (message.state(), message.content);
        }
    }
    panic!("the stream ended without an end");
}

#[tokio::test]
async fn no_key_of_a_reply_stays_in_redis_for_ever() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Short."), Step::Finish]);
    let reply = talk.say("Hello.").await.expect("sent");
    let redis = kit::redis::Redis::connect(&house.common).await.expect("Redis");
    let key = redis.key(format!("gen:{}", reply.generation));
    // It is told together with what others tell, a moment after the reply has ended.
    let life = kit::testing::eventually(|| async {
        let life: i64 = redis.run(redis::cmd("TTL").arg(&key)).await.expect("answered");
        (life != -2).then_some(life)
    })
    .await;
    assert!((1..=600).contains(&life), "{life} s");
}

#[tokio::test]
async fn a_save_whose_answer_was_lost_leaves_no_hole() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let (id, _events) = half_a_thought(&house, &talk).await;
    // What the owner saved, and was not told of: it comes again from there, with more.
    sqlx::query("insert into generation_text (generation_id, off, text) values ($1, 0, 'Half') on conflict do nothing")
        .bind(id)
        .execute(&house.db.pool)
        .await
        .expect("written");
    kept_half(&house, id).await;
    house.model.go_on();
    assert_eq!(talk.settled().await.content, "Half a thought. ");
}

/// Whoever reads has no use for an event per word of a model that says a thousand in a moment.
#[tokio::test]
async fn words_that_come_faster_than_they_can_be_read_are_told_together() {
    const WORDS: usize = 300;
    let house = house_with_model().await;
    let talk = house.talk().await;
    let mut steps = vec![Step::Say("gull. "); WORDS];
    steps.push(Step::Finish);
    house.model.streams(&steps);
    let began = std::time::Instant::now();
    let reply = talk.say("Count them.").await.expect("said");
    // An event each four milliseconds, the first and the last.
    let at_most = began.elapsed().as_millis() / 4 + 2;
    assert!(reply.pieces as u128 <= at_most, "{} pieces, {at_most} at most", reply.pieces);
    assert_eq!(reply.text, "gull. ".repeat(WORDS));
    assert_eq!(reply.message().content, reply.text);
}
