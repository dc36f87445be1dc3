//! PostgreSQL: connections and migrations.

use std::{str::FromStr as _, time::Duration};

use anyhow::Context as _;
use sqlx::{
    PgPool,
    migrate::Migrator,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::config::Secret;

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
    pub max: u32,
    /// Plan each execution for its values: queries over skewed data (catalog) need it, because the
    /// generic plan of a prepared statement was measured 100 times slower.
    pub force_custom_plan: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Self { max: 10, force_custom_plan: false }
    }
}

/// How long a request waits for a connection before it is told that the database is unavailable.
const ACQUIRE: Duration = Duration::from_secs(3);

/// # Errors
/// When the address is malformed or no connection can be made.
pub async fn connect(target: &Target, pool: Pool) -> anyhow::Result<PgPool> {
    let mut options = PgConnectOptions::from_str(target.database_url.expose())
        .map_err(|_| anyhow::anyhow!("DATABASE_URL is not a PostgreSQL address"))?;
    if pool.force_custom_plan {
        options = options.options([("plan_cache_mode", "force_custom_plan")]);
    }
    PgPoolOptions::new()
        .max_connections(pool.max)
        .acquire_timeout(ACQUIRE)
        .connect_with(options)
        .await
        .context("PostgreSQL at DATABASE_URL cannot be reached")
}

/// Applies what is missing; two processes at once are safe (sqlx holds an advisory lock).
///
/// # Errors
/// The migration that failed, and why.
pub async fn migrate(migrator: &Migrator, target: &Target) -> anyhow::Result<()> {
    let pool = connect(target, Pool { max: 1, ..Pool::default() }).await?;
    migrator.run(&pool).await.context("a migration failed")?;
    pool.close().await;
    Ok(())
}
