//! What the language model can do wrong, and what the reader sees of it.

use proto::chat::v1::MessageState;

use crate::{
    model::{Answer, Step},
    support::house_with_model,
};

#[tokio::test]
async fn a_model_that_is_not_there() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    drop(listener);
    let server = house.with_engine(|e| e.llm_base_url = url).await;
    let reply = talk.at(&server).say("Hello.").await.expect("sent");
    let (reason, message) = reply.trouble();
    assert_eq!(
        (reason, message.state(), message.content.as_str()),
        ("engine_unreachable", MessageState::Failed, "")
    );
    assert_eq!(message.reason, "engine_unreachable", "it says so after a reload too");
}

#[tokio::test]
async fn refusals_become_reasons() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    for (status, expected, tries) in [
        (401, "engine_refused_key", 1),
        (429, "engine_rate_limited", 2),
        (500, "engine_error", 2),
        (400, "engine_error", 1),
    ] {
        let before = house.model.requests();
        for _ in 0..tries {
            house.model.will(Answer::Status(status, (status == 429).then_some("0")));
        }
        let reply = talk.say("Hello.").await.expect("sent");
        let (reason, message) = reply.trouble();
        assert_eq!((reason, message.state()), (expected, MessageState::Failed), "{status}");
        assert_eq!(house.model.requests() - before, tries, "tries after {status}");
    }
}

#[tokio::test]
async fn a_moment_of_weakness_before_the_first_word_is_not_noticed() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.will(Answer::Status(429, Some("0")));
    house.model.streams(&[Step::Say("Here I am."), Step::Finish]);
    assert_eq!(talk.say("Hello.").await.expect("sent").message().content, "Here I am.");
}

#[tokio::test]
async fn a_limit_that_lasts_too_long_is_not_waited_for() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.will(Answer::Status(429, Some("3600")));
    let reply = talk.say("Hello.").await.expect("sent");
    assert_eq!(reply.trouble().0, "engine_rate_limited");
    assert_eq!(house.model.requests(), 1);
}

#[tokio::test]
async fn what_was_written_is_kept_when_the_stream_goes_wrong() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let error = "data: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n";
    for (bad, expected, state) in [
        (Step::Raw("data: {\"choices\": [\n\n"), "engine_malformed", MessageState::Failed),
        (Step::Raw(error), "engine_error", MessageState::Failed),
        (Step::Raw("data: [DONE]\n\n"), "engine_ended_early", MessageState::Interrupted),
        (Step::Raw(": and then nothing\n\n"), "engine_ended_early", MessageState::Interrupted),
    ] {
        house.model.streams(&[Step::Say("So far, so good."), bad]);
        let reply = talk.say("Hello.").await.expect("sent");
        let (reason, message) = reply.trouble();
        assert_eq!((reason, message.state()), (expected, state));
        assert_eq!(message.content, "So far, so good.");
        let last = talk.settled().await;
        assert_eq!((last.content.as_str(), last.reason.as_str()), ("So far, so good.", expected));
    }
}

#[tokio::test]
async fn a_model_that_falls_silent_is_given_up() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let server = house
        .with_engine(|e| {
            e.llm_first_token_timeout_s = 1.0;
            e.llm_idle_timeout_s = 0.3;
        })
        .await;
    let talk = talk.at(&server);
    house.model.streams(&[Step::Wait, Step::Finish]);
    let reply = talk.say("Hello.").await.expect("sent");
    assert_eq!((reply.trouble().0, reply.trouble().1.state()), ("engine_timeout", MessageState::Failed));

    house.model.streams(&[Step::Say("Well,"), Step::Wait, Step::Finish]);
    let reply = talk.say("Hello.").await.expect("sent");
    let (reason, message) = reply.trouble();
    assert_eq!((reason, message.state()), ("engine_timeout", MessageState::Interrupted));
    assert_eq!(message.content, "Well,", "what was held back for moderation is kept too");
}

#[tokio::test]
async fn a_reply_that_failed_empty_leaves_no_gap_in_the_talk() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.will(Answer::Status(401, None));
    let failed = talk.say("Hello.").await.expect("sent");
    house.model.streams(&[Step::Say("Now it works."), Step::Finish]);
    let reply = talk.go_on().await.expect("sent");
    assert_eq!(reply.message().parent_id, failed.user_message.expect("told").id, "it answers what was said");
    assert_eq!((reply.message().variants, reply.message().variant), (2, 2));
    let page = talk.page().await;
    assert_eq!(page.messages.len(), 3);
    assert_eq!(page.usage.expect("told").used, 1, "the failed one is not counted");
}

#[tokio::test]
async fn tokens_as_the_model_counted_them_are_in_the_manifest() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Counted."), Step::Finish]);
    let reply = talk.say("Hello.").await.expect("sent");
    let manifest: serde_json::Value =
        sqlx::query_scalar("select manifest from generation where id = $1::uuid")
            .bind(&reply.generation)
            .fetch_one(&house.db.pool)
            .await
            .expect("read");
    assert_eq!((&manifest["tokens"], &manifest["estimated"]), (&321.into(), &false.into()));
    let blocks: Vec<&str> =
        manifest["blocks"].as_array().expect("blocks").iter().filter_map(|b| b["block"].as_str()).collect();
    assert_eq!(
        blocks,
        ["system", "description", "personality", "scenario", "outfit", "persona", "examples", "history"]
    );
}
