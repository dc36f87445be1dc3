//! catalog on real PostgreSQL, Redis and RabbitMQ.

mod accounts;
mod appeals;
mod blocks;
mod bombs;
mod cards;
mod cards_shared;
mod characters;
mod deeds;
mod held;
mod held_pictures;
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
