//! Signatures that open a private picture for a while: HMAC-SHA256 over its name and the end.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use time::OffsetDateTime;

use super::AssetId;
use crate::limits;

/// Signs and checks. Cheap to clone.
#[derive(Clone)]
pub struct Signer(Hmac<Sha256>);

impl Signer {
    /// # Panics
    /// Never: HMAC takes keys of any length.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(Hmac::new_from_slice(key.as_bytes()).expect("any length"))
    }

    /// Query of an address that holds for at least [`limits::SIGNATURE`], at most one grid step longer.
    #[must_use]
    pub fn query(&self, asset: &AssetId, now: OffsetDateTime) -> String {
        let grid = i64::try_from(limits::SIGNATURE_GRID.as_secs()).unwrap_or(i64::MAX);
        let lasts = i64::try_from(limits::SIGNATURE.as_secs()).unwrap_or(i64::MAX);
        let expires = (now.unix_timestamp() / grid + 1) * grid + lasts;
        let signature = hex::encode(self.mac(asset, expires).finalize().into_bytes());
        format!("exp={expires}&sig={signature}")
    }

    /// Whether the signature is ours and has not ended; compared in constant time.
    #[must_use]
    pub fn holds(&self, asset: &AssetId, expires: i64, signature: &str, now: OffsetDateTime) -> bool {
        let Ok(signature) = hex::decode(signature) else { return false };
        expires > now.unix_timestamp() && self.mac(asset, expires).verify_slice(&signature).is_ok()
    }

    fn mac(&self, asset: &AssetId, expires: i64) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        // The name has a fixed length: what is signed can be read in one way only.
        mac.update(asset.as_str().as_bytes());
        mac.update(&expires.to_be_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parts(query: &str) -> (i64, String) {
        let (exp, sig) = query.strip_prefix("exp=").and_then(|q| q.split_once("&sig=")).expect("exp and sig");
        (exp.parse().expect("seconds"), sig.to_owned())
    }

    #[test]
    fn a_signature_opens_its_asset_until_it_ends() {
        let (signer, asset) = (Signer::new("a key of some length"), AssetId::random());
        let now = OffsetDateTime::now_utc();
        let (exp, sig) = parts(&signer.query(&asset, now));
        assert!(signer.holds(&asset, exp, &sig, now + limits::SIGNATURE));
        assert!(!signer.holds(
            &asset,
            exp,
            &sig,
            now + limits::SIGNATURE + limits::SIGNATURE_GRID + Duration::from_secs(1)
        ));
        assert!(!signer.holds(&asset, exp + 1, &sig, now), "a later end was not signed");
        assert!(!signer.holds(&AssetId::random(), exp, &sig, now), "another asset was not signed");
        assert!(!Signer::new("another key entirely").holds(&asset, exp, &sig, now));
        assert!(!signer.holds(&asset, exp, "", now));
    }

    #[test]
    fn addresses_stay_the_same_within_the_grid() {
        let (signer, asset) = (Signer::new("a key of some length"), AssetId::random());
        let start = OffsetDateTime::from_unix_timestamp(1_800_000_000).expect("a time");
        let query = signer.query(&asset, start);
        assert_eq!(query, signer.query(&asset, start + Duration::from_secs(299)));
        assert_ne!(query, signer.query(&asset, start + limits::SIGNATURE_GRID));
    }
}
