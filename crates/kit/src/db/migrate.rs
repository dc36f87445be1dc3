//! Migrations, in the phases of a release.

use anyhow::Context as _;
use sqlx::migrate::Migrator;

use super::{Connection, Pool, Target, connect};

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
    let mut connection =
        connect(&migrate.target, Pool { max: 1, ..Pool::default() }).await?.acquire().await?;
    if migrate.phase == Some(Phase::Expand) {
        let last = last_to_expand(migrator, &mut connection).await?;
        migrator.run_to(last, &mut *connection).await.context("a migration failed")?;
    } else {
        migrator.run(&mut *connection).await.context("a migration failed")?;
    }
    Ok(())
}

/// The version before the first contract that is not applied.
async fn last_to_expand(migrator: &Migrator, connection: &mut Connection) -> anyhow::Result<i64> {
    use sqlx::migrate::Migrate as _;

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
