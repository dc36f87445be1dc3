//! What a picture says of itself (who or what made it) goes with it from WebP to PNG.

use super::{HEAD, chunk};

/// Keyword of XMP in a PNG (XMP specification, part 3).
const KEYWORD: &[u8] = b"XML:com.adobe.xmp";

/// A PNG with the XMP packet of the WebP file that it was made from, if that has one.
#[must_use]
pub fn marked(mut png: Vec<u8>, webp: &[u8]) -> Vec<u8> {
    if let Some(packet) = packet(webp) {
        // Not compressed, of no language.
        let data = [KEYWORD, b"\0\0\0\0\0", packet].concat();
        let at = HEAD.min(png.len());
        let mut text = Vec::new();
        chunk(&mut text, b"iTXt", &data);
        png.splice(at..at, text);
    }
    png
}

/// The XMP packet of a WebP file: RIFF, a chunk after the other.
fn packet(webp: &[u8]) -> Option<&[u8]> {
    let mut rest = webp.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    while let Some((&[a, b, c, d, size @ ..], after)) = rest.split_first_chunk::<8>() {
        let size = usize::try_from(u32::from_le_bytes(size)).ok()?;
        let data = after.get(..size)?;
        if [a, b, c, d] == *b"XMP " {
            return Some(data);
        }
        rest = after.get(size + size % 2..)?;
    }
    None
}
