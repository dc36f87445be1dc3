use kit::db::{Db, Transaction};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::{AssetId, copies, standing::First};
use crate::{error::Result, limits};

/// Where an asset came from.
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    Upload,
    Drawn,
    Seed,
}

impl Origin {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Drawn => "drawn",
            Self::Seed => "seed",
        }
    }
}

/// An asset to be written down; its files are already there.
pub struct New<'a> {
    pub id: &'a AssetId,
    /// None for seeded portraits.
    pub owner: Option<Uuid>,
    pub private: bool,
    /// Never opened without a signature, whoever shows it.
    pub must_be_private: bool,
    pub origin: Origin,
    pub width: u32,
    pub height: u32,
    /// Of the full rendition.
    pub bytes: usize,
    /// What a copy of it is known by.
    pub hashes: &'a [String],
    pub look: &'a [u8],
    /// Whether others may see it.
    pub first: First,
}

/// Writes an asset down; a seeded one that is there already is brought up to date.
pub async fn insert(tx: &mut PgConnection, new: New<'_>) -> Result<()> {
    sqlx::query!(
        "insert into asset (id, owner, private, origin, width, height, bytes, look, standing, judge_at, must_be_private)
         values ($1, $2, $3 or $11, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10), $11)
         on conflict (id) do update set private = excluded.private where asset.origin = 'seed'",
        new.id.as_str(),
        new.owner,
        new.private,
        new.origin.as_str(),
        i32::try_from(new.width).unwrap_or(i32::MAX),
        i32::try_from(new.height).unwrap_or(i32::MAX),
        i64::try_from(new.bytes).unwrap_or(i64::MAX),
        new.look,
        new.first.standing.as_str(),
        new.first.again.map(|again| again.as_seconds_f64()),
        new.must_be_private
    )
    .execute(&mut *tx)
    .await?;
    copies::note(tx, new.id, new.hashes).await
}

/// Whether it needs a signature; `None` when there is no such asset.
pub async fn private(db: impl PgExecutor<'_>, id: &AssetId) -> Result<Option<bool>> {
    Ok(sqlx::query_scalar!("select private from asset where id = $1", id.as_str()).fetch_optional(db).await?)
}

/// Whether it needs a signature, since it is private or waits to be looked at; `None` when there is no such asset, or
/// it was taken away.
pub async fn shown(db: impl PgExecutor<'_>, id: &AssetId) -> Result<Option<bool>> {
    Ok(sqlx::query_scalar!(
        r#"select private or standing = 'waiting' as "signed!" from asset
           where id = $1 and standing <> 'refused' and not exists (select 1 from withdrawal where asset = $1)"#,
        id.as_str()
    )
    .fetch_optional(db)
    .await?)
}

/// Who wants to see pictures.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    pub user: Option<Uuid>,
    pub moderator: bool,
}

/// Those of the assets that need a signature and may have one: what waits to be looked at is for its owner and for
/// those who look.
pub async fn private_among(db: impl PgExecutor<'_>, ids: &[String], viewer: Viewer) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select id from asset where id = any($1)
         and (private and standing = 'passed' or standing = 'waiting' and (owner = $2 or $3))
         and not exists (select 1 from withdrawal w where w.asset = asset.id)",
        ids,
        viewer.user,
        viewer.moderator
    )
    .fetch_all(db)
    .await?)
}

/// What catalog says of a character.
pub struct Told<'a> {
    pub character: Uuid,
    pub version: i64,
    pub private: bool,
    pub deleted: bool,
    /// The portrait that it shows; empty when there is none.
    pub image: &'a str,
    pub owner: Uuid,
}

/// Notes what catalog says of a character; false when it has said something newer before. Of the erased no id
/// is noted, however late the word comes.
pub async fn note_character(tx: &mut Transaction, told: Told<'_>) -> Result<bool> {
    let noted = sqlx::query!(
        "insert into character_state (character_id, version, private, asset, maker, gone_at)
         values ($1, $2, $3, $4, (select $5::uuid where not exists (select 1 from erased where user_id = $5)),
                 case when $6 then now() end)
         on conflict (character_id)
             do update set version = excluded.version, private = excluded.private, asset = excluded.asset,
                 maker = coalesce(character_state.maker, excluded.maker),
                 gone_at = case when $6 then coalesce(character_state.gone_at, excluded.gone_at) end
         where character_state.version < excluded.version",
        told.character,
        told.version,
        told.private,
        told.image,
        told.owner,
        told.deleted
    )
    .execute(&mut **tx)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// What catalog last said of the character, if anything.
pub async fn character_private(db: impl PgExecutor<'_>, character: Uuid) -> Result<Option<bool>> {
    Ok(sqlx::query_scalar!("select private from character_state where character_id = $1", character)
        .fetch_optional(db)
        .await?)
}

/// The portrait that a character of this id shows, as far as it is known; held until the transaction ends.
pub async fn portrait_of(tx: &mut Transaction, character: Uuid) -> Result<Option<AssetId>> {
    let asset = sqlx::query_scalar!(
        "select asset from character_state where character_id = $1 for update",
        character
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(asset.as_deref().and_then(AssetId::parse))
}

/// A picture of this owner's that no character shows (any more) is as private as the gallery has it; one that is not in
/// the gallery is nobody else's.
pub async fn leave_the_stage(db: impl PgExecutor<'_>, asset: &str, owner: Uuid) -> Result<()> {
    sqlx::query!(
        "update asset set private = must_be_private or coalesce(
             (select j.private from job j where j.asset = $1 and j.purpose = 'gallery' and j.deleted_at is null), true)
         where id = $1 and owner = $2 and not exists (select 1 from character_state c where c.asset = $1)",
        asset,
        owner
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The character's portrait follows the character. Only its owner's asset, or a seeded one: a card that
/// names someone else's picture changes nothing about it.
pub async fn set_private(tx: &mut Transaction, asset: &AssetId, owner: Uuid, private: bool) -> Result<()> {
    sqlx::query!(
        "update asset set private = $3 or must_be_private where id = $1 and (owner = $2 or owner is null)",
        asset.as_str(),
        owner,
        private
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The portraits that the user's characters show stay, and are nobody's.
pub async fn hand_over(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!(
        "update asset set owner = null
         where owner = $1 and id in (select asset from character_state where maker = $1 and asset <> '')",
        user
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Forgets who made the user's characters; what is said of them later does not bring it back.
pub async fn forget_maker(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!("insert into erased (user_id) values ($1) on conflict do nothing", user)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("update character_state set maker = null where maker = $1", user).execute(&mut **tx).await?;
    Ok(())
}

/// Forgets characters that nobody can bring back any more, and who was erased once nothing told before can come
/// late.
pub async fn sweep(db: &Db) -> Result<()> {
    sqlx::query!(
        "delete from character_state where gone_at < now() - make_interval(secs => $1)",
        limits::CHARACTER_GONE.as_secs_f64()
    )
    .execute(db)
    .await?;
    sqlx::query!(
        "delete from erased where at < now() - make_interval(secs => $1)",
        limits::LATE.as_secs_f64()
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the user's pictures; their files are swept afterwards.
pub async fn doom(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!(
        "with gone as (delete from asset where owner = $1 returning id)
         insert into doomed_file (asset) select id from gone on conflict do nothing",
        user
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}
