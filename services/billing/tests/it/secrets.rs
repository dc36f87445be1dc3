//! The real program, told secrets that can be found again, before a Stripe that says aloud what it was shown.

use billing::stripe_webhooks::sign;
use kit::testing::{Issuer, MARK, Overheard, as_user, channel, common, database, eventually, marked};
use proto::billing::v1::{
    GetEntitlementRequest, Period, Plan, ReceiveWebhookRequest, StartCheckoutRequest,
    checkout_client::CheckoutClient, subscriptions_client::SubscriptionsClient,
};
use serde_json::json;
use time::OffsetDateTime;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

const BILLING: &str = env!("CARGO_BIN_EXE_billing");
const SECRETS: [&str; 3] = ["BILLING_WEBHOOK_SECRET", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"];

fn aloud(request: &Request) -> ResponseTemplate {
    let shown = request.headers["authorization"].to_str().expect("text");
    let said =
        json!({ "error": { "code": "api_key_expired", "message": format!("Expired API key: {shown}") } });
    ResponseTemplate::new(401).set_body_json(said)
}

#[tokio::test]
async fn no_secret_is_in_the_log_or_the_traces_of_the_real_program() {
    let stripe = MockServer::start().await;
    Mock::given(any()).respond_with(aloud).mount(&stripe).await;
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&billing::MIGRATOR).await;
    let heard = Overheard::start().await;
    let (mut command, url) = heard.serving(BILLING, &SECRETS, &common, &db);
    command.env("PAYMENTS", "stripe").env("STRIPE_API_URL", stripe.uri());
    for price in ["PREMIUM_MONTHLY", "PREMIUM_YEARLY", "DELUXE_MONTHLY", "DELUXE_YEARLY"] {
        command.env(format!("STRIPE_PRICE_{price}"), "price_of_a_test");
    }
    let _billing = heard.spawn(command);
    let (_, token) = issuer.user("ada");
    let at = channel(&url);
    let (mut checkout, plans) = (CheckoutClient::new(at.clone()), SubscriptionsClient::new(at));
    eventually(|| async {
        as_user(&token, plans.clone().get_entitlement(GetEntitlementRequest {})).await.ok()
    })
    .await;
    let start = StartCheckoutRequest {
        plan: Plan::Premium.into(),
        period: Period::Monthly.into(),
        promo_code: String::new(),
    };
    as_user(&token, checkout.start_checkout(start)).await.expect_err("its key is not taken");

    let now = OffsetDateTime::now_utc().unix_timestamp();
    let event =
        json!({ "id": "evt_1", "type": "invoice.upcoming", "created": now, "data": { "object": {} } });
    let body = serde_json::to_vec(&event).expect("JSON");
    let signed = |secret: &str| format!("t={now},v1={}", sign(secret, now, &body));
    let (right, wrong) = (signed(&marked("STRIPE_WEBHOOK_SECRET")), signed(&marked("STRIPE_SECRET_KEY")));
    let webhook = |signature: &str| ReceiveWebhookRequest {
        provider: "stripe".into(),
        headers: [("Stripe-Signature".to_owned(), signature.to_owned())].into(),
        body: body.clone(),
    };
    checkout.receive_webhook(webhook(&wrong)).await.expect_err("signed by another key");
    checkout.receive_webhook(webhook(&right)).await.expect("signed by the right one");

    heard.until("ReceiveWebhook", &["Stripe refused"]).await;
    let signature = right.rsplit('=').next().expect("a signature");
    heard.assert_no_secret(&[("a token", &token), ("a signature", signature)]);
}

#[tokio::test]
async fn no_secret_is_in_what_the_program_says_of_itself_or_of_its_failure() {
    let heard = Overheard::start().await;
    let run = |arguments: &[&str]| {
        let mut command = heard.command(BILLING, &SECRETS);
        command
            .args(arguments)
            .env("DATABASE_URL", format!("postgres://someone:{MARK}@127.0.0.1:1/x"))
            // Without prices it does not begin.
            .env("PAYMENTS", "stripe");
        heard.run(command)
    };
    assert!(run(&["serve", "--help"]));
    assert!(!run(&["serve"]), "it has no prices");
    let said = heard.said();
    for word in SECRETS.into_iter().chain(["PAYMENTS=stripe needs STRIPE_PRICE_"]) {
        assert!(said.contains(word), "{word}: {said}");
    }
    heard.assert_no_secret(&[]);
}
