//! From `main` to a running service.

use std::{ffi::OsString, future::Future, num::NonZeroUsize, process::ExitCode, time::Duration};

use anyhow::Context as _;
use tokio::net::TcpListener;

use crate::{config::Common, net, shutdown::Shutdown, telemetry};

/// The variable by which tokio itself is told how many threads answer. Of its own accord it takes one per core.
const THREADS: &str = "TOKIO_WORKER_THREADS";
/// So many without it: a replica asks for a part of a core, and two threads wake each other for each message
/// (decision 25). What keeps a core busy for long has threads of its own.
const THREADS_DEFAULT: NonZeroUsize = NonZeroUsize::MIN;

/// How long a service that starts waits for each of its servers, which may be starting too, on a machine that is full.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Builds the runtime, starts telemetry and runs `work`. An error ends the program with one line on
/// standard error that says what is wrong.
pub fn run<F, W>(name: &'static str, work: W) -> ExitCode
where
    W: FnOnce() -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let runtime = match runtime(std::env::var_os(THREADS)) {
        Ok(runtime) => runtime,
        Err(error) => return fail(name, &error),
    };
    let ended = runtime.block_on(async {
        let guard = telemetry::init(name)?;
        let ended = work().await;
        // Telemetry goes last, so that it can tell how the rest ended; its exporter blocks.
        tokio::task::spawn_blocking(move || drop(guard)).await?;
        ended
    });
    runtime.shutdown_timeout(Duration::from_secs(2));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(name, &error),
    }
}

fn runtime(threads: Option<OsString>) -> anyhow::Result<tokio::runtime::Runtime> {
    let threads = threads.map_or(Ok(THREADS_DEFAULT), |told| told.to_string_lossy().parse());
    let threads = threads.with_context(|| format!("{THREADS} is a number of threads, from 1"))?;
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(threads.get()).enable_all().build()?)
}

#[expect(clippy::print_stderr, reason = "the one sentence that an operator sees")]
fn fail(name: &str, error: &anyhow::Error) -> ExitCode {
    eprintln!("{name}: {error:#}");
    ExitCode::FAILURE
}

/// Binds the address and serves until SIGTERM or SIGINT.
///
/// # Errors
/// When a secret is one that everybody knows, the address is taken, or whatever ends the service.
pub async fn serve<F, W>(name: &'static str, common: &Common, work: W) -> anyhow::Result<()>
where
    W: FnOnce(TcpListener, Shutdown) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    common.refuse_known_secrets()?;
    let addr = common.grpc_addr;
    let listener = net::listen(addr)
        .map_err(|e| anyhow::anyhow!("{addr} cannot be listened on ({e}); choose another with GRPC_ADDR"))?;
    tracing::info!(name, addr = %listener.local_addr()?, version = env!("CARGO_PKG_VERSION"), "starting");
    work(listener, Shutdown::on_signal(common.leave())).await?;
    tracing::info!(name, "ended");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(told: Option<&str>) -> Result<usize, String> {
        let runtime = runtime(told.map(OsString::from)).map_err(|error| format!("{error:#}"))?;
        Ok(runtime.metrics().num_workers())
    }

    #[test]
    fn one_thread_answers_unless_more_are_asked_for() {
        assert_eq!(threads(None), Ok(1));
        assert_eq!(threads(Some("3")), Ok(3));
    }

    #[test]
    fn a_number_of_threads_that_is_none_is_refused_by_name() {
        for told in ["", "0", "many", "-1"] {
            let refused = threads(Some(told)).expect_err(told);
            assert!(refused.starts_with("TOKIO_WORKER_THREADS is a number of threads, from 1"), "{refused}");
        }
    }
}
