//! Chats, the message tree, prompts, replies and what they cost.

mod account_data;
mod activity;
mod chats;
mod config;
pub mod engines;
mod error;
mod events;
pub mod generations;
mod kept;
pub mod limits;
mod lorebooks;
pub mod memories;
mod peers;
pub mod prompt;
mod rules;
pub mod sampling;
pub mod seed;
mod shelf;
pub mod tokens;
pub mod transfer;
mod tree;
mod usage;

use std::sync::Arc;

use kit::{db::Db, house::House, notice::Notices, redis::Redis, server::Services, shutdown::Shutdown};
use moderation::classifier::Classifier;
use proto::chat::v1::{
    account_data_server::AccountDataServer, chats_server::ChatsServer, generations_server::GenerationsServer,
    lorebooks_server::LorebooksServer, memories_server::MemoriesServer, prompts_server::PromptsServer,
    sampling_server::SamplingServer, shelf_server::ShelfServer, transfer_server::TransferServer,
    tree_server::TreeServer, turns_server::TurnsServer,
};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

pub use self::config::{Config, EmbeddingsConfig, EngineConfig};
use self::{
    engines::Engine,
    generations::{keep, live::Registry, paths::Paths},
    memories::kept::Remembered,
    peers::Peers,
};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on; each turn takes some copies of it.
#[derive(Clone)]
pub(crate) struct App {
    db: Db,
    redis: Redis,
    notices: Notices,
    peers: Arc<Peers>,
    engine: Arc<dyn Engine>,
    /// Of the engine's model.
    counter: Arc<dyn tokens::Count>,
    live: Registry,
    /// Of chats in which somebody has just talked.
    paths: Paths,
    remembered: Remembered,
    /// The tasks that write replies.
    writers: TaskTracker,
    /// This process, as the owner of generations.
    me: Uuid,
    context_tokens: u32,
    reply_tokens: u32,
    /// Beside the rules, where there is one.
    classifier: Option<Classifier>,
    /// Vectors of memories, where there is one.
    embedder: Option<memories::embed::Embedder>,
    /// Sampling presets where nothing is set.
    usual_presets: Arc<sampling::Usual>,
}

/// # Errors
/// When the configuration is wrong, a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    config.engine.check()?;
    let house = House::open_hearing(&config.common, shutdown.clone(), peers::HEARD).await?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let peers = Peers::new(&config)?;
    let engines::Chosen { engine, context, tokenizer } = engines::choose(&config.engine)?;
    tracing::info!(engine = engine.name(), offline = engine.offline(), "replies are written by");
    let counter = tokens::counter(tokenizer);
    let app = App {
        db: db.clone(),
        redis: house.redis.clone(),
        notices: house.notices.clone(),
        peers: Arc::new(peers.clone()),
        engine,
        counter,
        live: Registry::default(),
        paths: Paths::default(),
        remembered: Remembered::default(),
        writers: TaskTracker::new(),
        me: Uuid::now_v7(),
        context_tokens: context,
        reply_tokens: config.engine.llm_max_reply_tokens,
        classifier: Classifier::new(&config.moderation)?,
        embedder: memories::embed::Embedder::new(&config.embeddings)?,
        usual_presets: Arc::new(config.engine.usual_presets()?),
    };

    house.relay(db.clone());
    let consumer = events::Consumer { peers: peers.clone(), notices: house.notices.clone() };
    house.consume(db.clone(), proto::queues::CHAT, consumer);
    house.spawn("notices", peers.listen(house.notices.clone(), shutdown.clone()));
    house.spawn("taken away", tree::keep::erase(db.clone(), shutdown.clone()));
    house.spawn("activity", activity::flush(db, shutdown.clone()));
    house.spawn("copies", keep::copy(app.clone(), shutdown.clone()));
    house.spawn("leases", keep::save(app.clone(), shutdown.clone()));
    house.spawn("sweep", keep::sweep(app.clone(), shutdown.clone()));
    house.spawn("summaries", memories::work::work(app.clone(), shutdown.clone()));
    let writers = app.writers.clone();
    house.spawn("drain", keep::drain(app.clone(), writers, house.grace(), shutdown));

    let services = Services::new()
        .add(ChatsServer::new(app.clone()))
        .add(GenerationsServer::new(app.clone()))
        .add(PromptsServer::new(app.clone()))
        .add(MemoriesServer::new(app.clone()))
        .add(LorebooksServer::new(app.clone()))
        .add(SamplingServer::new(app.clone()))
        .add(TurnsServer::new(app.clone()))
        .add(TreeServer::new(app.clone()))
        .add(ShelfServer::new(app.clone()))
        .add(TransferServer::new(app.clone()).max_decoding_message_size(kit::client::MAX_MESSAGE))
        .add(AccountDataServer::new(app));
    house.serve(listener, services).await
}
