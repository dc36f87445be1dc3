//! PostgreSQL: connections and migrations.

use std::{str::FromStr as _, time::Duration};

use anyhow::Context as _;
use sqlx::{
    Connection as _, PgConnection, PgPool,
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
/// How long a connection may take to show that it lives. One whose other end is gone without a word would be waited
/// for until the kernel gives it up, a quarter of an hour later; and it would be lost to the pool for as long.
const ALIVE: Duration = Duration::from_secs(1);
/// One that was given back less than this ago showed so then, and is not asked again.
const FRESH: Duration = Duration::from_secs(1);

/// # Errors
/// When the address is malformed or no connection can be made.
pub async fn connect(target: &Target, pool: Pool) -> anyhow::Result<PgPool> {
    let mut options = PgConnectOptions::from_str(target.database_url.expose())
        .map_err(|_| anyhow::anyhow!("DATABASE_URL is not a PostgreSQL address"))?;
    // Compiling pays for reports that run for seconds; here it would come to queries of some milliseconds whose guessed
    // cost grows with the tables.
    options = options.options([("jit", "off")]);
    if pool.force_custom_plan {
        options = options.options([("plan_cache_mode", "force_custom_plan")]);
    }
    PgPoolOptions::new()
        .max_connections(pool.max)
        .acquire_timeout(ACQUIRE)
        .test_before_acquire(false)
        .before_acquire(|connection, about| {
            Box::pin(async move {
                if about.idle_for >= FRESH {
                    alive(connection).await?;
                }
                Ok(true)
            })
        })
        .after_release(|connection, _| Box::pin(async move { alive(connection).await.map(|()| true) }))
        .connect_with(options)
        .await
        .context("PostgreSQL at DATABASE_URL cannot be reached")
}

/// An error closes the connection without a further word to its other end.
async fn alive(connection: &mut PgConnection) -> sqlx::Result<()> {
    tokio::time::timeout(ALIVE, connection.ping()).await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

/// Which migrations are applied. Those whose name begins with `contract_` take away what only the processes of
/// the release before needed; in a release they come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Phase {
    /// What the processes that still run can live with: all up to the first that is a contract.
    Expand,
    /// The rest, once none of them runs any more.
    Contract,
}

/// `<binary> migrate`
#[derive(Debug, Clone, clap::Args)]
pub struct Migrate {
    #[command(flatten)]
    pub target: Target,
    /// Only a part, where the old processes run on meanwhile; without it everything at once.
    #[arg(long, value_enum)]
    pub phase: Option<Phase>,
}

/// Applies what is missing; two processes at once are safe (sqlx holds an advisory lock).
///
/// # Errors
/// The migration that failed, and why; or a contract that an earlier release left behind.
pub async fn migrate(migrator: &Migrator, migrate: &Migrate) -> anyhow::Result<()> {
    let pool = connect(&migrate.target, Pool { max: 1, ..Pool::default() }).await?;
    if migrate.phase == Some(Phase::Expand) {
        let last = last_to_expand(migrator, &pool).await?;
        migrator.run_to(last, &pool).await.context("a migration failed")?;
    } else {
        migrator.run(&pool).await.context("a migration failed")?;
    }
    pool.close().await;
    Ok(())
}

/// The version before the first contract that is not applied.
async fn last_to_expand(migrator: &Migrator, pool: &PgPool) -> anyhow::Result<i64> {
    use sqlx::migrate::Migrate as _;

    let mut connection = pool.acquire().await?;
    // Two that make the table at once would fail.
    connection.lock().await?;
    connection.ensure_migrations_table(&migrator.table_name).await?;
    let applied = connection.list_applied_migrations(&migrator.table_name).await?;
    connection.unlock().await?;
    let missing: Vec<_> =
        migrator.iter().filter(|m| !applied.iter().any(|a| a.version == m.version)).collect();
    let contract = |description: &str| description.starts_with("contract ");
    let Some(at) = missing.iter().position(|m| contract(&m.description)) else { return Ok(i64::MAX) };
    let rest = &missing[at..];
    anyhow::ensure!(
        rest.iter().all(|m| contract(&m.description)),
        "the contract {} of an earlier release was not applied; run `migrate --phase contract` of that release first",
        rest[0].version
    );
    Ok(rest[0].version - 1)
}
