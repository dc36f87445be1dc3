//! How connections to PostgreSQL are left, and found by the next.

use std::{str::FromStr as _, time::Duration};

use sqlx::postgres::PgConnectOptions;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::timeout,
};
use troupe_kit::{
    db::Db,
    testing::{TestDb, database},
};
use uuid::Uuid;

/// What the next has to wait for is well within it.
const SOON: Duration = Duration::from_secs(3);

/// A single connection, so that whoever comes next has the same.
fn one(of: &TestDb) -> Db {
    Db::new(PgConnectOptions::from_str(&of.url).expect("an address"), 1)
}

async fn process(db: &Db) -> i32 {
    let asked = sqlx::query_scalar("select pg_backend_pid()").fetch_one(db);
    timeout(SOON, asked).await.expect("soon").expect("an answer")
}

async fn add(db: &mut sqlx::PgConnection) {
    let row = sqlx::query("insert into applied (id, version) values ($1, 1)").bind(Uuid::now_v7());
    row.execute(db).await.expect("written");
}

async fn count(db: &Db) -> i64 {
    sqlx::query_scalar("select count(*) from applied").fetch_one(db).await.expect("a count")
}

#[tokio::test]
async fn what_is_committed_stays_and_what_is_not_is_taken_back() {
    let own = database(&crate::MIGRATOR).await;
    let db = one(&own);
    let before = process(&db).await;
    let mut tx = db.begin().await.expect("a transaction");
    add(&mut tx).await;
    tx.commit().await.expect("committed");

    let mut tx = db.begin().await.expect("a transaction");
    add(&mut tx).await;
    drop(tx);
    let mut tx = db.begin().await.expect("a transaction");
    add(&mut tx).await;
    tx.rollback().await.expect("taken back");

    assert_eq!(count(&db).await, 1);
    assert_eq!(process(&db).await, before, "the connection is kept");
}

#[tokio::test]
async fn who_goes_while_a_transaction_begins_leaves_none() {
    let own = database(&crate::MIGRATOR).await;
    let db = one(&own);
    let before = process(&db).await;
    // Polled once: the word is sent, and its answer is hardly ever there. Where it is, a transaction is dropped.
    let mut begin = Box::pin(db.begin());
    drop(futures::poll!(begin.as_mut()));
    drop(begin);
    assert_eq!(process(&db).await, before, "the connection is kept");
    let state: String = sqlx::query_scalar("select state from pg_stat_activity where pid = $1")
        .bind(before)
        .fetch_one(&own.pool)
        .await
        .expect("it lives");
    assert_eq!(state, "idle", "and not in a transaction");
}

#[tokio::test]
async fn an_answer_that_nobody_waited_for_is_nobody_elses() {
    let own = database(&crate::MIGRATOR).await;
    let db = one(&own);
    let before = process(&db).await;
    let slow = sqlx::query_scalar::<_, i32>("select 1 from pg_sleep(0.3)").fetch_one(&db);
    timeout(Duration::from_millis(100), slow).await.expect_err("given up before it ends");
    let mut taken = db.acquire().await.expect("the connection");
    let slow = sqlx::query_scalar::<_, i32>("select 1 from pg_sleep(0.3)").fetch_one(&mut *taken);
    timeout(Duration::from_millis(100), slow).await.expect_err("given up before it ends");
    drop(taken);

    let asked: i32 = sqlx::query_scalar("select 2").fetch_one(&db).await.expect("an answer");
    assert_eq!(asked, 2);
    assert_eq!(process(&db).await, before, "the connection is kept");
}

#[tokio::test]
async fn a_refused_statement_costs_no_connection() {
    let own = database(&crate::MIGRATOR).await;
    let db = one(&own);
    let before = process(&db).await;
    sqlx::query("select 1 / 0").execute(&db).await.expect_err("refused");
    let mut tx = db.begin().await.expect("a transaction");
    sqlx::query("select 1 / 0").execute(&mut *tx).await.expect_err("refused");
    drop(tx);
    add(&mut db.acquire().await.expect("the connection")).await;
    assert_eq!(count(&db).await, 1);
    assert_eq!(process(&db).await, before);
}

#[tokio::test]
async fn what_waits_for_a_connection_is_told_so_in_time() {
    let own = database(&crate::MIGRATOR).await;
    let db = one(&own);
    let taken = db.acquire().await.expect("the connection");
    let error = db.acquire().await.expect_err("none is left");
    assert!(matches!(error, sqlx::Error::PoolTimedOut), "{error}");
    drop(taken);
    process(&db).await;
}

#[tokio::test]
async fn a_connection_that_has_fallen_silent_is_replaced() {
    let own = database(&crate::MIGRATOR).await;
    let mut server = url::Url::parse(&own.url).expect("an address");
    let to = format!("{}:{}", server.host_str().expect("a host"), server.port().unwrap_or(5432));
    let way = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = way.local_addr().expect("bound").port();
    server.set_host(Some("127.0.0.1")).expect("a host");
    server.set_port(Some(port)).expect("a port");
    // Each change lets the ways of before take everything and give nothing.
    let (silence, silent) = watch::channel(());
    let _ways = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(async move {
        let mut ways = JoinSet::new();
        while let Ok((mut near, _)) = way.accept().await {
            let mut far = TcpStream::connect(&to).await.expect("PostgreSQL");
            let mut silent = silent.clone();
            silent.mark_unchanged();
            ways.spawn(async move {
                tokio::select! {
                    _ = copy_bidirectional(&mut near, &mut far) => {}
                    _ = silent.changed() => std::future::pending().await,
                }
            });
        }
    }));
    let db = Db::new(PgConnectOptions::from_str(server.as_str()).expect("an address"), 1);
    let before = process(&db).await;
    silence.send_replace(());
    let lost = sqlx::query("select 1").execute(&db);
    timeout(Duration::from_millis(100), lost).await.expect_err("silent");
    assert_ne!(process(&db).await, before, "another one answers");
}
