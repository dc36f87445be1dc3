//! What media does for people, with a real database and broker.

mod assets;
mod images;
mod seed;
mod support;
mod uploads;
mod worker;
