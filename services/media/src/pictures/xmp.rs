//! Marks a WebP file as made by an engine.
//!
//! The container is RIFF; metadata need the extended layout: a `VP8X` chunk first, whose flags announce
//! an `XMP ` chunk at the end (<https://developers.google.com/speed/webp/docs/riff_container>). The
//! statement is IPTC's digital source type (<https://cv.iptc.org/newscodes/digitalsourcetype/>).

use uuid::Uuid;

const OPENING: &str = concat!(
    r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#,
    r#"<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" "#,
    r#"xmlns:dc="http://purl.org/dc/elements/1.1/" "#,
    r#"Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia""#,
);
const CLOSING: &str = "/></rdf:RDF></x:xmpmeta>";

/// The statement, with the job's id (Dublin Core's identifier) where there is one.
fn packet(job: Option<Uuid>) -> String {
    let id = job.map(|id| [" dc:identifier=\"urn:uuid:", &id.to_string(), "\""].concat());
    [OPENING, id.as_deref().unwrap_or_default(), CLOSING].concat()
}

/// Bit of the `VP8X` flags that announces XMP.
const HAS_XMP: u8 = 0b0000_0100;
/// `RIFF`, size, `WEBP`.
const HEADER: usize = 12;
/// `VP8X`, size, flags, three reserved bytes, width − 1 and height − 1 in 24 bits each.
const VP8X: usize = 18;

/// The file with the mark; `None` when it is no WebP file or has no room for the size.
pub fn mark(webp: &[u8], width: u32, height: u32, job: Option<Uuid>) -> Option<Vec<u8>> {
    let packet = packet(job);
    if webp.get(..4)? != b"RIFF" || webp.get(8..HEADER)? != b"WEBP" {
        return None;
    }
    let mut out = Vec::with_capacity(webp.len() + VP8X + packet.len() + 16);
    out.extend_from_slice(&webp[..HEADER]);
    if webp.get(HEADER..HEADER + 4)? == b"VP8X" {
        out.extend_from_slice(&webp[HEADER..]);
        *out.get_mut(HEADER + 8)? |= HAS_XMP;
    } else {
        out.extend_from_slice(b"VP8X");
        out.extend_from_slice(&10u32.to_le_bytes());
        out.extend_from_slice(&[HAS_XMP, 0, 0, 0]);
        for side in [width, height] {
            out.extend_from_slice(side.checked_sub(1)?.to_le_bytes().get(..3)?);
        }
        out.extend_from_slice(&webp[HEADER..]);
    }
    out.extend_from_slice(b"XMP ");
    out.extend_from_slice(&u32::try_from(packet.len()).ok()?.to_le_bytes());
    out.extend_from_slice(packet.as_bytes());
    if packet.len() % 2 == 1 {
        out.push(0);
    }
    let size = u32::try_from(out.len() - 8).ok()?;
    out[4..8].copy_from_slice(&size.to_le_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageReader};

    use super::*;
    use crate::pictures::{Maker, renditions};

    #[test]
    fn what_an_engine_made_says_so_and_still_opens() {
        let picture =
            DynamicImage::ImageRgb8(image::RgbImage::from_pixel(301, 77, image::Rgb([200, 40, 90])));
        let job = Uuid::now_v7();
        let sizes = renditions(&picture, Maker::Engine { job: Some(job) }).expect("encoded");
        for file in [&sizes.full, &sizes.card, &sizes.thumb] {
            let text = String::from_utf8_lossy(file);
            assert!(text.contains("trainedAlgorithmicMedia"));
            assert!(text.contains(&job.to_string()), "the job is named");
        }
        let person = renditions(&picture, Maker::Person).expect("encoded").full;
        assert!(!String::from_utf8_lossy(&person).contains("trainedAlgorithmicMedia"));
        let marked = sizes.full;
        let opened = ImageReader::new(std::io::Cursor::new(&marked)).with_guessed_format().expect("sniffed");
        let opened = opened.decode().expect("a WebP file that opens");
        assert_eq!((opened.width(), opened.height()), (301, 77));
    }

    #[test]
    fn the_size_in_the_header_is_that_of_the_file() {
        let picture =
            DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(80, 80, image::Rgba([9, 9, 9, 90])));
        for maker in [Maker::Person, Maker::Engine { job: None }] {
            let file = renditions(&picture, maker).expect("encoded").full;
            let said = u32::from_le_bytes(file[4..8].try_into().expect("four bytes"));
            assert_eq!(said as usize, file.len() - 8);
        }
    }

    #[test]
    fn other_files_are_not_touched() {
        assert!(mark(b"\x89PNG\r\n\x1a\n and so on", 1, 1, None).is_none());
        assert!(mark(b"RIFF", 1, 1, None).is_none());
    }
}
