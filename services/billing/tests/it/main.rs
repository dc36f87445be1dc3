//! billing on real PostgreSQL, Redis and RabbitMQ.

mod checkout;
mod coins;
mod payments;
mod subscriptions;
mod support;
