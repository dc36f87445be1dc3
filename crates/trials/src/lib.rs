//! What the house costs and what it survives. Both instruments stand on a house of their own, made of the real
//! programs, and look at it from outside: by its API, its databases and what the kernel tells of its processes.

pub mod bench;
pub mod chaos;
pub mod floor;
pub mod guest;
pub mod stand;
pub mod stream;
pub mod upstream;

use tokio::signal::unix::{SignalKind, signal};

/// Does it, unless somebody says that it shall stop: then what was started ends as if it had come to its end.
///
/// # Errors
/// Those of the work, and the interruption.
pub async fn unless_stopped<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let mut told = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
        .map(signal)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let stopped = futures::future::select_all(told.iter_mut().map(|kind| Box::pin(kind.recv())));
    tokio::select! {
        ended = work => ended,
        _ = stopped => anyhow::bail!("interrupted"),
    }
}
