//! Card files out: what was changed goes over the card as it came in, all else stays as it was.

pub mod mark;
pub mod merge;

use std::io::{Cursor, Write as _};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::parse::{Asset, charx, png::ASSET};
use crate::limits;

/// Where our portrait stands in a CHARX.
pub const PORTRAIT: &str = "assets/icon/images/main.png";
/// Bytes of signature and IHDR: texts stand behind them.
const HEAD: usize = 8 + 25;

/// A PNG with a card's texts: keyword and JSON, and the files that come with it.
#[must_use]
pub fn png(picture: &[u8], cards: &[(&str, &str)], assets: &[Asset]) -> Vec<u8> {
    let head = HEAD.min(picture.len());
    let mut out = Vec::with_capacity(picture.len() * 2);
    out.extend_from_slice(&picture[..head]);
    for asset in assets {
        text(&mut out, &[ASSET, &asset.path].concat(), &asset.data);
    }
    for (keyword, json) in cards {
        text(&mut out, keyword, json.as_bytes());
    }
    out.extend_from_slice(&picture[head..]);
    out
}

/// Bytes that such a PNG has at most, by those of its parts.
#[must_use]
pub fn png_bytes(picture: usize, texts: &[usize]) -> usize {
    /// Length, kind, checksum, and keyword.
    const AROUND: usize = 12 + ASSET.len() + 4 * limits::CARD_PATH_MAX;
    picture + texts.iter().map(|bytes| bytes.div_ceil(3) * 4 + AROUND).sum::<usize>()
}

fn text(out: &mut Vec<u8>, keyword: &str, value: &[u8]) {
    let mut data = keyword.as_bytes().to_vec();
    data.push(0);
    data.extend_from_slice(BASE64_STANDARD.encode(value).as_bytes());
    chunk(out, b"tEXt", &data);
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(kind);
    checksum.update(data);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    out.extend_from_slice(&checksum.finalize().to_be_bytes());
}

/// A CHARX: the card, its files, and the portrait unless one of them is it.
///
/// # Errors
/// When the zip cannot be written, which in memory it always can.
pub fn charx(json: &str, assets: &[Asset], portrait: Option<&[u8]>) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let plain = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.start_file(charx::CARD, packed)?;
    zip.write_all(json.as_bytes())?;
    for asset in assets.iter().filter(|asset| asset.path != charx::CARD) {
        if portrait.is_some() && asset.path == PORTRAIT {
            continue;
        }
        zip.start_file(&asset.path, plain)?;
        zip.write_all(&asset.data)?;
    }
    if let Some(picture) = portrait {
        zip.start_file(PORTRAIT, plain)?;
        zip.write_all(picture)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_card_fits_once_and_not_twice() {
        let (json, files) = (limits::CARD_JSON_BYTES + limits::BOOK_BYTES, limits::CARD_FILES_BYTES);
        // As large as media stores it, not compressed at all.
        let picture = 1216 * 1216 * 4;
        assert!(png_bytes(picture, &[json, files]) < limits::CARD_MESSAGE);
        assert!(png_bytes(picture, &[json, json, files]) > limits::CARD_MESSAGE);
        let asset = Asset { path: "assets/a".into(), data: vec![7; 100] };
        let written = png(&[0; 50], &[("ccv3", "{}")], std::slice::from_ref(&asset));
        assert!(written.len() <= png_bytes(50, &[2, 100]), "{}", written.len());
    }
}
