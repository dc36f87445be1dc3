//! The routes of `/api`, one file per thing: its handlers, its shapes, and how they come from protobuf.

pub mod account_data;
pub mod admin;
pub mod auth;
pub mod billing;
pub mod blocks;
pub mod branches;
pub mod cards;
pub mod character_form;
pub mod characters;
pub mod chats;
pub mod creators;
pub mod events;
pub mod gallery;
pub mod held;
pub mod images;
pub mod judgements;
pub mod listings;
pub mod lorebooks;
pub mod memories;
pub mod meta;
pub mod notifications;
pub mod people;
pub mod personas;
pub mod prompts;
pub mod reactions;
pub mod reports;
pub mod reviews;
pub mod sampling;
pub mod security;
pub mod shelf;
pub mod subscriptions;
pub mod transfer;
pub mod turns;
pub mod users;

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use prost_types::Timestamp;
use proto::common::v1::PageRequest;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use crate::errors::{Answer, Problem};

/// Bytes that a [`LongJson`] has room for from the start: the largest page of the benchmark's cards takes 20 kB.
const LONG: usize = 24 * 1024;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// JSON of some kilobytes. [`axum::Json`] begins with room for 128 bytes and copies what it has eight times until a page of
/// cards is in it, which was a tenth of what the page costs here.
pub struct LongJson<T>(pub T);

impl<T: Serialize> IntoResponse for LongJson<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(LONG);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written");
                Problem::of("internal").into_response()
            }
        }
    }
}

/// Which page of a list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageArgs {
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

impl PageArgs {
    /// # Errors
    /// `invalid`, naming `page` or `limit`.
    pub fn page(&self) -> Answer<Option<PageRequest>> {
        page_of(self.page, self.limit)
    }
}

/// A page for a service; zero is no page and no limit.
///
/// # Errors
/// `invalid`, naming `page` or `limit`.
pub fn page_of(page: Option<u32>, limit: Option<u32>) -> Answer<Option<PageRequest>> {
    if page == Some(0) {
        return Err(Problem::field("page", "Counted from 1."));
    }
    if limit == Some(0) {
        return Err(Problem::field("limit", "Between 1 and 100."));
    }
    let asked = PageRequest { page: page.unwrap_or(0), limit: limit.unwrap_or(0) };
    kit::page::Page::from_proto(Some(&asked))?;
    Ok(Some(asked))
}

/// A time; 1970 when a service gave none, which no service does.
#[must_use]
pub fn when(stamp: Option<&Timestamp>) -> OffsetDateTime {
    perhaps(stamp).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// A time that may be absent.
#[must_use]
pub fn perhaps(stamp: Option<&Timestamp>) -> Option<OffsetDateTime> {
    stamp.and_then(kit::time::from_proto)
}

/// Text that is null when empty.
#[must_use]
pub fn or_null(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// What people are told, under both names that are read.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Said {
    msg: String,
    /// The same as `msg`.
    message: String,
}

impl Said {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { msg: text.to_owned(), message: text.to_owned() }
    }
}

/// It worked, and what people are told.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    success: bool,
    #[serde(flatten)]
    said: Said,
}

impl Done {
    /// Success, said as `msg`.
    #[must_use]
    pub fn saying(text: &str) -> Self {
        Self { success: true, said: Said::new(text) }
    }
}
