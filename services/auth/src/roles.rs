//! Roles, which the operator alone grants: `auth grant` and `auth revoke-role`.

use clap::ValueEnum;
use kit::db::Transaction;

use crate::{accounts::store as accounts, keys};

/// What somebody may do beside being a user.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Role {
    /// Decides reports and suspends accounts.
    Admin,
}

impl Role {
    /// As tokens say it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => kit::caller::ADMIN,
        }
    }
}

/// `auth grant` and `auth revoke-role`
#[derive(Debug, Clone, clap::Args)]
pub struct Change {
    #[command(flatten)]
    pub database: kit::db::Target,
    #[arg(long)]
    pub username: String,
    #[arg(long)]
    pub role: Role,
}

impl Change {
    /// The role counts from the next login that takes the second step.
    ///
    /// # Errors
    /// When there is nobody of that name, or the database cannot be asked.
    pub async fn grant(&self) -> anyhow::Result<()> {
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        let granted = sqlx::query!(
            "update account set roles = array(select distinct unnest(roles || $2::text)) where lower(username) = lower($1)",
            self.username,
            self.role.as_str()
        )
        .execute(&db)
        .await?;
        anyhow::ensure!(granted.rows_affected() > 0, "there is nobody with the username {}", self.username);
        tracing::info!(
            username = self.username,
            role = self.role.as_str(),
            "granted; it needs two-step login"
        );
        Ok(())
    }

    /// Takes the role back and ends all sessions: tokens that name it hold no longer.
    ///
    /// # Errors
    /// When there is nobody of that name, or the database cannot be asked.
    pub async fn revoke(&self) -> anyhow::Result<()> {
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        let mut tx = db.begin().await?;
        self.take(&mut tx).await?;
        tx.commit().await?;
        tracing::info!(username = self.username, role = self.role.as_str(), "taken back");
        Ok(())
    }

    async fn take(&self, tx: &mut Transaction) -> anyhow::Result<()> {
        let user = sqlx::query_scalar!(
            "update account set roles = array_remove(roles, $2) where lower(username) = lower($1) returning id",
            self.username,
            self.role.as_str()
        )
        .fetch_optional(&mut **tx)
        .await?;
        let user =
            user.ok_or_else(|| anyhow::anyhow!("there is nobody with the username {}", self.username))?;
        // Other processes find these rows by their polls, within a second.
        let ended = accounts::end_sessions(&mut **tx, user, None).await?;
        keys::revoke_sessions(tx, &ended).await?;
        keys::revoke_user(tx, user).await?;
        Ok(())
    }
}
