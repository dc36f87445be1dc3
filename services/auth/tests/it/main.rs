//! auth on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod keys;
mod mail;
mod people;
mod security;
mod seed;
mod support;
