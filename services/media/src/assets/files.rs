//! Where the bytes are: one folder per asset, one file per rendition.

use std::{path::Path, sync::Arc};

use anyhow::Context as _;
use bytes::Bytes;
use futures::future::try_join_all;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload, local::LocalFileSystem, path::Path as Key};

use super::AssetId;
use crate::{error::Result, pictures::Renditions};

/// A size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Thumb,
    Card,
    Full,
}

impl Size {
    const fn name(self) -> &'static str {
        match self {
            Self::Thumb => "thumb",
            Self::Card => "card",
            Self::Full => "full",
        }
    }
}

/// The store of pictures. Cheap to clone.
#[derive(Clone)]
pub struct Files(Arc<dyn ObjectStore>);

impl Files {
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let made = std::fs::create_dir_all(folder).and_then(|()| folder.canonicalize());
        let folder = made.with_context(|| format!("MEDIA_DIR {} cannot be made", folder.display()))?;
        Ok(Self(Arc::new(LocalFileSystem::new_with_prefix(folder)?)))
    }

    /// Writes all sizes; each appears whole or not at all.
    ///
    /// # Errors
    /// When one cannot be written.
    pub async fn put(&self, asset: &AssetId, renditions: &Renditions) -> Result<()> {
        let sizes = [
            (Size::Full, &renditions.full),
            (Size::Card, &renditions.card),
            (Size::Thumb, &renditions.thumb),
        ];
        try_join_all(sizes.map(|(size, bytes)| async move {
            self.0.put(&key(asset, size), PutPayload::from(bytes.clone())).await
        }))
        .await?;
        Ok(())
    }

    /// # Errors
    /// [`object_store::Error::NotFound`], or when it cannot be read.
    pub async fn get(&self, asset: &AssetId, size: Size) -> Result<Bytes> {
        Ok(self.0.get(&key(asset, size)).await?.bytes().await?)
    }

    /// Deletes all sizes; what is gone already is as good.
    ///
    /// # Errors
    /// When one cannot be deleted.
    pub async fn delete(&self, asset: &AssetId) -> Result<()> {
        for size in [Size::Full, Size::Card, Size::Thumb] {
            match self.0.delete(&key(asset, size)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Deletes what was written for an asset that came to nothing; a failure leaves some unused bytes.
    pub async fn discard(&self, asset: &AssetId) {
        for size in [Size::Full, Size::Card, Size::Thumb] {
            if let Err(error) = self.0.delete(&key(asset, size)).await {
                tracing::warn!(%error, %asset, "unused file not deleted");
            }
        }
    }
}

/// Spread over 256 folders, so that none grows without bound.
fn key(asset: &AssetId, size: Size) -> Key {
    Key::from(format!("assets/{}/{asset}/{}.webp", &asset.as_str()[..2], size.name()))
}
