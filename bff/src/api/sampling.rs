//! How freely the model writes: presets, what is set for a chat, presets of one's own.

use axum::{Json, extract::State as Shared};
use proto::chat::v1::{
    self as pb, DeletePresetRequest, GetChatSamplingRequest, GetSamplingRequest, ListPresetsRequest,
    SavePresetRequest, SetChatSamplingRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Said;
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment},
};

/// What is not given is left to the preset, and what the preset leaves out, to the engine. The bounds
/// are told by `GET /api/sampling`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SamplingValues {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_multiplier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_base: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_allowed_length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    xtc_probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    xtc_threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<f64>,
    /// Tokens of one reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<f64>,
    /// A reply ends before any of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    stop: Vec<String>,
}

/// The same values in the other shape.
macro_rules! as_values {
    ($values:expr => $shape:ty) => {{
        let v = $values;
        type Shape = $shape;
        Shape {
            temperature: v.temperature,
            top_p: v.top_p,
            top_k: v.top_k,
            min_p: v.min_p,
            presence_penalty: v.presence_penalty,
            frequency_penalty: v.frequency_penalty,
            repetition_penalty: v.repetition_penalty,
            dry_multiplier: v.dry_multiplier,
            dry_base: v.dry_base,
            dry_allowed_length: v.dry_allowed_length,
            xtc_probability: v.xtc_probability,
            xtc_threshold: v.xtc_threshold,
            seed: v.seed,
            max_tokens: v.max_tokens,
            stop: v.stop,
        }
    }};
}

impl From<pb::SamplingValues> for SamplingValues {
    fn from(values: pb::SamplingValues) -> Self {
        as_values!(values => SamplingValues)
    }
}

impl From<SamplingValues> for pb::SamplingValues {
    fn from(values: SamplingValues) -> Self {
        as_values!(values => pb::SamplingValues)
    }
}

/// Values under a name.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamplingPreset {
    /// A word for those of the house (`balanced`), a UUID for one's own.
    #[serde(rename = "_id")]
    id: String,
    label: String,
    /// Empty for one's own.
    description: String,
    values: SamplingValues,
    own: bool,
}

impl From<pb::SamplingPreset> for SamplingPreset {
    fn from(preset: pb::SamplingPreset) -> Self {
        Self {
            id: preset.id,
            label: preset.label,
            description: preset.description,
            values: preset.values.unwrap_or_default().into(),
            own: preset.own,
        }
    }
}

/// What a parameter may be.
#[derive(Debug, Serialize, ToSchema)]
pub struct SamplingBound {
    /// As in `SamplingValues` (`topP`).
    parameter: String,
    min: f64,
    max: f64,
    step: f64,
    /// False where this engine has no such parameter: it is kept, and not sent.
    taken: bool,
}

/// What can be set, and by whom.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SamplingOptions {
    success: bool,
    /// Those of the house, then one's own.
    presets: Vec<SamplingPreset>,
    default_preset: String,
    bounds: Vec<SamplingBound>,
    /// False on the free plan.
    may_set: bool,
    engine: String,
    stop_max_items: u32,
    /// Characters.
    stop_max_length: u32,
    /// Presets of one's own.
    own_max_items: u32,
}

/// `top_p` as JSON has it.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        text.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

/// A refusal names the parameter as the caller did.
fn told(status: tonic::Status) -> Problem {
    Problem::from(status).renaming(|field| {
        let (head, name) = field.split_once('.')?;
        (head == "values").then(|| format!("values.{}", camel(name)))
    })
}

/// The presets, the bounds of each parameter, what the engine takes and what one's plan may set.
#[utoipa::path(get, path = "/sampling", tag = "chats", responses((status = 200, body = SamplingOptions)))]
pub async fn options(Shared(app): Shared<State>) -> Answer<Json<SamplingOptions>> {
    let told = app.clients.sampling().get_sampling(GetSamplingRequest {}).await?.into_inner();
    let bounds = told.bounds.into_iter().map(|b| SamplingBound {
        parameter: camel(&b.parameter),
        min: b.min,
        max: b.max,
        step: b.step,
        taken: b.taken,
    });
    Ok(Json(SamplingOptions {
        success: true,
        bounds: bounds.collect(),
        presets: told.presets.into_iter().map(Into::into).collect(),
        default_preset: told.default_preset,
        may_set: told.may_set,
        engine: told.engine,
        stop_max_items: told.stop_max_items,
        stop_max_length: told.stop_max_length,
        own_max_items: told.own_max_items,
    }))
}

/// How the next reply of a chat is written.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSampling {
    success: bool,
    /// Id of a preset; the default one where nothing is set.
    preset: String,
    /// What was set beyond the preset.
    values: SamplingValues,
    /// Both together.
    effective: SamplingValues,
    /// False on the free plan.
    may_set: bool,
}

impl From<Option<pb::ChatSampling>> for ChatSampling {
    fn from(sampling: Option<pb::ChatSampling>) -> Self {
        let sampling = sampling.unwrap_or_default();
        Self {
            success: true,
            preset: sampling.preset,
            values: sampling.values.unwrap_or_default().into(),
            effective: sampling.effective.unwrap_or_default().into(),
            may_set: sampling.may_set,
        }
    }
}

/// How a chat is written.
#[utoipa::path(get, path = "/chats/{id}/sampling", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = ChatSampling)))]
pub async fn of_chat(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
) -> Answer<Json<ChatSampling>> {
    let request = GetChatSamplingRequest { chat_id };
    let told = app.clients.sampling().get_chat_sampling(request).await?.into_inner();
    Ok(Json(told.sampling.into()))
}

/// Replaces what is set for a chat.
#[derive(Deserialize, ToSchema)]
pub struct ChatSamplingBody {
    /// Id of a preset; the default one when absent.
    #[serde(default)]
    preset: Option<String>,
    #[serde(default)]
    values: SamplingValues,
}

/// Sets how a chat is written, from the next reply on. 402 on the free plan.
#[utoipa::path(put, path = "/chats/{id}/sampling", tag = "chats", request_body = ChatSamplingBody, params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = ChatSampling)))]
pub async fn set_for_chat(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    JsonBody(body): JsonBody<ChatSamplingBody>,
) -> Answer<Json<ChatSampling>> {
    let request = SetChatSamplingRequest {
        chat_id,
        preset: body.preset.unwrap_or_default(),
        values: Some(body.values.into()),
    };
    let set = app.clients.sampling().set_chat_sampling(request).await.map_err(told)?.into_inner();
    Ok(Json(set.sampling.into()))
}

#[derive(Serialize, ToSchema)]
pub struct OwnPresets {
    success: bool,
    presets: Vec<SamplingPreset>,
}

/// One's own presets, by label.
#[utoipa::path(get, path = "/sampling/presets", tag = "chats", responses((status = 200, body = OwnPresets)))]
pub async fn own(Shared(app): Shared<State>) -> Answer<Json<OwnPresets>> {
    let told = app.clients.sampling().list_presets(ListPresetsRequest {}).await?.into_inner();
    Ok(Json(OwnPresets { success: true, presets: told.presets.into_iter().map(Into::into).collect() }))
}

#[derive(Deserialize, ToSchema)]
pub struct PresetBody {
    /// A preset of the same label is replaced.
    #[schema(max_length = 40)]
    label: String,
    #[serde(default)]
    values: SamplingValues,
}

#[derive(Serialize, ToSchema)]
pub struct PresetSaved {
    success: bool,
    #[serde(flatten)]
    said: Said,
    preset: SamplingPreset,
}

/// Keeps values under a label of one's own. 402 on the free plan.
#[utoipa::path(post, path = "/sampling/presets", tag = "chats", request_body = PresetBody, responses((status = 200, body = PresetSaved)))]
pub async fn save(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<PresetBody>,
) -> Answer<Json<PresetSaved>> {
    let request = SavePresetRequest { label: body.label, values: Some(body.values.into()) };
    let saved = app.clients.sampling().save_preset(request).await.map_err(told)?.into_inner();
    let preset = saved.preset.ok_or_else(|| Problem::of("internal"))?.into();
    Ok(Json(PresetSaved { success: true, said: Said::new("Preset saved"), preset }))
}

#[derive(Serialize, ToSchema)]
pub struct PresetDeleted {
    success: bool,
    #[serde(flatten)]
    said: Said,
}

/// Deletes a preset of one's own; chats that used it go back to the default.
#[utoipa::path(delete, path = "/sampling/presets/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the preset.")), responses((status = 200, body = PresetDeleted)))]
pub async fn delete(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<PresetDeleted>> {
    app.clients.sampling().delete_preset(DeletePresetRequest { id }).await?;
    Ok(Json(PresetDeleted { success: true, said: Said::new("Preset deleted") }))
}
