//! What every room of the house stands on: configuration, telemetry, gRPC servers and clients, token
//! verification, errors, paging, the outbox and its consumers, shutdown. It knows no domain.

// The allocator of whatever stands on this.
use heap as _;

pub mod aside;
pub mod auth;
pub mod broker;
pub mod caller;
pub mod client;
pub mod config;
pub mod db;
pub mod deadline;
pub mod error;
pub mod health;
pub mod house;
mod http1;
pub mod idempotency;
pub mod ids;
pub mod inbox;
mod measure;
pub mod net;
pub mod notice;
mod ops;
pub mod outbound;
pub mod outbox;
pub mod page;
pub mod redis;
mod replicas;
pub mod server;
pub mod shutdown;
pub mod signature;
pub mod start;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod time;
mod together;
