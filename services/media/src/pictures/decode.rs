//! Pictures that people send, made harmless: sniffed by content, limited before decoding, turned
//! upright, stripped of everything but pixels.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};
use thiserror::Error;

use super::hostile;
use crate::limits;

/// Why an upload is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("too many bytes")]
    TooManyBytes,
    #[error("too many pixels")]
    TooManyPixels,
    #[error("too small")]
    TooSmall,
    /// A small file that unpacks to a great many pixels, all alike.
    #[error("unpacks to too much")]
    TooDense,
    /// A picture that is a page, a script, a document or an archive as well.
    #[error("several kinds of file in one")]
    SeveralKinds,
    /// No picture, none of our formats, or broken.
    #[error("not a picture that can be read")]
    Unreadable,
}

/// Reads a picture that somebody sent. What is refused costs at most 128 MiB beside the file itself
/// (`tests/it/bombs.rs` measures it).
///
/// # Errors
/// See [`Unfit`].
pub fn decode(bytes: &[u8]) -> Result<DynamicImage, Unfit> {
    if bytes.len() > limits::UPLOAD_BYTES {
        return Err(Unfit::TooManyBytes);
    }
    let format = sniff(bytes).ok_or(Unfit::Unreadable)?;
    if hostile::is_disguise(bytes) {
        return Err(Unfit::SeveralKinds);
    }
    if format == ImageFormat::Png && hostile::swells(bytes, limits::DECODER_EXTRAS) {
        return Err(Unfit::TooDense);
    }
    // The header alone: colour profiles and texts are inflated here already.
    let (width, height) =
        reader(bytes, format, limits::DECODER_EXTRAS).into_dimensions().map_err(|_| Unfit::Unreadable)?;
    if u64::from(width) * u64::from(height) > limits::UPLOAD_PIXELS {
        return Err(Unfit::TooManyPixels);
    }
    if width.min(height) < limits::UPLOAD_SIDE_MIN {
        return Err(Unfit::TooSmall);
    }
    let pixels = {
        let header = reader(bytes, format, limits::DECODER_EXTRAS).into_decoder();
        header.map_err(|_| Unfit::Unreadable)?.total_bytes()
    };
    let packed = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if pixels > limits::DECODER_PIXELS {
        return Err(Unfit::TooManyPixels);
    }
    if pixels > limits::UPLOAD_DENSE_BYTES && pixels / packed.max(1) > limits::UPLOAD_RATIO {
        return Err(Unfit::TooDense);
    }
    // A frame that is larger than its canvas has no room in this, and is not unpacked.
    let room = match format {
        ImageFormat::Png => limits::DECODER_EXTRAS,
        _ => pixels + limits::DECODER_EXTRAS,
    };
    let mut decoder = reader(bytes, format, room).into_decoder().map_err(|_| Unfit::Unreadable)?;
    let orientation = decoder.orientation().map_err(|_| Unfit::Unreadable)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| Unfit::Unreadable)?;
    picture.apply_orientation(orientation);
    // Eight bits are what WebP holds; metadata were never read into it.
    Ok(if picture.color().has_alpha() { picture.into_rgba8().into() } else { picture.into_rgb8().into() })
}

/// `room`: bytes that the decoder may take beside the pixels of a PNG, and with those of any other kind.
fn reader(bytes: &[u8], format: ImageFormat, room: u64) -> ImageReader<Cursor<&[u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut allowed = Limits::default();
    allowed.max_alloc = Some(room);
    reader.limits(allowed);
    reader
}

/// By the first bytes alone: names and declared types are anyone's to write. A file that is several
/// things at once would only ever be read as this one, and only its pixels be kept ([`hostile`] refuses it all the same).
fn sniff(bytes: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(bytes).ok()?;
    matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP | ImageFormat::Gif)
        .then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        DynamicImage::new_rgb8(width, height)
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .expect("a PNG");
        bytes
    }

    #[test]
    fn a_header_that_promises_too_much_is_not_decoded() {
        let mut bomb = png(64, 64);
        // IHDR: width at 16, height at 20, its checksum at 29.
        bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
        let sum = crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&sum.to_be_bytes());
        assert_eq!(decode(&bomb).err(), Some(Unfit::TooManyPixels));
    }

    #[test]
    fn small_and_foreign_things_are_refused() {
        assert_eq!(decode(&png(63, 400)).err(), Some(Unfit::TooSmall));
        assert_eq!(decode(br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#).err(), Some(Unfit::Unreadable));
        assert_eq!(decode(b"GIF89a\x40\0\x40\0=alert(1)").err(), Some(Unfit::Unreadable));
        assert_eq!(decode(b"%PDF-1.7").err(), Some(Unfit::Unreadable));
        assert_eq!(decode(&vec![0; limits::UPLOAD_BYTES + 1]).err(), Some(Unfit::TooManyBytes));
        let mut cut = png(300, 300);
        cut.truncate(cut.len() / 2);
        assert_eq!(decode(&cut).err(), Some(Unfit::Unreadable));
    }

    /// CRC-32 of PNG, bit by bit.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, byte| {
            (0..8)
                .fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
        })
    }
}
