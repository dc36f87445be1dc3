use kit::error::Failure;
use proto::billing::v1::{
    ListPlansResponse, Period, Plan, PlanDetails, ReceiveWebhookRequest, ReceiveWebhookResponse,
    RenderSandboxResponse, StartCheckoutRequest, StartCheckoutResponse, SubmitSandboxRequest,
    SubmitSandboxResponse,
};
use reqwest::Method;
use serde_json::json;
use tonic::Code;

use crate::support::{header, house, json, ok};

#[tokio::test]
async fn plans_are_open_to_all() {
    let house = house().await;
    let premium = PlanDetails {
        plan: Plan::Premium.into(),
        name: "Premium".into(),
        monthly_price: 900,
        yearly_price: 9900,
        currency: "USD".into(),
        messages_per_month: 5000,
        coins_per_month: 400,
        memory_tokens: 4096,
        perks: vec!["NSFW".into()],
    };
    house.stage.says("billing.v1.Plans/ListPlans", ListPlansResponse { plans: vec![premium] });
    let answer = ok(house.get("/api/plans")).await;
    let expected = json!([{ "plan": "premium", "name": "Premium", "monthlyCents": 900, "yearlyCents": 9900, "currency": "USD",
        "messagesPerMonth": 5000, "coinsPerMonth": 400, "memoryTokens": 4096, "perks": ["NSFW"] }]);
    assert_eq!(answer["plans"], expected);
}

#[tokio::test]
async fn a_checkout_goes_from_the_button_through_the_form_back_to_the_page() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says(
        "billing.v1.Checkout/StartCheckout",
        StartCheckoutResponse { url: "/sandbox/checkout/c1".into() },
    );
    let body = json!({ "plan": "deluxe", "period": "yearly", "promoCode": "SPOOKYSZN" });
    assert_eq!(
        ok(house.post("/api/checkout", &body).bearer_auth(&ada.token)).await["url"],
        "/sandbox/checkout/c1"
    );
    let asked: StartCheckoutRequest = house.stage.call("billing.v1.Checkout/StartCheckout").read();
    assert_eq!(
        (asked.plan(), asked.period(), asked.promo_code.as_str()),
        (Plan::Deluxe, Period::Yearly, "SPOOKYSZN")
    );

    let html = "<form method=post><button>Pay</button></form>";
    house.stage.says("billing.v1.Checkout/RenderSandbox", RenderSandboxResponse { html: html.into() });
    let page = house.get("/sandbox/checkout/c1").send().await.expect("an answer");
    assert!(header(&page, "content-type").starts_with("text/html"));
    assert_eq!(header(&page, "cache-control"), "no-store");
    assert_eq!(page.text().await.expect("a page"), html);

    house.stage.says(
        "billing.v1.Checkout/SubmitSandbox",
        SubmitSandboxResponse { redirect: "/membership?code=c1".into() },
    );
    let paid = house
        .request(Method::POST, "/sandbox/checkout/c1")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("outcome=pay");
    let paid = paid.send().await.expect("an answer");
    assert_eq!((paid.status().as_u16(), header(&paid, "location")), (303, "/membership?code=c1"));
    let form: SubmitSandboxRequest = house.stage.call("billing.v1.Checkout/SubmitSandbox").read();
    assert_eq!((form.checkout_id.as_str(), form.form["outcome"].as_str()), ("c1", "pay"));
}

#[tokio::test]
async fn a_checkout_never_leads_away_from_the_site() {
    let house = house().await;
    for elsewhere in ["https://example.org/", "//example.org/", "/\\example.org"] {
        house
            .stage
            .says("billing.v1.Checkout/SubmitSandbox", SubmitSandboxResponse { redirect: elsewhere.into() });
        let form = house
            .request(Method::POST, "/sandbox/checkout/c1")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("outcome=pay");
        assert_eq!(header(&form.send().await.expect("an answer"), "location"), "/membership");
    }
}

#[tokio::test]
async fn a_checkout_that_is_not_known_is_told_on_a_page() {
    let house = house().await;
    house.stage.refuses("billing.v1.Checkout/RenderSandbox", Failure::not_found("checkout_not_found"));
    let page = house.get("/sandbox/checkout/gone").send().await.expect("an answer");
    assert_eq!(page.status(), 404);
    assert!(page.text().await.expect("a page").contains("This checkout is not known, or has ended."));
}

#[tokio::test]
async fn an_unknown_plan_is_refused_before_billing_is_asked() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let (status, body) = json(
        house.post("/api/checkout", &json!({ "plan": "free", "period": "monthly" })).bearer_auth(&ada.token),
    )
    .await;
    assert_eq!(status, 400);
    assert!(body["fields"]["plan"].is_string(), "{body}");
    assert!(house.stage.calls("billing.v1.Checkout/StartCheckout").is_empty());
}

#[tokio::test]
async fn a_webhook_goes_on_byte_by_byte_without_cookies_or_bearers() {
    let house = house().await;
    house.stage.says("billing.v1.Checkout/ReceiveWebhook", ReceiveWebhookResponse {});
    let raw = b"{ \"type\" :\n \"paid\" }";
    let post = house
        .request(Method::POST, "/webhooks/sandbox")
        .header("webhook-signature", "v1,abc")
        .header("content-type", "application/json")
        .header("cookie", "a=b")
        .body(raw.to_vec());
    assert_eq!(ok(post).await["success"], true);
    let got: ReceiveWebhookRequest = house.stage.call("billing.v1.Checkout/ReceiveWebhook").read();
    assert_eq!((got.provider.as_str(), got.body.as_slice()), ("sandbox", raw.as_slice()));
    assert_eq!(got.headers["webhook-signature"], "v1,abc");
    assert!(!got.headers.contains_key("cookie"));

    house.stage.refuses(
        "billing.v1.Checkout/ReceiveWebhook",
        Failure::new(Code::Unauthenticated, "webhook_refused", "x"),
    );
    let (status, body) = json(house.request(Method::POST, "/webhooks/sandbox").body("{}")).await;
    assert_eq!((status, body["code"].as_str()), (401, Some("webhook_refused")));
}
