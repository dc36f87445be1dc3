use std::sync::Arc;

use tokio::{sync::watch, task::JoinSet};
use troupe_kit::{
    idempotency::{Claim, claim, hash},
    testing::database,
};
use uuid::Uuid;

use crate::pool::{Door, behind};

#[tokio::test]
async fn fifty_at_once_have_one_effect_and_one_answer() {
    let db = Arc::new(database(&crate::MIGRATOR).await);
    let owner = Uuid::now_v7();
    let mut tries = JoinSet::new();
    for _ in 0..50 {
        let db = db.clone();
        tries.spawn(async move {
            match claim(&db.pool, owner, "create", "key", hash(&[b"same"]))
                .await
                .expect("claimed or answered")
            {
                Claim::New(held) => {
                    let mut tx = db.pool.begin().await.expect("a transaction");
                    sqlx::query("insert into applied (id, version) values ($1, 1)")
                        .bind(owner)
                        .execute(&mut *tx)
                        .await
                        .expect("the effect");
                    held.finish(&mut *tx, b"the answer").await.expect("remembered");
                    tx.commit().await.expect("committed");
                    b"the answer".to_vec()
                }
                Claim::Done(answer) => answer,
            }
        });
    }
    let answers = tries.join_all().await;
    assert!(answers.iter().all(|a| a == b"the answer"));
    let effects: i64 =
        sqlx::query_scalar("select count(*) from applied").fetch_one(&db.pool).await.expect("a count");
    assert_eq!(effects, 1);
}

#[tokio::test]
async fn a_key_stands_for_one_request_of_one_person() {
    let db = database(&crate::MIGRATOR).await;
    let (ada, bea) = (Uuid::now_v7(), Uuid::now_v7());
    let Claim::New(held) = claim(&db.pool, ada, "create", "key", hash(&[b"one"])).await.expect("claimed")
    else {
        panic!("nobody has done it");
    };
    held.finish(&db.pool, b"").await.expect("remembered");

    let other = claim(&db.pool, ada, "create", "key", hash(&[b"two"])).await.expect_err("another body");
    assert_eq!(other.reason, "idempotency_mismatch");
    assert!(matches!(claim(&db.pool, bea, "create", "key", hash(&[b"two"])).await, Ok(Claim::New(_))));
}

#[tokio::test]
async fn a_key_that_was_given_back_can_be_used_again() {
    let db = database(&crate::MIGRATOR).await;
    let owner = Uuid::now_v7();
    let Ok(Claim::New(held)) = claim(&db.pool, owner, "create", "key", hash(&[b"x"])).await else {
        panic!("nobody has done it");
    };
    held.abandon(&db.pool).await;
    assert!(matches!(claim(&db.pool, owner, "create", "key", hash(&[b"x"])).await, Ok(Claim::New(_))));
}

#[tokio::test]
async fn a_key_comes_back_from_who_does_nothing_with_it() {
    let db = database(&crate::MIGRATOR).await;
    let owner = Uuid::now_v7();
    let again = || claim(&db.pool, owner, "create", "key", hash(&[b"x"]));
    let Ok(Claim::New(held)) = again().await else { panic!("nobody has done it") };
    drop(held);
    assert!(matches!(again().await, Ok(Claim::New(_))), "well before its lease ends");
}

#[tokio::test]
async fn a_key_comes_back_when_the_database_does() {
    let own = database(&crate::MIGRATOR).await;
    let owner = Uuid::now_v7();
    let (door, way) = watch::channel(Door::Open);
    let (db, _ways) = behind(&own, way).await;
    let Ok(Claim::New(held)) = claim(&db, owner, "create", "key", hash(&[b"x"])).await else {
        panic!("nobody has done it");
    };
    door.send_replace(Door::Shut(2));
    held.abandon(&db).await;
    let again = claim(&own.pool, owner, "create", "key", hash(&[b"x"])).await;
    assert!(matches!(again, Ok(Claim::New(_))), "well before its lease ends");
}

#[tokio::test]
async fn who_comes_too_late_neither_finishes_nor_gives_back() {
    let db = database(&crate::MIGRATOR).await;
    let owner = Uuid::now_v7();
    let again = || claim(&db.pool, owner, "create", "key", hash(&[b"x"]));
    let Ok(Claim::New(late)) = again().await else { panic!("nobody has done it") };
    sqlx::query("update idempotency set lease_until = now() - interval '1 s'")
        .execute(&db.pool)
        .await
        .expect("its lease has ended");
    let Ok(Claim::New(next)) = again().await else { panic!("taken over") };
    late.finish(&db.pool, b"late").await.expect_err("another has the key");
    late.abandon(&db.pool).await;
    next.finish(&db.pool, b"next").await.expect("still theirs");
    let Ok(Claim::Done(answer)) = again().await else { panic!("done") };
    assert_eq!(answer, b"next");
}

#[test]
fn fields_do_not_run_into_each_other() {
    assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
}
