//! Multipart forms: text fields and one picture, each within its limit.

use std::collections::HashMap;

use axum::{
    extract::{
        FromRequest, Multipart, Request,
        multipart::{Field, MultipartError},
    },
    http::StatusCode,
};
use bytes::Bytes;

use crate::{
    State,
    errors::{Answer, Problem},
    limits::{CARD_BYTES, CARD_FIELD_BYTES, FIELD_BYTES, UPLOAD_BYTES},
};

/// Fields of a form at most.
const MAX_FIELDS: usize = 64;
/// Kinds of pictures that `media` reads.
const PICTURES: [&str; 5] = ["image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"];

/// A form that was read.
#[derive(Debug, Default)]
pub struct Form {
    texts: HashMap<String, String>,
    picture: Option<Bytes>,
    card: Option<Bytes>,
}

impl Form {
    /// Text of a field.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Text of a field; empty when it is absent.
    #[must_use]
    pub fn text_or_empty(&self, name: &str) -> String {
        self.text(name).unwrap_or_default().to_owned()
    }

    /// A checkbox: `true`, `1` and `on` are true, absence is `default`.
    ///
    /// # Errors
    /// `invalid`, for any other text.
    pub fn flag(&self, name: &str, default: bool) -> Answer<bool> {
        match self.text(name).map(|t| t.trim().to_ascii_lowercase()).as_deref() {
            None | Some("") => Ok(default),
            Some("true" | "1" | "on") => Ok(true),
            Some("false" | "0" | "off") => Ok(false),
            Some(_) => Err(Problem::field(name, "Either true or false.")),
        }
    }

    /// The picture that was sent, if any.
    #[must_use]
    pub fn picture(&self) -> Option<&Bytes> {
        self.picture.as_ref()
    }

    /// The card file that was sent, if any.
    #[must_use]
    pub fn card(&self) -> Option<&Bytes> {
        self.card.as_ref()
    }

    /// Names and texts of all text fields.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

/// Reads a form whose picture, if any, is in one of `pictures`. A picture field sent as text (an
/// address of a picture that stays) is no upload.
pub async fn read(request: Request, state: &State, pictures: &[&str]) -> Answer<Form> {
    read_all(request, state, pictures, "").await
}

/// Reads a form with a card in `file`, and perhaps a `picture`.
pub async fn read_card(request: Request, state: &State) -> Answer<Form> {
    read_all(request, state, &["picture"], "file").await
}

async fn read_all(request: Request, state: &State, pictures: &[&str], card: &str) -> Answer<Form> {
    let mut multipart =
        Multipart::from_request(request, state).await.map_err(|_| Problem::of("unsupported_media"))?;
    let mut form = Form::default();
    while let Some(mut field) = multipart.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if form.texts.len() >= MAX_FIELDS {
            return Err(Problem::field("body", "Too many fields."));
        }
        let is_file =
            field.file_name().is_some() || field.content_type().is_some_and(|t| t.starts_with("image/"));
        if is_file {
            let kind = field.content_type().map(str::to_ascii_lowercase);
            let is_card = !card.is_empty() && name == card;
            let bytes = bytes(&mut field, if is_card { CARD_BYTES } else { UPLOAD_BYTES }).await?;
            // Browsers send an empty part for a file field that was left alone.
            if bytes.is_empty() {
                continue;
            }
            if is_card {
                form.card = Some(bytes);
                continue;
            }
            if !pictures.contains(&name.as_str()) {
                return Err(Problem::field(&name, "No file is expected here."));
            }
            if kind.as_deref().is_some_and(|k| k != "application/octet-stream" && !PICTURES.contains(&k)) {
                return Err(Problem::of("unsupported_media"));
            }
            form.picture = Some(bytes);
        } else {
            let long = matches!(name.as_str(), "alternateGreetings" | "characterBook");
            let bytes = bytes(&mut field, if long { CARD_FIELD_BYTES } else { FIELD_BYTES }).await?;
            let text = String::from_utf8(bytes.into())
                .map_err(|_| Problem::field(&name, "Contains characters that cannot be shown."))?;
            form.texts.insert(name, text);
        }
    }
    Ok(form)
}

async fn bytes(field: &mut Field<'_>, max: usize) -> Answer<Bytes> {
    let mut all = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        if all.len() + chunk.len() > max {
            return Err(Problem::of("too_large"));
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.into())
}

fn broken(error: MultipartError) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Problem::of("too_large")
    } else {
        Problem::field("body", "The form could not be read.")
    }
}
