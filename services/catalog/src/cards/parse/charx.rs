//! CHARX: a zip with `card.json` in its root and files beside it, sometimes behind a JPEG.

use std::io::{Cursor, Read as _};

use zip::{ZipArchive, read::ZipFile, result::ZipError};

use super::{Asset, Budget, Flaw, most, path, too_many};
use crate::limits;

/// What the card is called.
pub const CARD: &str = "card.json";
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";

/// What a CHARX holds.
#[derive(Debug)]
pub struct Found {
    pub json: Vec<u8>,
    pub assets: Vec<Asset>,
}

/// Where the zip begins: at once, or behind a JPEG.
#[must_use]
pub fn begin(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(LOCAL_HEADER) {
        return Some(0);
    }
    let behind_picture = bytes.starts_with(b"\xFF\xD8\xFF");
    behind_picture.then(|| bytes.windows(LOCAL_HEADER.len()).position(|w| w == LOCAL_HEADER)).flatten()
}

/// # Errors
/// What is wrong with the file.
pub fn read(bytes: &[u8]) -> Result<Found, Flaw> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if archive.len() > limits::CARD_ENTRIES_MAX {
        return Err(Flaw::too_large("The card file has too many entries."));
    }
    let (mut json, mut assets, mut budget) = (None, Vec::<Asset>::new(), Budget::new());
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        if entry.is_dir() {
            continue;
        }
        path(&name)?;
        if entry.is_symlink() {
            return Err(Flaw::invalid("The card has a file that is a link."));
        }
        if name == CARD {
            let whole = inflate(&mut entry, limits::CARD_JSON_BYTES)?;
            json = Some(whole.ok_or_else(|| Flaw::too_large("The card's text is larger than 8 MiB."))?);
            continue;
        }
        if assets.iter().any(|asset| asset.path == name) {
            return Err(Flaw::invalid("The card has two files of one name."));
        }
        let data = inflate(&mut entry, budget.left())?.ok_or_else(too_many)?;
        budget.take(data.len())?;
        assets.push(Asset { path: name, data });
    }
    let json = json.ok_or_else(|| Flaw::invalid("There is no card.json in this file."))?;
    Ok(Found { json, assets })
}

/// The bytes of an entry; `None` when they are more than `max`. What the entry says about its size is not believed.
fn inflate<R: std::io::Read>(entry: &mut ZipFile<'_, R>, max: usize) -> Result<Option<Vec<u8>>, Flaw> {
    let packed = usize::try_from(entry.compressed_size()).unwrap_or(usize::MAX);
    let limit = u64::try_from(max.min(most(packed))).unwrap_or(u64::MAX).saturating_add(1);
    let mut data = Vec::new();
    entry
        .by_ref()
        .take(limit)
        .read_to_end(&mut data)
        .map_err(|_| Flaw::invalid("A file of the card is damaged."))?;
    Ok((u64::try_from(data.len()).unwrap_or(u64::MAX) < limit).then_some(data))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn damaged(error: ZipError) -> Flaw {
    match error {
        ZipError::UnsupportedArchive(_) => {
            Flaw::invalid("The card file is locked, or packed in a way we do not read.")
        }
        _ => Flaw::invalid("The card file is damaged (not a zip)."),
    }
}
