//! `cargo xtask chaos`: what the house survives.

use std::process::ExitCode;

use clap::Parser as _;

#[tokio::main]
async fn main() -> ExitCode {
    let options = trials::chaos::Options::parse();
    xtask::raise_file_limit();
    match trials::unless_stopped(trials::chaos::run(&options)).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why:#}");
            ExitCode::FAILURE
        }
    }
}
