//! Characters, the lists of them, and what people do with them: reactions, follows, reviews.

mod account_data;
mod blocks;
mod characters;
mod config;
mod creators;
mod error;
mod events;
pub mod limits;
mod listings;
mod reactions;
pub mod reports;
mod reviews;
pub mod seed;
mod viewers;

use kit::{client::Channel, house::House, redis::Redis, server::Services, shutdown::Shutdown};
use proto::{
    catalog::v1::{
        account_data_server::AccountDataServer, blocks_server::BlocksServer,
        characters_server::CharactersServer, creators_server::CreatorsServer,
        listings_server::ListingsServer, reactions_server::ReactionsServer, reports_server::ReportsServer,
        reviews_server::ReviewsServer, viewers_server::ViewersServer,
    },
    media::v1::images_client::ImagesClient,
};
use sqlx::PgPool;
use tokio::net::TcpListener;

pub use self::config::Config;
use self::listings::Shared;
/// In the open for its benchmark.
pub use self::listings::index as listing_index;

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: PgPool,
    redis: Redis,
    listing: Shared,
    images: ImagesClient<Channel>,
    figured: creators::Figured,
}

/// Skewed tags make the generic plan of a prepared statement a hundred times slower than one for its values.
const POOL: kit::db::Pool = kit::db::Pool { max: 10, force_custom_plan: true };

/// # Errors
/// When a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let house = House::open(&config.common, shutdown.clone()).await?;
    let db = kit::db::connect(&config.database, POOL).await?;
    let listing = Shared::default();
    let app = App {
        db: db.clone(),
        redis: house.redis.clone(),
        listing: listing.clone(),
        images: ImagesClient::new(kit::client::channel(&config.media_grpc_url)?),
        figured: creators::Figured::default(),
    };

    house.relay(db.clone());
    house.consume(db.clone(), "catalog", events::TOPICS, events::Consumer { notices: house.notices.clone() });
    house.ready_when("the listing index", listing.built());
    house.spawn("erasure of the deleted", characters::deletion::sweep(db.clone(), shutdown.clone()));
    house.spawn("old reports", reports::sweep::run(db.clone(), shutdown.clone()));
    house.spawn("vocabulary", listings::text::keep_learning(db.clone(), shutdown.clone()));
    house.spawn("listing index", listings::refresh::follow(db, listing, shutdown));

    let services = Services::new()
        .add(AccountDataServer::new(app.clone()))
        .add(BlocksServer::new(app.clone()))
        .add(CharactersServer::new(app.clone()))
        .add(CreatorsServer::new(app.clone()))
        .add(ListingsServer::new(app.clone()))
        .add(ReactionsServer::new(app.clone()))
        .add(ReportsServer::new(app.clone()))
        .add(ReviewsServer::new(app.clone()))
        .add(ViewersServer::new(app));
    house.serve(listener, services).await
}
