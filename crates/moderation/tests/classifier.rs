//! The classifier as its callers meet it.
#![cfg(feature = "classifier")]

use std::time::Duration;

use troupe_moderation::{
    Place, Rule, Verdict,
    classifier::{Classifier, Settings},
};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{body_partial_json, body_string_contains, header, method, path},
};

fn settings(server: &MockServer) -> Settings {
    Settings {
        moderation_base_url: Some(server.uri()),
        moderation_api_key: Some("key".into()),
        moderation_model: "omni-moderation-latest".into(),
        moderation_timeout_s: 1,
    }
}

fn classifier(server: &MockServer) -> Classifier {
    Classifier::new(&settings(server)).expect("an address").expect("configured")
}

fn refused(rule: &str) -> Verdict {
    Verdict::Refuse(Rule::named(rule).expect("known"))
}

async fn answering(categories: serde_json::Value, scores: serde_json::Value) -> MockServer {
    let server = MockServer::start().await;
    let body = serde_json::json!({
        "id": "modr-1", "model": "omni-moderation-latest",
        "results": [{ "flagged": true, "categories": categories, "category_scores": scores }],
    });
    Mock::given(method("POST"))
        .and(path("/v1/moderations"))
        .and(header("authorization", "Bearer key"))
        .and(body_partial_json(serde_json::json!({ "model": "omni-moderation-latest" })))
        .respond_with(ResponseTemplate::new(200).set_body_json(body))
        .mount(&server)
        .await;
    server
}

#[tokio::test]
async fn categories_become_verdicts() {
    for (categories, scores, expected) in [
        (
            serde_json::json!({ "sexual": true, "sexual/minors": false }),
            serde_json::json!({ "sexual": 0.99 }),
            Verdict::Allow,
        ),
        (
            serde_json::json!({ "violence/graphic": true, "illicit/violent": false }),
            serde_json::json!({}),
            Verdict::Allow,
        ),
        (serde_json::json!({ "sexual/minors": true }), serde_json::json!({}), refused("minor.sexual")),
        // Below the classifier's own mark, and above ours.
        (
            serde_json::json!({ "sexual/minors": false }),
            serde_json::json!({ "sexual/minors": 0.4 }),
            refused("minor.sexual"),
        ),
        (
            serde_json::json!({ "illicit/violent": true, "self-harm/intent": true }),
            serde_json::json!({}),
            refused("illegal.weapons"),
        ),
        (
            serde_json::json!({ "sexual/minors": null }),
            serde_json::json!({ "sexual/minors": null }),
            Verdict::Allow,
        ),
    ] {
        let server = answering(categories.clone(), scores).await;
        let verdict = classifier(&server).text("a text", Place::UserTurn).await.expect("answered");
        assert_eq!(verdict, expected, "{categories}");
    }
}

#[tokio::test]
async fn a_rule_holds_where_it_holds_for_the_rules_themselves() {
    let threat = serde_json::json!({ "harassment/threatening": true, "hate/threatening": true });
    let server = answering(threat, serde_json::json!({ "harassment/threatening": 0.99 })).await;
    for (place, expected) in [
        (Place::UserTurn, Verdict::Allow),
        (Place::Card, refused("hate.incitement")),
        (Place::Review, refused("hate.incitement")),
    ] {
        let verdict = classifier(&server).text("a villain threatens", place).await.expect("answered");
        assert_eq!(verdict, expected, "{place:?}");
    }
}

#[tokio::test]
async fn of_what_is_equally_grave_the_strike_is_not_lost() {
    let both =
        serde_json::json!({ "sexual/minors": true, "illicit/violent": true, "self-harm/intent": true });
    let server = answering(both, serde_json::json!({})).await;
    let verdict = classifier(&server).text("a text", Place::UserTurn).await.expect("answered");
    assert_eq!(verdict, refused("minor.sexual"));
}

#[tokio::test]
async fn a_picture_is_sent_whole_and_judged() {
    let server = MockServer::start().await;
    let body = serde_json::json!({ "results": [{ "categories": { "sexual/minors": true } }] });
    Mock::given(body_string_contains("data:image/webp;base64,AQID"))
        .respond_with(ResponseTemplate::new(200).set_body_json(body))
        .mount(&server)
        .await;
    let verdict = classifier(&server).image([1, 2, 3], "image/webp").await.expect("answered");
    assert_eq!(verdict, refused("minor.sexual"));
}

#[tokio::test]
async fn whatever_goes_wrong_is_no_permission() {
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(30));
    for answer in [
        ResponseTemplate::new(500),
        ResponseTemplate::new(429),
        ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/"),
        ResponseTemplate::new(200).set_body_string("no JSON"),
        ResponseTemplate::new(200).set_body_json(serde_json::json!({ "results": [] })),
        ResponseTemplate::new(200).set_body_json(serde_json::json!({ "results": [{ "categories": {} }] })),
        ResponseTemplate::new(200)
            .set_body_json(serde_json::json!({ "results": [{ "categories": { "weather": true } }] })),
        ResponseTemplate::new(200).set_body_string("x".repeat(300_000)),
        slow,
    ] {
        let server = MockServer::start().await;
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        classifier(&server).text("a text", Place::UserTurn).await.expect_err("unavailable");
    }
    let mut gone = Settings { moderation_base_url: Some("http://127.0.0.1:1".into()), ..Settings::default() };
    let error = Classifier::new(&gone)
        .expect("an address")
        .expect("configured")
        .text("a text", Place::UserTurn)
        .await;
    assert!(!error.expect_err("away").to_string().contains("127.0.0.1"), "addresses may hold keys");
    gone.moderation_base_url = Some("no address".into());
    Classifier::new(&gone).expect_err("no address");
}

/// Texts, pictures and the key go where the operator says. Who answers there cannot send them on, not even to a server that
/// would let everything pass.
#[tokio::test]
async fn no_answer_sends_a_text_on() {
    let elsewhere = answering(serde_json::json!({ "sexual/minors": false }), serde_json::json!({})).await;
    for status in [300, 301, 302, 303, 307, 308] {
        for to in [
            format!("{}/v1/moderations", elsewhere.uri()),
            format!("{}/v1/moderations", elsewhere.uri().replace("127.0.0.1", "localhost")),
            elsewhere.uri().replace("http:", ""),
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "file:///etc/passwd".to_owned(),
        ] {
            let server = MockServer::start().await;
            let onward = ResponseTemplate::new(status).insert_header("location", to.as_str());
            Mock::given(method("POST")).respond_with(onward).expect(2).mount(&server).await;
            let classifier = classifier(&server);
            for error in [
                classifier.text("a text", Place::Card).await.expect_err("no verdict"),
                classifier.image([1, 2, 3], "image/webp").await.expect_err("no verdict"),
            ] {
                let said = error.to_string();
                assert!(
                    said.contains(&status.to_string()),
                    "the redirect itself, not what is behind it: {said}"
                );
            }
        }
    }
    let reached = elsewhere.received_requests().await.expect("recorded");
    assert!(reached.is_empty(), "{} were sent on", reached.len());
}

#[test]
fn without_an_address_there_is_none() {
    assert!(Classifier::new(&Settings::default()).expect("allowed").is_none());
    let empty = Settings { moderation_base_url: Some(" ".into()), ..Settings::default() };
    assert!(Classifier::new(&empty).expect("allowed").is_none());
}
