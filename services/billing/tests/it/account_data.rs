//! What is stored about a user, given out and erased.

use kit::testing::{as_user, eventually, publish, published};
use proto::{
    billing::v1::{ExportAccountDataRequest, Plan, account_data_client::AccountDataClient},
    events::v1::{ErasureDone, UserErased},
};
use serde_json::Value;
use uuid::Uuid;

use crate::support::{House, house};

async fn export(house: &House, token: &str) -> Value {
    let mut ask = AccountDataClient::new(house.channel());
    let answer =
        as_user(token, ask.export_account_data(ExportAccountDataRequest {})).await.expect("answered");
    serde_json::from_str(&answer.into_inner().json).expect("one JSON object")
}

async fn count(house: &House, query: &'static str, user: Uuid) -> i64 {
    sqlx::query_scalar(query).bind(user).fetch_one(&house.db.pool).await.expect(query)
}

const BOOKS: [&str; 4] = [
    "select count(*) from receipt where user_id = $1",
    "select count(*) from term where user_id = $1",
    "select count(*) from subscription where user_id = $1",
    "select count(*) from coin_account where user_id = $1",
];

#[tokio::test]
async fn all_that_is_stored_is_given_out() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    house.reserve(&token, Uuid::now_v7(), 10).await.expect("enough coins");
    let all = export(&house, &token).await;
    assert_eq!(all["subscription"]["plan"], "premium");
    assert_eq!(all["receipts"][0]["amount"], 900);
    assert_eq!(all["checkouts"][0]["state"], "paid");
    assert_eq!(all["coins"]["available"], 390);
    assert_eq!(all["coinMovements"].as_array().expect("a list").len(), 2);
    let (_, bea) = house.issuer.user("bea");
    let none = export(&house, &bea).await;
    assert!(none["subscription"].is_null() && none["receipts"] == Value::Array(vec![]), "{none}");
}

#[tokio::test]
async fn the_books_of_an_erased_account_stay_under_a_pseudonym() {
    let house = house().await;
    let seen = published(&house.common, &["billing.#"]).await;
    let (id, token) = house.subscriber().await;
    house.reserve(&token, Uuid::now_v7(), 10).await.expect("enough coins");
    house.choose(&token, Plan::Deluxe, "").await.expect("an open checkout");
    let pseudonym = Uuid::new_v4();
    let event =
        UserErased { user_id: id.to_string(), characters: "remove".into(), pseudonym: pseudonym.to_string() };
    publish(&house.common, "auth.user.erased", &event).await;
    seen.wait::<ErasureDone>("billing.user.erased", |e| e.user_id == id.to_string()).await;

    publish(&house.common, "auth.user.erased", &event).await;
    eventually(|| async { (seen.all::<ErasureDone>("billing.user.erased").len() == 2).then_some(()) }).await;
    for book in BOOKS {
        assert_eq!(count(&house, book, id).await, 0, "{book}");
        assert!(count(&house, book, pseudonym).await > 0, "{book}");
    }
    assert_eq!(house.entitlement(&token).await.plan(), Plan::Free);
    let open = "select count(*) from checkout where state = 'open' and user_id in ($1, $1)";
    assert_eq!(count(&house, open, pseudonym).await, 0);
    let total: i64 =
        sqlx::query_scalar("select sum(balance)::bigint from coin_account where user_id is not null")
            .fetch_one(&house.db.pool)
            .await
            .expect("a sum");
    assert_eq!(total, 0, "nobody is left to spend them");
    house.told().await;
    assert!(house.mandates().await.is_empty(), "the provider was told");

    // Six years later.
    for table in [
        "update receipt set kept_until = kept_until - interval '6 years 3 days'",
        "update term set kept_until = kept_until - interval '6 years 3 days'",
        "update subscription set kept_until = kept_until - interval '6 years 3 days'",
        "update checkout set kept_until = kept_until - interval '6 years 3 days'",
        "update coin_account set kept_until = kept_until - interval '6 years 3 days'",
    ] {
        house.sql(table).await;
    }
    let house = house.restart().await;
    eventually(|| async {
        for book in BOOKS {
            if count(&house, book, pseudonym).await > 0 {
                return None;
            }
        }
        Some(())
    })
    .await;
}

#[tokio::test]
async fn a_payment_that_comes_after_the_end_of_the_account_goes_back() {
    let house = house().await;
    let seen = published(&house.common, &["billing.#"]).await;
    let (id, _) = house.subscriber().await;
    let pseudonym = Uuid::new_v4();
    let event =
        UserErased { user_id: id.to_string(), pseudonym: pseudonym.to_string(), ..Default::default() };
    // The sandbox charges before it hears of it.
    house.door_shut.store(true, std::sync::atomic::Ordering::Relaxed);
    house.charge_now().await;
    eventually(|| async {
        let waiting: i64 = sqlx::query_scalar("select count(*) from sandbox_delivery")
            .fetch_one(&house.db.pool)
            .await
            .expect("a count");
        (waiting == 1).then_some(())
    })
    .await;
    publish(&house.common, "auth.user.erased", &event).await;
    seen.wait::<ErasureDone>("billing.user.erased", |e| e.user_id == id.to_string()).await;
    house.door_shut.store(false, std::sync::atomic::Ordering::Relaxed);
    eventually(|| async {
        let sum: i64 = sqlx::query_scalar("select sum(amount)::bigint from receipt where user_id = $1")
            .bind(pseudonym)
            .fetch_one(&house.db.pool)
            .await
            .expect("a sum");
        let rows = count(&house, BOOKS[0], pseudonym).await;
        (sum == 900 && rows == 3).then_some(())
    })
    .await;
}
