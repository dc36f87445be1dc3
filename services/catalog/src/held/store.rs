use kit::db::Transaction;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{error::Result, limits};

/// Digests that somebody has passed, and the picture that a character has.
#[derive(Debug, Default)]
pub struct Passed {
    pub image_asset: String,
    pub checked: Option<Vec<u8>>,
    pub approved: Option<Vec<u8>>,
}

/// Locks a character, and tells which of its texts have been passed.
pub async fn passed(tx: &mut Transaction, id: Uuid) -> Result<Passed> {
    let row = sqlx::query_as!(
        Passed,
        "select image_asset, checked, approved from character where id = $1 for no key update",
        id
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.unwrap_or_default())
}

/// Holds a character; since when stays as it was for the same reason.
pub async fn hold(tx: &mut Transaction, id: Uuid, kind: &str, about: &str, digest: &[u8]) -> Result<()> {
    sqlx::query!(
        "insert into character_hold (character_id, kind, about, digest) values ($1, $2, $3, $4)
         on conflict (character_id, kind) do update set about = excluded.about, digest = excluded.digest,
             since = case when character_hold.about = excluded.about then character_hold.since else now() end,
             due_at = now(), tries = 0",
        id,
        kind,
        about,
        digest
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn release(tx: &mut Transaction, id: Uuid, kind: &str) -> Result<()> {
    sqlx::query!("delete from character_hold where character_id = $1 and kind = $2", id, kind)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Releases what held a character until this picture was looked at; one that has taken its place holds on.
pub async fn release_picture(tx: &mut Transaction, id: Uuid, asset: &str) -> Result<()> {
    sqlx::query!(
        "delete from character_hold where character_id = $1 and kind = 'portrait' and about = $2",
        id,
        asset
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Releases what a rule held about other texts than these.
pub async fn release_others(tx: &mut Transaction, id: Uuid, digest: &[u8]) -> Result<()> {
    sqlx::query!(
        "delete from character_hold h using character c
         where h.character_id = $1 and c.id = $1 and h.kind = 'rule' and (h.digest <> $2 or c.approved = $2)",
        id,
        digest
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn limit(tx: &mut Transaction, id: Uuid, rule: &str) -> Result<()> {
    sqlx::query!("update character set limited_by = $2 where id = $1", id, rule).execute(&mut **tx).await?;
    Ok(())
}

pub async fn note_checked(tx: &mut Transaction, id: Uuid, digest: &[u8]) -> Result<()> {
    sqlx::query!("update character set checked = $2 where id = $1", id, digest).execute(&mut **tx).await?;
    Ok(())
}

/// How a rule holds a character; locks it.
pub async fn rule(tx: &mut Transaction, id: Uuid) -> Result<Option<Queued>> {
    passed(tx, id).await?;
    queued(&mut **tx, id).await
}

/// How a rule holds a character.
pub async fn queued(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Queued>> {
    Ok(sqlx::query_as!(
        Queued,
        "select h.character_id, h.about, h.since, h.digest from character_hold h join character c on c.id = h.character_id
         where h.character_id = $1 and h.kind = 'rule' and c.deleted_at is null and c.state <> 'removed'",
        id
    )
    .fetch_optional(db)
    .await?)
}

/// A moderator has passed the texts of this digest.
pub async fn approve(tx: &mut Transaction, id: Uuid, digest: &[u8]) -> Result<()> {
    sqlx::query!("update character set approved = $2 where id = $1", id, digest).execute(&mut **tx).await?;
    Ok(())
}

/// The state that a character has without any report; locks it.
pub async fn base(tx: &mut Transaction, id: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        r#"select case when exists (select 1 from character_hold h where h.character_id = c.id
                                       and (h.kind = 'rule' or c.public)) then 'pending'
                       when c.limited_by <> '' then 'limited' else 'live' end as "state!"
           from character c where c.id = $1 for no key update"#,
        id
    )
    .fetch_optional(&mut **tx)
    .await?)
}

/// Removes the picture that was refused, where it is still shown; whose it was, and how it is called.
pub async fn drop_picture(tx: &mut Transaction, asset: &str) -> Result<Vec<(Uuid, Uuid, String)>> {
    let rows = sqlx::query!(
        "update character set image_asset = '', gel = '', version = version + 1, updated_at = now()
         where image_asset = $1 returning id, owner, name",
        asset
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|r| (r.id, r.owner, r.name)).collect())
}

/// Characters that wait for this picture, in one order.
pub async fn waiting_for(tx: &mut Transaction, asset: &str) -> Result<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "select character_id from character_hold where kind = 'portrait' and about = $1 order by character_id",
        asset
    )
    .fetch_all(&mut **tx)
    .await?)
}

/// Something to ask about.
#[derive(Debug)]
pub struct Due {
    pub character_id: Uuid,
    pub kind: String,
    pub about: String,
    pub digest: Vec<u8>,
}

/// Claims what is due: nobody else asks about it while that may take, and no one waits for the one who asks.
pub async fn claim(db: impl PgExecutor<'_>, most: usize) -> Result<Vec<Due>> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    Ok(sqlx::query_as!(
        Due,
        "update character_hold h set tries = tries + 1,
             due_at = now() + make_interval(secs => $2)
         from (select character_id, kind from character_hold where kind <> 'rule' and due_at <= now()
               order by due_at limit $1 for update skip locked) due
         where h.character_id = due.character_id and h.kind = due.kind
         returning h.character_id, h.kind, h.about, h.digest",
        limit,
        limits::HOLD_WORK.as_secs_f64()
    )
    .fetch_all(db)
    .await?)
}

/// There was no answer: it is asked about again later, each time after twice as long. What has come in its place is
/// left alone.
pub async fn put_off(db: impl PgExecutor<'_>, due: &Due) -> Result<()> {
    sqlx::query!(
        "update character_hold set due_at = now() + make_interval(secs => least($5 * power(2, least(tries - 1, 10)), $6))
         where character_id = $1 and kind = $2 and about = $3 and digest = $4 and tries > 0",
        due.character_id,
        due.kind,
        due.about,
        due.digest,
        limits::HOLD_AGAIN_S,
        limits::HOLD_AGAIN_MAX_S
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether it still holds about these texts; locks the character.
pub async fn still(tx: &mut Transaction, due: &Due) -> Result<bool> {
    passed(tx, due.character_id).await?;
    let found = sqlx::query_scalar!(
        "select 1 from character_hold where character_id = $1 and kind = $2 and about = $3 and digest = $4",
        due.character_id,
        due.kind,
        due.about,
        due.digest
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(found.is_some())
}

/// A character in the moderators' queue.
#[derive(Debug)]
pub struct Queued {
    pub character_id: Uuid,
    pub about: String,
    pub since: OffsetDateTime,
    /// Of the texts that it is about.
    pub digest: Vec<u8>,
}

/// The one that waits longest first.
pub async fn queue(db: impl PgExecutor<'_>, limit: i64, offset: i64) -> Result<Vec<Queued>> {
    Ok(sqlx::query_as!(
        Queued,
        "select h.character_id, h.about, h.since, h.digest from character_hold h join character c on c.id = h.character_id
         where h.kind = 'rule' and c.deleted_at is null and c.state <> 'removed'
         order by h.since, h.character_id limit $1 offset $2",
        limit,
        offset
    )
    .fetch_all(db)
    .await?)
}

pub async fn count_queue(db: impl PgExecutor<'_>) -> Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "n!" from character_hold h join character c on c.id = h.character_id
           where h.kind = 'rule' and c.deleted_at is null and c.state <> 'removed'"#
    )
    .fetch_one(db)
    .await?)
}
