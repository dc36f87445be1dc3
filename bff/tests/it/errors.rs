use bff::errors::TABLE;
use kit::error::Failure;
use serde_json::json;
use tonic::{Code, Status};

use crate::support::{header, house, json};

/// One house, asked once per reason: the like button of the service that refuses.
#[tokio::test]
async fn every_reason_has_its_status_and_its_sentence() {
    let house = house().await;
    let ada = house.sign_in("ada");
    for (reason, status, text) in TABLE {
        house.stage.refuses(
            "catalog.v1.Reactions/React",
            Failure::new(Code::FailedPrecondition, *reason, "internal words"),
        );
        let like =
            house.post("/api/character/x/react", &json!({ "reactionType": "like" })).bearer_auth(&ada.token);
        let (got, body) = json(like).await;
        assert_eq!(got, *status, "{reason}");
        assert_eq!(body["success"], false);
        assert_eq!(body["msg"], *text, "{reason}");
        assert_eq!(body["message"], body["msg"]);
        assert_eq!(body["code"], *reason);
        assert!(!body.to_string().contains("internal words"));
    }
}

#[test]
fn the_literal_messages_of_the_specification_stand() {
    let said =
        |reason: &str| TABLE.iter().find(|(r, _, _)| *r == reason).map(|(_, status, text)| (*status, *text));
    assert_eq!(said("email_unverified"), Some((403, "Please verify your email!")));
    assert_eq!(said("under_age"), Some((400, "Minimum age is 18")));
    assert_eq!(said("too_many_tags"), Some((400, "You can add a maximum of 5 tags")));
    assert_eq!(said("unauthenticated"), Some((401, "Please login again.")));
    assert_eq!(said("character_not_found"), Some((404, "Character not found.")));
    assert_eq!(said("coins_short").map(|(s, _)| s), Some(402));
    assert_eq!(said("subscribe_required").map(|(s, _)| s), Some(402));
}

#[tokio::test]
async fn a_validation_says_what_is_wrong_with_each_field() {
    let house = house().await;
    let failure =
        Failure::invalid("password", "Password is too short!").field("username", "Must fill out all fields!");
    house.stage.refuses("auth.v1.Accounts/SignUp", failure);
    let (status, body) = json(house.post("/api/signup", &json!({ "email": "a@b.cd" }))).await;
    assert_eq!(status, 400);
    assert_eq!(body["msg"], "Password is too short!");
    assert_eq!(
        body["fields"],
        json!({ "password": "Password is too short!", "username": "Must fill out all fields!" })
    );
}

#[tokio::test]
async fn what_the_table_lacks_takes_the_row_of_its_code_and_the_rest_is_ours() {
    let house = house().await;
    house.stage.refuses("billing.v1.Plans/ListPlans", Failure::new(Code::NotFound, "brand_new", "x"));
    let (status, body) = json(house.get("/api/plans")).await;
    assert_eq!((status, &body["code"], &body["msg"]), (404, &json!("brand_new"), &json!("Not found.")));

    house.stage.refuses("billing.v1.Plans/ListPlans", Status::unknown("a secret path /etc/x"));
    let (status, body) = json(house.get("/api/plans")).await;
    assert_eq!((status, &body["code"]), (500, &json!("internal")));
    assert!(!body.to_string().contains("secret"));
}

#[tokio::test]
async fn a_service_that_is_away_is_a_503_that_says_when_to_come_back() {
    let house = house().await;
    house.stage.refuses("billing.v1.Plans/ListPlans", Status::unavailable("connection refused"));
    let answer = house.get("/api/plans").send().await.expect("an answer");
    assert_eq!(answer.status(), 503);
    assert!(header(&answer, "retry-after").parse::<u32>().expect("seconds") >= 1);
}

#[tokio::test]
async fn a_body_that_is_not_what_it_should_be_is_told_by_field() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let review = |body: &'static str| {
        house
            .request(reqwest::Method::POST, "/api/character/x/review")
            .bearer_auth(&ada.token)
            .header("content-type", "application/json")
            .body(body)
    };
    let (status, body) = json(review(r#"{"comment":"fine","rating":"five"}"#)).await;
    assert_eq!((status, body["code"].as_str()), (400, Some("invalid")));
    assert!(body["fields"]["rating"].is_string(), "{body}");

    let (status, body) = json(review("{")).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["body"].is_string());

    let like =
        house.post("/api/character/x/react", &json!({ "reactionType": "adore" })).bearer_auth(&ada.token);
    let (status, body) = json(like).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["reactionType"].is_string(), "{body}");

    let (status, body) = json(house.post("/api/character/x/react", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!(status, 400);
    assert_eq!(body["fields"]["reactionType"], "This is missing.");

    let words =
        house.request(reqwest::Method::POST, "/api/character/x/review").bearer_auth(&ada.token).body("fine");
    let (status, body) = json(words.header("content-type", "text/plain")).await;
    assert_eq!((status, body["code"].as_str()), (415, Some("unsupported_media")));

    let large = format!(r#"{{"comment":"{}"}}"#, "x".repeat(1024 * 1024 + 1));
    let (status, body) = json(
        house
            .request(reqwest::Method::POST, "/api/character/x/review")
            .bearer_auth(&ada.token)
            .header("content-type", "application/json")
            .body(large),
    )
    .await;
    assert_eq!((status, body["code"].as_str()), (413, Some("too_large")));
    assert!(house.stage.calls("catalog.v1.Reviews/PutReview").is_empty());
}

#[tokio::test]
async fn a_wrong_type_names_its_field_wherever_it_stands() {
    let house = house().await;
    let ada = house.sign_in("ada");
    for (path, body, field) in [
        ("/api/checkout", json!({ "plan": 1, "period": "monthly" }), "plan"),
        ("/api/checkout", json!({ "plan": "premium", "period": [] }), "period"),
        ("/api/character/x/react", json!({ "reactionType": 3 }), "reactionType"),
        ("/api/blocks", json!({ "kind": null, "target": "elf", "on": true }), "kind"),
        ("/api/account/deletion", json!({ "password": "x", "characters": 4 }), "characters"),
        ("/api/images/create", json!({ "style": 4 }), "style"),
        ("/api/personas/update", json!({ "personas": [{ "id": "1", "name": 7 }] }), "personas[0].name"),
    ] {
        let (status, answer) = json(house.post(path, &body).bearer_auth(&ada.token)).await;
        assert_eq!((status, answer["fields"][field].as_str()), (400, Some("Not a valid value.")), "{answer}");
    }
}

#[tokio::test]
async fn what_is_not_utf_8_is_refused_in_body_query_and_path() {
    let house = house().await;
    let ada = house.sign_in("ada");
    for path in ["/api/search?keywords=%ff", "/api/search?tags=%c3%28", "/api/user/%ff"] {
        let (status, answer) = json(house.get(path)).await;
        assert_eq!((status, answer["code"].as_str()), (400, Some("invalid")), "{path}");
    }
    let body = house
        .request(reqwest::Method::POST, "/api/user/preferences")
        .bearer_auth(&ada.token)
        .header("content-type", "application/json")
        .body(b"{\"unknown\":\"\xff\"}".to_vec());
    let (status, answer) = json(body).await;
    assert_eq!((status, answer["fields"]["body"].is_string()), (400, true));
}

#[tokio::test]
async fn unknown_addresses_of_the_api_answer_json() {
    let house = house().await;
    for path in ["/api/nothing", "/api", "/media/x", "/webhooks"] {
        let (status, body) = json(house.get(path)).await;
        assert_eq!((status, body["code"].as_str()), (404, Some("not_found")), "{path}");
    }
    let (status, body) = json(house.request(reqwest::Method::DELETE, "/api/signup")).await;
    assert_eq!((status, body["code"].as_str()), (405, Some("method_not_allowed")));
}
