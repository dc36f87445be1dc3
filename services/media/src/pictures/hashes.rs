//! By what a copy is known: the bytes of a file, or what they show, whatever they are packed in.

use image::DynamicImage;
use sha2::{Digest as _, Sha256};

/// Hex SHA-256 of a file.
#[must_use]
pub fn of_file(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Hex SHA-256 of the size and the pixels, each as red, green, blue, alpha: the same for every lossless file
/// of one picture.
#[must_use]
pub fn of_pixels(picture: &DynamicImage) -> String {
    let mut digest = Sha256::new();
    digest.update(picture.width().to_be_bytes());
    digest.update(picture.height().to_be_bytes());
    match picture {
        DynamicImage::ImageRgba8(rgba) => digest.update(rgba.as_raw()),
        DynamicImage::ImageRgb8(rgb) => {
            // Row by row, so that a large picture is not held twice.
            let mut row = Vec::with_capacity(rgb.width() as usize * 4);
            for line in rgb.rows() {
                row.clear();
                row.extend(line.flat_map(|pixel| [pixel[0], pixel[1], pixel[2], u8::MAX]));
                digest.update(&row);
            }
        }
        other => digest.update(other.to_rgba8().as_raw()),
    }
    hex::encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    #[test]
    fn the_same_pixels_are_the_same_however_they_are_held() {
        let rgb = DynamicImage::ImageRgb8(RgbImage::from_pixel(3, 2, Rgb([1, 2, 3])));
        let rgba = DynamicImage::ImageRgba8(rgb.to_rgba8());
        assert_eq!(of_pixels(&rgb), of_pixels(&rgba));
        let turned = DynamicImage::ImageRgb8(RgbImage::from_pixel(2, 3, Rgb([1, 2, 3])));
        assert_ne!(of_pixels(&rgb), of_pixels(&turned), "another picture");
    }
}
