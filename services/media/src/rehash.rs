//! Hashes of pictures that were stored before there were any: `media-api hash`.
//!
//! From the files that we serve: what was sent for them is not kept. Doing it again does nothing, and what is
//! withdrawn or forbidden at the moment holds for what becomes known.

use crate::{
    assets::{
        AssetId, copies,
        files::{Files, Size},
    },
    config::HashConfig,
    error::{Error, Result},
    pictures,
};
use kit::db::Db;

/// One picture after another; answers how many became known. One whose files are not there is told of and left.
///
/// # Errors
/// When the database or the files cannot be reached.
pub async fn run(config: HashConfig) -> anyhow::Result<usize> {
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let files = Files::open(&config.files.media_dir)?;
    let (mut after, mut count) = (String::new(), 0);
    loop {
        let unknown = copies::unknown(&db, &after).await?;
        let Some(last) = unknown.last() else { return Ok(count) };
        after.clone_from(last);
        for asset in unknown.iter().filter_map(|name| AssetId::parse(name)) {
            match one(&db, &files, &asset).await {
                Ok(()) => count += 1,
                Err(Error::Files(object_store::Error::NotFound { .. })) => {
                    tracing::warn!(%asset, "an asset without its file");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

async fn one(db: &Db, files: &Files, asset: &AssetId) -> Result<()> {
    let full = files.get(asset, Size::Full).await?;
    let (card, thumb) = (files.get(asset, Size::Card).await?, files.get(asset, Size::Thumb).await?);
    let hashes = tokio::task::spawn_blocking(move || pictures::served(&full, &card, &thumb))
        .await
        .map_err(|panic| Error::Internal(panic.to_string()))?;
    let mut tx = db.begin().await?;
    copies::note(&mut tx, asset, &hashes).await?;
    tx.commit().await?;
    Ok(())
}
