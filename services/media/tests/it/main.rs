//! What media does for people, with a real database and broker.

mod assets;
mod images;
mod support;
mod uploads;
mod worker;
