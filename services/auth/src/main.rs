//! auth: accounts, sessions, profiles, follows, personas, mail; issues the tokens.

use std::process::ExitCode;

use auth::{Config, MIGRATOR};
use clap::Parser as _;

#[derive(clap::Parser)]
#[command(name = "auth", about)]
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
    /// Loads the sample creators and people.
    Seed(auth::seed::Seed),
    /// Makes a new signing key; it signs ten minutes later, nobody is logged out.
    RotateKeys(auth::Rotate),
    /// Gives somebody a role; it counts in sessions that took the second step.
    Grant(auth::RoleChange),
    /// Takes a role back and ends the person's sessions.
    RevokeRole(auth::RoleChange),
    /// Closes an account and ends its sessions; the reason is mailed.
    Suspend(auth::Suspend),
    /// Opens a suspended account again.
    Reinstate(auth::Reinstate),
    /// Lists the erasures that some service has not confirmed.
    Erasures(auth::Erasures),
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    kit::start::run("auth", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                let common = config.common.clone();
                kit::start::serve("auth", &common, |l, s| auth::run(*config, l, s)).await
            }
            Command::Migrate(migrate) => kit::db::migrate(&MIGRATOR, &migrate).await,
            Command::Seed(seed) => seed.run().await,
            Command::RotateKeys(rotate) => rotate.run().await,
            Command::Grant(change) => change.grant().await,
            Command::RevokeRole(change) => change.revoke().await,
            Command::Suspend(suspend) => suspend.run().await,
            Command::Reinstate(reinstate) => reinstate.run().await,
            Command::Erasures(erasures) => erasures.run().await,
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
