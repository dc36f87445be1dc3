//! The BFF over HTTP, with fakes of the services behind it and a real Redis.

mod account_data;
mod accounts;
mod authorization;
mod backstage;
mod billing;
mod branches;
mod cards;
mod characters;
mod chats;
mod ending;
mod errors;
mod events;
mod headers;
mod lists;
mod mind;
mod openapi;
mod people;
mod pictures;
mod previews;
mod reports;
mod requests;
mod sampling;
mod security;
mod support;
mod web;
