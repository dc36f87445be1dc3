//! Pictures: uploads, portraits, the gallery. `media-api` answers gRPC, `media-worker` draws.

mod accounts;
mod assets;
mod config;
pub mod engines;
mod error;
mod events;
pub mod fill;
mod images;
pub mod limits;
pub mod pictures;
pub mod rehash;
pub mod requeue;
pub mod seed;
mod uploads;
pub mod worker;

use kit::{client::Channel, db::Db, house::House, server::Services, shutdown::Shutdown};
use proto::{
    billing::v1::{coins_client::CoinsClient, subscriptions_client::SubscriptionsClient},
    media::v1::{
        account_data_server::AccountDataServer, assets_server::AssetsServer, images_server::ImagesServer,
        judgements_server::JudgementsServer, uploads_server::UploadsServer,
    },
};
use tokio::net::TcpListener;

pub use self::{
    assets::AssetId,
    config::{Config, Files as FilesConfig, FillConfig, HashConfig, RequeueConfig, SeedConfig, WorkerConfig},
};
use self::{
    assets::{
        files::Files,
        signature::Signer,
        standing::{self, Judge},
    },
    engines::Poses,
    uploads::Press,
};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: Db,
    files: Files,
    signer: Signer,
    press: Press,
    judge: Judge,
    poses: Poses,
    /// Name of the engine that the worker draws with.
    engine: String,
    subscriptions: SubscriptionsClient<Channel>,
    coins: CoinsClient<Channel>,
}

/// Serves gRPC until shutdown.
///
/// # Errors
/// When the configuration is wrong, a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    config.check()?;
    let house = House::open(&config.common, shutdown.clone()).await?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let judge = Judge::new(&config.moderation, config.common.dev)?;
    let billing = kit::client::channel(&config.billing_grpc_url)?;
    let app = App {
        db: db.clone(),
        files: Files::open(&config.files.media_dir)?,
        signer: Signer::new(config.signing_key.expose()),
        press: Press::new(config.upload_concurrency),
        judge: judge.clone(),
        poses: Poses::open(&config.poses)?,
        engine: config.image_engine.name().to_owned(),
        subscriptions: SubscriptionsClient::new(billing.clone()),
        coins: CoinsClient::new(billing),
    };

    // Tickets that are published before the first worker runs must find their queue.
    house.declare(worker::queue());
    house.relay(db.clone());
    house.consume(db.clone(), proto::queues::MEDIA, events::Consumer);
    house.spawn("files of nobody", accounts::sweep::run(db.clone(), app.files.clone(), shutdown.clone()));
    house
        .spawn("pictures that wait", standing::sweep(db.clone(), app.files.clone(), judge, shutdown.clone()));
    house.spawn("sweep", images::sweep::run(db, shutdown));

    let services = Services::new()
        .add(AssetsServer::new(app.clone()).max_decoding_message_size(kit::server::MAX_MESSAGE))
        .add(JudgementsServer::new(app.clone()))
        .add(AccountDataServer::new(app.clone()))
        .add(UploadsServer::new(app.clone()).max_decoding_message_size(kit::server::MAX_MESSAGE))
        .add(ImagesServer::new(app));
    house.serve(listener, services).await
}
