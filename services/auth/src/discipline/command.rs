//! `auth suspend` and `auth reinstate`, for the operator.

use kit::db::{Db, Transaction};
use uuid::Uuid;

use super::{Cause, grpc::checked, reinstate, suspend};
use crate::config::Mail;

/// `auth suspend`
#[derive(Debug, Clone, clap::Args)]
pub struct Suspend {
    #[command(flatten)]
    pub database: kit::db::Target,
    #[command(flatten)]
    pub mail: Mail,
    #[arg(long)]
    pub username: String,
    /// Told to the person.
    #[arg(long)]
    pub reason: String,
}

/// `auth reinstate`
#[derive(Debug, Clone, clap::Args)]
pub struct Reinstate {
    #[command(flatten)]
    pub database: kit::db::Target,
    #[command(flatten)]
    pub mail: Mail,
    #[arg(long)]
    pub username: String,
}

async fn connect(database: &kit::db::Target) -> anyhow::Result<Db> {
    kit::db::connect(database, kit::db::Pool::default()).await
}

/// By name in any state: that of a suspended account included.
async fn user_of(tx: &mut Transaction, username: &str) -> anyhow::Result<Uuid> {
    sqlx::query_scalar!("select id from account where lower(username) = lower($1)", username)
        .fetch_optional(&mut **tx)
        .await?
        .ok_or_else(|| anyhow::anyhow!("there is nobody with the username {username}"))
}

impl Suspend {
    /// # Errors
    /// When there is nobody of that name, or the database cannot be asked.
    pub async fn run(&self) -> anyhow::Result<()> {
        let reason = checked(&self.reason).map_err(|e| anyhow::anyhow!("the reason: {}", e.message))?;
        let mut tx = connect(&self.database).await?.begin().await?;
        let user = user_of(&mut tx, &self.username).await?;
        // The processes find the revocations by their polls, within a second.
        suspend(&mut tx, user, Cause::Moderator, &reason, &self.mail).await?;
        tx.commit().await?;
        tracing::info!(username = self.username, "suspended");
        Ok(())
    }
}

impl Reinstate {
    /// # Errors
    /// When there is nobody of that name, or the database cannot be asked.
    pub async fn run(&self) -> anyhow::Result<()> {
        let mut tx = connect(&self.database).await?.begin().await?;
        let user = user_of(&mut tx, &self.username).await?;
        reinstate(&mut tx, user, &self.mail).await?;
        tx.commit().await?;
        tracing::info!(username = self.username, "reinstated");
        Ok(())
    }
}
