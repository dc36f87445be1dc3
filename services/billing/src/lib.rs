//! Plans, subscriptions, entitlements, the coin ledger, checkout and payment webhooks.

mod checkout;
mod coins;
mod config;
mod error;
mod events;
pub mod limits;
mod plans;
mod subscriptions;

use std::sync::Arc;

use kit::{house::House, notice::Notices, server::Services, shutdown::Shutdown};
use proto::billing::v1::{
    checkout_server::CheckoutServer, coins_server::CoinsServer, plans_server::PlansServer,
    subscriptions_server::SubscriptionsServer,
};
use sqlx::PgPool;
use tokio::net::TcpListener;

use self::checkout::sandbox::Sandbox;
pub use self::{checkout::webhooks, config::Config};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: PgPool,
    notices: Notices,
    sandbox: Arc<Sandbox>,
}

/// # Errors
/// When the configuration is wrong, a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    config.check()?;
    let house = House::open(&config.common, shutdown.clone()).await?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let sandbox = Arc::new(Sandbox::new(config.webhook_secret.expose(), config.webhook_url.clone()));
    let app = App { db: db.clone(), notices: house.notices.clone(), sandbox: sandbox.clone() };

    house.relay(db.clone());
    house.consume(db.clone(), "billing", events::TOPICS, events::Consumer);
    house.spawn("expiry", subscriptions::expire(app.clone(), shutdown.clone()));
    house.spawn("sandbox deliveries", checkout::sandbox::deliver(sandbox, db, shutdown));

    let services = Services::new()
        .add(PlansServer::new(app.clone()))
        .add(SubscriptionsServer::new(app.clone()))
        .add(CoinsServer::new(app.clone()))
        .add(CheckoutServer::new(app));
    house.serve(listener, services).await
}
