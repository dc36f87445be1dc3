//! catalog on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod appeals;
mod blocks;
mod characters;
mod deeds;
mod intimate;
mod lists;
mod people;
mod reports;
mod seeds;
mod states;
mod support;
mod tastes;
