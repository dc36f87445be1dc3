//! A release in two halves: what the old processes can live with, and what is taken away after them.

use sqlx::{
    SqlSafeStr as _,
    migrate::{Migration, MigrationType, Migrator},
};
use troupe_kit::{
    db::{Migrate, Phase, migrate},
    testing::{TestDb, database},
};

fn release(migrations: &[(i64, &'static str, &'static str)]) -> Migrator {
    let one = |&(version, name, sql): &(i64, &'static str, &'static str)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(migrations.iter().map(one).collect())
}

const FIRST: (i64, &str, &str) = (1, "seats", "create table seat (id int, old text)");
const SECOND: (i64, &str, &str) = (2, "rows", "alter table seat add row_name text");
const THIRD: (i64, &str, &str) = (3, "contract old", "alter table seat drop old");

async fn apply(db: &TestDb, migrator: &Migrator, phase: Option<Phase>) -> anyhow::Result<()> {
    migrate(migrator, &Migrate { target: db.target(), phase }).await
}

async fn columns(db: &TestDb) -> Vec<String> {
    sqlx::query_scalar(
        "select column_name::text from information_schema.columns where table_name = 'seat' order by column_name",
    )
    .fetch_all(&db.pool)
    .await
    .expect("columns")
}

#[tokio::test]
async fn what_the_old_processes_need_goes_only_with_the_second_half() {
    let db = database(&release(&[FIRST])).await;
    let next = release(&[FIRST, SECOND, THIRD]);
    apply(&db, &next, Some(Phase::Expand)).await.expect("the first half");
    assert_eq!(columns(&db).await, ["id", "old", "row_name"]);
    // A Job that is started again does no harm.
    apply(&db, &next, Some(Phase::Expand)).await.expect("the first half again");
    assert_eq!(columns(&db).await, ["id", "old", "row_name"]);
    apply(&db, &next, Some(Phase::Contract)).await.expect("the second half");
    assert_eq!(columns(&db).await, ["id", "row_name"]);
    apply(&db, &next, Some(Phase::Expand)).await.expect("nothing is left to do");
}

#[tokio::test]
async fn a_release_does_not_begin_before_the_last_one_has_ended() {
    let db = database(&release(&[FIRST])).await;
    let next = release(&[FIRST, THIRD, (4, "stages", "create table stage (id int)")]);
    let refused = apply(&db, &next, Some(Phase::Expand)).await.expect_err("a contract is left");
    assert!(refused.to_string().contains("contract 3 of an earlier release"), "{refused}");
    assert_eq!(columns(&db).await, ["id", "old"]);
    apply(&db, &next, None).await.expect("everything at once");
    assert_eq!(columns(&db).await, ["id"]);
}

#[tokio::test]
async fn jobs_at_the_same_time_wait_for_each_other() {
    let db = database(&release(&[])).await;
    let all = release(&[FIRST, SECOND, THIRD]);
    let (a, b, c) =
        tokio::join!(apply(&db, &all, None), apply(&db, &all, Some(Phase::Expand)), apply(&db, &all, None));
    for ended in [a, b, c] {
        ended.expect("applied once");
    }
    assert_eq!(columns(&db).await, ["id", "row_name"]);
}
