//! chat on real PostgreSQL, Redis and RabbitMQ; the other services and the language model are fakes.

mod account_data;
mod chats;
mod faults;
mod limits;
mod model;
mod nothing_lost;
mod peers;
mod replies;
mod shelf;
mod support;
mod transfer;
mod tree;
