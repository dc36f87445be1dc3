use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use proto::{
    events::v1::UserChanged,
    queues::{CATALOG, Queue},
};
use troupe_kit::{
    config::Common,
    db::{Db, Transaction},
    house::House,
    inbox::{Apply, Event},
    outbox,
    shutdown::Shutdown,
    testing::{Issuer, common, database, eventually, publish, publish_as, published},
};
use uuid::Uuid;

const TOPICS: &[&str] = &["auth.user.*"];
const WRITER: Queue = Queue { name: "writer.events", topics: TOPICS };

/// Writes a row per event; fails as often as it is told before that.
struct Writer {
    failures: Arc<AtomicU32>,
}

#[async_trait]
impl Apply for Writer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        let user: UserChanged = event.decode()?;
        sqlx::query("insert into applied (id, version) values ($1, $2)")
            .bind(Uuid::try_parse(&user.user_id)?)
            .bind(user.version)
            .execute(&mut **tx)
            .await?;
        if self.failures.load(Ordering::SeqCst) > 0 {
            self.failures.fetch_sub(1, Ordering::SeqCst);
            anyhow::bail!("told to fail");
        }
        Ok(())
    }
}

async fn applied(db: &Db) -> i64 {
    sqlx::query_scalar("select count(*) from applied").fetch_one(db).await.expect("a count")
}

async fn house(common: &Common) -> House {
    House::open(common, Shutdown::new()).await.expect("the house opens")
}

fn user(version: i64) -> UserChanged {
    UserChanged {
        user_id: Uuid::now_v7().to_string(),
        username: "ada".into(),
        avatar_asset: String::new(),
        version,
    }
}

#[tokio::test]
async fn an_event_is_published_only_with_its_change() {
    let (issuer, db) = (Issuer::start().await, database(&crate::MIGRATOR).await);
    let common = common(&issuer);
    let seen = published(&common, TOPICS).await;
    let house = house(&common).await;
    house.relay(db.pool.clone());

    let mut undone = db.pool.begin().await.expect("a transaction");
    outbox::enqueue(&mut *undone, "auth.user.registered", &user(1)).await.expect("written");
    undone.rollback().await.expect("rolled back");
    let mut kept = db.pool.begin().await.expect("a transaction");
    outbox::enqueue(&mut *kept, "auth.user.registered", &user(2)).await.expect("written");
    kept.commit().await.expect("committed");

    seen.wait::<UserChanged>("auth.user.registered", |u| u.version == 2).await;
    assert_eq!(seen.all::<UserChanged>("auth.user.registered").len(), 1, "only the committed one");
    eventually(|| async {
        let left: i64 = sqlx::query_scalar("select count(*) from outbox").fetch_one(&db.pool).await.ok()?;
        (left == 0).then_some(())
    })
    .await;
    house.shutdown.now();
}

#[tokio::test]
async fn an_event_that_comes_twice_is_applied_once() {
    let (issuer, db) = (Issuer::start().await, database(&crate::MIGRATOR).await);
    let common = common(&issuer);
    let house = house(&common).await;
    house.consume(db.pool.clone(), WRITER, Writer { failures: Arc::default() });
    house.ready().await;

    let id = publish(&common, "auth.user.updated", &user(1)).await;
    publish_as(&common, id, "auth.user.updated", &user(1)).await;
    publish(&common, "auth.user.updated", &user(2)).await;

    eventually(|| async { (applied(&db.pool).await >= 2).then_some(()) }).await;
    assert_eq!(applied(&db.pool).await, 2);
    house.shutdown.now();
}

#[tokio::test]
async fn an_event_that_fails_comes_again_and_leaves_nothing_half_done() {
    let (issuer, db) = (Issuer::start().await, database(&crate::MIGRATOR).await);
    let common = common(&issuer);
    let house = house(&common).await;
    let failures = Arc::new(AtomicU32::new(2));
    house.consume(db.pool.clone(), WRITER, Writer { failures: failures.clone() });
    house.ready().await;

    publish(&common, "auth.user.updated", &user(1)).await;
    eventually(|| async { (applied(&db.pool).await == 1).then_some(()) }).await;
    assert_eq!(failures.load(Ordering::SeqCst), 0, "it was tried until it succeeded");
    house.shutdown.now();
}

#[tokio::test]
async fn an_event_that_nobody_listens_to_yet_is_kept_for_who_has_to_hear_it() {
    let (issuer, db) = (Issuer::start().await, database(&crate::MIGRATOR).await);
    let common = common(&issuer);
    let house = house(&common).await;
    house.relay(db.pool.clone());
    outbox::enqueue(&db.pool, "auth.user.registered", &user(1)).await.expect("written");
    eventually(|| async {
        let left: i64 = sqlx::query_scalar("select count(*) from outbox").fetch_one(&db.pool).await.ok()?;
        (left == 0).then_some(())
    })
    .await;

    house.consume(db.pool.clone(), CATALOG, Writer { failures: Arc::default() });
    eventually(|| async { (applied(&db.pool).await == 1).then_some(()) }).await;
    house.shutdown.now();
}
