//! From `main` to a running service.

use std::{future::Future, process::ExitCode};

use tokio::net::TcpListener;

use crate::{config::Common, shutdown::Shutdown, telemetry};

/// Builds the runtime, starts telemetry and runs `work`. An error ends the program with one line on
/// standard error that says what is wrong.
pub fn run<F, W>(name: &'static str, work: W) -> ExitCode
where
    W: FnOnce() -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(name, &error.into()),
    };
    let ended = runtime.block_on(async {
        let guard = telemetry::init(name)?;
        let ended = work().await;
        // Telemetry goes last, so that it can tell how the rest ended; its exporter blocks.
        tokio::task::spawn_blocking(move || drop(guard)).await?;
        ended
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(name, &error),
    }
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
    let listener = TcpListener::bind(addr)
        .await
        .map_err(|e| anyhow::anyhow!("{addr} cannot be listened on ({e}); choose another with GRPC_ADDR"))?;
    tracing::info!(name, addr = %listener.local_addr()?, version = env!("CARGO_PKG_VERSION"), "starting");
    work(listener, Shutdown::on_signal(common.leave())).await?;
    tracing::info!(name, "ended");
    Ok(())
}
