//! Pixels in, renditions out. Everything here computes: call it off the async threads.

mod decode;
pub mod hashes;
mod hostile;
pub mod look;
mod xmp;

pub use decode::{Unfit, decode};
use image::{DynamicImage, imageops::FilterType};
use uuid::Uuid;

use crate::limits;

/// The same picture in the sizes that the web uses, as WebP.
pub struct Renditions {
    pub width: u32,
    pub height: u32,
    pub full: Vec<u8>,
    pub card: Vec<u8>,
    pub thumb: Vec<u8>,
    /// What a copy of it, or of a file of it, is known by.
    pub hashes: Vec<String>,
    /// What it looks like ([`look`]).
    pub look: look::Look,
}

/// Who made a picture, as its file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// Someone who uploaded it: the file says nothing.
    Person,
    /// An engine: the file says so (IPTC digital source type, in XMP), and for which job.
    Engine { job: Option<Uuid> },
}

/// Encodes a picture in all sizes; a small one is not enlarged. `None` when WebP cannot hold it.
#[must_use]
pub fn renditions(picture: &DynamicImage, maker: Maker) -> Option<Renditions> {
    let fits = picture.width() <= limits::FULL_SIDE && picture.height() <= limits::FULL_SIDE;
    let shrunk =
        (!fits).then(|| picture.resize(limits::FULL_SIDE, limits::FULL_SIDE, FilterType::CatmullRom));
    let full = shrunk.as_ref().unwrap_or(picture);
    let card = narrowed(full, limits::CARD_WIDTH);
    let look = look::of(&card);
    // From the card: a quarter of the pixels to read.
    let thumb = narrowed(&card, limits::THUMB_WIDTH);
    let (width, height) = (full.width(), full.height());
    let (full, card, thumb) = (encode(full, maker)?, encode(&card, maker)?, encode(&thumb, maker)?);
    let mut hashes = served(&full, &card, &thumb);
    hashes.push(hashes::of_pixels(picture));
    hashes.sort_unstable();
    hashes.dedup();
    Some(Renditions { width, height, full, card, thumb, hashes, look })
}

/// By what copies of what we serve are known: each file, and what the largest shows. That differs from what was
/// sent, and may be saved as any kind of file.
#[must_use]
pub fn served(full: &[u8], card: &[u8], thumb: &[u8]) -> Vec<String> {
    let mut hashes = [full, card, thumb].map(hashes::of_file).to_vec();
    hashes.extend(decode(full).ok().map(|shown| hashes::of_pixels(&shown)));
    hashes
}

fn narrowed(picture: &DynamicImage, width: u32) -> DynamicImage {
    if picture.width() <= width {
        return picture.clone();
    }
    let height = u64::from(picture.height()) * u64::from(width) / u64::from(picture.width());
    let height = u32::try_from(height).unwrap_or(u32::MAX).max(1);
    picture.resize_exact(width, height, FilterType::CatmullRom)
}

/// Lossy WebP (the `image` crate writes only lossless, sixty times the size for a drawing).
fn encode(picture: &DynamicImage, maker: Maker) -> Option<Vec<u8>> {
    let (width, height) = (picture.width(), picture.height());
    let encoded = if picture.color().has_alpha() {
        webp::Encoder::from_rgba(&picture.to_rgba8(), width, height)
            .encode_simple(false, limits::WEBP_QUALITY)
    } else {
        webp::Encoder::from_rgb(&picture.to_rgb8(), width, height).encode_simple(false, limits::WEBP_QUALITY)
    };
    let bytes = encoded.ok()?.to_vec();
    match maker {
        Maker::Person => Some(bytes),
        Maker::Engine { job } => xmp::mark(&bytes, width, height, job),
    }
}
