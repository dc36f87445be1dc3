//! Copies of pictures, and those that a decision of catalog takes away, gives back, or forbids. A decision is
//! about what a picture shows: it holds for every copy, whenever that comes.

use kit::{
    db::{Db, Transaction},
    inbox::Event,
};
use proto::events::v1::ReportDecided;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::AssetId;
use crate::{error::Result, limits, pictures::look};

/// The stored pictures with one of these hashes, the newest first.
pub async fn find(db: impl PgExecutor<'_>, hashes: &[String]) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select id from asset where id in (select asset from asset_hash where hash = any($1))
         order by created_at desc, id desc limit $2",
        hashes,
        limits::COPIES_MAX
    )
    .fetch_all(db)
    .await?)
}

/// Whether one of these hashes may not come back.
pub async fn banned(db: impl PgExecutor<'_>, hashes: &[String]) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists(select 1 from banned_hash where hash = any($1)) as "banned!""#,
        hashes
    )
    .fetch_one(db)
    .await?)
}

/// Whether a picture that looks like this one may not come back.
pub async fn looks_banned(db: impl PgExecutor<'_>, picture: &[u8]) -> Result<bool> {
    let banned = sqlx::query_scalar!("select look from banned_look").fetch_all(db).await?;
    Ok(banned.iter().any(|known| look::distance(known, picture) <= look::ALIKE))
}

/// Pictures of which nothing is noted, in the order of their names, after this one.
pub async fn unknown(db: impl PgExecutor<'_>, after: &str) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "select id from asset where id > $1 and not exists (select 1 from asset_hash where asset = asset.id)
         order by id limit $2",
        after,
        limits::SWEEP_BATCH
    )
    .fetch_all(db)
    .await?)
}

/// Notes by what a picture is known. One that shows what is away at the moment goes away as well: it is kept, and
/// comes back with the others.
pub async fn note(tx: &mut PgConnection, asset: &AssetId, hashes: &[String]) -> Result<()> {
    // Decisions wait for this transaction, or this one for a decision: neither overlooks the other.
    sqlx::query!("lock table watched_hash in row share mode").execute(&mut *tx).await?;
    sqlx::query!(
        "with known as (
             insert into asset_hash (hash, asset)
             select hash, a.id from (select id from asset where id = $1 for key share) a, unnest($2::text[]) hash
             on conflict do nothing)
         insert into withdrawal (asset, report_id)
         select distinct $1, report_id from watched_hash where hash = any($2) on conflict do nothing",
        asset.as_str(),
        hashes
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// `catalog.report.decided`. What other reports say of the same pictures holds, unless they are all restored.
pub async fn decided(tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
    let told: ReportDecided = event.decode()?;
    let report = Uuid::try_parse(&told.report_id)?;
    if !newest(tx, report, event.at.unwrap_or_else(OffsetDateTime::now_utc)).await? {
        return Ok(());
    }
    // Reading goes on; pictures that are stored at this moment wait (see `note`).
    sqlx::query!("lock table watched_hash in exclusive mode").execute(&mut **tx).await?;
    match told.decision.as_str() {
        "quarantine" => take_away(tx, report, &told.assets, &told.hashes).await?,
        "remove" => {
            take_away(tx, report, &told.assets, &told.hashes).await?;
            ban(tx, report, &told.assets, &told.hashes).await?;
        }
        "restore" if told.undone.is_empty() => give_back_all(tx, &told.assets).await?,
        "none" | "limit" | "restore" => give_back(tx, report).await?,
        // A suspension is about the person.
        _ => {}
    }
    Ok(())
}

/// Notes when a report was last spoken of; false when something newer was said before.
async fn newest(tx: &mut Transaction, report: Uuid, at: OffsetDateTime) -> Result<bool> {
    let noted = sqlx::query!(
        "insert into report_word (report_id, at) values ($1, $2)
         on conflict (report_id) do update set at = excluded.at where report_word.at < excluded.at",
        report,
        at
    )
    .execute(&mut **tx)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// The pictures that were told, and every copy of them or of what came with the report.
async fn take_away(tx: &mut Transaction, report: Uuid, assets: &[String], hashes: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into watched_hash (hash, report_id)
         select hash, $1::uuid from unnest($2::text[]) hash
         union select hash, $1::uuid from asset_hash where asset = any($3)
         on conflict do nothing",
        report,
        hashes,
        assets
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "insert into withdrawal (asset, report_id)
         select asset, $1::uuid from unnest($2::text[]) asset
         union select h.asset, $1::uuid from asset_hash h join watched_hash w using (hash) where w.report_id = $1
         on conflict do nothing",
        report,
        assets
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The hashes that came with the report, and all those of the pictures themselves.
async fn ban(tx: &mut Transaction, report: Uuid, assets: &[String], hashes: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into banned_hash (hash, report_id)
         select hash, $1::uuid from unnest($2::text[]) hash
         union select hash, $1::uuid from asset_hash where asset = any($3)
         on conflict do nothing",
        report,
        hashes,
        assets
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "insert into banned_look (look, report_id)
         select look, $1::uuid from asset where look is not null
             and (id = any($2) or id in (select asset from asset_hash where hash = any($3)))
         on conflict do nothing",
        report,
        assets,
        hashes
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A stored picture was refused: it does not come back, however it is packed.
pub async fn ban_refused(tx: &mut PgConnection, asset: &str) -> Result<()> {
    let refusal = Uuid::now_v7();
    sqlx::query!(
        "insert into banned_hash (hash, report_id) select hash, $1::uuid from asset_hash where asset = $2
         on conflict do nothing",
        refusal,
        asset
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into banned_look (look, report_id) select look, $1::uuid from asset where id = $2 and look is not null
         on conflict do nothing",
        refusal,
        asset
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// The same for a picture that was refused before it was stored. What cannot be noted is only logged: the picture is
/// refused all the same.
pub async fn ban_unstored(db: &Db, hashes: &[String], look: &[u8]) {
    let refusal = Uuid::now_v7();
    let noted = sqlx::query!(
        "with hashes as (
             insert into banned_hash (hash, report_id) select hash, $1::uuid from unnest($2::text[]) hash
             on conflict do nothing)
         insert into banned_look (look, report_id) values ($3, $1) on conflict do nothing",
        refusal,
        hashes,
        look
    )
    .execute(db)
    .await;
    if let Err(error) = noted {
        tracing::error!(%error, "a refused picture was not noted");
    }
}

/// This report came to nothing, or was undone.
async fn give_back(tx: &mut Transaction, report: Uuid) -> Result<()> {
    sqlx::query!("delete from withdrawal where report_id = $1", report).execute(&mut **tx).await?;
    sqlx::query!("delete from banned_hash where report_id = $1", report).execute(&mut **tx).await?;
    sqlx::query!("delete from banned_look where report_id = $1", report).execute(&mut **tx).await?;
    sqlx::query!("delete from watched_hash where report_id = $1", report).execute(&mut **tx).await?;
    Ok(())
}

/// Whatever was said of these pictures, they are back, and so are their copies.
async fn give_back_all(tx: &mut Transaction, assets: &[String]) -> Result<()> {
    let assets = &sqlx::query_scalar!(
        r#"select asset as "asset!" from unnest($1::text[]) asset
           union select asset from asset_hash where hash in (select hash from asset_hash where asset = any($1))"#,
        assets
    )
    .fetch_all(&mut **tx)
    .await?;
    sqlx::query!(
        "delete from banned_hash b using withdrawal w where w.asset = any($1) and b.report_id = w.report_id
         and (b.hash in (select hash from asset_hash where asset = any($1))
              or not exists (select 1 from withdrawal o where o.report_id = w.report_id and o.asset <> all($1)))",
        assets
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "delete from watched_hash b using withdrawal w where w.asset = any($1) and b.report_id = w.report_id
         and (b.hash in (select hash from asset_hash where asset = any($1))
              or not exists (select 1 from withdrawal o where o.report_id = w.report_id and o.asset <> all($1)))",
        assets
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "delete from banned_look b using withdrawal w where w.asset = any($1) and b.report_id = w.report_id
         and b.look in (select look from asset where id = any($1))",
        assets
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("delete from withdrawal where asset = any($1)", assets).execute(&mut **tx).await?;
    Ok(())
}
