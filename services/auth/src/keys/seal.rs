//! What is kept in the database so that nobody reads it there.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use rand::Rng as _;
use sha2::{Digest as _, Sha256};

/// Seals secrets under AUTH_KEY_SECRET.
pub struct Seal(LessSafeKey);

impl Seal {
    pub fn new(secret: &str) -> Self {
        let digest = Sha256::digest(secret);
        let key = UnboundKey::new(&AES_256_GCM, &digest).expect("SHA-256 has the length of the key");
        Self(LessSafeKey::new(key))
    }

    /// `whose` ties the result to its owner: moved to another row, it does not open.
    pub fn seal(&self, whose: &[u8], plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut sealed = plain.to_vec();
        let mut nonce = [0u8; NONCE_LEN];
        rand::rng().fill(&mut nonce);
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(whose), &mut sealed)
            .map_err(|_| anyhow::anyhow!("the secret cannot be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    pub fn open(&self, whose: &[u8], sealed: &[u8]) -> anyhow::Result<Vec<u8>> {
        let wrong = || anyhow::anyhow!("AUTH_KEY_SECRET does not open the secrets in the database");
        let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(wrong)?;
        let mut body = body.to_vec();
        let opened = self
            .0
            .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(whose), &mut body)
            .map_err(|_| wrong())?;
        Ok(opened.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PLAIN: &[u8] = b"the private part of a key";

    #[test]
    fn what_is_sealed_opens_for_its_owner_by_its_secret_alone() {
        let seal = Seal::new("the secret");
        let sealed = seal.seal(b"ada", PLAIN).expect("sealed");
        assert_eq!(seal.open(b"ada", &sealed).expect("opened"), PLAIN);
        for other in [b"bea".as_slice(), b"", b"ada "] {
            seal.open(other, &sealed).expect_err("it is not theirs");
        }
        Seal::new("the secret ").open(b"ada", &sealed).expect_err("another secret");
    }

    #[test]
    fn no_bit_of_it_can_be_changed_or_left_out() {
        let seal = Seal::new("the secret");
        let sealed = seal.seal(b"ada", PLAIN).expect("sealed");
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            seal.open(b"ada", &changed).expect_err("it was changed");
        }
        for length in 0..sealed.len() {
            seal.open(b"ada", &sealed[..length]).expect_err("it was cut");
        }
    }

    #[test]
    fn what_is_the_same_looks_different() {
        const BLOCK: usize = 16;
        let seal = Seal::new("the secret");
        let sealed: Vec<Vec<u8>> =
            (0..1_000).map(|_| seal.seal(b"ada", &[7; 4 * BLOCK]).expect("sealed")).collect();
        let nonces: BTreeSet<&[u8]> = sealed.iter().map(|one| &one[..NONCE_LEN]).collect();
        assert_eq!(nonces.len(), sealed.len(), "each has a nonce of its own");
        let blocks: BTreeSet<&[u8]> =
            sealed.iter().flat_map(|one| one[NONCE_LEN..].chunks_exact(BLOCK)).collect();
        assert_eq!(blocks.len(), sealed.len() * 5, "four blocks and the tag, none like another");
    }
}
