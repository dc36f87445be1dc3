//! The headers of safety, on whatever is answered.

use bff::security::CONTENT_SECURITY_POLICY;
use proto::media::v1::FetchAssetResponse;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tonic::Status;

use crate::support::{header, house, house_with};

/// Holds an answer against all of them.
async fn safe(what: &str, status: u16, request: RequestBuilder) {
    // Only the head: a stream of events has no end.
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), status, "{what}");
    for (name, value) in [
        ("content-security-policy", CONTENT_SECURITY_POLICY),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
        ("referrer-policy", "strict-origin-when-cross-origin"),
        ("x-frame-options", "DENY"),
    ] {
        assert_eq!(header(&answer, name), value, "{what}: {name}");
        assert_eq!(answer.headers().get_all(name).iter().count(), 1, "{what}: {name} once");
    }
    assert!(header(&answer, "permissions-policy").contains("camera=()"), "{what}");
    for absent in ["set-cookie", "server", "x-powered-by", "access-control-allow-origin"] {
        assert_eq!(header(&answer, absent), "", "{what}: {absent}");
    }
}

#[tokio::test]
async fn every_kind_of_answer_carries_all_headers_and_no_cookie() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says("billing.v1.Plans/ListPlans", proto::billing::v1::ListPlansResponse::default());
    safe("200 of the API", 200, house.get("/api/plans")).await;
    safe("200 of a page", 200, house.get("/search")).await;
    safe("200 of a file", 200, house.get("/assets/main-4f3a2b1c.js")).await;
    safe("200 of a packed file", 200, house.get("/assets/main-4f3a2b1c.js").header("accept-encoding", "br"))
        .await;
    safe("200 of the worker", 200, house.get("/sw.js")).await;
    safe("200 of robots.txt", 200, house.get("/robots.txt")).await;
    safe("HEAD", 200, house.request(Method::HEAD, "/")).await;
    safe("a stream of events", 200, house.get("/api/events").bearer_auth(&ada.token)).await;

    let picture = FetchAssetResponse {
        data: b"RIFF....WEBP".to_vec(),
        content_type: "image/webp".into(),
        immutable: true,
    };
    house.stage.says("media.v1.Assets/FetchAsset", picture);
    safe("a picture", 200, house.get("/media/k7/card.webp")).await;
    let known = house.get("/media/k7/card.webp").header("if-none-match", "\"k7-card.webp\"");
    safe("304", 304, known).await;

    let post = |path: &str, body: String| {
        house.request(Method::POST, path).header("content-type", "application/json").body(body)
    };
    let review = "/api/character/x/review";
    safe("400", 400, post(review, "{".into()).bearer_auth(&ada.token)).await;
    safe("400 of a multipart form", 400, {
        let form = house.request(Method::POST, "/api/chats/import").bearer_auth(&ada.token);
        form.header("content-type", "multipart/form-data; boundary=x").body("--x\r\nbroken")
    })
    .await;
    safe("401", 401, house.get("/api/chats")).await;
    safe("401 of a token", 401, house.get("/api/chats").bearer_auth("not.a.token")).await;
    safe("404 of the API", 404, house.get("/api/nothing")).await;
    safe("404 of a page", 404, house.get("/no-such-page")).await;
    safe("404 of a file", 404, house.get("/assets/gone.js")).await;
    safe("404 of a picture", 404, house.get("/media/a.b/card.webp")).await;
    safe("405", 405, house.request(Method::DELETE, "/api/signup")).await;
    safe("TRACE", 405, house.request(Method::TRACE, "/api/plans")).await;
    safe("405 of a page", 405, house.request(Method::POST, "/search")).await;
    safe(
        "413",
        413,
        post(review, format!("{{\"comment\":\"{}\"}}", "x".repeat(1024 * 1024 + 1))).bearer_auth(&ada.token),
    )
    .await;
    safe("415", 415, {
        house
            .request(Method::POST, review)
            .bearer_auth(&ada.token)
            .header("content-type", "text/plain")
            .body("x")
    })
    .await;
    house.stage.refuses("billing.v1.Plans/ListPlans", Status::unknown("x"));
    safe("500", 500, house.get("/api/plans")).await;
    house.stage.refuses("billing.v1.Plans/ListPlans", Status::unavailable("x"));
    safe("503", 503, house.get("/api/plans")).await;
    house.stage.refuses("billing.v1.Checkout/ReceiveWebhook", Status::unauthenticated("x"));
    safe("a webhook that is refused", 401, post("/webhooks/sandbox", "{}".into())).await;
    safe("a webhook that is too large", 413, post("/webhooks/sandbox", "x".repeat(256 * 1024 + 1))).await;
    safe("what another page may not ask", 405, {
        let asked =
            house.request(Method::OPTIONS, "/api/chats").header("origin", "https://elsewhere.example");
        asked.header("access-control-request-method", "GET")
    })
    .await;
}

#[tokio::test]
async fn who_is_too_fast_is_told_so_with_all_headers() {
    let house = house_with(|config| {
        config.common.dev = false;
        config.rates.rate_accounts = "1/3600".parse().expect("a rate");
    })
    .await;
    house.stage.says("auth.v1.Accounts/ForgotPassword", proto::auth::v1::ForgotPasswordResponse {});
    let forgot = || house.post("/api/forgot-password", &json!({ "email": "a@b.cd" }));
    safe("the first", 200, forgot()).await;
    safe("429", 429, forgot()).await;
}

#[test]
fn the_policy_allows_nothing_inline_and_no_frame() {
    for banned in ["unsafe-inline", "unsafe-eval", "http:", "https:", "*"] {
        assert!(!CONTENT_SECURITY_POLICY.contains(banned), "{banned}");
    }
    for part in ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
        assert!(CONTENT_SECURITY_POLICY.contains(part), "{part}");
    }
}
