//! Chats as files: taken along, and brought in from SillyTavern.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest as _, Multipart, Request, State as Shared, multipart::MultipartError},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use proto::chat::v1::{ChatFormat, ExportChatRequest, ImportChatRequest};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    State,
    errors::{Answer, Problem},
    extract::{QueryArgs, Segment},
    limits::UPLOAD_BYTES,
};

#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// What is shown, to be read.
    #[default]
    Markdown,
    /// All branches.
    Json,
    /// What is shown, as JSON lines with swipes.
    SillyTavern,
}

/// Which kind of file.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportArgs {
    #[serde(default)]
    #[param(inline)]
    format: FileFormat,
}

/// A chat as a file.
#[utoipa::path(get, path = "/chats/{id}/export", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ExportArgs),
    responses((status = 200, content((String = "text/markdown"), (Object = "application/json"), (String = "application/x-ndjson")))))]
pub async fn export(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    QueryArgs(args): QueryArgs<ExportArgs>,
) -> Answer<Response> {
    let format = match args.format {
        FileFormat::Markdown => ChatFormat::Markdown,
        FileFormat::Json => ChatFormat::Json,
        FileFormat::SillyTavern => ChatFormat::Sillytavern,
    };
    let request = ExportChatRequest { chat_id, format: format.into() };
    let file = app.clients.transfer().export_chat(request).await?.into_inner();
    let mut response = file.content.into_response();
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).map_err(|_| Problem::of("internal"));
    headers.insert(header::CONTENT_TYPE, text(&file.content_type)?);
    let name: String =
        file.file_name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    headers.insert(header::CONTENT_DISPOSITION, text(&format!("attachment; filename=\"{name}\""))?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A chat file of SillyTavern, and whom it is with.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form")]
pub struct ChatImportForm {
    character_id: String,
    /// JSON lines, at most 10 MiB.
    #[schema(value_type = String, format = Binary)]
    file: Bytes,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatImported {
    success: bool,
    chat_id: String,
    /// Messages of the path.
    messages: u32,
    /// Lines that are no messages of the conversation, and swipes beyond 20, which were left out.
    left_out: u32,
}

/// A new chat from a file of SillyTavern (JSON lines), whole or not at all; lines that are wrong are
/// named as `line 7` in `fields`.
#[utoipa::path(post, path = "/chats/import", tag = "chats", params(("Idempotency-Key" = Option<String>, Header)), request_body(content = ChatImportForm, content_type = "multipart/form-data"), responses((status = 200, body = ChatImported)))]
pub async fn import(Shared(app): Shared<State>, request: Request) -> Answer<Json<ChatImported>> {
    let request = read(request, &app).await?;
    let imported = app.clients.transfer().import_chat(request).await?.into_inner();
    Ok(Json(ChatImported {
        success: true,
        chat_id: imported.chat_id,
        messages: imported.messages,
        left_out: imported.left_out,
    }))
}

async fn read(request: Request, app: &State) -> Answer<ImportChatRequest> {
    let mut form =
        Multipart::from_request(request, app).await.map_err(|_| Problem::of("unsupported_media"))?;
    let mut asked = ImportChatRequest::default();
    let mut file = None;
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        let mut all = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(broken)? {
            if all.len() + chunk.len() > UPLOAD_BYTES {
                return Err(Problem::of("too_large"));
            }
            all.extend_from_slice(&chunk);
        }
        match name.as_str() {
            "characterId" => asked.character_id = String::from_utf8_lossy(&all).trim().to_owned(),
            "file" => file = Some(all),
            _ => return Err(Problem::field(&name, "Nothing is expected here.")),
        }
    }
    asked.file =
        file.filter(|file| !file.is_empty()).ok_or_else(|| Problem::field("file", "Choose a file."))?;
    Ok(asked)
}

fn broken(error: MultipartError) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Problem::of("too_large")
    } else {
        Problem::field("body", "The form could not be read.")
    }
}
