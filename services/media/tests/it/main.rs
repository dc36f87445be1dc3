//! What media does for people, with a real database and broker.

mod assets;
mod bombs;
mod copies;
mod engines;
mod gallery;
mod images;
mod people;
mod secrets;
mod seed;
mod standings;
mod support;
mod uploads;
mod worker;
