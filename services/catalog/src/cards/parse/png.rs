//! Cards in the texts of a PNG or APNG: chunk by chunk, each length held against what is there.

use std::io::Read as _;

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use flate2::read::ZlibDecoder;

use super::{Asset, Budget, Flaw, most, path};
use crate::limits;

pub const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Before the path of a file that comes with the card.
pub const ASSET: &str = "chara-ext-asset_:";
/// Bytes of a keyword at most (the PNG specification).
const KEYWORD: usize = 79;

/// Padding is left out, or doubled, by some writers.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What a PNG holds.
#[derive(Debug)]
pub struct Found {
    pub json: Vec<u8>,
    pub assets: Vec<Asset>,
    /// The picture without its texts.
    pub picture: Vec<u8>,
}

/// Reads the card; `ccv3` before `chara`.
///
/// # Errors
/// What is wrong with the file.
pub fn read(bytes: &[u8]) -> Result<Found, Flaw> {
    let mut picture = SIGNATURE.to_vec();
    let (mut second, mut third) = (Version::default(), Version::default());
    let (mut assets, mut budget) = (Vec::new(), Budget::new());
    let mut room = Room(limits::CARD_INFLATED_BYTES);
    for chunk in Chunks::new(bytes)? {
        let chunk = chunk?;
        let Some(text) = chunk.text() else {
            if &chunk.kind != b"eXIf" {
                picture.extend_from_slice(chunk.whole);
            }
            continue;
        };
        let keyword = text.keyword.to_ascii_lowercase();
        match keyword.as_str() {
            "chara" => second.take(&text, &mut room)?,
            "ccv3" => third.take(&text, &mut room)?,
            _ if keyword.starts_with(ASSET) => {
                let name = text.keyword[ASSET.len()..].to_owned();
                path(&name)?;
                let data = decoded(&text.value(budget.left().saturating_mul(2), &mut room)?)?;
                budget.take(data.len())?;
                if assets.iter().any(|a: &Asset| a.path == name) {
                    return Err(Flaw::invalid("The card has two files of one name."));
                }
                assets.push(Asset { path: name, data });
            }
            _ => {}
        }
    }
    let value = third.value.or(second.value).ok_or_else(|| {
        Flaw::invalid("This picture has no card in it; sites that make pictures smaller lose it.")
    })?;
    // Some writers leave out the encoding.
    let json = if value.trim_ascii_start().starts_with(b"{") { value } else { decoded(&value)? };
    Ok(Found { json, assets, picture })
}

/// The card of one version.
#[derive(Default)]
struct Version<'a> {
    /// The chunk that it stands in, as it is in the file.
    packed: Option<(&'a [u8], bool)>,
    value: Option<Vec<u8>>,
    read: usize,
}

impl<'a> Version<'a> {
    /// The same twice is harmless; two different cards in one picture are not.
    fn take(&mut self, text: &Text<'a>, room: &mut Room) -> Result<(), Flaw> {
        let packed = (text.data, text.deflated);
        // Compared as it is in the file: nothing is inflated to find that it is known.
        if self.packed == Some(packed) {
            return Ok(());
        }
        self.read += 1;
        if self.read > limits::CARD_TEXTS_MAX {
            return Err(Flaw::invalid("This picture holds too many cards of one version."));
        }
        let value = text.value(limits::CARD_JSON_BYTES * 2, room)?;
        if self.value.as_ref().is_some_and(|known| *known != value) {
            return Err(Flaw::invalid("This picture holds two different cards of one version."));
        }
        (self.packed, self.value) = (Some(packed), Some(value));
        Ok(())
    }
}

/// Bytes that may still be inflated, of all chunks together.
struct Room(usize);

fn decoded(value: &[u8]) -> Result<Vec<u8>, Flaw> {
    let plain: Vec<u8> = value.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    BASE64.decode(plain).map_err(|_| Flaw::invalid("The card in this picture is damaged (not base64)."))
}

/// The chunks of a PNG.
struct Chunks<'a> {
    rest: &'a [u8],
    ended: bool,
}

/// One chunk.
struct Chunk<'a> {
    kind: [u8; 4],
    data: &'a [u8],
    /// With its length and checksum.
    whole: &'a [u8],
}

impl<'a> Chunks<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Flaw> {
        let rest = bytes.strip_prefix(&SIGNATURE).ok_or_else(|| Flaw::invalid("This is not a PNG."))?;
        Ok(Self { rest, ended: false })
    }

    fn next_chunk(&mut self) -> Result<Chunk<'a>, Flaw> {
        let cut = || Flaw::invalid("The picture ends in the middle: the file is damaged.");
        let (head, after) = self.rest.split_first_chunk::<8>().ok_or_else(cut)?;
        let [a, b, c, d, kind @ ..] = *head;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).map_err(|_| cut())?;
        // A length that lies is found here, before anything is set aside for it.
        let end = length.checked_add(4).filter(|end| *end <= after.len()).ok_or_else(cut)?;
        let chunk = Chunk { kind, data: &after[..length], whole: &self.rest[..8 + end] };
        self.rest = &after[end..];
        self.ended = &kind == b"IEND";
        Ok(chunk)
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let chunk = self.next_chunk();
        self.ended |= chunk.is_err();
        Some(chunk)
    }
}

/// A text chunk.
struct Text<'a> {
    keyword: String,
    data: &'a [u8],
    deflated: bool,
}

impl<'a> Chunk<'a> {
    /// `None` for what is no text; a text that is no text is one with an empty keyword.
    fn text(&self) -> Option<Text<'a>> {
        let known = matches!(&self.kind, b"tEXt" | b"zTXt" | b"iTXt");
        known.then(|| self.parts().unwrap_or(Text { keyword: String::new(), data: &[], deflated: false }))
    }

    fn parts(&self) -> Option<Text<'a>> {
        let (keyword, rest) = cut(self.data)?;
        if keyword.len() > KEYWORD.max(ASSET.len() + limits::CARD_PATH_MAX) {
            return None;
        }
        let keyword = String::from_utf8_lossy(keyword).into_owned();
        let (data, deflated) = match &self.kind {
            b"zTXt" => (rest.split_first().filter(|(method, _)| **method == 0)?.1, true),
            b"iTXt" => {
                let ([flag, _method], rest) = rest.split_first_chunk::<2>()?;
                let (_language, rest) = cut(rest)?;
                let (_translated, rest) = cut(rest)?;
                (rest, *flag != 0)
            }
            _ => (rest, false),
        };
        Some(Text { keyword, data, deflated })
    }
}

/// What stands before and after the first zero byte.
fn cut(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = data.iter().position(|b| *b == 0)?;
    Some((&data[..at], &data[at + 1..]))
}

impl Text<'_> {
    /// The value, inflated no further than `max` bytes, what there is room for, and what an honest text needs.
    fn value(&self, max: usize, room: &mut Room) -> Result<Vec<u8>, Flaw> {
        let too_large = || Flaw::too_large("A part of the card is too large.");
        if !self.deflated {
            return if self.data.len() > max { Err(too_large()) } else { Ok(self.data.to_vec()) };
        }
        let mut value = Vec::new();
        let max = max.min(room.0).min(most(self.data.len()));
        let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
        ZlibDecoder::new(self.data)
            .take(limit)
            .read_to_end(&mut value)
            .map_err(|_| Flaw::invalid("The card in this picture is damaged (not compressed text)."))?;
        if value.len() > max {
            return Err(too_large());
        }
        room.0 -= value.len();
        Ok(value)
    }
}
