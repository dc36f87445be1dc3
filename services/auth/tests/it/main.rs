//! auth on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod age;
mod brakes;
mod discipline;
mod keys;
mod leaks;
mod leaving;
mod mail;
mod names;
mod notifications;
mod people;
mod secrets;
mod security;
mod seed;
mod strikes;
mod support;
