//! Plans, subscriptions, entitlements, the coin ledger, checkout and payment webhooks.

mod account_data;
mod checkout;
mod coins;
mod config;
mod error;
mod events;
pub mod limits;
mod payments;
mod plans;
mod providers;
mod receipts;
mod subscriptions;
mod withdrawals;

use std::sync::Arc;

use kit::{db::Db, house::House, notice::Notices, server::Services, shutdown::Shutdown};
use proto::billing::v1::{
    account_data_server::AccountDataServer, checkout_server::CheckoutServer, coins_server::CoinsServer,
    plans_server::PlansServer, subscriptions_server::SubscriptionsServer,
};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use uuid::Uuid;

use self::providers::{PaymentProvider, sandbox::Sandbox, stripe::Stripe};
pub use self::{
    config::{Config, Payments, StripeConfig},
    plans::Memory,
    providers::{faults::Faults, standard as webhooks, stripe::webhook as stripe_webhooks},
};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: Db,
    notices: Notices,
    /// Who takes the money.
    provider: Arc<dyn PaymentProvider>,
    /// The same, when it is the sandbox: it has a page here.
    sandbox: Option<Arc<Sandbox>>,
    promo_deadline: Option<OffsetDateTime>,
    memory: plans::Memory,
}

impl App {
    /// Tells browsers and caches that a user's rights may have changed.
    async fn hint(&self, user: Uuid) {
        self.notices.hint(user, "entitlement.changed", user.to_string()).await;
    }
}

/// # Errors
/// When the configuration is wrong, a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    config.check()?;
    let house = House::open(&config.common, shutdown.clone()).await?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let sandbox = match config.payments {
        Payments::Sandbox => {
            let (secret, url) = (config.webhook_secret.expose(), config.webhook_url.clone());
            Some(Arc::new(Sandbox::new(secret, url, db.clone(), config.sandbox_faults)?))
        }
        Payments::Stripe => None,
    };
    let provider: Arc<dyn PaymentProvider> = match &sandbox {
        Some(sandbox) => sandbox.clone(),
        None => Arc::new(Stripe::new(config.stripe.account()?)?),
    };
    let app = App {
        db: db.clone(),
        notices: house.notices.clone(),
        provider: provider.clone(),
        sandbox: sandbox.clone(),
        promo_deadline: config.promo_deadline()?,
        memory: config.memory,
    };

    house.relay(db.clone());
    house.consume(db.clone(), proto::queues::BILLING, events::Consumer);
    house.spawn("subscription sweep", subscriptions::sweep(app.clone(), shutdown.clone()));
    house.spawn("provider tasks", providers::tasks::work(vec![provider], db, shutdown.clone()));
    if let Some(sandbox) = sandbox {
        house.spawn("sandbox", providers::sandbox::run(sandbox, shutdown));
    }

    let services = Services::new()
        .add(PlansServer::new(app.clone()))
        .add(SubscriptionsServer::new(app.clone()))
        .add(CoinsServer::new(app.clone()))
        .add(CheckoutServer::new(app.clone()))
        .add(AccountDataServer::new(app));
    house.serve(listener, services).await
}
