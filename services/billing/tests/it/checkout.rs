use kit::{
    error::Failure,
    testing::{as_user, as_user_with_key, channel, eventually, published},
};
use proto::{
    billing::v1::{
        CancelSubscriptionRequest, GetSubscriptionRequest, Period, Plan, RenderSandboxRequest,
        StartCheckoutRequest, SubscriptionStatus, checkout_client::CheckoutClient,
        subscriptions_client::SubscriptionsClient,
    },
    events::v1::{EntitlementChanged, MailRequested},
};

use crate::support::{House, house, receive};

async fn page(house: &House, checkout: &str) -> Result<String, tonic::Status> {
    let request = RenderSandboxRequest { checkout_id: checkout.into() };
    Ok(CheckoutClient::new(house.channel()).render_sandbox(request).await?.into_inner().html)
}

#[tokio::test]
async fn from_free_to_premium_by_a_signed_webhook() {
    let house = house().await;
    let seen = published(&house.common, &["billing.#"]).await;
    let (id, token) = house.issuer.user("ada");
    let before = house.entitlement(&token).await;
    assert_eq!((before.plan(), before.can_create), (Plan::Free, false));

    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let html = page(&house, &checkout).await.expect("a page");
    assert!(html.contains("Premium") && html.contains("$9.00") && !html.contains("<script"), "{html}");
    assert_eq!(house.press(&checkout, "pay").await, format!("/membership?code={checkout}"));

    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    let after = house.entitlement(&token).await;
    assert_eq!(
        (after.plan(), after.status(), after.messages_per_month),
        (Plan::Premium, SubscriptionStatus::Active, 5_000)
    );
    assert_eq!(house.balance(&token).await.available, 400);
    seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
        e.user_id == id.to_string() && e.plan == "premium"
    })
    .await;
    let receipt = seen.wait::<MailRequested>("billing.mail.requested", |m| m.template == "receipt").await;
    assert_eq!(receipt.params["amount"], "$9.00 USD");
    assert!(page(&house, &checkout).await.is_err(), "what is paid cannot be paid again");
}

#[tokio::test]
async fn a_webhook_that_comes_a_hundred_times_has_one_effect_and_a_forged_one_none() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let webhook = house.arrived.lock().expect("no holder panics")[0].clone();
    for _ in 0..100 {
        receive(house.channel(), &webhook).await.expect("a repetition is taken, and ignored");
    }
    assert_eq!(house.balance(&token).await.available, 400);

    let mut forged = webhook.clone();
    forged.headers.insert("webhook-id".into(), "msg_other".into());
    let refused = receive(house.channel(), &forged).await.expect_err("the signature covers the id");
    assert_eq!(Failure::from_status(&refused).reason, "webhook_refused");
    let mut forged = webhook;
    forged.body[10] ^= 1;
    receive(house.channel(), &forged).await.expect_err("the signature covers the body");
    assert_eq!(house.balance(&token).await.available, 400);
}

#[tokio::test]
async fn a_declined_card_changes_nothing() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Deluxe, "").await.expect("chosen");
    house.press(&checkout, "decline").await;
    eventually(|| async { (!house.arrived.lock().expect("no holder panics").is_empty()).then_some(()) })
        .await;
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free);
    assert_eq!(house.balance(&token).await.available, 0);
}

#[tokio::test]
async fn a_promotion_lowers_the_price_once_per_account() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let unknown = house.choose(&token, Plan::Premium, "NOPE").await.expect_err("not known");
    assert_eq!(Failure::from_status(&unknown).fields[0].0, "promoCode");

    let checkout = house.choose(&token, Plan::Premium, "spookyszn").await.expect("known");
    assert!(page(&house, &checkout).await.expect("a page").contains("$2.70"));
    house.press(&checkout, "pay").await;
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;

    let again = house.choose(&token, Plan::Deluxe, "SPOOKYSZN").await.expect_err("used");
    assert_eq!(Failure::from_status(&again).fields[0].1, "You have used this code before.");
    let (_, bea) = house.issuer.user("bea");
    house.choose(&bea, Plan::Premium, "SPOOKYSZN").await.expect("another account may");
}

#[tokio::test]
async fn of_two_open_pages_one_gets_the_promotion() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let first = house.choose(&token, Plan::Premium, "SPOOKYSZN").await.expect("known");
    let second = house.choose(&token, Plan::Deluxe, "SPOOKYSZN").await.expect("not used yet");
    house.press(&first, "pay").await;
    let refused = house.try_press(&second, "pay").await.expect_err("the code is spent");
    assert_eq!(Failure::from_status(&refused).fields[0].1, "You have used this code before.");
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Premium);
    assert_eq!(house.balance(&token).await.available, 400);
}

#[tokio::test]
async fn the_first_answer_to_a_page_stands() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let declined = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    assert_eq!(house.press(&declined, "decline").await, "/membership?declined=1");
    assert_eq!(house.press(&declined, "pay").await, "/membership?declined=1", "the back button pays nothing");
    let canceled = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    assert_eq!(house.press(&canceled, "cancel").await, "/membership");

    let odd = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let refused = house.try_press(&odd, "steal").await.expect_err("not a button of the page");
    assert_eq!(Failure::from_status(&refused).reason, "invalid");
    sqlx::query("update checkout set expires_at = now() - interval '1 second'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    let unknown = uuid::Uuid::now_v7().to_string();
    for gone in [&odd, &unknown] {
        let late = house.try_press(gone, "pay").await.expect_err("not to be paid");
        assert_eq!(Failure::from_status(&late).reason, "checkout_not_found");
    }
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free);
}

#[tokio::test]
async fn a_form_sent_without_a_button_pays() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Deluxe, "").await.expect("chosen");
    let next = house.send_form(&checkout, std::collections::HashMap::new()).await.expect("taken");
    assert_eq!(next, format!("/membership?code={checkout}"));
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    let deluxe = house.entitlement(&token).await;
    assert_eq!((deluxe.messages_per_month, deluxe.memory_tokens, deluxe.priority), (20_000, 8_192, true));
    assert_eq!(house.balance(&token).await.available, 1_200);
}

#[tokio::test]
async fn what_has_run_out_is_told_to_everybody() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let seen = published(&house.common, &["billing.entitlement.changed"]).await;
    sqlx::query("update subscription set status = 'canceled', ends_at = now() - interval '1 second'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    let event = seen
        .wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
            e.user_id == id.to_string() && e.status == "inactive"
        })
        .await;
    assert_eq!((event.plan.as_str(), event.version), ("free", 2));
    let after = house.entitlement(&token).await;
    assert_eq!((after.plan(), after.status()), (Plan::Free, SubscriptionStatus::Inactive));
    assert_eq!(house.balance(&token).await.available, 400, "coins stay");
}

#[tokio::test]
async fn a_webhook_is_delivered_again_until_it_is_taken() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    house.door_shut.store(true, std::sync::atomic::Ordering::Relaxed);
    house.press(&checkout, "pay").await;
    eventually(|| async { (!house.arrived.lock().expect("no holder panics").is_empty()).then_some(()) })
        .await;
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free, "nothing is believed but a webhook");
    house.door_shut.store(false, std::sync::atomic::Ordering::Relaxed);
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    let arrived = house.arrived.lock().expect("no holder panics").clone();
    assert!(arrived.len() >= 2);
    let id = |n: usize| arrived[n].headers["webhook-id"].clone();
    assert_eq!(id(0), id(arrived.len() - 1), "under the same id");
}

#[tokio::test]
async fn canceling_keeps_what_was_paid_until_its_end() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let mut subscriptions = SubscriptionsClient::new(channel(&house.server.url));
    let canceled = as_user(&token, subscriptions.cancel_subscription(CancelSubscriptionRequest {})).await;
    let canceled = canceled.expect("canceled").into_inner().subscription.expect("always one");
    assert_eq!(canceled.status(), SubscriptionStatus::Canceled);
    assert!(canceled.next_payment_at.is_none());
    assert!(house.entitlement(&token).await.can_create, "until the end of the period");

    sqlx::query("update subscription set ends_at = now() - interval '1 second'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    assert!(!house.entitlement(&token).await.can_create);

    let (_, bea) = house.issuer.user("bea");
    let nothing = as_user(&bea, subscriptions.cancel_subscription(CancelSubscriptionRequest {})).await;
    assert_eq!(Failure::from_status(&nothing.expect_err("nothing to cancel")).reason, "not_subscribed");
    let none =
        as_user(&bea, subscriptions.get_subscription(GetSubscriptionRequest {})).await.expect("answered");
    assert_eq!(none.into_inner().subscription.expect("always one").status(), SubscriptionStatus::Inactive);
}

#[tokio::test]
async fn the_same_key_starts_one_checkout() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let ask = |plan: Plan| StartCheckoutRequest {
        plan: plan.into(),
        period: Period::Yearly.into(),
        promo_code: String::new(),
    };
    let mut client = CheckoutClient::new(house.channel());
    let first =
        as_user_with_key(&token, "k", client.start_checkout(ask(Plan::Premium))).await.expect("begun");
    let again =
        as_user_with_key(&token, "k", client.start_checkout(ask(Plan::Premium))).await.expect("the same");
    assert_eq!(first.into_inner().url, again.into_inner().url);
    let other =
        as_user_with_key(&token, "k", client.start_checkout(ask(Plan::Deluxe))).await.expect_err("another");
    assert_eq!(Failure::from_status(&other).reason, "idempotency_mismatch");
}
