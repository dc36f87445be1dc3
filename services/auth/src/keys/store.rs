use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

/// A signing key as it is stored.
pub struct Key {
    pub kid: String,
    pub sealed: Vec<u8>,
    pub public: Vec<u8>,
    pub signs_from: OffsetDateTime,
}

/// One process at a time makes keys.
pub async fn lock(db: impl PgExecutor<'_>) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtext('auth.signing_key'))").execute(db).await?;
    Ok(())
}

pub async fn add(db: impl PgExecutor<'_>, key: &Key) -> Result<()> {
    sqlx::query!(
        "insert into signing_key (kid, sealed, public, signs_from) values ($1, $2, $3, $4)",
        key.kid,
        key.sealed,
        key.public,
        key.signs_from
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Keys whose tokens may still be about.
pub async fn live(db: impl PgExecutor<'_>) -> Result<Vec<Key>> {
    let keys = sqlx::query_as!(
        Key,
        "select kid, sealed, public, signs_from from signing_key
         where retires_at is null or retires_at > now() order by signs_from"
    )
    .fetch_all(db)
    .await?;
    Ok(keys)
}

pub async fn retire_others(db: impl PgExecutor<'_>, at: OffsetDateTime) -> Result<()> {
    sqlx::query!("update signing_key set retires_at = $1 where retires_at is null", at).execute(db).await?;
    Ok(())
}

pub async fn add_revocations(
    db: impl PgExecutor<'_>,
    subjects: &[String],
    not_before: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<()> {
    sqlx::query!(
        "insert into revocation (subject, not_before, expires_at) select unnest($1::text[]), $2, $3",
        subjects,
        not_before,
        expires_at
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn revocations_after(db: impl PgExecutor<'_>, id: i64) -> Result<Vec<kit::auth::Revocation>> {
    let rows = sqlx::query_as!(
        kit::auth::Revocation,
        "select id, subject, not_before, expires_at from revocation where id > $1 and expires_at > now()
         order by id limit 10000",
        id
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// The subject under which a session or a user is revoked.
pub fn subject(kind: char, id: Uuid) -> String {
    format!("{kind}:{id}")
}
