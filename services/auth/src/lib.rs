//! Accounts, sessions, profiles, follows, personas and mail; the issuer of the tokens.

mod account_data;
mod accounts;
mod age;
mod config;
mod discipline;
mod error;
mod events;
mod keys;
pub mod limits;
mod mail;
mod notifications;
mod people;
mod personas;
mod profiles;
mod roles;
mod security;
pub mod seed;
mod strikes;
mod sweep;

use std::sync::Arc;

use kit::{
    db::Db,
    house::{House, Source},
    notice::Notices,
    server::Services,
    shutdown::Shutdown,
};
use proto::auth::v1::{
    account_data_server::AccountDataServer, accounts_server::AccountsServer, age_server::AgeServer,
    discipline_server::DisciplineServer, keys_server::KeysServer, mailbox_server::MailboxServer,
    notifications_server::NotificationsServer, people_server::PeopleServer, personas_server::PersonasServer,
    profiles_server::ProfilesServer, security_server::SecurityServer,
};
use tokio::net::TcpListener;

pub use self::{
    account_data::Erasures,
    config::{Brakes, Config, KeySecret, Mail},
    discipline::{Reinstate, Suspend},
    keys::Rotate,
    roles::{Change as RoleChange, Role},
    sweep::sweep,
};
use self::{
    accounts::{
        hashing::{self, Hasher},
        leaked::Leaks,
        throttle::Throttles,
    },
    keys::Keyring,
};

pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// What every handler stands on.
#[derive(Clone)]
pub(crate) struct App {
    db: Db,
    throttles: Throttles,
    notices: Notices,
    keys: Keyring,
    hasher: Hasher,
    leaks: Leaks,
    mail: Arc<Mail>,
    age: age::Rules,
    /// Between the wish to have an account deleted and its erasure.
    erase_after: time::Duration,
}

/// # Errors
/// When the configuration is wrong, a server cannot be reached at start, or serving breaks.
pub async fn run(config: Config, listener: TcpListener, shutdown: Shutdown) -> anyhow::Result<()> {
    config.check()?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let keys = Keyring::open(db.clone(), config.keys.key_secret.expose()).await?;
    let source =
        Source::Local { keys: keys.verification(), revocations: Arc::new(keys::Revoked(db.clone())) };
    let house = House::open_with(&config.common, shutdown.clone(), source).await?;
    let app = App {
        db: db.clone(),
        throttles: Throttles::new(house.redis.clone(), config.brakes.in_force(config.common.dev)),
        notices: house.notices.clone(),
        keys: keys.clone(),
        hasher: Hasher::new(config.code_key.expose())?,
        leaks: config.leaks()?,
        mail: Arc::new(config.mail.clone()),
        age: config.age()?,
        erase_after: time::Duration::days(config.erase_after_days.into()),
    };

    house.ops_routes(keys.routes());
    house.relay(db.clone());
    let consumer = events::Consumer::new(app.mail.clone(), app.notices.clone());
    house.consume(db.clone(), proto::queues::AUTH, consumer);
    house.spawn("hashing", app.hasher.clone().rest(hashing::REST, shutdown.clone()));
    house.spawn("keys", keys.follow(shutdown.clone()));
    house.spawn("mail", mail::send(app.clone(), shutdown.clone()));
    house.spawn("wishes", accounts::wishes::grant(app.clone(), shutdown.clone()));
    house.spawn("sweep", sweep::run(app.clone(), shutdown));

    let mut services = Services::new()
        .add(AccountsServer::new(app.clone()))
        .add(ProfilesServer::new(app.clone()))
        .add(PersonasServer::new(app.clone()))
        .add(SecurityServer::new(app.clone()))
        .add(AgeServer::new(app.clone()))
        .add(AccountDataServer::new(app.clone()))
        .add(PeopleServer::new(app.clone()))
        .add(DisciplineServer::new(app.clone()))
        .add(NotificationsServer::new(app.clone()))
        .add(KeysServer::new(app.clone()));
    if config.mail.mail_dir.is_some() {
        services = services.add(MailboxServer::new(app));
    }
    house.serve(listener, services).await
}
