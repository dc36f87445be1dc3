//! Files whose rows are gone, and what was only kept for what may come late. The transaction that deletes rows
//! cannot delete files, so it leaves a note.

use kit::{db::Db, shutdown::Shutdown};

use crate::{
    assets::{AssetId, files::Files, store as assets},
    error::Result,
    limits,
};

/// Sweeps until shutdown; any number of replicas may.
pub async fn run(db: Db, files: Files, shutdown: Shutdown) {
    loop {
        match files_of_nobody(&db, &files).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "files of erased pictures deleted"),
            Err(error) => tracing::warn!(%error, "files of erased pictures not deleted"),
        }
        if let Err(error) = assets::sweep(&db).await {
            tracing::warn!(%error, "characters that are gone not forgotten");
        }
        tokio::select! { () = tokio::time::sleep(limits::SWEEP) => {}, () = shutdown.wait() => return }
    }
}

/// The note goes when the files are gone: what fails is tried again.
async fn files_of_nobody(db: &Db, files: &Files) -> Result<usize> {
    let mut tx = db.begin().await?;
    let doomed = sqlx::query_scalar!(
        "select asset from doomed_file order by at limit $1 for update skip locked",
        limits::SWEEP_BATCH
    )
    .fetch_all(&mut *tx)
    .await?;
    for name in &doomed {
        if let Some(asset) = AssetId::parse(name) {
            files.delete(&asset).await?;
        }
        sqlx::query!("delete from doomed_file where asset = $1", name).execute(&mut *tx).await?;
    }
    tx.commit().await?;
    Ok(doomed.len())
}
