use kit::notice::Notice;
use reqwest::Response;
use serde_json::json;

use crate::support::{House, header, house};

/// Publishes as another process of the house would.
async fn publish(house: &House, notice: &Notice) {
    let client = redis::Client::open(house.redis_url.as_str()).expect("an address");
    let mut redis = client.get_multiplexed_async_connection().await.expect("Redis");
    let channel = match notice {
        Notice::Revoked { .. } => format!("{}:troupe:notice", house.prefix),
        Notice::Hint { what, .. } => format!("{}:troupe:notice:{what}", house.prefix),
    };
    let body = serde_json::to_string(notice).expect("plain data");
    let heard: i64 =
        redis::cmd("PUBLISH").arg(channel).arg(body).query_async(&mut redis).await.expect("published");
    assert!(heard >= 1, "the BFF listens");
}

async fn until(stream: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        let chunk = stream
            .chunk()
            .await
            .expect("no break")
            .unwrap_or_else(|| panic!("ended before {wanted}: {text}"));
        text.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
    }
    text
}

#[tokio::test]
async fn a_user_hears_of_their_own_things_and_of_nobody_else_s() {
    let house = house().await;
    let (ada, bob) = (house.sign_in("ada"), house.sign_in("bob"));
    let mut stream = house.get("/api/events").bearer_auth(&ada.token).send().await.expect("a stream");
    assert_eq!(stream.status(), 200);
    assert!(header(&stream, "content-type").starts_with("text/event-stream"));
    assert_eq!(header(&stream, "content-encoding"), "");
    assert_eq!(header(&stream, "x-accel-buffering"), "no");
    until(&mut stream, "listening").await;

    publish(
        &house,
        &Notice::Hint { user: bob.id, what: "image.completed".into(), id: "b1".into(), traceparent: None },
    )
    .await;
    publish(
        &house,
        &Notice::Hint { user: ada.id, what: "image.completed".into(), id: "a1".into(), traceparent: None },
    )
    .await;
    let heard = until(&mut stream, "a1").await;
    assert!(heard.contains("event: hint\n"), "{heard}");
    assert!(
        heard.contains(&format!("data: {}", json!({ "type": "image.completed", "id": "a1" })))
            || heard.contains(r#"data: {"type":"image.completed","id":"a1"}"#),
        "{heard}"
    );
    assert!(!heard.contains("b1"));
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let mut stream = house.get("/api/events").bearer_auth(&ada.token).send().await.expect("a stream");
    until(&mut stream, "listening").await;
    publish(
        &house,
        &Notice::Revoked {
            subject: format!("u:{}", ada.id),
            not_before: 4_000_000_000,
            expires_at: 4_000_000_000,
        },
    )
    .await;
    while stream.chunk().await.expect("an orderly end").is_some() {}
}

#[tokio::test]
async fn a_process_that_ends_closes_its_streams_and_says_when_to_come_back() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let mut stream = house.get("/api/events").bearer_auth(&ada.token).send().await.expect("a stream");
    until(&mut stream, "listening").await;
    let ended = tokio::spawn(house.server.stop());
    until(&mut stream, "retry: 1000").await;
    while stream.chunk().await.expect("an orderly end").is_some() {}
    drop(stream);
    ended.await.expect("the process ends well");
}
