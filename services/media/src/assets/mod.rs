//! Stored pictures: their bytes, who may see them, and the addresses that open the private ones.

pub mod copies;
pub mod files;
mod grpc;
mod judgements;
pub mod signature;
pub mod standing;
pub mod store;

use std::fmt;

use rand::Rng as _;
use sha2::{Digest as _, Sha256};

/// Name of an asset: 32 lower-case hexadecimal digits. Whoever knows one of a public asset sees it, so
/// it cannot be guessed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AssetId(String);

impl AssetId {
    #[must_use]
    pub fn random() -> Self {
        Self(hex::encode(rand::rng().random::<[u8; 16]>()))
    }

    /// The portrait of a seeded character; catalog derives the same from the same key.
    #[must_use]
    pub fn of_seed(key: &str) -> Self {
        let digest = hex::encode(Sha256::digest(format!("troupe-seed-portrait:{key}")));
        Self(digest[..32].to_owned())
    }

    /// `None` when the text is no asset's name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_32_hex_digits_and_no_path() {
        let id = AssetId::random();
        assert_eq!(AssetId::parse(id.as_str()), Some(id));
        for bad in ["", "../../../../../../../../etc/passwd", "0123456789ABCDEF0123456789ABCDEF", "00"] {
            assert_eq!(AssetId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_seed_always_has_the_same_name() {
        assert_eq!(AssetId::of_seed("isolde"), AssetId::of_seed("isolde"));
        assert_ne!(AssetId::of_seed("isolde"), AssetId::of_seed("bram"));
        assert!(AssetId::parse(AssetId::of_seed("isolde").as_str()).is_some());
    }
}
