//! Card files out: what was changed goes over the card as it came in, all else stays as it was.

pub mod mark;
pub mod merge;

use std::io::{Cursor, Write as _};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::parse::{
    Asset, charx,
    png::{ASSET, SIGNATURE},
};

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
    debug_assert!(out.starts_with(&SIGNATURE), "the picture is a PNG");
    out
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
