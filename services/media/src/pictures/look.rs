//! What a picture looks like, in 256 bits: the same picture scaled, packed or recoloured a little differs in few of
//! them, another one in many.
//!
//! Coefficients of a discrete cosine transform against their median (pHash; Zauner, *Implementation and Benchmarking
//! of Perceptual Image Hash Functions*, 2010).

use std::sync::LazyLock;

use image::DynamicImage;
use image_hasher::{HashAlg, Hasher, HasherConfig};

/// Bits of a look.
pub const BITS: u32 = 256;
/// Bits in which two pictures may differ and still be one; see `examples/look_bench.rs`.
pub const ALIKE: u32 = 20;

/// 32 bytes.
pub type Look = Vec<u8>;

static HASHER: LazyLock<Hasher> = LazyLock::new(|| {
    HasherConfig::new().hash_alg(HashAlg::Median).preproc_dct().hash_size(16, 16).to_hasher()
});

/// The look of a picture.
#[must_use]
pub fn of(picture: &DynamicImage) -> Look {
    HASHER.hash_image(picture).as_bytes().to_vec()
}

/// Bits in which two looks differ; all of them when one is no look.
#[must_use]
pub fn distance(one: &[u8], other: &[u8]) -> u32 {
    if one.len() != other.len() {
        return BITS;
    }
    one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum()
}
