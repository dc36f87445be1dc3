use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// Somebody whose state has changed.
pub struct Person {
    pub email: String,
    pub username: String,
    pub version: i64,
    pub at: OffsetDateTime,
}

/// `None` when there is no such account, or it is suspended already.
pub async fn suspend(db: impl PgExecutor<'_>, user: Uuid, reason: &str) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        r#"update account set state_before = state, state = 'suspended', suspended_at = now(),
               suspended_reason = $2, version = version + 1
           where id = $1 and state <> 'suspended'
           returning email, username, version, suspended_at as "at!""#,
        user,
        reason
    )
    .fetch_optional(db)
    .await?;
    Ok(person)
}

pub async fn suspended_at(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<OffsetDateTime>> {
    let at = sqlx::query_scalar!("select suspended_at from account where id = $1", user)
        .fetch_optional(db)
        .await?;
    Ok(at.flatten())
}

/// `None` when there is no such account, or it is not suspended.
pub async fn reinstate(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        r#"update account set state = coalesce(state_before, 'active'), state_before = null,
               suspended_at = null, suspended_reason = '', version = version + 1
           where id = $1 and state = 'suspended'
           returning email, username, version, now() as "at!""#,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(person)
}
