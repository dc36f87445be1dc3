//! `cargo xtask bench`

use std::process::ExitCode;

use clap::Parser as _;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    xtask::raise_file_limit();
    trials::unless_stopped(trials::bench::run(trials::bench::Args::parse())).await
}
