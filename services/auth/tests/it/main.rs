//! auth on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod keys;
mod people;
mod support;
