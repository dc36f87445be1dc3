//! The backend for the frontend: `/api`, event streams, pictures and the web app itself.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kit::config::Secret;

/// Troupe's backend for the frontend.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves HTTP until SIGTERM.
    Serve(Box<bff::config::Config>),
    /// Prints the OpenAPI description of `/api`.
    Openapi,
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    kit::start::run("bff", || async {
        match cli.command {
            Command::Serve(config) => {
                let mut config = *config;
                config.common.grpc_addr = config.http_addr;
                // It speaks to no broker, so it has no password of one.
                config.common.amqp_url = Secret::new("");
                let common = config.common.clone();
                kit::start::serve("bff", &common, |listener, shutdown| bff::run(config, listener, shutdown))
                    .await
            }
            Command::Openapi => print(&bff::openapi::json()?),
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}

fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
