//! chat: chats, the message tree, prompts and replies; speaks to the language model.

use std::process::ExitCode;

use chat::{Config, MIGRATOR};
use clap::Parser as _;

#[derive(clap::Parser)]
#[command(name = "chat", about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Serves gRPC until SIGTERM.
    Serve(Box<Config>),
    /// Brings the database up to date.
    Migrate(kit::db::Migrate),
    /// Writes a long chat, for load.
    Seed(chat::seed::Seed),
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    kit::start::run("chat", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                let common = config.common.clone();
                kit::start::serve("chat", &common, |l, s| chat::run(*config, l, s)).await
            }
            Command::Migrate(migrate) => kit::db::migrate(&MIGRATOR, &migrate).await,
            Command::Seed(seed) => seed.run().await.map(drop),
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
