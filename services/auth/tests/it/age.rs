use kit::{
    client::Channel,
    config::Secret,
    testing::{Issuer, as_user, common},
};
use proto::auth::v1::{AssureAgeRequest, AssureAgeResponse, SignUpRequest, age_client::AgeClient};
use serde_json::json;
use tonic::{Code, Status};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{body_partial_json, header},
};

use crate::support::{House, PASSWORD, email, house, house_with, reason};

async fn assure(
    house: &House,
    token: &str,
    declared: bool,
    country: &str,
    proof: &str,
) -> Result<AssureAgeResponse, Status> {
    let ask = AssureAgeRequest { declared, country: country.into(), proof: proof.into() };
    let mut client: AgeClient<Channel> = AgeClient::new(house.channel());
    Ok(as_user(token, client.assure_age(ask)).await?.into_inner())
}

async fn kept(house: &House) -> (bool, String) {
    sqlx::query_as("select age_assured_at is not null, age_rule from account where username = 'ada'")
        .fetch_one(&house.db.pool)
        .await
        .expect("an account")
}

#[tokio::test]
async fn by_default_a_person_is_taken_at_their_word() {
    let house = house().await;
    let ada = house.member("ada").await;
    let not_said = assure(&house, &ada, false, "", "").await.expect("asked");
    assert_eq!((not_said.assured, kept(&house).await.0), (false, false));
    assert!(assure(&house, &ada, true, "", "").await.expect("asked").assured);
    assert_eq!(kept(&house).await, (true, "self".to_owned()));
    assert!(assure(&house, &ada, false, "", "").await.expect("asked").assured, "once is enough");
    let visitor =
        AgeClient::new(house.channel()).assure_age(AssureAgeRequest::default()).await.expect_err("nobody");
    assert_eq!(reason(&visitor), "unauthenticated");
}

#[tokio::test]
async fn a_provider_is_asked_where_a_country_wants_one_and_others_are_closed() {
    let provider = MockServer::start().await;
    let secret = "a provider's secret";
    Mock::given(header("authorization", format!("Bearer {secret}").as_str()))
        .and(body_partial_json(json!({ "proof": "right" })))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "assured": true })))
        .with_priority(1)
        .mount(&provider)
        .await;
    Mock::given(body_partial_json(json!({ "proof": "wrong" })))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "assured": false })))
        .with_priority(1)
        .mount(&provider)
        .await;
    Mock::given(header("authorization", format!("Bearer {secret}").as_str()))
        .and(body_partial_json(json!({ "return_url": "http://troupe.example/?age=returned" })))
        .respond_with(
            // Nobody is let in by a first answer, whatever it says.
            ResponseTemplate::new(200)
                .set_body_json(json!({ "assured": true, "redirect": "https://provider.example/go" })),
        )
        .with_priority(2)
        .mount(&provider)
        .await;
    let rules = format!("default=self;BE={}/check;XX=closed", provider.uri());
    let house = house_with(common(&Issuer::start().await), |config| {
        config.age_rules = rules.clone();
        config.age_provider_secret = Some(Secret::new(secret));
    })
    .await;
    let ada = house.member("ada").await;

    // Without a country of the edge, the session's time zone tells: Brussels.
    let sent = assure(&house, &ada, true, "", "").await.expect("asked");
    assert_eq!((sent.assured, sent.redirect.as_str()), (false, "https://provider.example/go"));
    let wrong = assure(&house, &ada, true, "", "wrong").await.expect("asked");
    assert!(!wrong.assured && wrong.redirect.is_empty());
    assert!(assure(&house, &ada, true, "", "right").await.expect("asked").assured);
    assert_eq!(kept(&house).await.1, format!("{}/check", provider.uri()));
    let session = &provider.received_requests().await.expect("recorded")[0];
    let told: serde_json::Value = session.body_json().expect("JSON");
    assert_eq!(told["session"].as_str().map(str::len), Some(64), "names nobody");

    let closed = assure(&house, &ada, true, "XX", "").await.expect_err("closed");
    assert_eq!((closed.code(), reason(&closed).as_str()), (Code::PermissionDenied, "country_closed"));
    let sign_up = |name: &str, country: &str| SignUpRequest {
        email: email(name),
        password: PASSWORD.into(),
        username: name.into(),
        country: country.into(),
        ..Default::default()
    };
    let closed = house.accounts().sign_up(sign_up("bea", "xx")).await.expect_err("closed");
    assert_eq!(reason(&closed), "country_closed");
    house.accounts().sign_up(sign_up("bea", "DE")).await.expect("open");
}

#[tokio::test]
async fn a_provider_that_is_down_lets_nobody_in() {
    let house = house_with(common(&Issuer::start().await), |config| {
        config.age_rules = "default=http://127.0.0.1:9/check".into();
        config.age_provider_secret = Some(Secret::new("a provider's secret"));
    })
    .await;
    let ada = house.member("ada").await;
    let down = assure(&house, &ada, true, "", "proof").await.expect_err("down");
    assert_eq!(down.code(), Code::Unavailable);
    assert!(!kept(&house).await.0);
}
