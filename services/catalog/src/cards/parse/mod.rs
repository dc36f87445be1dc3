//! Card files in: pure, bounded, and hostile towards whatever is not a card. Nothing is fetched, nothing is run.

pub mod charx;
pub mod doc;
pub mod png;

use thiserror::Error;

use self::doc::Doc;
use crate::limits;

/// Why a file is not taken, in a sentence for people.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Flaw {
    #[error("{0}")]
    Invalid(String),
    #[error("{0}")]
    TooLarge(String),
}

impl Flaw {
    /// Not a card, because of this.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    /// More than is taken.
    pub fn too_large(text: impl Into<String>) -> Self {
        Self::TooLarge(text.into())
    }
}

/// The kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Png,
    Json,
    Charx,
}

/// A file that comes with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub path: String,
    pub data: Vec<u8>,
}

/// A file that was taken apart.
#[derive(Debug)]
pub struct File {
    pub format: Format,
    /// The card's JSON as it was written.
    pub json: String,
    pub assets: Vec<Asset>,
    /// The picture that the file itself is: a PNG without its texts, a JPEG before a CHARX.
    pub picture: Option<Vec<u8>>,
}

/// Takes a file apart.
///
/// # Errors
/// What is wrong with it.
pub fn file(bytes: &[u8]) -> Result<File, Flaw> {
    if bytes.len() > limits::CARD_BYTES {
        return Err(Flaw::too_large("The file is larger than 25 MiB."));
    }
    if bytes.starts_with(&png::SIGNATURE) {
        let found = png::read(bytes)?;
        return Ok(File {
            format: Format::Png,
            json: checked(found.json)?,
            assets: found.assets,
            picture: Some(found.picture),
        });
    }
    if let Some(at) = charx::begin(bytes) {
        let found = charx::read(bytes)?;
        let picture = (at > 0 && at <= limits::CARD_PICTURE_BYTES).then(|| bytes[..at].to_vec());
        return Ok(File { format: Format::Charx, json: checked(found.json)?, assets: found.assets, picture });
    }
    if bytes.starts_with(b"\xFF\xD8") || bytes.starts_with(b"RIFF") || bytes.starts_with(b"GIF8") {
        return Err(Flaw::invalid(
            "This is a picture without a card; cards are in PNG, JSON or CHARX files.",
        ));
    }
    let json = checked(bytes.to_vec())?;
    Ok(File { format: Format::Json, json, assets: Vec::new(), picture: None })
}

/// Text that is one JSON object of bearable size and depth.
fn checked(bytes: Vec<u8>) -> Result<String, Flaw> {
    let text = String::from_utf8(bytes).map_err(|_| Flaw::invalid("The card is not UTF-8 text."))?;
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    if text.len() > limits::CARD_JSON_BYTES {
        return Err(Flaw::too_large("The card's text is larger than 8 MiB."));
    }
    if !text.trim_start().starts_with('{') {
        return Err(Flaw::invalid("This is not a character card: PNG, JSON and CHARX files are read."));
    }
    if doc::depth(&text) > limits::CARD_DEPTH {
        return Err(Flaw::invalid("The card is nested too deeply."));
    }
    let damaged = |error| Flaw::invalid(format!("The card is not JSON: {error}."));
    Doc::read(&text).map_err(damaged)?;
    // What cannot be read whole could not be looked at, and would go out again as it came in.
    doc::texts(&text).map_err(damaged)?;
    Ok(text)
}

/// A plain relative path, or a sentence that says what is wrong with it.
pub(super) fn path(name: &str) -> Result<(), Flaw> {
    let parts = name.split('/');
    let climbs = parts.clone().any(|part| part == ".." || part == ".");
    let odd = name.is_empty()
        || name.starts_with('/')
        || name.contains(['\\', ':'])
        || name.chars().any(char::is_control)
        || name.chars().count() > limits::CARD_PATH_MAX;
    if climbs || odd {
        return Err(Flaw::invalid("The card has a file whose name leads elsewhere."));
    }
    Ok(())
}

/// Counts what is taken out of a file, so that no bomb goes off.
pub(super) struct Budget {
    files: usize,
    bytes: usize,
}

impl Budget {
    pub(super) const fn new() -> Self {
        Self { files: limits::CARD_FILES_MAX, bytes: limits::CARD_FILES_BYTES }
    }

    /// Bytes that are left.
    pub(super) const fn left(&self) -> usize {
        self.bytes
    }

    /// Takes a file of this size.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Flaw> {
        self.files = self.files.checked_sub(1).ok_or_else(too_many)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(too_many)?;
        Ok(())
    }
}

/// A part below this is no bomb, however well it was packed.
const SMALL: usize = 1024 * 1024;

/// Bytes that a packed part may inflate to.
const fn most(packed: usize) -> usize {
    let honest = packed.saturating_mul(limits::CARD_RATIO_MAX);
    if honest > SMALL { honest } else { SMALL }
}

pub(super) fn too_many() -> Flaw {
    Flaw::too_large("The card brings more than 50 files, or more than 20 MiB of them.")
}
