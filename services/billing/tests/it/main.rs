//! billing on real PostgreSQL, Redis and RabbitMQ.

mod checkout;
mod coins;
mod support;
