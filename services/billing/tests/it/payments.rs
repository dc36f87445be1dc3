//! What providers tell, in any order and with every fault.

use std::collections::HashMap;

use billing::webhooks::sign;
use kit::{
    error::Failure,
    testing::{eventually, published},
};
use proto::{
    billing::v1::{Plan, SubscriptionStatus},
    events::v1::EntitlementChanged,
};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use crate::support::{Arrived, House, SECRET, house, house_with, receive};

fn told(id: &str, event: &Value) -> Arrived {
    let body = serde_json::to_vec(event).expect("JSON");
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let headers: HashMap<String, String> = [
        ("webhook-id".to_owned(), id.to_owned()),
        ("webhook-timestamp".to_owned(), now.to_string()),
        ("webhook-signature".to_owned(), sign(SECRET, id, now, &body)),
    ]
    .into();
    Arrived { headers, body }
}

fn text(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).expect("a time")
}

fn first(checkout: &str, at: OffsetDateTime) -> Value {
    json!({"paid": {"about": {"checkout": checkout}, "payment": "pay_first", "subscription": "sub_1",
        "customer": null, "amount": 900, "currency": "USD", "of": null, "at": text(at)}})
}

fn renewal(payment: &str, at: OffsetDateTime) -> Value {
    json!({"paid": {"about": {"subscription": "sub_1"}, "payment": payment, "subscription": "sub_1",
        "customer": null, "amount": 900, "currency": "USD", "of": null, "at": text(at)}})
}

fn failed(at: OffsetDateTime) -> Value {
    json!({"payment_failed": {"subscription": "sub_1", "at": text(at)}})
}

fn canceled(canceled: bool, at: OffsetDateTime) -> Value {
    json!({"canceled": {"subscription": "sub_1", "canceled": canceled, "at": text(at)}})
}

async fn tell(house: &House, event: &Value) {
    let id = format!("msg_{}", Uuid::now_v7());
    receive(house.channel(), &told(&id, event)).await.expect("taken");
}

#[tokio::test]
async fn the_order_in_which_news_come_does_not_matter() {
    let now = OffsetDateTime::now_utc();
    let at = |minutes: i64| now - Duration::hours(2) + Duration::minutes(minutes);
    let orders: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1], [3, 0, 1, 2], [1, 3, 2, 0]];
    let house = house().await;
    for (n, order) in orders.into_iter().enumerate() {
        let (_, token) = house.issuer.user(&format!("user{n}"));
        let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
        let events = [
            first(&checkout, at(0)),
            failed(at(10)),
            renewal("pay_second", at(20)),
            renewal("pay_third", at(40)),
        ];
        for i in order {
            let named = events[i]
                .to_string()
                .replace("sub_1", &format!("sub_{n}_"))
                .replace("pay_", &format!("pay_{n}_"));
            tell(&house, &serde_json::from_str(&named).expect("JSON")).await;
        }
        let s = house.subscription(&token).await;
        assert_eq!(s.status(), SubscriptionStatus::Active, "{order:?}");
        let days = (house.ends_at(&token).await - now).whole_days();
        assert!((88..=93).contains(&days), "three months are paid, in {order:?}: {days} days");
        assert_eq!(house.receipts(&token).await.len(), 3, "{order:?}");
        assert_eq!(house.balance(&token).await.available, 400, "one month has begun, in {order:?}");
    }
}

#[tokio::test]
async fn what_is_older_undoes_nothing() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let now = OffsetDateTime::now_utc();
    tell(&house, &first(&checkout, now)).await;
    tell(&house, &failed(now - Duration::SECOND)).await;
    tell(&house, &canceled(true, now - Duration::SECOND)).await;
    assert_eq!(house.subscription(&token).await.status(), SubscriptionStatus::Active);

    tell(&house, &canceled(true, now + Duration::seconds(2))).await;
    assert_eq!(house.subscription(&token).await.status(), SubscriptionStatus::Canceled);
    tell(&house, &canceled(false, now + Duration::seconds(1))).await;
    tell(&house, &renewal("pay_late", now + Duration::seconds(1))).await;
    let s = house.subscription(&token).await;
    assert_eq!(s.status(), SubscriptionStatus::Canceled, "what came late is paid, and still not renewed");
    assert!(s.next_payment_at.is_none());
    assert_eq!(house.receipts(&token).await.len(), 2);
    tell(&house, &canceled(false, now + Duration::seconds(3))).await;
    assert_eq!(house.subscription(&token).await.status(), SubscriptionStatus::Active);
}

#[tokio::test]
async fn one_payment_counts_once_under_however_many_webhooks() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let now = OffsetDateTime::now_utc();
    tell(&house, &first(&checkout, now)).await;
    let before = house.ends_at(&token).await;
    for _ in 0..3 {
        tell(&house, &first(&checkout, now)).await;
        tell(&house, &renewal("pay_first", now)).await;
    }
    assert_eq!(house.ends_at(&token).await, before);
    assert_eq!(house.receipts(&token).await.len(), 1);
}

#[tokio::test]
async fn what_was_not_asked_for_goes_back_whole_and_is_told_once() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let now = OffsetDateTime::now_utc();
    for (n, (field, wrong)) in [("amount", json!(1)), ("currency", json!("EUR"))].into_iter().enumerate() {
        let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
        let mut event = first(&checkout, now);
        event["paid"]["payment"] = json!(format!("pay_wrong_{n}"));
        event["paid"][field] = wrong;
        for _ in 0..2 {
            tell(&house, &event).await;
        }
    }
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free);
    assert_eq!(amounts(&house, &token).await, [-900, 900, -1, 1]);

    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    tell(&house, &first(&checkout, now)).await;
    let end = house.ends_at(&token).await;
    let mut twice = first(&checkout, now);
    twice["paid"]["payment"] = json!("pay_twice");
    tell(&house, &twice).await;
    assert_eq!(amounts(&house, &token).await, [-900, 900, 900, -900, 900, -1, 1]);
    assert_eq!(house.ends_at(&token).await, end);
    // It runs on under the same id.
    tell(&house, &renewal("pay_next", now)).await;
    assert!(house.ends_at(&token).await > end);
}

async fn amounts(house: &House, token: &str) -> Vec<i64> {
    house.receipts(token).await.iter().map(|r| r.amount).collect()
}

fn refunded(payment: &str, total: i64) -> Value {
    json!({"refunded": {"payment": payment, "total": total, "at": text(OffsetDateTime::now_utc())}})
}

#[tokio::test]
async fn a_refund_by_the_provider_gets_one_receipt() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    let early = receive(house.channel(), &told("msg_early", &refunded("pay_first", 900))).await;
    assert_eq!(Failure::from_status(&early.expect_err("told again later")).reason, "unavailable");
    tell(&house, &first(&checkout, OffsetDateTime::now_utc())).await;
    for total in [300, 899, 300, 899] {
        tell(&house, &refunded("pay_first", total)).await;
    }
    assert_eq!(amounts(&house, &token).await, [-599, -300, 900]);
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Premium, "something is still paid for");
}

#[tokio::test]
async fn a_refund_of_all_that_runs_ends_it() {
    let house = house().await;
    let seen = published(&house.common, &["billing.entitlement.changed"]).await;
    let (id, token) = house.subscriber().await;
    house.reserve(&token, Uuid::now_v7(), 390).await.expect("enough coins");
    house.charge_now().await;
    eventually(|| async { (house.receipts(&token).await.len() == 2).then_some(()) }).await;
    let end = house.ends_at(&token).await;
    let payments: Vec<String> = sqlx::query_scalar("select payment_ref from term order by starts_at")
        .fetch_all(&house.db.pool)
        .await
        .expect("two");

    tell(&house, &refunded(&payments[1], 900)).await;
    assert!(house.ends_at(&token).await < end, "the month that was to come is gone");
    assert!(house.entitlement(&token).await.can_create, "the one that runs is paid for");

    tell(&house, &refunded(&payments[0], 900)).await;
    assert_eq!(house.subscription(&token).await.status(), SubscriptionStatus::Inactive);
    assert!(!house.entitlement(&token).await.can_create);
    let balance = house.balance(&token).await;
    assert_eq!((balance.available, balance.reserved), (0, 390), "what is left is taken back, never more");
    assert_eq!(amounts(&house, &token).await, [-900, -900, 900, 900]);
    seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
        e.user_id == id.to_string() && e.status == "inactive" && e.plan == "free"
    })
    .await;
    house.told().await;
    assert!(house.mandates().await.is_empty(), "the provider does not charge again");
}

#[tokio::test]
async fn a_refund_of_an_unknown_payment_is_asked_for_again_for_a_day() {
    let house = house().await;
    let event = told("msg_1", &refunded("pay_of_nobody", 900));
    for _ in 0..2 {
        let early = receive(house.channel(), &event).await.expect_err("told again later");
        assert_eq!(Failure::from_status(&early).reason, "unavailable");
    }
    house.sql("update refund_unknown set first_seen = first_seen - interval '1 day'").await;
    receive(house.channel(), &event).await.expect("given up");
}

#[tokio::test]
async fn a_webhook_as_large_as_the_front_door_takes_is_read() {
    let house = house().await;
    for (bytes, reason) in [(256 * 1024, "webhook_refused"), (256 * 1024 + 1, "too_large")] {
        let mut large = told("msg_1", &refunded("pay_1", 900));
        large.body = vec![b' '; bytes];
        let refused = receive(house.channel(), &large).await.expect_err("not signed");
        assert_eq!(Failure::from_status(&refused).reason, reason, "{bytes} bytes");
    }
}

#[tokio::test]
async fn with_all_faults_on_the_ledger_ends_right() {
    let house = house_with(|config| {
        config.sandbox_faults = "repeat=0.5,reorder=0.7,delay_ms=50,fail=0.2".parse().expect("faults");
    })
    .await;
    let mut people = Vec::new();
    for n in 0..8 {
        let (_, token) = house.issuer.user(&format!("user{n}"));
        let plan = if n % 2 == 0 { Plan::Premium } else { Plan::Deluxe };
        let checkout = house.choose(&token, plan, "").await.expect("chosen");
        house.press(&checkout, "pay").await;
        people.push((token, plan));
    }
    // Renewals begin while first payments are still on their way.
    for _ in 0..2 {
        house.charge_now().await;
        eventually(|| async {
            let due: i64 =
                sqlx::query_scalar("select count(*) from sandbox_mandate where next_charge_at <= now()")
                    .fetch_one(&house.db.pool)
                    .await
                    .expect("a count");
            (due == 0).then_some(())
        })
        .await;
    }
    eventually(|| async {
        let waiting: i64 = sqlx::query_scalar("select count(*) from sandbox_delivery")
            .fetch_one(&house.db.pool)
            .await
            .expect("a count");
        (waiting == 0).then_some(())
    })
    .await;
    for (token, plan) in &people {
        let (price, coins) = if *plan == Plan::Premium { (900, 400) } else { (1_400, 1_200) };
        let receipts = house.receipts(token).await;
        assert_eq!(receipts.iter().map(|r| r.amount).collect::<Vec<_>>(), [price; 3]);
        assert_eq!(house.balance(token).await.available, coins);
        let days = (house.ends_at(token).await - OffsetDateTime::now_utc()).whole_days();
        assert!((88..=92).contains(&days), "three months: {days} days");
        assert_eq!(house.subscription(token).await.status(), SubscriptionStatus::Active);
    }
    let total: i64 = sqlx::query_scalar("select sum(balance)::bigint from coin_account")
        .fetch_one(&house.db.pool)
        .await
        .expect("a sum");
    assert_eq!(total, 0);
    let numbers: Vec<String> = sqlx::query_scalar("select number from receipt order by number")
        .fetch_all(&house.db.pool)
        .await
        .expect("a list");
    let year = OffsetDateTime::now_utc().year();
    let expected: Vec<String> = (1..=24).map(|n| format!("{year}-{n:06}")).collect();
    assert_eq!(numbers, expected, "receipts are numbered without gaps");
}

#[tokio::test]
async fn rights_change_everywhere_within_a_second() {
    let house = house().await;
    let seen = published(&house.common, &["billing.entitlement.changed"]).await;
    let (id, token) = house.issuer.user("ada");
    let checkout = house.choose(&token, Plan::Premium, "").await.expect("chosen");
    for (event, status) in [
        (first(&checkout, OffsetDateTime::now_utc()), "active"),
        (canceled(true, OffsetDateTime::now_utc() + Duration::SECOND), "canceled"),
    ] {
        let began = std::time::Instant::now();
        tell(&house, &event).await;
        seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
            e.user_id == id.to_string() && e.status == status
        })
        .await;
        assert!(began.elapsed() < std::time::Duration::from_secs(1), "{status}: {:?}", began.elapsed());
    }
    house.sql("update subscription set ends_at = now()").await;
    let began = std::time::Instant::now();
    seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
        e.user_id == id.to_string() && e.status == "inactive"
    })
    .await;
    assert!(began.elapsed() < std::time::Duration::from_secs(1), "the end: {:?}", began.elapsed());
}
