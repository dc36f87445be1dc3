//! Judging takes its time, up to seconds for a large card: not on the threads that answer, and a few at once.

use kit::error::Failure;
use proto::catalog::v1::CharacterDraft;
use tokio::sync::Semaphore;

use super::Draft;
use crate::limits;

static ROOM: Semaphore = Semaphore::const_new(limits::JUDGED_AT_ONCE);

/// Does heavy work where it keeps nobody waiting.
///
/// # Errors
/// `internal` when it breaks.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let place = ROOM.acquire().await.map_err(|_| Failure::internal())?;
    let done = tokio::task::spawn_blocking(move || {
        // Held to the end of the work, even when the caller has gone away.
        let _place = place;
        work()
    });
    done.await.map_err(|error| {
        tracing::error!(%error, "reading or judging a card broke");
        Failure::internal()
    })
}

/// What a creator wrote, with the card that it came in, checked.
///
/// # Errors
/// As [`Draft::new`] and [`Draft::beside`].
pub async fn judged(draft: CharacterDraft, card: Option<String>) -> Result<Draft, Failure> {
    let judge = move || {
        let draft = Draft::new(draft)?;
        match &card {
            Some(json) => draft.beside(json),
            None => Ok(draft),
        }
    };
    aside(judge).await?
}
