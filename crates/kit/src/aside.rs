//! Long reckoning beside those who are answered. A service answers on one thread, and the system shares its cores among
//! all threads alike: what reckons for half a second takes a core from all who ask meanwhile, unless it gives way.

use std::{thread, time::Duration};

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::oneshot;

/// Niceness of threads that give way (`setpriority(2)`): about a tenth of the weight of a thread at 0, so that they take
/// what the others leave and still come to an end. It counts among threads of the same container, or of the same session
/// where Linux groups by session (docs/decisions/0032).
pub const NICENESS: i32 = 10;

/// Makes this thread give way for good: to take it back is not for everybody. Of the thread only, as Linux has it.
pub fn give_way() {
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        // Everything works all the same, though others wait.
        tracing::warn!(%error, "a thread has the priority of those who answer");
    }
}

/// Does something on a thread of its own that gives way; `None` when it broke or no thread could be had, which is logged.
pub async fn run<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = oneshot::channel();
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(move || {
        give_way();
        // Whoever asked may have gone.
        let _ = done.send(work());
    });
    if let Err(error) = spawned {
        tracing::error!(%error, name, "no thread for it");
        return None;
    }
    let result = result.await;
    if result.is_err() {
        tracing::error!(name, "it panicked");
    }
    result.ok()
}

/// How long this thread has had a core. Others may have had it in between, which costs nobody anything.
pub fn worked() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn niceness() -> i32 {
        rustix::process::getpriority_process(None).expect("a thread has one")
    }

    #[tokio::test]
    async fn it_gives_way_and_nobody_else_does() {
        let before = niceness();
        assert_eq!(run("reckoning", niceness).await, Some(NICENESS));
        assert_eq!(niceness(), before);
    }

    #[tokio::test]
    async fn whoever_waits_for_what_breaks_is_told() {
        assert_eq!(run("breaking", || assert!(niceness() < 0)).await, None);
    }
}
