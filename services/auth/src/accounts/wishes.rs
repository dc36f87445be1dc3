//! Mails that were asked for by address. Whether there is an account is found out here, behind the
//! answer: who asks learns nothing, not even from the time it took.

use std::time::Duration;

use kit::shutdown::Shutdown;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{hashing, store};
use crate::{
    App,
    error::Result,
    mail::{self, Letter},
};

/// Between looks for wishes.
const LOOK: Duration = Duration::from_millis(200);

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Code,
    Reset,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Reset => "reset",
        }
    }
}

/// Keeps a wish.
pub async fn add(db: impl PgExecutor<'_>, kind: Kind, email: &str) -> Result<()> {
    sqlx::query!(
        "insert into wish (id, kind, email) values ($1, $2, $3)",
        Uuid::now_v7(),
        kind.as_str(),
        email
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Grants wishes until shutdown.
pub async fn grant(app: App, shutdown: Shutdown) {
    loop {
        let more = kit::db::round(app.grant_one()).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a wish is not granted yet; tried again");
            false
        });
        let pause = if more { Duration::ZERO } else { LOOK };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

impl App {
    async fn grant_one(&self) -> Result<bool> {
        // Mostly nobody wishes, and one statement says so more cheaply than a transaction.
        let any = sqlx::query_scalar!(r#"select exists (select from wish) as "any!""#);
        if !any.fetch_one(&self.db).await? {
            return Ok(false);
        }
        let mut tx = self.db.begin().await?;
        let wish = sqlx::query!(
            "delete from wish where id = (select id from wish order by id limit 1 for update skip locked)
             returning kind, email"
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(wish) = wish else { return Ok(false) };
        let account = store::find_by_email(&mut *tx, &wish.email).await?;
        if let Some(account) = account.filter(|account| !account.sample) {
            let letter = match (wish.kind.as_str(), account.state.as_str()) {
                ("code", "unverified") => {
                    let code = hashing::code();
                    store::set_code(&mut *tx, account.id, &self.hasher.code(account.id, &code)).await?;
                    Some(Letter::code(&account.username, &code, &self.mail))
                }
                ("reset", _) => {
                    let token = hashing::token();
                    store::add_reset(&mut *tx, account.id, &self.hasher.token(&token)).await?;
                    Some(Letter::reset(&account.username, &token, &self.mail))
                }
                _ => None,
            };
            if let Some(letter) = letter {
                mail::queue(&mut *tx, &account.email, &letter).await?;
            }
        }
        tx.commit().await?;
        Ok(true)
    }
}
