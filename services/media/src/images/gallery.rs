//! What an owner does with a picture of the gallery: label, publicity, cancelling, deletion with a day to change
//! one's mind.

use kit::db::Transaction;
use proto::media::v1::{Image, UpdateImageRequest};
use sqlx::{PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    options,
    store::{self, Stored},
};
use crate::{
    App,
    assets::store as assets,
    engines::Options,
    error::{Error, Result},
    events::{self, End},
    limits,
};

/// Reason of a job that its owner ended.
const BY_OWNER: &str = "canceled";

impl App {
    /// # Errors
    /// `image_not_found`, `invalid`, `moderated`, or `image_private` when a picture may not be public.
    pub(super) async fn update(&self, user: Uuid, ask: UpdateImageRequest) -> Result<Image> {
        let id = kit::ids::find("image_not_found", &ask.id)?;
        let label = self.struck(user, ask.label.as_deref().map(options::label).transpose()).await?;
        let mut tx = self.db.begin().await?;
        let row = lock(&mut tx, user, id).await?.ok_or(Error::ImageNotFound)?;
        if ask.public == Some(true) && options::must_be_private(&row.options, &self.poses) {
            return Err(Error::MustBePrivate);
        }
        change(&mut *tx, id, label.as_deref(), ask.public.map(|public| !public)).await?;
        tx.commit().await?;
        self.one(user, id).await
    }

    /// Ends what waits or is drawn; what has ended already is answered as it is.
    pub(super) async fn cancel(&self, user: Uuid, id: &str) -> Result<Image> {
        let id = kit::ids::find("image_not_found", id)?;
        let mut tx = self.db.begin().await?;
        lock(&mut tx, user, id).await?.ok_or(Error::ImageNotFound)?;
        cancel(&mut tx, user, id).await?;
        tx.commit().await?;
        self.one(user, id).await
    }

    /// Answers until when it can be brought back.
    pub(super) async fn delete(&self, user: Uuid, id: &str) -> Result<OffsetDateTime> {
        let id = kit::ids::find("image_not_found", id)?;
        let mut tx = self.db.begin().await?;
        let (at, asset) = delete(&mut *tx, user, id).await?.ok_or(Error::ImageNotFound)?;
        cancel(&mut tx, user, id).await?;
        if let Some(asset) = asset {
            assets::leave_the_stage(&mut *tx, &asset, user).await?;
        }
        tx.commit().await?;
        Ok(at + limits::CHANGE_OF_MIND)
    }

    pub(super) async fn restore(&self, user: Uuid, id: &str) -> Result<Image> {
        let id = kit::ids::find("image_not_found", id)?;
        let mut tx = self.db.begin().await?;
        let asset = restore(&mut *tx, user, id).await?.ok_or(Error::ImageNotFound)?;
        if let Some(asset) = asset {
            assets::leave_the_stage(&mut *tx, &asset, user).await?;
        }
        tx.commit().await?;
        self.one(user, id).await
    }

    pub(super) async fn one(&self, user: Uuid, id: Uuid) -> Result<Image> {
        let row = store::one(&self.db, user, id).await?.ok_or(Error::ImageNotFound)?;
        Ok(super::grpc::image(row, &self.signer))
    }
}

struct Held {
    options: Options,
}

/// A picture of the owner's gallery, held until the transaction ends.
async fn lock(tx: &mut Transaction, owner: Uuid, id: Uuid) -> Result<Option<Held>> {
    let row = sqlx::query!(
        r#"select options as "options: Json<Options>" from job
           where id = $1 and owner = $2 and purpose = 'gallery' and deleted_at is null for update"#,
        id,
        owner
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.map(|row| Held { options: row.options.0 }))
}

/// The picture is as public as its job; one that is a character's portrait follows the character instead.
async fn change(db: impl PgExecutor<'_>, id: Uuid, label: Option<&str>, private: Option<bool>) -> Result<()> {
    sqlx::query!(
        "with changed as (
             update job set label = coalesce($2, label), private = coalesce($3, private)
             where id = $1 returning asset, private)
         update asset set private = changed.private or must_be_private from changed
         where asset.id = changed.asset and not exists (select 1 from character_state c where c.asset = asset.id)",
        id,
        label,
        private
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The event releases its coins; a worker that draws it finds out when it renews its lease.
async fn cancel(tx: &mut Transaction, owner: Uuid, id: Uuid) -> Result<()> {
    let row = sqlx::query_as!(
        Stored,
        r#"update job set state = 'canceled', reason = $3, worker = null, lease_until = null, ended_at = now()
           where id = $1 and owner = $2 and state in ('unpaid', 'queued', 'running')
           returning id, owner, purpose, character_id, version, options as "options: Json<Options>", tags, label,
                     private, priority, cost, attempts"#,
        id,
        owner,
        BY_OWNER
    )
    .fetch_optional(&mut **tx)
    .await?;
    if let Some(row) = row {
        events::image_ended(tx, &row.into(), End::Canceled(BY_OWNER)).await?;
    }
    Ok(())
}

/// Deleting twice is deleting once, at the first time. The asset, where it is drawn.
async fn delete(
    db: impl PgExecutor<'_>,
    owner: Uuid,
    id: Uuid,
) -> Result<Option<(OffsetDateTime, Option<String>)>> {
    let gone = sqlx::query!(
        r#"update job set deleted_at = coalesce(deleted_at, now())
           where id = $1 and owner = $2 and purpose = 'gallery' returning deleted_at as "at!", asset"#,
        id,
        owner
    )
    .fetch_optional(db)
    .await?;
    Ok(gone.map(|row| (row.at, row.asset)))
}

/// `None` when there is none of that id; the asset, where it is drawn.
async fn restore(db: impl PgExecutor<'_>, owner: Uuid, id: Uuid) -> Result<Option<Option<String>>> {
    Ok(sqlx::query_scalar!(
        "update job set deleted_at = null where id = $1 and owner = $2 and purpose = 'gallery' returning asset",
        id,
        owner
    )
    .fetch_optional(db)
    .await?)
}

/// Erases what nobody can bring back any more. A picture that a character shows stays with the character.
pub async fn erase(db: impl PgExecutor<'_>) -> Result<usize> {
    let erased = sqlx::query!(
        "with gone as (
             delete from job where id in (
                 select id from job where deleted_at < now() - make_interval(secs => $1)
                 order by deleted_at limit $2 for update skip locked)
             returning asset),
         pictures as (
             delete from asset a using gone where a.id = gone.asset
             and not exists (select 1 from character_state c where c.asset = a.id) returning a.id)
         insert into doomed_file (asset) select id from pictures on conflict do nothing",
        limits::CHANGE_OF_MIND.as_seconds_f64(),
        limits::SWEEP_BATCH
    )
    .execute(db)
    .await?;
    Ok(usize::try_from(erased.rows_affected()).unwrap_or(usize::MAX))
}
