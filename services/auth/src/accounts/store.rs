use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Email, Username, normal};
use crate::{error::Result, limits};

/// What a login needs to know.
pub struct Account {
    pub id: Uuid,
    pub email: String,
    pub username: String,
    pub password_hash: String,
    pub state: String,
    pub suspended_reason: String,
    /// A seeded person, whose address leads nowhere.
    pub sample: bool,
    pub roles: Vec<String>,
    /// The second step is on.
    pub two_step: bool,
}

/// A live session and when it began.
pub struct Session {
    pub created_at: OffsetDateTime,
    pub username: String,
    pub state: String,
    /// Those that the session had from the start and the account still has.
    pub roles: Vec<String>,
}

/// # Errors
/// `email_taken` or `username_taken`, by constraint.
pub async fn add(
    db: impl PgExecutor<'_>,
    id: Uuid,
    email: &Email,
    username: &Username,
    password_hash: &str,
    referral: &str,
) -> Result<()> {
    sqlx::query!(
        "insert into account (id, email, username, password_hash, referral) values ($1, $2, $3, $4, $5)",
        id,
        email.as_str(),
        username.as_str(),
        password_hash,
        referral
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find_by_email(db: impl PgExecutor<'_>, email: &str) -> Result<Option<Account>> {
    let found = sqlx::query_as!(
        Account,
        r#"select id, email, username, password_hash, state, suspended_reason, sample, roles,
                  exists (select from two_step t where t.user_id = account.id and t.confirmed_at is not null) as "two_step!"
           from account where lower(email) = $1"#,
        normal(email)
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

pub async fn find(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Account>> {
    let found = sqlx::query_as!(
        Account,
        r#"select id, email, username, password_hash, state, suspended_reason, sample, roles,
                  exists (select from two_step t where t.user_id = account.id and t.confirmed_at is not null) as "two_step!"
           from account where id = $1"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

pub async fn email_of(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!("select email from account where id = $1 and not sample", user)
        .fetch_optional(db)
        .await?)
}

/// Replaces the user's code: there is one live code at a time. PostgreSQL reckons when it dies, by whose clock it is tried.
pub async fn set_code(db: impl PgExecutor<'_>, user: Uuid, hash: &[u8]) -> Result<()> {
    sqlx::query!(
        "insert into verification (user_id, hash, expires_at)
         values ($1, $2, now() + make_interval(secs => $3))
         on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at, tries = 0",
        user,
        hash,
        limits::CODE_LIFE.as_seconds_f64()
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A code that can still be tried.
pub struct LiveCode {
    pub user_id: Uuid,
    pub hash: Vec<u8>,
}

/// Counts a try against the user's live code and answers it; `None` when it is dead or there is none.
pub async fn try_code(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<LiveCode>> {
    let code = sqlx::query_as!(
        LiveCode,
        "update verification set tries = tries + 1
         where user_id = $1 and expires_at > now() and tries < $2 returning user_id, hash",
        user,
        limits::CODE_TRIES
    )
    .fetch_optional(db)
    .await?;
    Ok(code)
}

/// A code that can no longer be tried.
pub struct DeadCode {
    pub code: LiveCode,
    /// Dead of wrong tries while its time had not run out.
    pub worn_out: bool,
}

/// The user's code when it is dead.
pub async fn dead_code(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<DeadCode>> {
    let row = sqlx::query!(
        r#"select user_id, hash, expires_at > now() as "worn_out!" from verification
           where user_id = $1 and (expires_at <= now() or tries >= $2)"#,
        user,
        limits::CODE_TRIES
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| DeadCode { code: LiveCode { user_id: r.user_id, hash: r.hash }, worn_out: r.worn_out }))
}

/// Users with a live code, for a code that came without an address. The hash depends on the user, so
/// candidates are the few sign-ups of the last half hour.
pub async fn live_codes(db: impl PgExecutor<'_>) -> Result<Vec<LiveCode>> {
    let codes = sqlx::query_as!(
        LiveCode,
        "select user_id, hash from verification where expires_at > now() and tries < $1
         order by expires_at desc limit 5000",
        limits::CODE_TRIES
    )
    .fetch_all(db)
    .await?;
    Ok(codes)
}

/// Marks the address as verified and deletes the code.
pub async fn verified(db: impl PgExecutor<'_>, user: Uuid) -> Result<()> {
    sqlx::query!(
        "with gone as (delete from verification where user_id = $1)
         update account set state = 'active' where id = $1 and state = 'unverified'",
        user
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn add_reset(db: impl PgExecutor<'_>, user: Uuid, hash: &[u8]) -> Result<()> {
    sqlx::query!(
        "with old as (delete from password_reset where user_id = $2)
         insert into password_reset (hash, user_id, expires_at)
         values ($1, $2, now() + make_interval(secs => $3))",
        hash,
        user,
        limits::RESET_LIFE.as_seconds_f64()
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the reset token out of the world; the user when it was live.
pub async fn take_reset(db: impl PgExecutor<'_>, hash: &[u8]) -> Result<Option<Uuid>> {
    let user = sqlx::query_scalar!(
        "delete from password_reset where hash = $1 and expires_at > now() returning user_id",
        hash
    )
    .fetch_optional(db)
    .await?;
    Ok(user)
}

/// Sets a new password. Whoever could read the mail has shown the address to be theirs.
pub async fn set_password(db: impl PgExecutor<'_>, user: Uuid, hash: &str) -> Result<()> {
    sqlx::query!(
        "update account set password_hash = $2, state = case state when 'unverified' then 'active' else state end
         where id = $1",
        user,
        hash
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn live_session(db: impl PgExecutor<'_>, id: Uuid, user: Uuid) -> Result<Option<Session>> {
    let session = sqlx::query_as!(
        Session,
        r#"select s.created_at, a.username, a.state,
                  array(select unnest(s.roles) intersect select unnest(a.roles)) as "roles!"
           from session s join account a on a.id = s.user_id
           where s.id = $1 and s.user_id = $2 and s.ended_at is null"#,
        id,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(session)
}

/// Ends a session; answers whether the user has (or had) it.
pub async fn end_session(db: impl PgExecutor<'_>, id: Uuid, user: Uuid) -> Result<bool> {
    let ended = sqlx::query!(
        "update session set ended_at = coalesce(ended_at, now()) where id = $1 and user_id = $2",
        id,
        user
    )
    .execute(db)
    .await?;
    Ok(ended.rows_affected() > 0)
}

/// Ends all sessions of a user but one; answers their ids.
pub async fn end_sessions(db: impl PgExecutor<'_>, user: Uuid, but: Option<Uuid>) -> Result<Vec<Uuid>> {
    let ended = sqlx::query_scalar!(
        "update session set ended_at = now()
         where user_id = $1 and ended_at is null and id is distinct from $2 returning id",
        user,
        but
    )
    .fetch_all(db)
    .await?;
    Ok(ended)
}
