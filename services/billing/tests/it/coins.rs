use kit::{
    error::Failure,
    testing::{eventually, publish},
};
use proto::events::v1::ImageEnded;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::support::house;

fn ended(user: Uuid, job: Uuid) -> ImageEnded {
    ImageEnded {
        job_id: job.to_string(),
        user_id: user.to_string(),
        purpose: "gallery".into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn what_is_reserved_is_captured_or_released_once() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let (good, bad) = (Uuid::now_v7(), Uuid::now_v7());
    for job in [good, good, bad] {
        house.reserve(&token, job, 10).await.expect("enough coins");
    }
    let balance = house.balance(&token).await;
    assert_eq!((balance.available, balance.reserved), (380, 20), "the same job reserves once");

    publish(&house.common, "media.image.completed", &ended(id, good)).await;
    publish(&house.common, "media.image.failed", &ended(id, bad)).await;
    eventually(|| async { (house.balance(&token).await.reserved == 0).then_some(()) }).await;
    assert_eq!(house.balance(&token).await.available, 390);

    // A late contradiction changes nothing.
    publish(&house.common, "media.image.failed", &ended(id, good)).await;
    let marker = Uuid::now_v7();
    house.reserve(&token, marker, 1).await.expect("enough coins");
    publish(&house.common, "media.image.canceled", &ended(id, marker)).await;
    eventually(|| async { (house.balance(&token).await.reserved == 0).then_some(()) }).await;
    assert_eq!(house.balance(&token).await.available, 390);
}

#[tokio::test]
async fn a_reservation_that_comes_after_its_release_is_refused() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let job = Uuid::now_v7();
    publish(&house.common, "media.image.canceled", &ended(id, job)).await;
    eventually(|| async {
        let row = sqlx::query("select 1 from coin_tx where ref = $1").bind(job);
        row.fetch_optional(&house.db.pool).await.ok()?
    })
    .await;
    let late = house.reserve(&token, job, 10).await.expect_err("nobody would give the coins back");
    assert_eq!(Failure::from_status(&late).reason, "reservation_ended");
    let balance = house.balance(&token).await;
    assert_eq!((balance.available, balance.reserved), (400, 0));
}

#[tokio::test]
async fn fifty_at_once_cannot_spend_more_than_there_is() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let house = std::sync::Arc::new(house);
    let mut tries = JoinSet::new();
    for _ in 0..50 {
        let (house, token) = (house.clone(), token.clone());
        tries.spawn(async move { house.reserve(&token, Uuid::now_v7(), 10).await });
    }
    let results = tries.join_all().await;
    let refused: Vec<_> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    assert_eq!(results.len() - refused.len(), 40, "400 coins are 40 images");
    assert!(refused.iter().all(|s| Failure::from_status(s).reason == "coins_short"), "{refused:?}");
    let balance = house.balance(&token).await;
    assert_eq!((balance.available, balance.reserved), (0, 400));
}

#[tokio::test]
async fn the_books_balance() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let job = Uuid::now_v7();
    house.reserve(&token, job, 10).await.expect("enough coins");
    publish(&house.common, "media.image.completed", &ended(id, job)).await;
    eventually(|| async { (house.balance(&token).await.reserved == 0).then_some(()) }).await;

    let total: i64 = sqlx::query_scalar("select sum(balance)::bigint from coin_account")
        .fetch_one(&house.db.pool)
        .await
        .expect("a sum");
    assert_eq!(total, 0, "every coin comes from somewhere");
    let crooked = "with t as (insert into coin_tx (id, kind, ref, reason)
            values (gen_random_uuid(), 'grant', gen_random_uuid(), 'x') returning id)
        insert into coin_entry (tx, account, amount) select t.id, a.id, 5 from t, coin_account a limit 1";
    let refused = sqlx::query(crooked).execute(&house.db.pool).await.expect_err("it does not sum to nothing");
    assert!(refused.to_string().contains("sum to nothing"), "{refused}");
}

#[tokio::test]
async fn every_movement_is_listed_with_its_reason_newest_first() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let job = Uuid::now_v7();
    house.reserve(&token, job, 10).await.expect("enough coins");
    publish(&house.common, "media.image.failed", &ended(id, job)).await;
    eventually(|| async { (house.balance(&token).await.reserved == 0).then_some(()) }).await;

    let (all, info) = house.movements(&token, 1, 20).await;
    let seen: Vec<_> = all.iter().map(|m| (m.kind.as_str(), m.available, m.reserved)).collect();
    assert_eq!(seen, [("release", 10, -10), ("reserve", -10, 10), ("grant", 400, 0)]);
    assert!(all.iter().all(|m| !m.reason.is_empty() && m.at.is_some()));
    assert_eq!((info.total, info.has_more), (3, false));
    let (second, info) = house.movements(&token, 2, 1).await;
    assert_eq!((second[0].kind.as_str(), info.total_pages, info.has_more), ("reserve", 3, true));
    let (_, bea) = house.issuer.user("bea");
    assert!(house.movements(&bea, 1, 20).await.0.is_empty());
}

#[tokio::test]
async fn of_many_ends_of_a_reservation_one_counts() {
    let house = house().await;
    let (id, token) = house.subscriber().await;
    let jobs: Vec<Uuid> = (0..10).map(|_| Uuid::now_v7()).collect();
    for job in &jobs {
        house.reserve(&token, *job, 10).await.expect("enough coins");
    }
    // Each job is said to be drawn, failed and canceled, all at once and more than once.
    for job in &jobs {
        for topic in ["media.image.completed", "media.image.failed", "media.image.canceled"] {
            for _ in 0..2 {
                publish(&house.common, topic, &ended(id, *job)).await;
            }
        }
    }
    eventually(|| async {
        let applied: i64 = sqlx::query_scalar("select count(*) from inbox")
            .fetch_one(&house.db.pool)
            .await
            .expect("a count");
        (applied == 60).then_some(())
    })
    .await;
    let ends: Vec<(Uuid, i64)> =
        sqlx::query_as("select ref, count(*) from coin_tx where kind in ('capture', 'release') group by ref")
            .fetch_all(&house.db.pool)
            .await
            .expect("a list");
    assert!(ends.len() == 10 && ends.iter().all(|(_, n)| *n == 1), "{ends:?}");
    let balance = house.balance(&token).await;
    let earned: i64 = sqlx::query_scalar("select balance from coin_account where kind = 'house_earned'")
        .fetch_one(&house.db.pool)
        .await
        .expect("a balance");
    assert_eq!(balance.reserved, 0);
    assert_eq!(balance.available + earned.unsigned_abs(), 400, "no coin is lost, none is made");
}
