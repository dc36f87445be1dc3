//! Memories that are near to what was said, whatever their words.

use kit::testing::{as_user, eventually};
use proto::chat::v1::{MemoryScope, UpdateMemoryRequest};
use serde_json::{Value, json};
use uuid::Uuid;
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{header, method, path},
};

use crate::{
    memory::prompt_of,
    support::{House, Talk, house_told},
};

/// Near to what is asked, and no word in common with it.
const NEAR: &str = "Robin fears kittiwakes.";
/// A word in common with what is asked, and nothing else.
const WORD: &str = "Maren sold harbour tickets.";
/// Neither; but the newest.
const NEWEST: &str = "Somebody whistled.";
const ASKED: &str = "Which seabird do I dislike, out there by the harbour?";

/// Vectors by what a text is about.
fn vectors(request: &Request) -> ResponseTemplate {
    let asked: Value = request.body_json().expect("JSON");
    assert_eq!(asked["model"], "near");
    let data: Vec<Value> = asked["input"]
        .as_array()
        .expect("texts")
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let text = text.as_str().expect("a text");
            let about_birds = text.contains("seabird") || text.contains("kittiwake");
            json!({ "index": index, "embedding": if about_birds { [1.0, 0.1] } else { [0.0, 1.0] } })
        })
        .collect();
    ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
}

async fn server() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/embeddings"))
        .and(header("authorization", "Bearer the tests' key"))
        .respond_with(vectors)
        .mount(&server)
        .await;
    server
}

async fn house(server: &MockServer) -> House {
    house_told(|config| {
        config.embeddings.embeddings_base_url = server.uri();
        config.embeddings.embeddings_model = "near".into();
        config.engine.llm_context_tokens = 1_200;
    })
    .await
}

/// Facts of which the prompt has room for one.
async fn facts(house: &House) -> (Talk, Vec<Uuid>) {
    let talk = house.talk().await;
    let mut ids = Vec::new();
    for text in [NEAR, WORD, NEWEST] {
        let text = [text, &" la".repeat(220)].concat();
        let fact = talk.remember(&text, false, MemoryScope::Chat).await.expect("kept");
        ids.push(Uuid::try_parse(&fact.id).expect("an id"));
    }
    (talk, ids)
}

async fn with_vectors(house: &House) -> Vec<Uuid> {
    sqlx::query_scalar("select id from memory where embedding is not null and embedder = 'near' order by id")
        .fetch_all(&house.db.pool)
        .await
        .expect("read")
}

fn told(prompt: &str) -> [bool; 3] {
    [NEAR, WORD, NEWEST].map(|fact| prompt.contains(fact))
}

#[tokio::test]
async fn a_memory_comes_back_by_its_meaning_and_by_its_words_where_no_vectors_are_given() {
    let server = server().await;
    let house = house(&server).await;
    let (talk, ids) = facts(&house).await;
    // What was written while the others got theirs may wait for the next turn, which finds the queue empty.
    eventually(|| async {
        let jobs: i64 = sqlx::query_scalar("select count(*) from memory_job")
            .fetch_one(&house.db.pool)
            .await
            .expect("counted");
        (jobs == 0).then_some(())
    })
    .await;
    prompt_of(&house, &talk, "Good evening.").await;
    eventually(|| async { (with_vectors(&house).await == ids).then_some(()) }).await;

    let prompt = prompt_of(&house, &talk, ASKED).await;
    assert_eq!(told(&prompt), [true, false, false], "no word in common, but near: {prompt}");

    // Nobody gives vectors any more: those that are there say nothing by themselves.
    server.reset().await;
    let prompt = prompt_of(&house, &talk, ASKED).await;
    assert_eq!(told(&prompt), [false, true, false], "words decide: {prompt}");

    // A text that is changed loses its vector, which spoke of another.
    let change = UpdateMemoryRequest {
        id: ids[0].to_string(),
        text: Some("Robin likes kittiwakes.".into()),
        ..UpdateMemoryRequest::default()
    };
    as_user(&talk.token, talk.memories().update_memory(change)).await.expect("changed");
    assert_eq!(with_vectors(&house).await, ids[1..]);
}

#[tokio::test]
async fn where_no_vectors_were_ever_given_words_decide() {
    // It knows no path at all.
    let server = MockServer::start().await;
    let house = house(&server).await;
    let (talk, _) = facts(&house).await;
    let prompt = prompt_of(&house, &talk, ASKED).await;
    assert_eq!(told(&prompt), [false, true, false], "{prompt}");
    assert!(with_vectors(&house).await.is_empty());
}
