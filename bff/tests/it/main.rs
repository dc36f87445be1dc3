//! The BFF over HTTP, with fakes of the services behind it and a real Redis.

mod account_data;
mod accounts;
mod authorization;
mod backstage;
mod billing;
mod branches;
mod characters;
mod chats;
mod errors;
mod events;
mod lists;
mod openapi;
mod people;
mod pictures;
mod reports;
mod security;
mod support;
mod web;
