//! catalog on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod appeals;
mod blocks;
mod cards;
mod characters;
mod deeds;
mod held;
mod hostile;
mod intimate;
mod lists;
mod makers;
mod people;
mod reports;
mod seeds;
mod states;
mod support;
mod tastes;
