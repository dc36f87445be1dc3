//! Characters, the lists of them, and what people do with them: reactions, follows, reviews.

mod account_data;
mod blocks;
mod cards;
mod characters;
mod config;
mod creators;
mod error;
mod events;
mod held;
pub mod limits;
mod listings;
mod reactions;
pub mod reports;
mod reviews;
pub mod seed;
mod viewers;

use std::time::Duration;

use kit::{
    client::Channel, db::Db, house::House, notice::Notices, redis::Redis, server::Services,
    shutdown::Shutdown,
};
use proto::{
    catalog::v1::{
        account_data_server::AccountDataServer, blocks_server::BlocksServer, cards_server::CardsServer,
        characters_server::CharactersServer, creators_server::CreatorsServer, held_server::HeldServer,
        listings_server::ListingsServer, reactions_server::ReactionsServer, reports_server::ReportsServer,
        reviews_server::ReviewsServer, viewers_server::ViewersServer,
    },
    media::v1::{assets_client::AssetsClient, images_client::ImagesClient, uploads_client::UploadsClient},
};
use tokio::net::TcpListener;

pub use self::config::Config;
use self::listings::{Shared, text::Common};
/// In the open for the fuzz targets.
pub mod card_files {
    pub use crate::cards::{fields::Card, parse};
}
/// In the open for its test.
pub use self::listings::text::learn as learn_words;
/// In the open for its benchmark.
pub use self::listings::{index as listing_index, table as listing_table};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Pictures of media.
pub(crate) type Assets = AssetsClient<Channel>;

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: Db,
    redis: Redis,
    notices: Notices,
    listing: Shared,
    images: ImagesClient<Channel>,
    assets: Assets,
    uploads: UploadsClient<Channel>,
    classifier: Option<moderation::classifier::Classifier>,
    figured: creators::Figured,
    /// Undecided reports of one reporter within a day.
    reports_a_day: i64,
    /// Connections for searches by words.
    words: Db,
    common: Common,
    finds: listings::finds::Finds,
    tags: listings::tags::Tags,
    /// Cards that lists have shown lately.
    shown: characters::shown::Shown,
    /// Matches of keywords that are looked at.
    matches_max: usize,
}

/// Ten connections in all, as every service has.
const POOL: kit::db::Pool = kit::db::Pool { max: 7, settings: &[] };
/// For searches by words: one word is in three cards and another in a million, and the plan of a prepared statement that
/// is made for any of them was measured a hundred times slower. Everything else is planned once: for the twenty cards of a
/// page that took longer than to read them. And whoever asks whether there is one card with a word that none has is never
/// served by looking at all cards (a second, of a million), which the planner takes for the shortest way to the first.
const WORDS_POOL: kit::db::Pool = kit::db::Pool {
    max: 3,
    settings: &[("plan_cache_mode", "force_custom_plan"), ("enable_seqscan", "off")],
};

/// # Errors
/// When a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    let house = House::open(&config.common, shutdown.clone()).await?;
    let db = kit::db::connect(&config.database, POOL).await?;
    let words = kit::db::connect(&config.database, WORDS_POOL).await?;
    let listing = Shared::default();
    let figured = creators::Figured::default();
    let matches_max = config.search_matches_max.into();
    let common = Common::above(matches_max);
    let media = kit::client::channel(&config.media_grpc_url)?;
    let assets = AssetsClient::new(media.clone()).max_decoding_message_size(kit::client::MAX_MESSAGE);
    let classifier = moderation::classifier::Classifier::new(&config.moderation)?;
    let (shown, asking) = characters::shown::Shown::new();
    let app = App {
        db: db.clone(),
        redis: house.redis.clone(),
        notices: house.notices.clone(),
        listing: listing.clone(),
        images: ImagesClient::new(media.clone()),
        assets: assets.clone(),
        uploads: UploadsClient::new(media).max_encoding_message_size(kit::client::MAX_MESSAGE),
        classifier: classifier.clone(),
        figured: figured.clone(),
        words,
        common: common.clone(),
        finds: listings::finds::Finds::default(),
        tags: listings::tags::Tags::default(),
        shown,
        matches_max,
        reports_a_day: i64::from(config.reports_a_day)
            * if config.common.dev { i64::from(limits::DEV_REPORTS_FACTOR) } else { 1 },
    };

    house.relay(db.clone());
    house.consume(
        db.clone(),
        proto::queues::CATALOG,
        events::Consumer { notices: house.notices.clone(), assets: assets.clone() },
    );
    let watch = held::watch::Watch { db: db.clone(), assets, classifier };
    house.spawn("what holds characters", watch.run(shutdown.clone()));
    house.ready_when("the listing index", listing.built());
    house.ready_when("the rankings of creators", figured.known());
    let every = Duration::from_secs(config.rank_creators_s.into());
    house.spawn("rankings of creators", figured.keep(db.clone(), every, shutdown.clone()));
    house.spawn("erasure of the deleted", characters::deletion::sweep(db.clone(), shutdown.clone()));
    house.spawn("old reports", reports::sweep::run(db.clone(), shutdown.clone()));
    let learning = listings::text::keep_learning(db.clone(), common, listing.built(), shutdown.clone());
    house.spawn("vocabulary", learning);
    house.spawn("cards that were shown", asking.run(db.clone(), shutdown.clone()));
    house.spawn("listing index", listings::refresh::follow(db, listing, shutdown));

    let services = Services::new()
        .add(AccountDataServer::new(app.clone()))
        .add(BlocksServer::new(app.clone()))
        .add(
            CardsServer::new(app.clone())
                .max_decoding_message_size(limits::CARD_MESSAGE)
                .max_encoding_message_size(limits::CARD_MESSAGE),
        )
        .add(CharactersServer::new(app.clone()))
        .add(CreatorsServer::new(app.clone()))
        .add(HeldServer::new(app.clone()))
        .add(ListingsServer::new(app.clone()))
        .add(ReactionsServer::new(app.clone()))
        .add(ReportsServer::new(app.clone()))
        .add(ReviewsServer::new(app.clone()))
        .add(ViewersServer::new(app));
    house.serve(listener, services).await
}
