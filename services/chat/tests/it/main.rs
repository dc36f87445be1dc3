//! chat on real PostgreSQL, Redis and RabbitMQ; the other services and the language model are fakes.

mod chats;
mod faults;
mod limits;
mod model;
mod peers;
mod replies;
mod support;
