//! The BFF over HTTP, with fakes of the services behind it and a real Redis.

mod accounts;
mod backstage;
mod billing;
mod characters;
mod chats;
mod errors;
mod events;
mod lists;
mod openapi;
mod people;
mod pictures;
mod security;
mod support;
mod web;
