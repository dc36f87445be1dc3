//! What the character sees: the prompt of a reply, and that of the next one.

use axum::{Json, extract::State as Shared};
use proto::chat::v1::{self as pb, GetManifestRequest, PreviewPromptRequest};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::or_null;
use crate::{
    State,
    errors::Answer,
    extract::{QueryArgs, Segment},
};

/// A memory, or an entry of a lorebook, in a block.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptEntry {
    /// Of the memory or of the lorebook; `card` for the character's own lorebook.
    id: String,
    /// Name of the lorebook's entry; null for a memory.
    #[schema(required)]
    title: Option<String>,
    tokens: u32,
    included: bool,
    /// Stable code of why it is not in (`budget`, `bad_regex`); null when it is.
    #[schema(required)]
    why: Option<String>,
    /// As it reads now; null when it is gone, or not yours to read.
    #[schema(required)]
    text: Option<String>,
}

/// A part of the prompt.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptBlock {
    /// `system`, `description`, `personality`, `scenario`, `outfit`, `persona`, `pinned`, `lore_constant`, `examples`,
    /// `memory`, `history`, `lore`, `recalled`, `instructions` or `continue`.
    block: String,
    /// For people.
    title: String,
    tokens: u32,
    included: bool,
    /// Why it is not there, or not whole: `absent`, `budget` or `card_cut`; null when it is whole.
    #[schema(required)]
    why: Option<String>,
    /// Messages, examples or entries that are in; null where the block has no parts.
    #[schema(required)]
    parts: Option<u32>,
    /// Those that are not.
    #[schema(required)]
    dropped: Option<u32>,
    entries: Vec<PromptEntry>,
}

/// What is in a prompt, in its order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptManifest {
    engine: String,
    model: String,
    /// Tokens that the prompt may take.
    budget: u32,
    /// Tokens kept for the reply.
    reply: u32,
    /// Tokens that it takes.
    tokens: u32,
    /// True unless the engine, or the model's own tokenizer, has counted.
    estimated: bool,
    /// Tokens at its beginning that were in the prompt before as well; null when nobody knows.
    #[schema(required)]
    prefix_tokens: Option<u32>,
    blocks: Vec<PromptBlock>,
    /// Stable codes of what its author should know: `card_cut` when the card is too long to be told whole.
    warnings: Vec<String>,
}

impl From<pb::PromptManifest> for PromptManifest {
    fn from(manifest: pb::PromptManifest) -> Self {
        Self {
            engine: manifest.engine,
            model: manifest.model,
            budget: manifest.budget,
            reply: manifest.reply,
            tokens: manifest.tokens,
            estimated: manifest.estimated,
            prefix_tokens: manifest.prefix_tokens,
            blocks: manifest.blocks.into_iter().map(Into::into).collect(),
            warnings: manifest.warnings,
        }
    }
}

impl From<pb::PromptBlock> for PromptBlock {
    fn from(block: pb::PromptBlock) -> Self {
        Self {
            block: block.block,
            title: block.title,
            tokens: block.tokens,
            included: block.included,
            why: or_null(block.why),
            parts: block.parts,
            dropped: block.dropped,
            entries: block
                .entries
                .into_iter()
                .map(|entry| PromptEntry {
                    id: entry.id,
                    title: or_null(entry.title),
                    tokens: entry.tokens,
                    included: entry.included,
                    why: or_null(entry.why),
                    text: or_null(entry.text),
                })
                .collect(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct PromptShown {
    success: bool,
    manifest: PromptManifest,
}

fn shown(manifest: Option<pb::PromptManifest>) -> Json<PromptShown> {
    Json(PromptShown { success: true, manifest: manifest.unwrap_or_default().into() })
}

/// What the character saw when it wrote a reply.
#[utoipa::path(get, path = "/chats/{id}/messages/{message}/manifest", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ("message" = String, Path, description = "Id of the reply.")), responses((status = 200, body = PromptShown)))]
pub async fn manifest(
    Shared(app): Shared<State>,
    Segment((chat_id, message_id)): Segment<(String, String)>,
) -> Answer<Json<PromptShown>> {
    let request = GetManifestRequest { chat_id, message_id };
    Ok(shown(app.clients.prompts().get_manifest(request).await?.into_inner().manifest))
}

/// As whom the next message would be written.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PreviewArgs {
    /// Id of a persona; the default one when absent.
    persona: Option<String>,
}

/// What the character would see now.
#[utoipa::path(get, path = "/chats/{id}/prompt", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), PreviewArgs), responses((status = 200, body = PromptShown)))]
pub async fn preview(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    QueryArgs(args): QueryArgs<PreviewArgs>,
) -> Answer<Json<PromptShown>> {
    let request = PreviewPromptRequest { chat_id, persona_id: args.persona.filter(|id| !id.is_empty()) };
    Ok(shown(app.clients.prompts().preview_prompt(request).await?.into_inner().manifest))
}
