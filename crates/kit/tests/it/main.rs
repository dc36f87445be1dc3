//! kit on real PostgreSQL, Redis and RabbitMQ.

mod events;
mod idempotency;
mod notices;
mod rpc;
mod schemas;

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("tests/migrations");
