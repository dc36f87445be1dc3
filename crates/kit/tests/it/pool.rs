//! How connections to PostgreSQL are left, and found by the next.

use std::{
    str::FromStr as _,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use sqlx::postgres::PgConnectOptions;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;
use troupe_kit::{
    config::Secret,
    db::{Db, Pool, Target, connect, round},
    error::database_down,
    shutdown::Shutdown,
    testing::{TestDb, database},
};
use uuid::Uuid;

/// What the next has to wait for is well within it.
const SOON: Duration = Duration::from_secs(3);
/// A round in the background is given up by then.
const LATE: Duration = Duration::from_secs(12);

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

async fn count_or(db: &Db) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from applied").fetch_one(db).await
}

async fn count(db: &Db) -> i64 {
    count_or(db).await.expect("a count")
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

/// What is wrong with the way to PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Open,
    /// Whoever comes waits until it is opened.
    Held,
    /// Whoever came before is taken everything from and given nothing.
    Silent,
    /// The first so many who come are shown out.
    Shut(u32),
}

/// The address of the same database through a door.
async fn through(of: &TestDb, door: watch::Receiver<Door>) -> (String, AbortOnDropHandle<()>) {
    let mut server = url::Url::parse(&of.url).expect("an address");
    let to = format!("{}:{}", server.host_str().expect("a host"), server.port().unwrap_or(5432));
    let way = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = way.local_addr().expect("bound").port();
    server.set_host(Some("127.0.0.1")).expect("a host");
    server.set_port(Some(port)).expect("a port");
    let ways = AbortOnDropHandle::new(tokio::spawn(async move {
        let (mut ways, mut shown_out) = (JoinSet::new(), 0);
        while let Ok((mut near, _)) = way.accept().await {
            let mut door = door.clone();
            if let Door::Shut(first) = *door.borrow_and_update()
                && shown_out < first
            {
                shown_out += 1;
                continue;
            }
            let to = to.clone();
            ways.spawn(async move {
                if door.wait_for(|door| *door != Door::Held).await.is_err() {
                    return;
                }
                let mut far = TcpStream::connect(&to).await.expect("PostgreSQL");
                tokio::select! {
                    _ = copy_bidirectional(&mut near, &mut far) => {}
                    _ = door.changed() => if *door.borrow() == Door::Silent { std::future::pending().await },
                }
            });
        }
    }));
    (server.into(), ways)
}

/// The same database, with a single connection through a door.
pub async fn behind(of: &TestDb, door: watch::Receiver<Door>) -> (Db, AbortOnDropHandle<()>) {
    let (url, ways) = through(of, door).await;
    (Db::new(PgConnectOptions::from_str(&url).expect("an address"), 1), ways)
}

#[tokio::test]
async fn a_service_that_starts_waits_longer_for_its_database_than_a_request_does() {
    let own = database(&crate::MIGRATOR).await;
    let (door, way) = watch::channel(Door::Held);
    let (url, _ways) = through(&own, way).await;
    let db = Db::new(PgConnectOptions::from_str(&url).expect("an address"), 1);
    let target = Target { database_url: Secret::new(url) };
    let start = connect(&target, Pool::default());
    let request = async {
        let error = db.acquire().await.expect_err("the database does not answer yet");
        door.send_replace(Door::Open);
        error
    };
    let (started, error) = tokio::join!(start, request);
    assert!(matches!(error, sqlx::Error::PoolTimedOut), "{error}");
    assert_eq!(count(&started.expect("it has waited")).await, 0);
}

#[tokio::test]
async fn a_connection_that_has_fallen_silent_is_replaced() {
    let own = database(&crate::MIGRATOR).await;
    let (door, way) = watch::channel(Door::Open);
    let (db, _ways) = behind(&own, way).await;
    let before = process(&db).await;
    door.send_replace(Door::Silent);
    let lost = sqlx::query("select 1").execute(&db);
    timeout(Duration::from_millis(100), lost).await.expect_err("silent");
    assert_ne!(process(&db).await, before, "another one answers");
}

#[tokio::test]
async fn work_outlasts_a_database_that_is_away() {
    let own = database(&crate::MIGRATOR).await;
    // The first try, and two looks whether it is back.
    let (_door, way) = watch::channel(Door::Shut(3));
    let (db, _ways) = behind(&own, way).await;
    let (shutdown, tried) = (Shutdown::new(), AtomicU32::new(0));
    let work = || {
        tried.fetch_add(1, Ordering::Relaxed);
        count_or(&db)
    };
    assert_eq!(db.outlast(&shutdown, work).await.expect("done when it was back"), 0);
    assert_eq!(tried.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_round_ends_when_the_database_falls_silent_in_the_middle_of_it() {
    let own = database(&crate::MIGRATOR).await;
    let (door, way) = watch::channel(Door::Open);
    let (db, _ways) = behind(&own, way).await;
    let silenced = round(async {
        let mut tx = db.begin().await?;
        add(&mut tx).await;
        door.send_replace(Door::Silent);
        sqlx::query("select 1").execute(&mut *tx).await
    });
    let error = timeout(LATE, silenced).await.expect("it ends").expect_err("nobody answers");
    assert!(database_down(&error), "{error}");
    assert_eq!(count(&own.pool).await, 0, "nothing of it was kept");
    assert_eq!(count(&db).await, 0, "the next is answered");
}

#[tokio::test]
async fn work_that_fails_while_the_database_is_there_has_failed() {
    let own = database(&crate::MIGRATOR).await;
    let tried = AtomicU32::new(0);
    let work = || async {
        tried.fetch_add(1, Ordering::Relaxed);
        Err::<(), _>("its own fault")
    };
    assert_eq!(own.pool.outlast(&Shutdown::new(), work).await, Err("its own fault"));
    assert_eq!(tried.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn nobody_waits_for_a_database_when_it_is_time_to_go() {
    let own = database(&crate::MIGRATOR).await;
    let (_door, way) = watch::channel(Door::Shut(u32::MAX));
    let (db, _ways) = behind(&own, way).await;
    let shutdown = Shutdown::new();
    shutdown.now();
    timeout(SOON, db.outlast(&shutdown, || count_or(&db))).await.expect("soon").expect_err("not done");
}
