//! The bare program that `bench` compares the house with.

use clap::Parser as _;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    trials::floor::run(trials::floor::Config::parse()).await
}
