//! PostgreSQL: connections and migrations.

mod away;
mod migrate;
mod pool;

use std::str::FromStr as _;

use anyhow::Context as _;
use sqlx::{ConnectOptions as _, PgExecutor, postgres::PgConnectOptions};
use time::OffsetDateTime;

pub use self::{
    away::round,
    migrate::{Migrate, Phase, migrate},
    pool::{Connection, Db, Transaction},
};
use crate::{config::Secret, start};

/// PostgreSQL asks a client that says nothing whether it is there (s, s, times). A machine that is gone without a word
/// keeps what it has locked until then: 25 s instead of the kernel's two hours.
const KEEPALIVE: [(&str, u8); 3] =
    [("tcp_keepalives_idle", 10), ("tcp_keepalives_interval", 5), ("tcp_keepalives_count", 3)];

/// The service's own database.
#[derive(Debug, Clone, clap::Args)]
pub struct Target {
    /// PostgreSQL database of this service, as its own role.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Secret,
}

/// How a service uses its database.
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    /// Connections at most.
    pub max: usize,
    /// Settings of PostgreSQL for its sessions: name, value.
    pub settings: &'static [(&'static str, &'static str)],
}

impl Default for Pool {
    fn default() -> Self {
        Self { max: 10, settings: &[] }
    }
}

/// What time it is by PostgreSQL. What it judges later (whether something is due, over, or newer) is reckoned by this: the
/// clocks of processes differ, and jump.
///
/// # Errors
/// Whatever the database says.
pub async fn now(db: impl PgExecutor<'_>) -> sqlx::Result<OffsetDateTime> {
    // All schemas share this text, so it is checked by the tests and not by `query!`.
    sqlx::query_scalar("select clock_timestamp()").fetch_one(db).await
}

/// # Errors
/// When the address is malformed, PostgreSQL refuses, or no connection can be made within 20 s.
pub async fn connect(target: &Target, pool: Pool) -> anyhow::Result<Db> {
    let mut options = PgConnectOptions::from_str(target.database_url.expose())
        .map_err(|_| anyhow::anyhow!("DATABASE_URL is not a PostgreSQL address"))?;
    // Compiling pays for reports that run for seconds; here it would come to queries of some milliseconds whose guessed
    // cost grows with the tables.
    options = options.options([("jit", "off")]);
    options = options.options(KEEPALIVE).options(pool.settings.iter().copied());
    // Otherwise each statement asks all filters whether anybody reads of it; slow ones are told of anyway.
    if !tracing::enabled!(target: "sqlx::query", tracing::Level::DEBUG) {
        options = options.log_statements(log::LevelFilter::Off);
    }
    let db = Db::new(options, pool.max);
    let first = db.acquire_within(start::PATIENCE).await;
    drop(first.context("PostgreSQL at DATABASE_URL cannot be reached")?);
    Ok(db)
}
