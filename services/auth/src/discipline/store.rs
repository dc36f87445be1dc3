use kit::db::Transaction;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// Somebody who is to be told.
pub struct Person {
    pub email: String,
    pub username: String,
    pub suspended_at: Option<OffsetDateTime>,
}

/// The account, locked: causes come and go one after the other.
pub async fn lock(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        "select email, username, suspended_at from account where id = $1 for update",
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(person)
}

/// `false` when it was there already.
pub async fn add_cause(db: impl PgExecutor<'_>, user: Uuid, cause: &str, reason: &str) -> Result<bool> {
    let added = sqlx::query!(
        "insert into suspension (user_id, cause, reason) values ($1, $2, $3) on conflict do nothing",
        user,
        cause,
        reason
    )
    .execute(db)
    .await?;
    Ok(added.rows_affected() > 0)
}

/// Takes one cause away, or all of them. Who is suspended for others still is told the oldest of those;
/// `true` when there is none.
pub async fn take_causes(tx: &mut Transaction, user: Uuid, cause: Option<&str>) -> Result<bool> {
    sqlx::query!(
        "delete from suspension where user_id = $1 and ($2::text is null or cause = $2)",
        user,
        cause
    )
    .execute(&mut **tx)
    .await?;
    let left = sqlx::query!(
        "update account set suspended_reason = left_over.reason
         from (select reason from suspension where user_id = $1 order by at, cause limit 1) left_over
         where id = $1",
        user
    )
    .execute(&mut **tx)
    .await?;
    Ok(left.rows_affected() == 0)
}

/// `None` when there is no such account, or it is suspended already.
pub async fn suspend(
    db: impl PgExecutor<'_>,
    user: Uuid,
    reason: &str,
) -> Result<Option<(i64, OffsetDateTime)>> {
    let row = sqlx::query!(
        r#"update account set state_before = state, state = 'suspended', suspended_at = now(),
               suspended_reason = $2, version = version + 1
           where id = $1 and state <> 'suspended'
           returning version, suspended_at as "at!""#,
        user,
        reason
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.version, r.at)))
}

/// The version; `None` when there is no such account, or it is not suspended.
pub async fn reinstate(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<i64>> {
    let version = sqlx::query_scalar!(
        "update account set state = coalesce(state_before, 'active'), state_before = null,
             suspended_at = null, suspended_reason = '', version = version + 1
         where id = $1 and state = 'suspended' returning version",
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(version)
}
