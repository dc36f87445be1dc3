//! A database per test.

use std::{env, str::FromStr as _};

use sqlx::{Connection as _, PgConnection, migrate::Migrator, postgres::PgConnectOptions};
use uuid::Uuid;

use crate::{
    config::Secret,
    db::{Db, Target},
};

/// A database of its own; dropped with the test.
pub struct TestDb {
    pub url: String,
    pub pool: Db,
    name: String,
}

impl TestDb {
    /// As the service's configuration names it.
    #[must_use]
    pub fn target(&self) -> Target {
        Target { database_url: Secret::new(self.url.clone()) }
    }
}

fn admin_url() -> String {
    env::var("DATABASE_URL").expect("DATABASE_URL is not set: run `cargo xtask test`")
}

/// Creates a database and applies the migrations.
///
/// # Panics
/// When PostgreSQL cannot be reached or a migration fails.
pub async fn database(migrator: &Migrator) -> TestDb {
    let name = format!("test_{}", Uuid::now_v7().simple());
    let mut admin = PgConnection::connect(&admin_url()).await.expect("PostgreSQL at DATABASE_URL");
    // The name is made above from a UUID.
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(r#"create database "{name}""#)))
        .execute(&mut admin)
        .await
        .expect("the right to create databases");
    let _ = admin.close().await;

    let mut url = url::Url::parse(&admin_url()).expect("an address");
    url.set_path(&name);
    let options = PgConnectOptions::from_str(url.as_str()).expect("an address");
    let pool = Db::new(options, 5);
    let mut connection = pool.acquire().await.expect("the new database");
    migrator.run(&mut *connection).await.expect("the migrations apply");
    drop(connection);
    TestDb { url: url.to_string(), pool, name }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        // The test's runtime may be ending: a thread with a runtime of its own drops the database. Nobody waits
        // for it: PostgreSQL waits for every connection that is being opened, of whatever database, and those
        // of this runtime open no further while it stands still here. What is left at the end of the process
        // goes with the tests' server.
        let name = std::mem::take(&mut self.name);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut admin = PgConnection::connect(&admin_url()).await?;
                let statement = format!(r#"drop database if exists "{name}" with (force)"#);
                sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut admin).await?;
                anyhow::Ok(())
            })
        });
    }
}
