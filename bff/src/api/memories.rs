//! What characters remember: to be read, written, pinned and forgotten.

use axum::{Json, extract::State as Shared};
use proto::chat::v1::{
    self as pb, AddMemoryRequest, DeleteMemoryRequest, ListChatMemoriesRequest, ListMemoriesRequest,
    MemoryKind as PbKind, UpdateMemoryRequest,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{Done, Said, or_null, page_of, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
};

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// Made from messages; holds only where all of them are.
    Summary,
    /// Written by oneself.
    Fact,
}

/// Where a memory holds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryScope {
    /// In one chat.
    Chat,
    /// In every chat with the character.
    Character,
}

/// A memory.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    #[serde(rename = "_id")]
    id: String,
    character_id: String,
    /// Null for one that holds in every chat with the character.
    #[schema(required)]
    chat_id: Option<String>,
    scope: MemoryScope,
    kind: MemoryKind,
    text: String,
    /// 1 to 5.
    importance: u32,
    /// Always told to the character.
    pinned: bool,
    /// Somebody has changed what was summarised.
    edited: bool,
    /// Messages that it was made from.
    source_ids: Vec<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<pb::Memory> for Memory {
    fn from(memory: pb::Memory) -> Self {
        let kind = match memory.kind() {
            PbKind::Summary => MemoryKind::Summary,
            PbKind::Fact | PbKind::Unspecified => MemoryKind::Fact,
        };
        let scope = if memory.chat_id.is_empty() { MemoryScope::Character } else { MemoryScope::Chat };
        Self {
            created_at: when(memory.created_at.as_ref()),
            id: memory.id,
            character_id: memory.character_id,
            chat_id: or_null(memory.chat_id),
            scope,
            kind,
            text: memory.text,
            importance: memory.importance,
            pinned: memory.pinned,
            edited: memory.edited,
            source_ids: memory.source_ids,
        }
    }
}

/// A memory as its chat shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMemory {
    #[serde(flatten)]
    memory: Memory,
    /// All it was made from is among the messages shown; otherwise it is not used.
    valid: bool,
    /// The character had it in mind for the newest reply.
    in_prompt: bool,
}

/// Whose memories.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MemoryArgs {
    /// Id of the character.
    character_id: Option<String>,
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Memories {
    success: bool,
    memories: Vec<Memory>,
    total: u64,
    page: u32,
    total_pages: u32,
    has_more: bool,
}

/// What a character remembers of oneself, over all chats; without a character what all of them do.
#[utoipa::path(get, path = "/memories", tag = "chats", params(MemoryArgs), responses((status = 200, body = Memories)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<MemoryArgs>,
) -> Answer<Json<Memories>> {
    let page = page_of(args.page, args.limit)?;
    let request = ListMemoriesRequest { character_id: args.character_id.unwrap_or_default(), page };
    let found = app.clients.memories().list_memories(request).await?.into_inner();
    let page = found.page.unwrap_or_default();
    Ok(Json(Memories {
        success: true,
        memories: found.memories.into_iter().map(Into::into).collect(),
        total: page.total,
        page: page.page,
        total_pages: page.total_pages,
        has_more: page.has_more,
    }))
}

#[derive(Serialize, ToSchema)]
pub struct ChatMemories {
    success: bool,
    memories: Vec<ChatMemory>,
}

/// What the character remembers in a chat, in the order of the story.
#[utoipa::path(get, path = "/chats/{id}/memories", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = ChatMemories)))]
pub async fn of_chat(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
) -> Answer<Json<ChatMemories>> {
    let found = app.clients.memories().list_chat_memories(ListChatMemoriesRequest { chat_id }).await?;
    let memories = found.into_inner().memories.into_iter().filter_map(|found| {
        let memory = found.memory?.into();
        Some(ChatMemory { memory, valid: found.valid, in_prompt: found.in_prompt })
    });
    Ok(Json(ChatMemories { success: true, memories: memories.collect() }))
}

/// A fact to remember.
#[derive(Deserialize, ToSchema)]
pub struct MemoryBody {
    #[schema(max_length = 1000)]
    text: String,
    /// Always told to the character.
    #[serde(default)]
    pinned: bool,
    /// Only in this chat when absent.
    scope: Option<MemoryScope>,
}

/// What changes; what is absent stays.
#[derive(Deserialize, ToSchema)]
pub struct MemoryPatch {
    #[schema(max_length = 1000)]
    text: Option<String>,
    pinned: Option<bool>,
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryKept {
    success: bool,
    #[serde(flatten)]
    said: Said,
    memory: Memory,
}

fn kept(memory: Option<pb::Memory>) -> Answer<Json<MemoryKept>> {
    let memory = memory.ok_or_else(|| Problem::of("memory_not_found"))?.into();
    Ok(Json(MemoryKept { success: true, said: Said::new("Remembered"), memory }))
}

/// Writes down a fact for the character to remember.
#[utoipa::path(post, path = "/chats/{id}/memories", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), request_body = MemoryBody, responses((status = 200, body = MemoryKept)))]
pub async fn add(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    JsonBody(body): JsonBody<MemoryBody>,
) -> Answer<Json<MemoryKept>> {
    let scope = match body.scope {
        None | Some(MemoryScope::Chat) => pb::MemoryScope::Chat,
        Some(MemoryScope::Character) => pb::MemoryScope::Character,
    };
    let request = AddMemoryRequest { chat_id, text: body.text, pinned: body.pinned, scope: scope.into() };
    kept(app.clients.memories().add_memory(request).await?.into_inner().memory)
}

/// Changes, pins or unpins a memory. A text given to a summary that was deleted brings it back.
#[utoipa::path(put, path = "/memories/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the memory.")), request_body = MemoryPatch, responses((status = 200, body = MemoryKept)))]
pub async fn update(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<MemoryPatch>,
) -> Answer<Json<MemoryKept>> {
    let request =
        UpdateMemoryRequest { id, text: body.text, pinned: body.pinned, importance: body.importance };
    kept(app.clients.memories().update_memory(request).await?.into_inner().memory)
}

/// Forgets a memory.
#[utoipa::path(delete, path = "/memories/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the memory.")), responses((status = 200, body = Done)))]
pub async fn delete(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<Done>> {
    app.clients.memories().delete_memory(DeleteMemoryRequest { id }).await?;
    Ok(Json(Done::saying("Forgotten")))
}
