//! Characters as files of the common card formats: read, taken in, handed out without loss.

mod export;
pub mod fields;
mod grpc;
mod import;
pub mod parse;
pub mod store;
mod write;

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use kit::{db::Db, error::Failure};
use moderation::Place;
use sha2::{Digest as _, Sha256};
use tonic::Code;
use uuid::Uuid;

use self::{
    fields::Card,
    parse::{Asset, File, Flaw, Format, doc::Doc},
};
use crate::{
    characters::{Judged, judging::aside},
    limits,
};

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
    card.brings_its_files()?;
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
    let file = verdict(json, &texts)?;
    judged.hold = judged.hold.or(file.hold);
    judged.limit = judged.limit.or(file.limit);
    Ok(fields::told(texts))
}

/// What the rules say of a card's texts. A card that passed is remembered for as long as this process and its rules
/// live: it comes again with every change of its character.
fn verdict(json: &str, texts: &[String]) -> Result<Judged, Failure> {
    static KNOWN: LazyLock<Mutex<HashMap<[u8; 32], Judged>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let digest: [u8; 32] = Sha256::digest(json).into();
    if let Some(judged) = known().get(&digest) {
        return Ok(*judged);
    }
    let mut judged = Judged::default();
    for text in texts {
        judged.add("file", moderation::judge(text, Place::Greeting))?;
    }
    let mut known = known();
    if known.len() >= limits::VERDICTS_KEPT {
        known.clear();
    }
    known.insert(digest, judged);
    Ok(judged)
}

/// The texts of a character's card that no field shows, for who decides about it.
pub async fn hidden(db: &Db, id: Uuid) -> crate::error::Result<Vec<String>> {
    let Some(original) = store::original(db, id).await? else { return Ok(Vec::new()) };
    let read = move || match fields::hidden(&original.json) {
        Ok(texts) => fields::told(texts),
        // From before such cards were refused.
        Err(_) => vec![original.json],
    };
    Ok(aside(read).await?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_known_is_not_judged_again() {
        let said = "She is an ai version of the famous actress from the harbour films.";
        let json = format!("{{\"name\":\"Tess\",\"other\":\"{said}\"}}");
        let judge = || {
            let mut judged = Judged::default();
            let told = judge_hidden(&json, &mut judged).expect("no refusal");
            (judged, told)
        };
        let first = judge();
        assert!(first.0.hold.is_some());
        assert_eq!(first.1, [said]);
        assert_eq!(judge(), first);
        // Known by all that it says: no text is read for it.
        assert_eq!(verdict(&json, &[]).expect("known"), first.0);
        let other = json.replace("Tess", "Una");
        assert_eq!(verdict(&other, &[]).expect("nothing said"), Judged::default());
    }
}
