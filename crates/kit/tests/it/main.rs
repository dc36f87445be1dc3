//! kit on real PostgreSQL, Redis and RabbitMQ.

mod events;
mod idempotency;
mod migrations;
mod notices;
mod outbound;
mod pool;
mod rpc;
mod schemas;

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("tests/migrations");
