//! Stripe behind the same doors: a fake of its API, its signed webhooks.

use std::collections::HashMap;

use billing::{Payments, stripe_webhooks::sign};
use kit::{
    error::Failure,
    testing::{as_user, eventually},
};
use proto::billing::v1::{
    BeginWithdrawalRequest, CancelSubscriptionRequest, ChangePlanRequest, ConfirmWithdrawalRequest,
    OpenPortalRequest, Period, Plan, ReceiveWebhookRequest, RenderSandboxRequest, StartCheckoutRequest,
    SubscriptionStatus, checkout_client::CheckoutClient, subscriptions_client::SubscriptionsClient,
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{method, path, path_regex},
};

use crate::support::{House, SECRET, house_with, stripe};

struct Shop {
    house: House,
    api: MockServer,
}

async fn on(api: &MockServer, verb: &str, at: &str, answer: Value) {
    Mock::given(method(verb))
        .and(path(at))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(api)
        .await;
}

async fn shop() -> Shop {
    let api = MockServer::start().await;
    on(&api, "POST", "/v1/checkout/sessions", json!({"id": "cs_1", "url": "https://pay.example/cs_1"})).await;
    on(&api, "POST", "/v1/billing_portal/sessions", json!({"url": "https://pay.example/portal"})).await;
    on(&api, "POST", "/v1/coupons", json!({"id": "coupon_once"})).await;
    on(&api, "GET", "/v1/invoices/in_1", json!({"id": "in_1", "payment_intent": "pi_1"})).await;
    on(&api, "GET", "/v1/invoices/in_2", json!({"id": "in_2", "payment_intent": "pi_2"})).await;
    on(&api, "POST", "/v1/refunds", json!({"id": "re_1"})).await;
    let subscription = json!({"id": "sub_1", "status": "active", "schedule": null,
        "items": {"data": [{"price": {"id": "price_pm"}}]}});
    Mock::given(path_regex("^/v1/subscriptions/sub_"))
        .respond_with(ResponseTemplate::new(200).set_body_json(subscription))
        .mount(&api)
        .await;
    let schedule = json!({"id": "sched_1", "phases": [{"start_date": 1_000, "end_date": 2_000}]});
    Mock::given(path_regex("^/v1/subscription_schedules"))
        .respond_with(ResponseTemplate::new(200).set_body_json(schedule))
        .mount(&api)
        .await;
    let url = api.uri();
    let house = house_with(|config| {
        config.payments = Payments::Stripe;
        config.stripe = stripe(&url);
    })
    .await;
    Shop { house, api }
}

/// The fields of a form call.
fn form(request: &Request) -> HashMap<String, String> {
    url::form_urlencoded::parse(&request.body).into_owned().collect()
}

impl Shop {
    async fn begin(&self, token: &str, plan: Plan, period: Period, promo: &str) -> Result<String, Status> {
        let ask = StartCheckoutRequest { plan: plan.into(), period: period.into(), promo_code: promo.into() };
        let mut client = CheckoutClient::new(self.house.channel());
        Ok(as_user(token, client.start_checkout(ask)).await?.into_inner().url)
    }

    /// Calls of the API, in their order.
    async fn calls(&self, verb: &str, at: &str) -> Vec<Request> {
        let all = self.api.received_requests().await.expect("recorded");
        all.into_iter().filter(|r| r.method.as_str() == verb && r.url.path() == at).collect()
    }

    async fn called(&self, verb: &str, at: &str) -> Request {
        eventually(|| async { self.calls(verb, at).await.pop() }).await
    }

    /// The id of the checkout that the last session is for.
    async fn checkout(&self) -> String {
        form(&self.called("POST", "/v1/checkout/sessions").await)["client_reference_id"].clone()
    }

    async fn send(&self, header: String, body: Vec<u8>, provider: &str) -> Result<(), Status> {
        let request = ReceiveWebhookRequest {
            provider: provider.into(),
            headers: [("Stripe-Signature".to_owned(), header)].into(),
            body,
        };
        CheckoutClient::new(self.house.channel()).receive_webhook(request).await.map(drop)
    }

    async fn tell(&self, kind: &str, object: Value) {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let event = json!({"id": format!("evt_{}", Uuid::now_v7().simple()), "type": kind, "created": now,
            "data": {"object": object, "previous_attributes": {"cancel_at_period_end": false}}});
        let body = serde_json::to_vec(&event).expect("JSON");
        let header = format!("t={now},v1={}", sign(SECRET, now, &body));
        self.send(header, body, "stripe").await.expect("taken");
    }

    /// A user who has paid for Premium.
    async fn subscriber(&self) -> String {
        let (_, token) = self.house.issuer.user("ada");
        self.begin(&token, Plan::Premium, Period::Monthly, "").await.expect("begun");
        self.paid(&self.checkout().await, "sub_1", "in_1", 900).await;
        token
    }

    async fn paid(&self, checkout: &str, subscription: &str, invoice: &str, amount: i64) {
        let session = json!({"id": "cs_1", "mode": "subscription", "payment_status": "paid",
            "client_reference_id": checkout, "subscription": subscription, "customer": "cus_1",
            "invoice": invoice, "amount_total": amount, "currency": "usd"});
        self.tell("checkout.session.completed", session).await;
    }
}

#[tokio::test]
async fn a_checkout_session_is_opened_and_its_webhook_makes_a_subscriber() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    let url = shop.begin(&token, Plan::Premium, Period::Yearly, "SPOOKYSZN").await.expect("begun");
    assert_eq!(url, "https://pay.example/cs_1");
    let call = shop.called("POST", "/v1/checkout/sessions").await;
    assert_eq!(call.headers["authorization"], "Bearer sk_test_0123456789");
    let sent = form(&call);
    assert_eq!(sent["mode"], "subscription");
    assert_eq!(sent["line_items[0][price]"], "price_py");
    assert_eq!(sent["discounts[0][coupon]"], "coupon_spooky");
    let checkout = &sent["client_reference_id"];
    assert_eq!(sent["success_url"], format!("https://house.example/membership?code={checkout}"));

    shop.paid(checkout, "sub_1", "in_1", 2_970).await;
    assert_eq!(shop.house.entitlement(&token).await.plan(), Plan::Premium);
    assert_eq!(shop.house.balance(&token).await.available, 400);
    let mut ask = SubscriptionsClient::new(shop.house.channel());
    let portal = as_user(&token, ask.open_portal(OpenPortalRequest {})).await.expect("a page");
    assert_eq!(portal.into_inner().url, "https://pay.example/portal");
    assert_eq!(form(&shop.called("POST", "/v1/billing_portal/sessions").await)["customer"], "cus_1");
}

#[tokio::test]
async fn what_is_not_signed_by_stripe_changes_nothing() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    shop.begin(&token, Plan::Premium, Period::Monthly, "").await.expect("begun");
    let body = b"{}".to_vec();
    let now = OffsetDateTime::now_utc().unix_timestamp();
    for header in [
        String::new(),
        format!("t={now},v1={}", sign("another secret", now, &body)),
        format!("t={},v1={}", now - 301, sign(SECRET, now - 301, &body)),
    ] {
        let refused = shop.send(header, body.clone(), "stripe").await.expect_err("not signed");
        assert_eq!(Failure::from_status(&refused).reason, "webhook_refused");
    }
    for provider in ["sandbox", "other"] {
        let unknown = shop.send(String::new(), body.clone(), provider).await.expect_err("not configured");
        assert_eq!(Failure::from_status(&unknown).reason, "provider_unknown");
    }
    let request = RenderSandboxRequest { checkout_id: shop.checkout().await };
    let page = CheckoutClient::new(shop.house.channel()).render_sandbox(request).await;
    assert_eq!(Failure::from_status(&page.expect_err("no sandbox here")).reason, "checkout_not_found");
    assert_eq!(shop.house.entitlement(&token).await.plan(), Plan::Free);
}

#[tokio::test]
async fn invoices_renew_and_their_failure_is_past_due() {
    let shop = shop().await;
    let token = shop.subscriber().await;
    let before = shop.house.ends_at(&token).await;
    let invoice = |id: &str| {
        json!({"id": id, "billing_reason": "subscription_cycle", "subscription": "sub_1", "customer": "cus_1",
            "amount_paid": 900, "currency": "usd", "lines": {"data": [{"price": {"id": "price_pm"}}]}})
    };
    shop.tell("invoice.paid", invoice("in_2")).await;
    shop.tell("invoice.paid", invoice("in_2")).await;
    let after = shop.house.ends_at(&token).await;
    assert!((27..=32).contains(&(after - before).whole_days()));
    assert_eq!(shop.house.receipts(&token).await.len(), 2);
    shop.house.sql("update subscription set last_event_at = last_event_at - interval '1 minute'").await;
    shop.tell("invoice.payment_failed", invoice("in_3")).await;
    assert_eq!(shop.house.subscription(&token).await.status(), SubscriptionStatus::PastDue);
    shop.tell("invoice.paid", invoice("in_3")).await;
    assert_eq!(shop.house.subscription(&token).await.status(), SubscriptionStatus::Active);
}

#[tokio::test]
async fn the_portal_can_cancel_too() {
    let shop = shop().await;
    let token = shop.subscriber().await;
    shop.tell("customer.subscription.updated", json!({"id": "sub_1", "cancel_at_period_end": true})).await;
    assert_eq!(shop.house.subscription(&token).await.status(), SubscriptionStatus::Canceled);
    assert!(shop.house.entitlement(&token).await.can_create, "until its end");
}

#[tokio::test]
async fn canceling_and_going_down_are_told_to_stripe() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    shop.begin(&token, Plan::Deluxe, Period::Monthly, "").await.expect("begun");
    shop.paid(&shop.checkout().await, "sub_1", "in_1", 1_400).await;
    let mut ask = SubscriptionsClient::new(shop.house.channel());
    let down = ChangePlanRequest { plan: Plan::Premium.into(), period: Period::Yearly.into() };
    as_user(&token, ask.change_plan(down)).await.expect("at the end of the period");
    let sent = form(&shop.called("POST", "/v1/subscription_schedules/sched_1").await);
    assert_eq!(
        (sent["phases[1][items][0][price]"].as_str(), sent["end_behavior"].as_str()),
        ("price_py", "release")
    );
    assert_eq!(sent["phases[0][end_date]"], "2000");

    as_user(&token, ask.cancel_subscription(CancelSubscriptionRequest {})).await.expect("canceled");
    let sent = form(&shop.called("POST", "/v1/subscriptions/sub_1").await);
    assert_eq!(sent["cancel_at_period_end"], "true");
}

#[tokio::test]
async fn going_up_ends_the_old_subscription_and_takes_off_what_is_left() {
    let shop = shop().await;
    let token = shop.subscriber().await;
    shop.house.half_passes().await;
    let url = shop.begin(&token, Plan::Deluxe, Period::Monthly, "").await.expect("begun");
    assert_eq!(url, "https://pay.example/cs_1");
    let off: i64 = form(&shop.called("POST", "/v1/coupons").await)["amount_off"].parse().expect("a number");
    assert!((448..=450).contains(&off), "{off}");
    let sent = form(&shop.called("POST", "/v1/checkout/sessions").await);
    assert_eq!((sent["discounts[0][coupon]"].as_str(), sent["customer"].as_str()), ("coupon_once", "cus_1"));
    shop.paid(&shop.checkout().await, "sub_2", "in_2", 1_400 - off).await;
    assert_eq!(shop.house.entitlement(&token).await.plan(), Plan::Deluxe);
    shop.called("DELETE", "/v1/subscriptions/sub_1").await;
}

#[tokio::test]
async fn a_withdrawal_is_refunded_by_stripe_once() {
    let shop = shop().await;
    let token = shop.subscriber().await;
    let mut ask = SubscriptionsClient::new(shop.house.channel());
    let told =
        as_user(&token, ask.begin_withdrawal(BeginWithdrawalRequest {})).await.expect("in time").into_inner();
    let request = ConfirmWithdrawalRequest { withdrawal_id: told.withdrawal_id };
    as_user(&token, ask.confirm_withdrawal(request)).await.expect("confirmed");
    let refund = shop.called("POST", "/v1/refunds").await;
    assert!(refund.headers.contains_key("idempotency-key"));
    let sent = form(&refund);
    assert_eq!((sent["payment_intent"].as_str(), sent["amount"].clone()), ("pi_1", told.refund.to_string()));
    shop.called("DELETE", "/v1/subscriptions/sub_1").await;
    // Stripe tells of the refund that was asked for.
    shop.tell("charge.refunded", json!({"invoice": "in_1", "amount_refunded": told.refund})).await;
    assert_eq!(shop.house.receipts(&token).await.len(), 2);
}

#[tokio::test]
async fn a_stripe_that_is_down_is_told_and_starts_nothing() {
    let shop = shop().await;
    shop.api.reset().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(500).set_body_json(json!({})))
        .mount(&shop.api)
        .await;
    let (_, token) = shop.house.issuer.user("ada");
    let down = shop.begin(&token, Plan::Premium, Period::Monthly, "").await.expect_err("down");
    assert_eq!(Failure::from_status(&down).reason, "unavailable");
    let checkouts: i64 = sqlx::query_scalar("select count(*) from checkout")
        .fetch_one(&shop.house.db.pool)
        .await
        .expect("a count");
    assert_eq!(checkouts, 0);
}

#[tokio::test]
async fn a_promotion_counts_once_also_when_two_pages_are_open() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    shop.begin(&token, Plan::Premium, Period::Monthly, "SPOOKYSZN").await.expect("begun");
    let first = shop.checkout().await;
    shop.begin(&token, Plan::Deluxe, Period::Monthly, "SPOOKYSZN").await.expect("not used yet");
    let second = shop.checkout().await;
    shop.paid(&first, "sub_1", "in_1", 270).await;
    shop.paid(&second, "sub_2", "in_2", 420).await;
    let amounts: Vec<i64> = shop.house.receipts(&token).await.iter().map(|r| r.amount).collect();
    assert_eq!(amounts, [-420, 420, 270]);
    assert_eq!(shop.house.entitlement(&token).await.plan(), Plan::Premium);
    let sent = form(&shop.called("POST", "/v1/refunds").await);
    assert_eq!((sent["payment_intent"].as_str(), sent["amount"].as_str()), ("pi_2", "420"));
    shop.called("DELETE", "/v1/subscriptions/sub_2").await;
}

#[tokio::test]
async fn money_for_a_checkout_that_is_not_there_goes_back() {
    let shop = shop().await;
    shop.paid(&Uuid::now_v7().to_string(), "sub_2", "in_2", 900).await;
    let sent = form(&shop.called("POST", "/v1/refunds").await);
    assert_eq!((sent["payment_intent"].as_str(), sent["amount"].as_str()), ("pi_2", "900"));
    shop.called("DELETE", "/v1/subscriptions/sub_2").await;
}

#[tokio::test]
async fn a_cheaper_period_is_not_saved_up_and_its_promotion_stays() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    shop.begin(&token, Plan::Premium, Period::Monthly, "SPOOKYSZN").await.expect("begun");
    let cheap = shop.checkout().await;
    shop.begin(&token, Plan::Premium, Period::Monthly, "").await.expect("begun");
    shop.paid(&shop.checkout().await, "sub_1", "in_1", 900).await;
    let end = shop.house.ends_at(&token).await;
    shop.paid(&cheap, "sub_2", "in_2", 270).await;
    assert_eq!(shop.house.ends_at(&token).await, end);
    assert_eq!(shop.house.receipts(&token).await[0].amount, -270);
    shop.begin(&token, Plan::Deluxe, Period::Monthly, "SPOOKYSZN").await.expect("it was not used");
}

/// From now on Stripe answers everything else with `status`.
async fn refuses(shop: &Shop, status: u16) {
    shop.api.reset().await;
    Mock::given(path_regex("^/v1/subscriptions/sub_"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({"id": "sub_1", "status": "active"})))
        .mount(&shop.api)
        .await;
    Mock::given(path_regex("^/v1"))
        .respond_with(ResponseTemplate::new(status).set_body_json(json!({"error": {"code": "no"}})))
        .with_priority(9)
        .mount(&shop.api)
        .await;
}

async fn withdraw(shop: &Shop, token: &str) {
    let mut ask = SubscriptionsClient::new(shop.house.channel());
    let told = as_user(token, ask.begin_withdrawal(BeginWithdrawalRequest {})).await.expect("in time");
    let request = ConfirmWithdrawalRequest { withdrawal_id: told.into_inner().withdrawal_id };
    as_user(token, ask.confirm_withdrawal(request)).await.expect("confirmed");
}

#[tokio::test]
async fn an_end_does_not_wait_for_a_change_that_cannot_be_done() {
    let shop = shop().await;
    let (_, token) = shop.house.issuer.user("ada");
    shop.begin(&token, Plan::Deluxe, Period::Monthly, "").await.expect("begun");
    shop.paid(&shop.checkout().await, "sub_1", "in_1", 1_400).await;
    refuses(&shop, 500).await;
    let mut ask = SubscriptionsClient::new(shop.house.channel());
    let down = ChangePlanRequest { plan: Plan::Premium.into(), period: Period::Monthly.into() };
    as_user(&token, ask.change_plan(down)).await.expect("at the end of the period");
    shop.called("POST", "/v1/subscription_schedules").await;
    withdraw(&shop, &token).await;
    shop.called("DELETE", "/v1/subscriptions/sub_1").await;
}

#[tokio::test]
async fn what_stripe_will_never_do_is_dropped_and_an_outage_is_waited_out() {
    for (status, dropped) in [(400, true), (404, true), (401, false), (429, false), (500, false)] {
        let shop = shop().await;
        let token = shop.subscriber().await;
        refuses(&shop, status).await;
        withdraw(&shop, &token).await;
        shop.called("GET", "/v1/invoices/in_1").await;
        shop.called("DELETE", "/v1/subscriptions/sub_1").await;
        if dropped {
            shop.house.told().await;
        } else {
            let waiting: i64 =
                sqlx::query_scalar("select count(*) from provider_task where body->>'do' = 'refund'")
                    .fetch_one(&shop.house.db.pool)
                    .await
                    .expect("a count");
            assert_eq!(waiting, 1, "{status}");
        }
    }
}
