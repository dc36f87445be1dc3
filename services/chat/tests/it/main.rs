//! chat on real PostgreSQL, Redis and RabbitMQ; the other services and the language model are fakes.

mod account_data;
mod chats;
mod engines;
mod faults;
mod injection;
mod limits;
mod lore;
mod memory;
mod model;
mod near;
mod nothing_lost;
mod outages;
mod peers;
mod replies;
mod safety;
mod sampling;
mod secrets;
mod seed;
mod shelf;
mod support;
mod tabs;
mod transfer;
mod tree;
