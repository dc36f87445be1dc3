//! Servers of other kinds, a second one, and what models say that is not for people.

use proto::chat::v1::MessageState;
use serde_json::json;

use crate::{
    model::{Answer, Model, Step},
    support::{House, Reply, Talk, house_with_model},
};

/// What was asked last.
fn asked(model: &Model) -> serde_json::Value {
    model.asked.lock().expect("no holder panics").last().expect("asked").clone()
}

async fn used(talk: &Talk) -> u32 {
    talk.page().await.usage.expect("told").used
}

#[tokio::test]
async fn ollama_is_spoken_to_in_its_own_words() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let server = house
        .with_engine(|e| {
            e.llm_provider = "ollama".into();
            e.llm_context_tokens = 3_000;
        })
        .await;
    let talk = talk.at(&server);
    house.model.streams(&[
        Step::Raw("{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Hm.\"},\"done\":false}\n"),
        Step::Raw("{\"message\":{\"content\":\"Good \"},\"done\":false}\n{\"message\":{\"content\":\"even"),
        Step::Raw("ing.\"},\"done\":false}\n"),
        Step::Raw("{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":77,\"eval_count\":3}\n"),
    ]);
    let reply = talk.say("Hello.").await.expect("sent");
    assert_eq!(reply.message().content, "Good evening.");
    let body = asked(&house.model);
    for (name, value) in [
        ("num_ctx", json!(3_000)),
        ("num_predict", json!(200)),
        ("min_p", json!(0.05)),
        ("stop", json!(["\nrobin:", "\n**robin:"])),
        ("dry_base", json!(null)),
    ] {
        assert_eq!(body["options"][name], value, "{name} in {body}");
    }
    assert_eq!((&body["keep_alive"], &body["stream"]), (&json!("10m"), &json!(true)));
    let manifest: serde_json::Value =
        sqlx::query_scalar("select manifest from generation where id::text = $1")
            .bind(&reply.generation)
            .fetch_one(&house.db.pool)
            .await
            .expect("read");
    assert_eq!((&manifest["tokens"], &manifest["reply_tokens"]), (&json!(77), &json!(3)));
}

#[tokio::test]
async fn what_ollama_does_wrong_has_a_reason_too() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let server = house
        .with_engine(|e| {
            e.llm_provider = "ollama".into();
            e.llm_retries = 0;
        })
        .await;
    let talk = talk.at(&server);
    let said = Step::Raw("{\"message\":{\"content\":\"So far.\"},\"done\":false}\n");
    let last = |reason: &str| -> &'static str {
        let line =
            format!("{{\"message\":{{\"content\":\"\"}},\"done\":true,\"done_reason\":\"{reason}\"}}\n");
        Box::leak(line.into_boxed_str())
    };
    for (steps, reason, state, kept) in [
        (
            vec![said.clone(), Step::Raw("{\"error\":\"out of memory\"}\n")],
            "engine_error",
            MessageState::Failed,
            "So far.",
        ),
        (vec![said.clone(), Step::Raw("not JSON\n")], "engine_malformed", MessageState::Failed, "So far."),
        (vec![said.clone()], "engine_ended_early", MessageState::Interrupted, "So far."),
        (vec![Step::Raw(last("length"))], "engine_reasoned_only", MessageState::Failed, ""),
        (vec![Step::Raw(last("load"))], "engine_ended_early", MessageState::Failed, ""),
    ] {
        house.model.streams(&steps);
        let reply = talk.say("Hello.").await.expect("sent");
        let (told, message) = reply.trouble();
        assert_eq!((told, message.state(), message.content.as_str()), (reason, state, kept));
    }
    house.model.streams(&[said, Step::Raw(last("length"))]);
    assert_eq!(talk.say("Hello.").await.expect("sent").message().content, "So far.", "long is no failure");
}

#[tokio::test]
async fn what_a_model_thinks_is_neither_shown_nor_kept_nor_told_to_it_again() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[
        Step::Raw("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"A plot.\"}}]}\n\n"),
        Step::Raw("data: {\"choices\":[{\"delta\":{\"reasoning\":\"A plot.\"}}]}\n\n"),
        Step::Say("<thi"),
        Step::Say("nk>A plot. "),
        Step::Say("More plot.</th"),
        Step::Say("ink>\n\nGood evening."),
        Step::Finish,
    ]);
    let reply = talk.say("Hello.").await.expect("sent");
    assert_eq!((reply.text.as_str(), reply.message().content.as_str()), ("Good evening.", "Good evening."));
    house.model.streams(&[Step::Say("Yes?"), Step::Finish]);
    talk.say("Well.").await.expect("sent");
    let prompt = house.model.last_prompt();
    assert!(prompt.contains("Good evening.") && !prompt.contains("plot"), "{prompt}");
}

#[tokio::test]
async fn a_model_that_only_thinks_has_failed_and_costs_nothing() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let length =
        Step::Raw("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n");
    house.model.streams(&[Step::Say("<think>And on, and on, and"), length.clone()]);
    let reply = talk.say("Hello.").await.expect("sent");
    let (reason, message) = reply.trouble();
    assert_eq!(
        (reason, message.state(), message.content.as_str()),
        ("engine_reasoned_only", MessageState::Failed, "")
    );
    assert_eq!((used(&talk).await, house.model.requests()), (0, 1), "not billed, not asked again");

    house.model.streams(&[Step::Say("A long story."), length]);
    assert_eq!(talk.say("Go on.").await.expect("sent").message().content, "A long story.");
    assert_eq!(used(&talk).await, 1);
}

#[tokio::test]
async fn a_server_that_refuses_to_count_is_asked_once_more_without_and_remembered() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.will(Answer::Refusal(400, "{\"error\":\"Unknown field: Stream_Options\"}"));
    for text in ["Here.", "Here again."] {
        house.model.streams(&[Step::Raw(": OPENROUTER PROCESSING\n\n"), Step::Say(text), Step::Finish]);
        assert_eq!(talk.say("Hello?").await.expect("sent").message().content, text);
        assert_eq!(asked(&house.model)["stream_options"], json!(null));
    }
    assert_eq!(house.model.requests(), 3);
}

/// A process with a second server.
async fn with_second(house: &House, second: &Model) -> kit::testing::TestServer {
    let url = second.url.clone();
    house
        .with_engine(|e| {
            e.llm_fallback_base_url = url;
            e.llm_first_token_timeout_s = 0.5;
            e.llm_idle_timeout_s = 0.5;
            e.llm_retries = 0;
            e.llm_breaker_failures = 2;
            e.llm_breaker_pause_s = 3_600.0;
        })
        .await
}

fn written_by(reply: &Reply) -> (&str, &str) {
    (&reply.message().engine, &reply.message().content)
}

#[tokio::test]
async fn a_second_engine_takes_over_before_the_first_token_and_says_that_it_wrote() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let second = Model::start().await;
    let server = with_second(&house, &second).await;
    let talk = talk.at(&server);

    house.model.streams(&[Step::Say("I am here."), Step::Finish]);
    assert_eq!(written_by(&talk.say("One.").await.expect("sent")), ("test-model", "I am here."));

    house.model.streams(&[Step::Wait]);
    second.streams(&[Step::Say("I stepped in."), Step::Finish]);
    let reply = talk.say("Two.").await.expect("sent");
    assert_eq!(written_by(&reply), ("second-model", "I stepped in."));
    assert_eq!(talk.settled().await.engine, "second-model", "after a reload too");

    // After the first token never.
    house.model.streams(&[Step::Say("Half a"), Step::Wait]);
    let reply = talk.say("Three.").await.expect("sent");
    assert_eq!((reply.trouble().0, reply.trouble().1.content.as_str()), ("engine_timeout", "Half a"));

    // Twice in a row, and it is left alone.
    for _ in 0..2 {
        house.model.will(Answer::Status(503, None));
        second.streams(&[Step::Say("Again."), Step::Finish]);
        assert_eq!(written_by(&talk.say("Four.").await.expect("sent")), ("second-model", "Again."));
    }
    let before = house.model.requests();
    second.streams(&[Step::Say("Without asking."), Step::Finish]);
    assert_eq!(written_by(&talk.say("Five.").await.expect("sent")), ("second-model", "Without asking."));
    assert_eq!(house.model.requests(), before);

    second.will(Answer::Status(500, None));
    assert_eq!(talk.say("Six.").await.expect("sent").trouble().0, "engine_error", "there is no third");
}
