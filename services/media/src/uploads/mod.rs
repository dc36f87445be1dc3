//! Pictures that people send.

mod grpc;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::{
    error::{Error, Result},
    pictures::{self, Maker, Renditions},
};

/// Decodes and encodes a bounded number of uploads at a time, on threads of their own: each may take
/// hundreds of megabytes.
#[derive(Clone)]
pub struct Press(Arc<Semaphore>);

impl Press {
    #[must_use]
    pub fn new(at_a_time: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_a_time)))
    }

    /// # Errors
    /// [`Error::Unfit`] when the bytes are no picture that we take.
    pub async fn press(&self, bytes: Vec<u8>) -> Result<Renditions> {
        self.work(move || {
            let picture = pictures::decode(&bytes)?;
            let mut renditions = pictures::renditions(&picture, Maker::Person)
                .ok_or_else(|| Error::Internal("WebP does not take the picture".into()))?;
            renditions.hashes.push(pictures::hashes::of_file(&bytes));
            Ok(renditions)
        })
        .await
    }

    /// Of the file, and of its pixels.
    ///
    /// # Errors
    /// [`Error::Unfit`] when the bytes are no picture that we take.
    pub async fn hashes(&self, bytes: Vec<u8>) -> Result<Vec<String>> {
        self.work(move || {
            let picture = pictures::decode(&bytes)?;
            Ok(vec![pictures::hashes::of_file(&bytes), pictures::hashes::of_pixels(&picture)])
        })
        .await
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let permit = permit.map_err(|_| Error::Internal("the press was closed".into()))?;
        tokio::task::spawn_blocking(move || {
            // Held to the end of the work, even when the caller has gone away.
            let _permit = permit;
            work()
        })
        .await
        .map_err(|panic| Error::Internal(panic.to_string()))?
    }
}
