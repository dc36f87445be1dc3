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
