//! What no honest picture is: something else as well (a page, a script, a document, an archive), or small only until
//! its texts are unpacked.
//!
//! What is served is encoded anew from the pixels, so nothing of this would reach anybody. Whoever sends such a file
//! means harm all the same, and the next program that reads it may be less careful.

use std::io::{Read as _, copy, sink};

use flate2::read::ZlibDecoder;

/// What begins markup or a program, wherever it stands. In random bytes of the largest upload one of these is met once
/// in 6,000,000 files.
const MARKUP: [&[u8]; 4] = [b"<script", b"<html", b"<!doctype html", b"<?php"];
/// What readers of PDF look for in as many bytes from the beginning (ISO 32000-1, annex H, note 13).
const PDF: (&[u8], usize) = (b"%PDF-", 1024);
/// The end of a zip's directory; behind it stands a comment of at most 65,535 bytes (APPNOTE.TXT, 4.3.16).
const ZIP: (&[u8], usize) = (b"PK\x05\x06", 22 + 65_535);

/// Whether it is a page, a script, a document or an archive as well.
pub fn is_disguise(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(PDF.1)];
    let end = &bytes[bytes.len().saturating_sub(ZIP.1)..];
    holds(beginning, PDF.0) || holds(end, ZIP.0) || marked_up(bytes)
}

fn holds(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

fn marked_up(bytes: &[u8]) -> bool {
    let opens = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'<').map(|(at, _)| &bytes[at..]);
    opens.into_iter().any(|rest| {
        MARKUP.iter().any(|word| rest.get(..word.len()).is_some_and(|said| said.eq_ignore_ascii_case(word)))
    })
}

/// Whether colour profile and texts of a PNG unpack to more than `most` bytes. Nothing of them is kept.
pub fn swells(png: &[u8], most: u64) -> bool {
    let mut room = most;
    // Behind the signature; each chunk is a length, a kind, its data and a checksum.
    let mut rest = png.get(8..).unwrap_or_default();
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, kind @ ..] = *head;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        let Some(data) = after.get(..length) else { return false };
        if let Some(packed) = packed(&kind, data) {
            // What is no zlib stream unpacks to nothing more.
            let mut unpacked = ZlibDecoder::new(packed).take(room + 1);
            let _ = copy(&mut unpacked, &mut sink());
            let taken = room + 1 - unpacked.limit();
            match room.checked_sub(taken) {
                Some(left) => room = left,
                None => return true,
            }
        }
        rest = after.get(length + 4..).unwrap_or_default();
    }
    false
}

/// The compressed part of a profile or a text (PNG specification, 11.3.2.3, 11.3.3.3, 11.3.3.4).
fn packed<'a>(kind: &[u8; 4], data: &'a [u8]) -> Option<&'a [u8]> {
    let behind_zero = |data: &'a [u8]| data.iter().position(|byte| *byte == 0).map(|at| &data[at + 1..]);
    let named = behind_zero(data)?;
    match kind {
        b"iCCP" | b"zTXt" => named.get(1..),
        b"iTXt" if named.first() == Some(&1) => behind_zero(behind_zero(named.get(2..)?)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_disguise;

    #[test]
    fn a_second_kind_is_found_where_programs_look_for_it() {
        assert!(is_disguise(b"GIF89a <ScRiPt>"));
        assert!(is_disguise(b"\x89PNG \n%PDF-1.7"));
        assert!(is_disguise(b"\xff\xd8 PK\x05\x06 and a comment"));
        assert!(!is_disguise(b"\x89PNG <x:xmpmeta> < script PK\x03\x04"), "metadata of photographs");
        let mut far = vec![0; 70_000];
        far.splice(2_000..2_000, *b"%PDF-");
        assert!(!is_disguise(&far), "no reader looks so far in");
    }
}
