//! chat on real PostgreSQL, Redis and RabbitMQ; the other services and the language model are fakes.

mod account_data;
mod chats;
mod faults;
mod limits;
mod model;
mod peers;
mod replies;
mod shelf;
mod support;
mod tree;
