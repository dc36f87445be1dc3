//! Characters as files of the common card formats: read, taken in, handed out without loss.

mod export;
pub mod fields;
mod grpc;
mod import;
pub mod parse;
pub mod store;
mod write;

use kit::error::Failure;
use moderation::Place;
use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use self::{
    fields::Card,
    parse::{Asset, File, Flaw, Format, doc::Doc},
};
use crate::{characters::Judged, limits};

impl From<Flaw> for Failure {
    fn from(flaw: Flaw) -> Self {
        let text = flaw.to_string();
        match flaw {
            Flaw::Invalid(_) => Self::new(Code::InvalidArgument, "card_invalid", &text).field("file", text),
            Flaw::TooLarge(_) => Self::new(Code::ResourceExhausted, "too_large", &text).field("file", text),
        }
    }
}

/// A card file that was understood.
#[derive(Debug)]
struct Read {
    file: File,
    card: Card,
    draft: proto::catalog::v1::CharacterDraft,
    warnings: Vec<String>,
}

/// Takes a file apart and understands it. Takes its time: not for the threads that answer.
fn read(bytes: &[u8]) -> Result<Read, Flaw> {
    let file = parse::file(bytes)?;
    let card = Card::read(&file.json)?;
    let (draft, warnings) = card.draft()?;
    Ok(Read { file, card, draft, warnings })
}

/// What of an export holds a character, or limits it: the texts that no field shows. Those that people read are
/// answered.
///
/// # Errors
/// `moderated` or `card_invalid`, naming the file.
pub fn judge_hidden(json: &str, judged: &mut Judged) -> Result<Vec<String>, Failure> {
    let texts = fields::hidden(json)?;
    for text in &texts {
        judged.add("file", moderation::judge(text, Place::Greeting))?;
    }
    Ok(fields::told(texts))
}

/// The texts of a character's card that no field shows, for who decides about it.
pub async fn hidden(db: &PgPool, id: Uuid) -> crate::error::Result<Vec<String>> {
    let Some(original) = store::original(db, id).await? else { return Ok(Vec::new()) };
    let read = tokio::task::spawn_blocking(move || match fields::hidden(&original.json) {
        Ok(texts) => fields::told(texts),
        // From before such cards were refused.
        Err(_) => vec![original.json],
    });
    Ok(read.await.map_err(|error| {
        tracing::error!(%error, "reading a card broke");
        Failure::internal()
    })?)
}

impl Read {
    /// The picture of the card, if it brings one that media can take.
    fn picture(&self) -> Option<Vec<u8>> {
        let own = self.file.picture.clone().filter(|_| self.file.format == Format::Png);
        let found =
            own.or_else(|| icon(&self.card.data, &self.file.assets)).or_else(|| self.file.picture.clone());
        found.filter(|bytes| bytes.len() <= limits::CARD_PICTURE_BYTES && kind(bytes).is_some())
    }
}

/// The bytes of the card's icon: a file of the card, or within its JSON. Nothing is fetched.
fn icon(data: &Doc, assets: &[Asset]) -> Option<Vec<u8>> {
    if let Some(uri) = write::merge::icon(data) {
        if let Some((_, encoded)) =
            uri.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"))
        {
            return base64::Engine::decode(&base64::prelude::BASE64_STANDARD, encoded.trim()).ok();
        }
        if let Some(found) = embedded(&uri, assets) {
            return Some(found.data.clone());
        }
    }
    let is_icon = |asset: &&Asset| asset.path.starts_with("assets/icon/") && kind(&asset.data).is_some();
    assets.iter().find(is_icon).map(|asset| asset.data.clone())
}

/// The file that an address within the card names; the misspelling is the specification's.
fn embedded<'a>(uri: &str, assets: &'a [Asset]) -> Option<&'a Asset> {
    let path =
        ["embeded://", "embedded://", "__asset:"].iter().find_map(|scheme| uri.strip_prefix(scheme))?;
    assets.iter().find(|asset| asset.path == path)
}

/// The kind of a picture, by its first bytes.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => None,
    }
}
