use std::sync::{Arc, Mutex};

use futures::StreamExt as _;
use proto::chat::v1::SendResponse;
use serde_json::json;
use tokio::sync::mpsc;

use crate::{
    chats::{delta, done, started},
    support::house,
};

#[tokio::test]
async fn whoever_reads_a_stream_is_told_to_come_back_before_the_process_ends() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let mut stream = house.get("/api/events").bearer_auth(&ada.token).send().await.expect("a stream");
    stream.chunk().await.expect("no break").expect("the first word");

    // As SIGTERM does.
    let ended = tokio::spawn(house.server.stop());
    let last = stream.text().await.expect("an orderly end");
    assert!(last.contains("closing, come back") && last.contains("retry: 1000"), "{last}");
    ended.await.expect("it ends by itself");
}

#[tokio::test]
async fn a_reply_is_told_to_its_end_although_the_process_ends() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let (say, said) = mpsc::channel(1);
    let said = Arc::new(Mutex::new(Some(said)));
    house.stage.streams("chat.v1.Generations/Send", move || {
        let said = said.lock().expect("no holder panics").take().expect("asked once");
        futures::stream::unfold(said, |mut said| async move {
            let event = said.recv().await?;
            Some((Ok(SendResponse { event: Some(event) }), said))
        })
        .boxed()
    });
    let asked = house.post("/api/chats/k/messages", &json!({ "content": "Hello" })).bearer_auth(&ada.token);
    let asked = tokio::spawn(asked.header("accept", "text/event-stream").send());
    say.send(started()).await.expect("heard");
    let mut stream = asked.await.expect("asked").expect("a stream");
    stream.chunk().await.expect("no break").expect("the beginning");

    let ended = tokio::spawn(house.server.stop());
    say.send(delta(2, "Hi")).await.expect("heard");
    say.send(done("Hi")).await.expect("heard");
    drop(say);
    let rest = stream.text().await.expect("an orderly end");
    assert!(rest.contains("event: done") && !rest.contains("come back"), "{rest}");
    ended.await.expect("it ends by itself");
}
