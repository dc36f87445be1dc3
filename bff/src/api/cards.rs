//! Characters as card files: read, taken in, handed out.

use axum::{
    Json,
    extract::{Request, State as Shared},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use proto::catalog::v1::{
    self as pb, ExportCardRequest, ImportCardRequest, ReadCardRequest, import_card_request,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    character_form::{as_in_the_form, generation},
    characters::{Character, entitled},
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{QueryArgs, Segment},
    form,
};

/// Said when there is no file.
const NEEDS_FILE: &str = "Choose a character card: a PNG, JSON or CHARX file.";

/// The kind of file a card is in.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CardFormat {
    #[default]
    Png,
    Json,
    Charx,
}

/// The version of a card's specification.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CardVersion {
    V1,
    V2,
    V3,
}

/// The version to export as.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportVersion {
    /// PNG and JSON only.
    V1,
    V2,
    #[default]
    V3,
}

/// The file of a card.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form")]
pub struct CardFile {
    /// PNG, APNG, JSON or CHARX, at most 25 MiB.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// What a card says, under the names of the form of a character.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardFields {
    name: String,
    /// Years; null when the card tells none.
    #[schema(required)]
    age: Option<u32>,
    tags: Vec<String>,
    description: String,
    personality: String,
    first_message: String,
    scenario: String,
    example_conversation: String,
    kinks: Vec<String>,
    outfit: String,
    nsfw: bool,
    alternate_greetings: Vec<String>,
    /// Null when the card has none.
    #[schema(required, value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    character_book: Option<serde_json::Value>,
    system_prompt: String,
    post_history_instructions: String,
    creator_notes: String,
    character_version: String,
    nickname: String,
}

impl From<pb::CharacterDraft> for CardFields {
    fn from(draft: pb::CharacterDraft) -> Self {
        let extras = draft.extras.unwrap_or_default();
        Self {
            name: draft.name,
            age: draft.age,
            tags: draft.tags,
            description: draft.description,
            personality: draft.personality,
            first_message: draft.first_message,
            scenario: draft.scenario,
            example_conversation: draft.example_conversation,
            kinks: draft.kinks,
            outfit: draft.outfit,
            nsfw: draft.nsfw,
            alternate_greetings: extras.alternate_greetings,
            character_book: serde_json::from_str(&extras.character_book).ok(),
            system_prompt: extras.system_prompt,
            post_history_instructions: extras.post_history_instructions,
            creator_notes: extras.creator_notes,
            character_version: extras.character_version,
            nickname: extras.nickname,
        }
    }
}

/// A card that was read; nothing of it is stored.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardRead {
    success: bool,
    card: CardFields,
    format: CardFormat,
    version: CardVersion,
    /// Whom the card names as its writer.
    author: String,
    /// Files that come with the card, its picture among them.
    assets: u32,
    /// The file that was sent is itself the picture (PNG).
    picture_is_file: bool,
    /// The picture inside the file as a `data:` address; null when there is none.
    #[schema(required)]
    picture: Option<String>,
    /// What is kept and not shown, what stands elsewhere.
    warnings: Vec<String>,
    /// Field of the form to what an import would refuse about it.
    problems: std::collections::BTreeMap<String, String>,
}

/// Reads a card for the form of a character; nothing is stored.
#[utoipa::path(post, path = "/cards/read", tag = "cards", request_body(content = CardFile, content_type = "multipart/form-data"), responses((status = 200, body = CardRead)))]
pub async fn read(Shared(app): Shared<State>, request: Request) -> Answer<Json<CardRead>> {
    let form = form::read_card(request, &app).await?;
    let file = form.card().ok_or_else(|| Problem::field("file", NEEDS_FILE))?.to_vec();
    let found = app.clients.cards().read_card(ReadCardRequest { file }).await?.into_inner();
    let (format, version) = (format_of(found.format()), version_of(found.version()));
    let picture = (!found.picture.is_empty())
        .then(|| format!("data:{};base64,{}", found.picture_type, BASE64_STANDARD.encode(&found.picture)));
    Ok(Json(CardRead {
        success: true,
        card: found.draft.unwrap_or_default().into(),
        format,
        version,
        author: found.author,
        assets: found.assets,
        picture_is_file: found.picture_is_file,
        picture,
        warnings: found.warnings,
        problems: found.problems.into_iter().collect(),
    }))
}

const fn format_of(format: pb::CardFormat) -> CardFormat {
    match format {
        pb::CardFormat::Json => CardFormat::Json,
        pb::CardFormat::Charx => CardFormat::Charx,
        pb::CardFormat::Png | pb::CardFormat::Unspecified => CardFormat::Png,
    }
}

const fn version_of(version: pb::CardVersion) -> CardVersion {
    match version {
        pb::CardVersion::V1 => CardVersion::V1,
        pb::CardVersion::V2 => CardVersion::V2,
        pb::CardVersion::V3 | pb::CardVersion::Unspecified => CardVersion::V3,
    }
}

/// The form of an import. A card without a picture (JSON) needs `picture`, or `generateMode` with
/// `imageGeneration`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form")]
pub struct ImportForm {
    /// PNG, APNG, JSON or CHARX, at most 25 MiB.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// In place of the card's own; PNG, JPEG, WebP or GIF, at most 10 MiB.
    #[schema(value_type = Option<String>, format = Binary)]
    picture: Option<Vec<u8>>,
    generate_mode: Option<bool>,
    /// The choices of the portrait as JSON text.
    image_generation: Option<String>,
    /// False when absent; a card that is tagged so is NSFW all the same.
    nsfw: Option<bool>,
    /// False when absent.
    public: Option<bool>,
    /// Lets others export the card. False when absent.
    exportable: Option<bool>,
}

/// A character made from a card.
#[derive(Serialize, ToSchema)]
pub struct CardImported {
    success: bool,
    #[serde(flatten)]
    said: super::Said,
    character: Character,
    /// What is kept and not shown, what stands elsewhere.
    warnings: Vec<String>,
}

/// Makes a character of one's own from a card.
#[utoipa::path(post, path = "/cards/import", tag = "cards", params(("Idempotency-Key" = Option<String>, Header)), request_body(content = ImportForm, content_type = "multipart/form-data"), responses((status = 200, body = CardImported)))]
pub async fn import(Shared(app): Shared<State>, request: Request) -> Answer<Json<CardImported>> {
    entitled(&app).await?;
    let form = form::read_card(request, &app).await?;
    let file = form.card().ok_or_else(|| Problem::field("file", NEEDS_FILE))?.to_vec();
    let portrait = if form.flag("generateMode", false)? {
        Some(import_card_request::Portrait::Generate(generation(&form)?.into()))
    } else {
        form.picture().map(|picture| import_card_request::Portrait::Picture(picture.to_vec()))
    };
    let request = ImportCardRequest {
        file,
        nsfw: form.flag("nsfw", false)?,
        public: form.flag("public", false)?,
        exportable: form.flag("exportable", false)?,
        portrait,
    };
    let made = app.clients.cards().import_card(request).await.map_err(in_this_form)?.into_inner();
    let character = made.character.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(CardImported {
        success: true,
        said: super::Said::new("Card imported."),
        character: Character::new(&app, character).await?,
        warnings: made.warnings,
    }))
}

/// The picture has another name in this form.
fn in_this_form(status: tonic::Status) -> Problem {
    as_in_the_form(status).renaming(|field| (field == "image").then(|| "picture".to_owned()))
}

/// How the card is to be written.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportArgs {
    /// `png` when absent.
    #[serde(default)]
    #[param(inline)]
    format: CardFormat,
    /// `v3` when absent.
    #[serde(default)]
    #[param(inline)]
    version: ExportVersion,
}

/// A character as a card file: one's own, or one that its creator lets others export.
#[utoipa::path(get, path = "/cards/{id}/export", tag = "cards", params(("id" = String, Path), ExportArgs), responses((status = 200, content((Vec<u8> = "image/png"), (serde_json::Value = "application/json"), (Vec<u8> = "application/zip")))))]
pub async fn export(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    QueryArgs(args): QueryArgs<ExportArgs>,
) -> Answer<Response> {
    let format = match args.format {
        CardFormat::Png => pb::CardFormat::Png,
        CardFormat::Json => pb::CardFormat::Json,
        CardFormat::Charx => pb::CardFormat::Charx,
    };
    let version = match args.version {
        ExportVersion::V1 => pb::CardVersion::V1,
        ExportVersion::V2 => pb::CardVersion::V2,
        ExportVersion::V3 => pb::CardVersion::V3,
    };
    let request = ExportCardRequest { id, format: format.into(), version: version.into() };
    let card = app.clients.cards().export_card(request).await?.into_inner();
    let text = |value: &str| HeaderValue::from_str(value).map_err(|_| Problem::of("internal"));
    let headers = [
        (header::CONTENT_TYPE, text(&card.content_type)?),
        (header::CONTENT_DISPOSITION, text(&format!("attachment; filename=\"{}\"", card.file_name))?),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, card.data).into_response())
}
