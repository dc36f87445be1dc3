//! The one door of the browser. It keeps nothing: it composes what the services say into the
//! contract of `/api`, streams replies and hints, and serves pictures and the web app.

pub mod api;
mod arrivals;
pub mod clients;
pub mod config;
pub mod errors;
pub mod extract;
pub mod form;
pub mod hub;
pub mod limits;
pub mod media;
pub mod openapi;
pub mod pages;
pub mod previews;
pub mod routes;
pub mod security;
pub mod spa;
pub mod sse;

use std::sync::Arc;

use kit::{house::House, shutdown::Shutdown};
use tokio::net::TcpListener;

use crate::{clients::Clients, config::Config, hub::Hub, limits::Limiter};

/// What every handler can reach.
pub struct App {
    pub config: Config,
    pub clients: Clients,
    pub verifier: kit::auth::Verifier,
    pub limiter: Arc<Limiter>,
    pub hub: Hub,
    pub spa: spa::Spa,
    pub previews: previews::Previews,
    /// The text engine as `chat` named it last.
    pub engine: api::meta::EngineMemory,
    pub shutdown: Shutdown,
}

/// Shared by all requests.
pub type State = Arc<App>;

/// Serves until shutdown.
///
/// # Errors
/// When Redis cannot be reached at start, an address is malformed, or a port is taken.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let house = House::open_without_broker(&config.common, shutdown.clone()).await?;
    let hub = Hub::default();
    house.spawn("hints", hub.clone().follow(house.notices.subscribe(), shutdown.clone()));
    let limiter = Arc::new(Limiter::new(house.redis.clone(), config.rates, config.common.dev));
    let (settled, ends) = (Arc::clone(&limiter), shutdown.clone());
    house.spawn("rates", async move { settled.settle(&ends).await });
    let app = Arc::new(App {
        clients: Clients::open(&config)?,
        verifier: house.verifier.clone(),
        limiter,
        hub,
        spa: spa::Spa::new(&config.web_dir),
        previews: previews::Previews::new(&config),
        engine: api::meta::EngineMemory::default(),
        shutdown,
        config,
    });
    house.serve_http(listener, routes::router(app)).await
}
