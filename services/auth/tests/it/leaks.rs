//! New passwords are looked up in a list of leaked ones, where the operator names one.

use kit::testing::{Issuer, common};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{any, header, method, path},
};

use crate::{
    security::update,
    support::{House, PASSWORD, house_with, told},
};

/// A password that the list knows, and the digits of its SHA-1: what is asked, and what is answered.
const LEAKED: &str = "Limelights1";
const ASKED: &str = "6A4DB";
const REST: &str = "B1C6E2285DA94C1D77C8681E176FBED1F65";
const REFUSED: &str = "Password is known from a leak elsewhere!";

async fn house_by(list: &MockServer) -> House {
    let ranges = format!("{}/range", list.uri());
    house_with(common(&Issuer::start().await), |config| config.leaked_passwords_url = Some(ranges)).await
}

#[tokio::test]
async fn a_leaked_password_is_no_new_one_and_the_list_does_not_learn_it() {
    let list = MockServer::start().await;
    let range = format!("0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n{REST}:37\r\n");
    Mock::given(method("GET"))
        .and(path(format!("/range/{ASKED}")))
        .and(header("add-padding", "true"))
        .respond_with(ResponseTemplate::new(200).set_body_string(range))
        .with_priority(1)
        .mount(&list)
        .await;
    // Every other range has the same digits for padding only.
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string(format!("{REST}:0\r\n")))
        .with_priority(2)
        .mount(&list)
        .await;
    let house = house_by(&list).await;

    let sign_up = house.sign_up_with("ada@example.org", LEAKED, "ada").await.expect_err("leaked");
    assert_eq!(told(&sign_up), REFUSED);
    let ada = house.member("ada").await;
    assert_eq!(told(&update(&house, &ada, PASSWORD, LEAKED).await.expect_err("leaked")), REFUSED);
    update(&house, &ada, PASSWORD, "Footlights2").await.expect("in no list");
    let link = house.reset_token("ada").await;
    assert_eq!(told(&house.reset(&link, LEAKED).await.expect_err("leaked")), REFUSED);
    house.reset(&link, "Footlights3").await.expect("the link is still good");
    house.log_in("ada", "Footlights3").await.expect("hers");

    let asked = list.received_requests().await.expect("recorded");
    assert_eq!(asked.len(), 6, "once for each password that passed all other rules");
    for request in asked {
        let digits = request.url.path().strip_prefix("/range/").expect("a range");
        assert!(digits.len() == 5 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{}", request.url);
        assert!(request.url.query().is_none() && request.body.is_empty(), "nothing else is told");
    }
}

#[tokio::test]
async fn nobody_is_kept_out_because_the_list_is() {
    for broken in [
        ResponseTemplate::new(503),
        // Longer than a range can be, with the password's digits at its end.
        ResponseTemplate::new(200)
            .set_body_string(format!("{}{REST}:1", "F".repeat(34).repeat(20_000) + "\r\n")),
        ResponseTemplate::new(302).insert_header("location", format!("/elsewhere/{ASKED}").as_str()),
    ] {
        let list = MockServer::start().await;
        let elsewhere = ResponseTemplate::new(200).set_body_string(format!("{REST}:1"));
        Mock::given(path(format!("/range/{ASKED}"))).respond_with(broken).mount(&list).await;
        Mock::given(path(format!("/elsewhere/{ASKED}"))).respond_with(elsewhere).mount(&list).await;
        let house = house_by(&list).await;
        house.sign_up_with("ada@example.org", LEAKED, "ada").await.expect("taken unseen");
    }
}
