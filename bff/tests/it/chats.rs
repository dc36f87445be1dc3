use std::sync::{Arc, Mutex};

use futures::{StreamExt as _, stream};
use kit::error::Failure;
use proto::{
    catalog::v1::GetCardsResponse,
    chat::v1::{
        ChatSummary, ClearChatRequest, ClearChatResponse, Delta, Done, Failed, GenerationEvent,
        ListChatsResponse, Message, MessageState, OpenChatRequest, OpenChatResponse, SendRequest,
        SendResponse, Sender, Started, StopResponse, Usage, WatchRequest, WatchResponse,
        generation_event::Event,
        send_request::{Persona, Turn},
    },
};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tonic::{Code, Status};

use crate::{
    lists::card,
    support::{header, house, json, ok},
};

const SEND: &str = "chat.v1.Generations/Send";

pub fn message(id: &str, sender: Sender, content: &str, state: MessageState) -> Message {
    Message {
        id: id.into(),
        chat_id: "k".into(),
        sender: sender.into(),
        content: content.into(),
        state: state.into(),
        variants: 1,
        variant: 1,
        ..Message::default()
    }
}

pub fn happened(offset: u64, event: Event) -> GenerationEvent {
    GenerationEvent { generation_id: "g1".into(), offset, event: Some(event) }
}

pub fn started() -> GenerationEvent {
    happened(
        0,
        Event::Started(Started {
            generation_id: "g1".into(),
            user_message: Some(message("m1", Sender::User, "Hello", MessageState::Complete)),
            ai_message: Some(message("m2", Sender::Character, "", MessageState::Streaming)),
        }),
    )
}

pub fn delta(offset: u64, text: &str) -> GenerationEvent {
    happened(offset, Event::Delta(Delta { text: text.into() }))
}

pub fn done(text: &str) -> GenerationEvent {
    let ai_message = Some(message("m2", Sender::Character, text, MessageState::Complete));
    happened(text.len() as u64, Event::Done(Done { ai_message }))
}

fn sent(event: GenerationEvent) -> Result<SendResponse, Status> {
    Ok(SendResponse { event: Some(event) })
}

/// Events of a stream as (name, id, data).
pub fn events(text: &str) -> Vec<(String, String, Value)> {
    let field = |block: &str, name: &str| {
        block.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default().to_owned()
    };
    text.split("\n\n")
        .filter(|block| block.contains("data: "))
        .map(|b| (field(b, "event"), field(b, "id"), serde_json::from_str(&field(b, "data")).expect("JSON")))
        .collect()
}

async fn next(stream: &mut Response) -> String {
    let chunk = stream.chunk().await.expect("no break").expect("not ended");
    String::from_utf8(chunk.to_vec()).expect("UTF-8")
}

/// The service writes one delta and waits until the browser has it before it writes the next: a buffer
/// anywhere in between would stop the play.
#[tokio::test]
async fn each_delta_reaches_the_browser_before_the_next_is_written() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let (say, said) = mpsc::channel(1);
    let said = Arc::new(Mutex::new(Some(said)));
    house.stage.streams(SEND, move || {
        let said = said.lock().expect("no holder panics").take().expect("asked once");
        stream::unfold(said, async |mut said| said.recv().await.map(|event| (sent(event), said))).boxed()
    });
    say.send(started()).await.expect("heard");
    let request = house
        .post("/api/chats/k/messages", &json!({ "content": " Hello " }))
        .bearer_auth(&ada.token)
        .header("accept", "text/event-stream")
        .header("accept-encoding", "gzip, br");
    let mut stream = request.send().await.expect("a stream");
    assert_eq!(stream.status(), 200);
    assert!(header(&stream, "content-type").starts_with("text/event-stream"));
    assert_eq!((header(&stream, "content-encoding"), header(&stream, "x-accel-buffering")), ("", "no"));
    let first = events(&next(&mut stream).await).remove(0);
    assert_eq!((first.0.as_str(), first.1.as_str()), ("start", "g1:0"));
    assert_eq!(
        (first.2["generationId"].as_str(), first.2["userMessage"]["content"].as_str()),
        (Some("g1"), Some("Hello"))
    );
    assert_eq!(first.2["aiMessage"]["state"], "streaming");
    for i in 1..=200_u64 {
        say.send(delta(i * 3, "ab\n")).await.expect("heard");
        let heard = events(&next(&mut stream).await);
        assert_eq!(heard, [("delta".to_owned(), format!("g1:{}", i * 3), json!({ "text": "ab\n" }))]);
    }
    say.send(done("the end")).await.expect("heard");
    let last = events(&next(&mut stream).await).remove(0);
    assert_eq!(
        (last.0.as_str(), last.1.as_str(), last.2["aiMessage"]["content"].as_str()),
        ("done", "g1:7", Some("the end"))
    );
    drop(say);
    assert!(stream.chunk().await.expect("an orderly end").is_none());

    let call = house.stage.call(SEND);
    assert_eq!(call.header("grpc-timeout"), None, "a stream has no deadline");
    let asked: SendRequest = call.read();
    assert_eq!(
        (asked.chat_id.as_str(), asked.turn, asked.persona),
        ("k", Some(Turn::Content("Hello".into())), None)
    );
}

#[tokio::test]
async fn without_a_stream_the_same_route_answers_the_whole_turn() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house
        .stage
        .streams(SEND, || stream::iter([sent(started()), sent(delta(2, "Hi")), sent(done("Hi"))]).boxed());
    let turn =
        ok(house.post("/api/chats/k/messages", &json!({ "content": "Hello" })).bearer_auth(&ada.token)).await;
    assert_eq!(
        (turn["aiMessage"]["content"].as_str(), turn["userMessage"]["_id"].as_str()),
        (Some("Hi"), Some("m1"))
    );
    assert_eq!(turn["aiMessage"]["senderType"], "character");

    ok(house.post("/api/chats/k/messages", &json!({ "isContinue": true, "persona": { "name": "Ada", "gender": "female" }, "description": "x" })).bearer_auth(&ada.token)).await;
    ok(house
        .post("/api/chats/k/messages", &json!({ "content": "Hello", "persona": "1790" }))
        .bearer_auth(&ada.token))
    .await;
    let asked: Vec<SendRequest> = house.stage.calls(SEND).iter().map(crate::backstage::Call::read).collect();
    assert_eq!(asked[1].turn, Some(Turn::Continue(true)));
    assert!(
        matches!(&asked[1].persona, Some(Persona::InlinePersona(p)) if p.name == "Ada" && p.gender == "female")
    );
    assert_eq!(asked[2].persona, Some(Persona::PersonaId("1790".into())));
}

#[tokio::test]
async fn a_failed_reply_is_an_event_or_a_status_and_keeps_what_was_written() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.streams(SEND, || {
        let kept = message("m2", Sender::Character, "Half a", MessageState::Failed);
        let failed = happened(
            6,
            Event::Failed(Failed { reason: "engine_ended_early".into(), ai_message: Some(kept) }),
        );
        stream::iter([sent(started()), sent(delta(6, "Half a")), sent(failed)]).boxed()
    });
    let post = || house.post("/api/chats/k/messages", &json!({ "content": "Hello" })).bearer_auth(&ada.token);
    let text = post()
        .header("accept", "text/event-stream")
        .send()
        .await
        .expect("a stream")
        .text()
        .await
        .expect("an end");
    let all = events(&text);
    let (name, id, data) = all.last().expect("an event");
    assert_eq!((name.as_str(), id.as_str()), ("error", "g1:6"));
    assert_eq!(
        (data["code"].as_str(), data["aiMessage"]["content"].as_str()),
        (Some("engine_ended_early"), Some("Half a"))
    );
    assert_eq!(data["msg"], "The language model stopped in the middle. You can continue from there.");

    let (status, body) = json(post()).await;
    assert_eq!((status, body["code"].as_str()), (503, Some("engine_ended_early")));
    assert_eq!(body["message"], "The language model stopped in the middle. You can continue from there.");
}

#[tokio::test]
async fn a_refusal_before_the_first_word_is_a_status_even_for_a_stream() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let post = || {
        house
            .post("/api/chats/k/messages", &json!({ "content": "Hello" }))
            .bearer_auth(&ada.token)
            .header("accept", "text/event-stream")
    };
    house.stage.refuses(SEND, Failure::new(Code::PermissionDenied, "subscribe_required", "x"));
    assert_eq!(json(post()).await.0, 402);
    house
        .stage
        .refuses(SEND, Failure::new(Code::Aborted, "generation_running", "x").meta("generation_id", "g9"));
    let (status, body) = json(post()).await;
    assert_eq!((status, body["generationId"].as_str()), (409, Some("g9")));

    let (status, body) =
        json(house.post("/api/chats/k/messages", &json!({ "content": "  " })).bearer_auth(&ada.token)).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["content"].is_string());
}

#[tokio::test]
async fn a_connection_that_breaks_upstream_ends_the_stream_with_an_error() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.streams(SEND, || {
        stream::iter([sent(started()), sent(delta(2, "Hi")), Err(Status::unavailable("gone"))]).boxed()
    });
    let post = || {
        house
            .post("/api/chats/k/messages", &json!({ "content": "Hello" }))
            .bearer_auth(&ada.token)
            .header("accept", "text/event-stream")
    };
    let all = events(&post().send().await.expect("a stream").text().await.expect("an end"));
    let (name, id, data) = all.last().expect("an event");
    assert_eq!(
        (name.as_str(), id.as_str(), data["code"].as_str(), &data["aiMessage"]),
        ("error", "", Some("unavailable"), &json!(null))
    );

    house.stage.streams(SEND, || stream::iter([sent(started())]).boxed());
    let all = events(&post().send().await.expect("a stream").text().await.expect("an end"));
    assert_eq!(
        all.last().map(|(name, _, data)| (name.as_str(), data["code"].as_str())),
        Some(("error", Some("unavailable")))
    );
}

#[tokio::test]
async fn a_reader_comes_back_where_they_left_and_can_stop() {
    let house = house().await;
    let ada = house.sign_in("ada");
    const WATCH: &str = "chat.v1.Generations/Watch";
    house.stage.streams(WATCH, || {
        stream::iter([delta(9, " there"), done("Hi, there")])
            .map(|e| Ok(WatchResponse { event: Some(e) }))
            .boxed()
    });
    let watch = |last: &str| {
        house.get("/api/chats/k/generations/g1").bearer_auth(&ada.token).header("last-event-id", last)
    };
    let all = events(&watch("g1:3").send().await.expect("a stream").text().await.expect("an end"));
    assert_eq!(all[0], ("delta".to_owned(), "g1:9".to_owned(), json!({ "text": " there" })));
    assert_eq!(all[1].0, "done");
    for last in ["g2:3", "nonsense", "g1:x"] {
        watch(last).send().await.expect("a stream").text().await.expect("an end");
    }
    let from: Vec<u64> =
        house.stage.calls(WATCH).iter().map(|c| c.read::<WatchRequest>().from_offset).collect();
    assert_eq!(from, [3, 0, 0, 0]);

    let kept = message("m2", Sender::Character, "Hi", MessageState::Stopped);
    house.stage.says("chat.v1.Generations/Stop", StopResponse { ai_message: Some(kept) });
    let stopped =
        ok(house.request(Method::DELETE, "/api/chats/k/generations/g1").bearer_auth(&ada.token)).await;
    assert_eq!(
        (stopped["aiMessage"]["state"].as_str(), stopped["aiMessage"]["content"].as_str()),
        (Some("stopped"), Some("Hi"))
    );
}

#[tokio::test]
async fn a_chat_opens_with_its_history_and_what_is_left() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let chat = OpenChatResponse {
        chat_id: "k".into(),
        messages: vec![message("m0", Sender::Character, "Enter.", MessageState::Complete)],
        running_generation_id: String::new(),
        usage: Some(Usage { used: 0, limit: None, path_messages: 1, free_limit: Some(20) }),
        character: Some(card("c1")),
        scenario: "A cold hall".into(),
        engine: "improv".into(),
        engine_offline: true,
        first_contact: true,
        title: "The storm".into(),
        has_earlier: true,
        ..OpenChatResponse::default()
    };
    house.stage.says("chat.v1.Chats/OpenChat", chat);
    let page = ok(house.get("/api/chats/c1/messages").bearer_auth(&ada.token)).await;
    assert_eq!(
        (page["chatId"].as_str(), page["messages"][0]["content"].as_str()),
        (Some("k"), Some("Enter."))
    );
    assert_eq!(
        (page["character"]["name"].as_str(), page["character"]["scenario"].as_str()),
        (Some("Isolde"), Some("A cold hall"))
    );
    assert_eq!(page["running"], json!(null));
    assert_eq!(page["usage"], json!({ "used": 0, "limit": null, "pathMessages": 1, "freeLimit": 20 }));
    assert_eq!(page["engine"], json!({ "name": "improv", "offline": true }));
    let notice = page["aiNotice"].as_str().expect("said at first contact");
    assert!(notice.contains("Isolde is an AI character"), "{notice}");
    assert_eq!(page["messages"][0]["parentId"], json!(null));
    assert_eq!(
        (page["title"].as_str(), page["hasEarlier"].as_bool(), &page["clearUndoUntil"]),
        (Some("The storm"), Some(true), &json!(null))
    );
}

#[tokio::test]
async fn a_chat_of_long_messages_opens_page_by_page() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let long = message("m", Sender::Character, &"e".repeat(60_000), MessageState::Complete);
    let chat = OpenChatResponse {
        chat_id: "k".into(),
        messages: vec![long; 100],
        character: Some(card("c1")),
        has_earlier: true,
        ..OpenChatResponse::default()
    };
    house.stage.says("chat.v1.Chats/OpenChat", chat);
    let page = ok(house.get("/api/chats/c1/messages").bearer_auth(&ada.token)).await;
    assert_eq!(page["messages"].as_array().map(Vec::len), Some(100));
    ok(house.get("/api/chats/c1/messages?limit=2000").bearer_auth(&ada.token)).await;
    let limits: Vec<u32> = house
        .stage
        .calls("chat.v1.Chats/OpenChat")
        .iter()
        .map(|call| call.read::<OpenChatRequest>().limit)
        .collect();
    assert_eq!(limits, [100, 2_000], "a page, unless more is asked for");
}

#[tokio::test]
async fn the_list_of_chats_joins_pictures_and_stands_without_them() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let chat = ChatSummary {
        id: "k".into(),
        character_id: "c1".into(),
        character_name: "Isolde as she was".into(),
        last_message: "Enter.".into(),
        message_count: 1,
        ..ChatSummary::default()
    };
    let gone = ChatSummary {
        id: "l".into(),
        character_id: "c2".into(),
        character_name: "Nobody".into(),
        ..ChatSummary::default()
    };
    house.stage.says("chat.v1.Chats/ListChats", ListChatsResponse { chats: vec![chat, gone] });
    house.stage.says("catalog.v1.Characters/GetCards", GetCardsResponse { cards: vec![card("c1")] });
    let list = ok(house.get("/api/chats").bearer_auth(&ada.token)).await;
    assert_eq!(
        list[0]["character"],
        json!({ "_id": "c1", "name": "Isolde", "imageUrl": "/media/img-c1/card.webp" })
    );
    assert_eq!(
        (list[0]["lastMessage"]["content"].as_str(), &list[1]["lastMessage"]),
        (Some("Enter."), &json!(null))
    );
    assert_eq!(list[1]["character"], json!({ "_id": "c2", "name": "Nobody", "imageUrl": null }));

    house.stage.refuses("catalog.v1.Characters/GetCards", Status::unavailable("x"));
    assert_eq!(
        ok(house.get("/api/chats").bearer_auth(&ada.token)).await[0]["character"]["name"],
        "Isolde as she was"
    );
}

#[tokio::test]
async fn clearing_goes_back_to_the_greeting() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let greeting = message("m0", Sender::Character, "Enter.", MessageState::Complete);
    house.stage.on("chat.v1.Chats/ClearChat", move |asked: ClearChatRequest| {
        assert_eq!(asked.chat_id, "k");
        Ok(ClearChatResponse { first_message: Some(greeting.clone()), undo_until: None })
    });
    let cleared = ok(house.post("/api/chats/k/clear", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!(cleared["firstMessage"]["content"], "Enter.");
    assert_eq!(cleared["messages"], json!([cleared["firstMessage"]]));
}
