use sqlx::PgExecutor;
use uuid::Uuid;

use crate::error::Result;

/// Where somebody stands.
pub struct Standing {
    /// The rule by which they were assured; empty when they were not.
    pub rule: String,
    /// Of the session.
    pub time_zone: String,
}

pub async fn standing(db: impl PgExecutor<'_>, user: Uuid, session: Uuid) -> Result<Option<Standing>> {
    let standing = sqlx::query_as!(
        Standing,
        r#"select age_rule as rule,
                  coalesce((select time_zone from session where id = $2 and user_id = $1), '') as "time_zone!"
           from account where id = $1"#,
        user,
        session
    )
    .fetch_optional(db)
    .await?;
    Ok(standing)
}

pub async fn assured(db: impl PgExecutor<'_>, user: Uuid, rule: &str) -> Result<()> {
    sqlx::query!("update account set age_assured_at = now(), age_rule = $2 where id = $1", user, rule)
        .execute(db)
        .await?;
    Ok(())
}
