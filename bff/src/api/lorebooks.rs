//! One's lorebooks: what characters are told when certain words are said.

use axum::{Json, extract::State as Shared};
use proto::chat::v1::{
    self as pb, CreateLorebookRequest, DeleteLorebookRequest, GetLorebookRequest, ListLorebooksRequest,
    LoreLogic as PbLogic, UpdateLorebookRequest,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, Said, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment},
};

/// How the secondary keys decide, once one of the keys was said.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum LoreLogic {
    /// One of them was said as well.
    #[default]
    AndAny,
    /// All of them were.
    AndAll,
    /// None of them was.
    NotAny,
    /// Not all of them were.
    NotAll,
}

/// Where constant entries stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum LorePosition {
    BeforeCharacter,
    #[default]
    AfterCharacter,
}

fn yes() -> bool {
    true
}

/// How far up an entry stands among the entries that say nothing of it.
fn hundred() -> i32 {
    100
}

/// An entry of a lorebook.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoreEntry {
    #[serde(default)]
    #[schema(required, max_length = 100)]
    name: String,
    /// Words, or regular expressions with `regex`.
    #[serde(default)]
    #[schema(required, max_items = 30)]
    keys: Vec<String>,
    #[serde(default)]
    #[schema(required, max_items = 30)]
    secondary_keys: Vec<String>,
    #[serde(default)]
    #[schema(required)]
    logic: LoreLogic,
    #[schema(max_length = 4000)]
    content: String,
    #[serde(default = "yes")]
    #[schema(required)]
    enabled: bool,
    /// Always told, whatever was said.
    #[serde(default)]
    #[schema(required)]
    constant: bool,
    /// Lower stands higher; 100 when absent.
    #[serde(default = "hundred")]
    #[schema(required)]
    order: i32,
    /// Lower is left out first; the order decides when null.
    priority: Option<i32>,
    /// Of a constant entry, before or behind the character's description.
    #[serde(default)]
    #[schema(required)]
    position: LorePosition,
    /// Messages from the newest above which it stands; with the newest when null.
    depth: Option<u32>,
    /// Newest messages that are searched; as the book says when null.
    #[schema(maximum = 100)]
    scan_depth: Option<u32>,
    #[serde(default)]
    #[schema(required)]
    case_sensitive: bool,
    #[serde(default)]
    #[schema(required)]
    whole_words: bool,
    #[serde(default)]
    #[schema(required)]
    regex: bool,
}

/// What is in a lorebook.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoreBook {
    /// Newest messages that are searched; 4 when absent.
    #[schema(maximum = 100)]
    scan_depth: Option<u32>,
    /// Tokens of all its entries in a prompt; a quarter of the prompt when null.
    token_budget: Option<u32>,
    /// What is told is searched for keys as well.
    #[serde(default)]
    #[schema(required)]
    recursive: bool,
    #[serde(default)]
    #[schema(required, max_items = 200)]
    entries: Vec<LoreEntry>,
}

/// A lorebook.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lorebook {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    enabled: bool,
    /// Characters that it is for; empty: every one.
    character_ids: Vec<String>,
    entry_count: u32,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// Null in lists.
    #[schema(required)]
    book: Option<LoreBook>,
}

/// A lorebook to keep.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LorebookBody {
    #[serde(default)]
    #[schema(required, max_length = 100)]
    name: String,
    #[serde(default = "yes")]
    enabled: bool,
    /// Characters that it is for; every one when absent or empty.
    #[serde(default)]
    #[schema(max_items = 100)]
    character_ids: Vec<String>,
    book: Option<LoreBook>,
}

/// A new lorebook, written or imported.
#[derive(Deserialize, ToSchema)]
pub struct NewLorebook {
    #[serde(flatten)]
    draft: LorebookBody,
    /// In place of `book`: a lone `lorebook_v3`, a card's `character_book` or SillyTavern's world info. Without a `name`
    /// its own is taken.
    #[schema(value_type = Option<Object>)]
    import: Option<serde_json::Value>,
}

impl From<pb::LoreEntry> for LoreEntry {
    fn from(entry: pb::LoreEntry) -> Self {
        let logic = match entry.logic() {
            PbLogic::Unspecified | PbLogic::AndAny => LoreLogic::AndAny,
            PbLogic::AndAll => LoreLogic::AndAll,
            PbLogic::NotAny => LoreLogic::NotAny,
            PbLogic::NotAll => LoreLogic::NotAll,
        };
        let position =
            if entry.before_character { LorePosition::BeforeCharacter } else { LorePosition::AfterCharacter };
        Self {
            name: entry.name,
            keys: entry.keys,
            secondary_keys: entry.secondary_keys,
            logic,
            content: entry.content,
            enabled: entry.enabled,
            constant: entry.constant,
            order: entry.order,
            priority: entry.priority,
            position,
            depth: entry.depth,
            scan_depth: entry.scan_depth,
            case_sensitive: entry.case_sensitive,
            whole_words: entry.whole_words,
            regex: entry.regex,
        }
    }
}

impl From<LoreEntry> for pb::LoreEntry {
    fn from(entry: LoreEntry) -> Self {
        let logic = match entry.logic {
            LoreLogic::AndAny => PbLogic::AndAny,
            LoreLogic::AndAll => PbLogic::AndAll,
            LoreLogic::NotAny => PbLogic::NotAny,
            LoreLogic::NotAll => PbLogic::NotAll,
        };
        Self {
            name: entry.name,
            keys: entry.keys,
            secondary_keys: entry.secondary_keys,
            logic: logic.into(),
            content: entry.content,
            enabled: entry.enabled,
            constant: entry.constant,
            order: entry.order,
            priority: entry.priority,
            before_character: entry.position == LorePosition::BeforeCharacter,
            depth: entry.depth,
            scan_depth: entry.scan_depth,
            case_sensitive: entry.case_sensitive,
            whole_words: entry.whole_words,
            regex: entry.regex,
        }
    }
}

impl From<pb::Lorebook> for Lorebook {
    fn from(lorebook: pb::Lorebook) -> Self {
        Self {
            updated_at: when(lorebook.updated_at.as_ref()),
            id: lorebook.id,
            name: lorebook.name,
            enabled: lorebook.enabled,
            character_ids: lorebook.character_ids,
            entry_count: lorebook.entry_count,
            book: lorebook.book.map(|book| LoreBook {
                scan_depth: Some(book.scan_depth),
                token_budget: book.token_budget,
                recursive: book.recursive,
                entries: book.entries.into_iter().map(Into::into).collect(),
            }),
        }
    }
}

impl From<LorebookBody> for pb::LorebookDraft {
    fn from(body: LorebookBody) -> Self {
        let book = body.book.map(|book| pb::LoreBook {
            scan_depth: book.scan_depth.unwrap_or(4),
            token_budget: book.token_budget,
            recursive: book.recursive,
            entries: book.entries.into_iter().map(Into::into).collect(),
        });
        Self { name: body.name, enabled: body.enabled, character_ids: body.character_ids, book }
    }
}

#[derive(Serialize, ToSchema)]
pub struct Lorebooks {
    success: bool,
    lorebooks: Vec<Lorebook>,
}

/// One's lorebooks by name, without their entries.
#[utoipa::path(get, path = "/lorebooks", tag = "chats", responses((status = 200, body = Lorebooks)))]
pub async fn list(Shared(app): Shared<State>) -> Answer<Json<Lorebooks>> {
    let found = app.clients.lorebooks().list_lorebooks(ListLorebooksRequest {}).await?.into_inner();
    Ok(Json(Lorebooks { success: true, lorebooks: found.lorebooks.into_iter().map(Into::into).collect() }))
}

#[derive(Serialize, ToSchema)]
pub struct LorebookShown {
    success: bool,
    lorebook: Lorebook,
}

/// A lorebook with its entries.
#[utoipa::path(get, path = "/lorebooks/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the lorebook.")), responses((status = 200, body = LorebookShown)))]
pub async fn show(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<LorebookShown>> {
    let found = app.clients.lorebooks().get_lorebook(GetLorebookRequest { id }).await?.into_inner();
    let lorebook = found.lorebook.ok_or_else(|| Problem::of("lorebook_not_found"))?.into();
    Ok(Json(LorebookShown { success: true, lorebook }))
}

#[derive(Serialize, ToSchema)]
pub struct LorebookKept {
    success: bool,
    #[serde(flatten)]
    said: Said,
    lorebook: Lorebook,
    /// Entries of an import that were left out, and why, a sentence each.
    skipped: Vec<String>,
}

fn kept(lorebook: Option<pb::Lorebook>, skipped: Vec<String>) -> Answer<Json<LorebookKept>> {
    let lorebook = lorebook.ok_or_else(|| Problem::of("lorebook_not_found"))?.into();
    Ok(Json(LorebookKept { success: true, said: Said::new("Lorebook saved"), lorebook, skipped }))
}

/// Makes or imports a lorebook.
#[utoipa::path(post, path = "/lorebooks", tag = "chats", request_body = NewLorebook, responses((status = 200, body = LorebookKept)))]
pub async fn create(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<NewLorebook>,
) -> Answer<Json<LorebookKept>> {
    let import = body.import.map(|book| book.to_string()).unwrap_or_default();
    let request = CreateLorebookRequest { draft: Some(body.draft.into()), import };
    let made = app.clients.lorebooks().create_lorebook(request).await?.into_inner();
    kept(made.lorebook, made.skipped)
}

/// Replaces a lorebook.
#[utoipa::path(put, path = "/lorebooks/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the lorebook.")), request_body = LorebookBody, responses((status = 200, body = LorebookKept)))]
pub async fn update(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<LorebookBody>,
) -> Answer<Json<LorebookKept>> {
    let request = UpdateLorebookRequest { id, draft: Some(body.into()) };
    kept(app.clients.lorebooks().update_lorebook(request).await?.into_inner().lorebook, Vec::new())
}

/// Deletes a lorebook.
#[utoipa::path(delete, path = "/lorebooks/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the lorebook.")), responses((status = 200, body = Done)))]
pub async fn delete(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<Done>> {
    app.clients.lorebooks().delete_lorebook(DeleteLorebookRequest { id }).await?;
    Ok(Json(Done::saying("Lorebook deleted")))
}
