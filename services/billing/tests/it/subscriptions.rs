//! Renewals, failures, changes of plan.

use kit::{
    error::Failure,
    testing::{as_user, as_user_with_key, channel, eventually, published},
};
use proto::{
    billing::v1::{
        CancelSubscriptionRequest, ChangePlanRequest, OpenPortalRequest, Period, Plan,
        ReactivateSubscriptionRequest, ReceiptKind, RenderSandboxRequest, StartCheckoutRequest,
        SubscriptionStatus, checkout_client::CheckoutClient, subscriptions_client::SubscriptionsClient,
    },
    events::v1::{EntitlementChanged, MailRequested},
};
use time::OffsetDateTime;
use tonic::Status;

use crate::support::{House, house, house_with};

fn subscriptions(house: &House) -> SubscriptionsClient<kit::client::Channel> {
    SubscriptionsClient::new(channel(&house.server.url))
}

async fn change(house: &House, token: &str, plan: Plan, period: Period) -> Result<String, Status> {
    let ask = ChangePlanRequest { plan: plan.into(), period: period.into() };
    Ok(as_user(token, subscriptions(house).change_plan(ask)).await?.into_inner().url)
}

async fn cancel(house: &House, token: &str) -> Result<(), Status> {
    as_user(token, subscriptions(house).cancel_subscription(CancelSubscriptionRequest {})).await.map(drop)
}

async fn reactivate(house: &House, token: &str) -> Result<SubscriptionStatus, Status> {
    let answer =
        as_user(token, subscriptions(house).reactivate_subscription(ReactivateSubscriptionRequest {}))
            .await?;
    Ok(answer.into_inner().subscription.expect("always one").status())
}

#[tokio::test]
async fn a_renewal_extends_from_the_previous_end() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let before = house.ends_at(&token).await;
    house.charge_now().await;
    eventually(|| async { (house.ends_at(&token).await > before).then_some(()) }).await;
    let after = house.ends_at(&token).await;
    let days = (after - before).whole_days();
    assert!((28..=31).contains(&days), "a month after the end before, not after now: {days} days");
    let s = house.subscription(&token).await;
    assert_eq!(s.status(), SubscriptionStatus::Active);
    assert_eq!(house.balance(&token).await.available, 400, "the coins of the next month are not due yet");
    let receipts = house.receipts(&token).await;
    assert_eq!(receipts.iter().map(|r| r.amount).collect::<Vec<_>>(), [900, 900]);
}

#[tokio::test]
async fn every_month_of_a_year_brings_its_coins_once() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Deluxe, Period::Yearly).await;
    assert_eq!(house.balance(&token).await.available, 1_200);

    house.months_pass(2).await;
    eventually(|| async { (house.balance(&token).await.available == 3_600).then_some(()) }).await;
    // Somebody looks at the same months again.
    sqlx::query("update term set month = 1, coins_due_at = now()")
        .execute(&house.db.pool)
        .await
        .expect("due again");
    eventually(|| async {
        let looked: bool = sqlx::query_scalar("select bool_and(month = 3) from term")
            .fetch_one(&house.db.pool)
            .await
            .expect("a term");
        looked.then_some(())
    })
    .await;
    assert_eq!(house.balance(&token).await.available, 3_600, "no month is given twice");
    let house = house.restart().await;
    assert_eq!(house.balance(&token).await.available, 3_600);
}

#[tokio::test]
async fn a_failed_renewal_leaves_three_days_and_then_ends() {
    let house = house().await;
    let seen = published(&house.common, &["billing.#"]).await;
    let (id, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    house.press(&checkout, "pay_then_fail_renewal").await;
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    house.shift("-31 days").await;
    house.charge_now().await;
    eventually(|| async {
        (house.subscription(&token).await.status() == SubscriptionStatus::PastDue).then_some(())
    })
    .await;
    assert!(house.entitlement(&token).await.can_create, "for three days");
    let mail = seen.wait::<MailRequested>("billing.mail.requested", |m| m.template == "payment_failed").await;
    assert_eq!(mail.params["amount"], "$9.00 USD");

    sqlx::query("update subscription set grace_until = now(), ends_at = now() - interval '3 days'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
        e.user_id == id.to_string() && e.status == "inactive" && e.plan == "free"
    })
    .await;
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free);
    eventually(|| async { house.mandates().await.is_empty().then_some(()) }).await;
}

#[tokio::test]
async fn somebody_past_due_pays_at_once_and_is_charged_by_the_new_card_alone() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    house.press(&checkout, "pay_then_fail_renewal").await;
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    house.charge_now().await;
    eventually(|| async {
        (house.subscription(&token).await.status() == SubscriptionStatus::PastDue).then_some(())
    })
    .await;
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("another card");
    house.press(&checkout, "pay").await;
    eventually(|| async {
        (house.subscription(&token).await.status() == SubscriptionStatus::Active).then_some(())
    })
    .await;
    house.told().await;
    assert_eq!(house.mandates().await.len(), 1);
    let days = (house.ends_at(&token).await - OffsetDateTime::now_utc()).whole_days();
    assert!((58..=62).contains(&days), "the second month follows the first: {days} days");
}

#[tokio::test]
async fn the_page_of_an_upgrade_says_what_is_taken_off() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let url = change(&house, &token, Plan::Premium, Period::Yearly).await.expect("a checkout");
    let id = url.rsplit('/').next().expect("an id").to_owned();
    let ask = RenderSandboxRequest { checkout_id: id };
    let html =
        CheckoutClient::new(house.channel()).render_sandbox(ask).await.expect("a page").into_inner().html;
    assert!(html.contains("Unused part of your plan") && html.contains("$99.00"), "{html}");
    assert!(!html.contains("<script") && !html.contains("<style") && !html.contains("style="), "{html}");
}

#[tokio::test]
async fn a_cancellation_is_taken_back_while_what_was_paid_lasts() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let early = reactivate(&house, &token).await.expect_err("not canceled");
    assert_eq!(Failure::from_status(&early).reason, "not_canceled");

    cancel(&house, &token).await.expect("canceled");
    assert_eq!(reactivate(&house, &token).await.expect("renewed again"), SubscriptionStatus::Active);
    let end = house.ends_at(&token).await;
    house.told().await;
    house.charge_now().await;
    eventually(|| async { (house.ends_at(&token).await > end).then_some(()) }).await;

    cancel(&house, &token).await.expect("canceled");
    house.told().await;
    house.charge_now().await;
    eventually(|| async { house.mandates().await.is_empty().then_some(()) }).await;
    assert_eq!(house.receipts(&token).await.len(), 2, "what is canceled is not charged");
    house.shift("-70 days").await;
    eventually(|| async {
        (house.subscription(&token).await.status() == SubscriptionStatus::Inactive).then_some(())
    })
    .await;
    let late = reactivate(&house, &token).await.expect_err("over");
    assert_eq!(Failure::from_status(&late).reason, "not_subscribed");
}

#[tokio::test]
async fn upwards_is_paid_now_less_what_is_left() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    for (plan, period) in [(Plan::Premium, Period::Monthly), (Plan::Premium, Period::Monthly)] {
        let same = change(&house, &token, plan, period).await.expect_err("the plan of today");
        assert_eq!(Failure::from_status(&same).reason, "plan_same");
    }
    let again = house.choose(&token, Plan::Premium, "").await.expect_err("the plan of today");
    assert_eq!(Failure::from_status(&again).reason, "plan_same");

    // Half of the month is gone.
    house.half_passes().await;
    let url = change(&house, &token, Plan::Deluxe, Period::Monthly).await.expect("a checkout");
    let checkout = url.rsplit('/').next().expect("an id").to_owned();
    house.press(&checkout, "pay").await;
    eventually(|| async { (house.entitlement(&token).await.plan() == Plan::Deluxe).then_some(()) }).await;
    let paid = house.receipts(&token).await[0].amount;
    assert!((949..=952).contains(&paid), "1400 less half of 900, rounded for the house: {paid}");
    assert_eq!(house.balance(&token).await.available, 1_200, "what Premium gave in this month counts");
    let left = (house.ends_at(&token).await - OffsetDateTime::now_utc()).whole_days();
    assert!((27..=31).contains(&left), "a whole period from now: {left}");
    house.told().await;
    assert_eq!(house.mandates().await.len(), 1, "the old one is not charged again");
}

#[tokio::test]
async fn downwards_waits_for_the_end_of_the_period() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Deluxe, Period::Monthly).await;
    let url = change(&house, &token, Plan::Premium, Period::Yearly).await.expect("taken");
    assert_eq!(url, "");
    let s = house.subscription(&token).await;
    assert_eq!((s.plan(), s.next_plan(), s.next_period()), (Plan::Deluxe, Plan::Premium, Period::Yearly));
    house.told().await;

    house.charge_now().await;
    eventually(|| async { (house.receipts(&token).await.len() == 2).then_some(()) }).await;
    assert_eq!(house.receipts(&token).await[0].amount, 9_900);
    let s = house.subscription(&token).await;
    assert_eq!((s.plan(), s.next_plan()), (Plan::Deluxe, Plan::Unspecified), "until the end of the month");
    house.months_pass(1).await;
    eventually(|| async { (house.entitlement(&token).await.plan() == Plan::Premium).then_some(()) }).await;
    eventually(|| async { (house.balance(&token).await.available == 1_600).then_some(()) }).await;
}

#[tokio::test]
async fn who_changes_their_mind_stays() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Deluxe, Period::Monthly).await;
    change(&house, &token, Plan::Premium, Period::Monthly).await.expect("taken");
    change(&house, &token, Plan::Deluxe, Period::Monthly).await.expect("taken back");
    assert_eq!(house.subscription(&token).await.next_plan(), Plan::Unspecified);
    house.told().await;
    house.charge_now().await;
    eventually(|| async { (house.receipts(&token).await.len() == 2).then_some(()) }).await;
    assert_eq!(house.receipts(&token).await[0].amount, 1_400);
    let (_, bea) = house.issuer.user("bea");
    let none = change(&house, &bea, Plan::Premium, Period::Monthly).await.expect_err("nothing to change");
    assert_eq!(Failure::from_status(&none).reason, "not_subscribed");
}

#[tokio::test]
async fn of_two_plans_paid_at_once_the_better_stands_and_the_other_goes_back() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let premium = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let deluxe = house.choose(&token, Plan::Deluxe, "").await.expect("chosen");
    house.press(&deluxe, "pay").await;
    eventually(|| async { house.entitlement(&token).await.can_create.then_some(()) }).await;
    house.press(&premium, "pay").await;
    eventually(|| async { (house.receipts(&token).await.len() == 3).then_some(()) }).await;
    let receipts = house.receipts(&token).await;
    assert_eq!((receipts[0].kind(), receipts[0].amount), (ReceiptKind::Refund, -900));
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Deluxe);
    assert_eq!(house.balance(&token).await.available, 1_200);
    house.told().await;
    assert_eq!(house.mandates().await.len(), 1);
}

#[tokio::test]
async fn a_month_gives_no_more_coins_than_its_best_plan() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    for (plan, period, coins) in
        [(Plan::Premium, Period::Yearly, 400), (Plan::Deluxe, Period::Monthly, 1_200)]
    {
        let url = change(&house, &token, plan, period).await.expect("a checkout");
        house.press(url.rsplit('/').next().expect("an id"), "pay").await;
        eventually(|| async {
            let s = house.subscription(&token).await;
            ((s.plan(), s.period()) == (plan, period)).then_some(())
        })
        .await;
        assert_eq!(house.balance(&token).await.available, coins, "{plan:?}, {period:?}");
    }
    house.charge_now().await;
    eventually(|| async { (house.ends_at(&token).await > in_days(40)).then_some(()) }).await;
    house.months_pass(1).await;
    eventually(|| async { (house.balance(&token).await.available == 2_400).then_some(()) }).await;
}

fn in_days(days: i64) -> OffsetDateTime {
    OffsetDateTime::now_utc() + time::Duration::days(days)
}

#[tokio::test]
async fn a_plan_that_was_waited_for_is_dropped_by_a_cancellation() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Deluxe, Period::Monthly).await;
    change(&house, &token, Plan::Premium, Period::Monthly).await.expect("taken");
    cancel(&house, &token).await.expect("canceled");
    reactivate(&house, &token).await.expect("renewed again");
    house.told().await;
    house.charge_now().await;
    eventually(|| async { (house.receipts(&token).await.len() == 2).then_some(()) }).await;
    assert_eq!(house.receipts(&token).await[0].amount, 1_400);
}

#[tokio::test]
async fn what_is_left_of_a_plan_is_counted_once() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Premium, Period::Yearly).await;
    let id = |url: String| url.rsplit('/').next().expect("an id").to_owned();
    let first = id(change(&house, &token, Plan::Deluxe, Period::Monthly).await.expect("a checkout"));
    let second = id(change(&house, &token, Plan::Deluxe, Period::Yearly).await.expect("a checkout"));
    let third = id(change(&house, &token, Plan::Deluxe, Period::Monthly).await.expect("a checkout"));
    house.press(&first, "pay").await;
    eventually(|| async { (house.entitlement(&token).await.plan() == Plan::Deluxe).then_some(()) }).await;
    let receipts = house.receipts(&token).await;
    assert_eq!(receipts.len(), 3, "a payment of nothing, and what a month did not use goes back");
    assert!((-8_500..=-8_490).contains(&receipts[1].amount.min(receipts[0].amount)), "{receipts:?}");

    for late in [&second, &third] {
        house.press(late, "pay").await;
    }
    eventually(|| async {
        let open: i64 = sqlx::query_scalar("select count(*) from checkout where state <> 'paid'")
            .fetch_one(&house.db.pool)
            .await
            .expect("a count");
        (open == 0).then_some(())
    })
    .await;
    let s = house.subscription(&token).await;
    assert_eq!((s.plan(), s.period()), (Plan::Deluxe, Period::Monthly), "their credit is gone");
    let sum: i64 = house.receipts(&token).await.iter().map(|r| r.amount).sum();
    assert!((1_395..=1_405).contains(&sum), "in the end a month of deluxe was paid: {sum}");
    assert_eq!(house.balance(&token).await.available, 1_200, "what Premium gave in this month counts");
}

#[tokio::test]
async fn the_same_key_changes_the_plan_once_also_after_a_restart() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let ask = ChangePlanRequest { plan: Plan::Deluxe.into(), period: Period::Monthly.into() };
    let first = as_user_with_key(&token, "k", subscriptions(&house).change_plan(ask)).await.expect("begun");
    let house = house.restart().await;
    let again =
        as_user_with_key(&token, "k", subscriptions(&house).change_plan(ask)).await.expect("the same");
    assert_eq!(first.into_inner().url, again.into_inner().url);
    let checkouts: i64 = sqlx::query_scalar("select count(*) from checkout where state = 'open'")
        .fetch_one(&house.db.pool)
        .await
        .expect("a count");
    assert_eq!(checkouts, 1);
}

#[tokio::test]
async fn a_promotion_that_is_over_is_told() {
    let house = house_with(|c| c.promo_deadline = "2026-01-01T00:00:00Z".into()).await;
    let (_, token) = house.issuer.user("ada");
    let ask = StartCheckoutRequest {
        plan: Plan::Premium.into(),
        period: Period::Monthly.into(),
        promo_code: "SPOOKYSZN".into(),
    };
    let late = as_user(&token, CheckoutClient::new(house.channel()).start_checkout(ask)).await;
    assert_eq!(Failure::from_status(&late.expect_err("over")).reason, "promo_expired");
}

#[tokio::test]
async fn the_sandbox_has_its_portal_in_the_account() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let page =
        as_user(&token, subscriptions(&house).open_portal(OpenPortalRequest {})).await.expect("a page");
    assert_eq!(page.into_inner().url, "/account");
    let (_, bea) = house.issuer.user("bea");
    let none = as_user(&bea, subscriptions(&house).open_portal(OpenPortalRequest {})).await;
    assert_eq!(Failure::from_status(&none.expect_err("never paid")).reason, "not_subscribed");
}
