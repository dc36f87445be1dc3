//! What media does for people, with a real database and broker.

mod assets;
mod copies;
mod engines;
mod images;
mod people;
mod seed;
mod support;
mod uploads;
mod worker;
