//! billing on real PostgreSQL, Redis and RabbitMQ.

mod account_data;
mod checkout;
mod coins;
mod payments;
mod secrets;
mod stripe;
mod subscriptions;
mod support;
mod withdrawals;
