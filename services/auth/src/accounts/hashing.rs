//! Passwords, codes and tokens at rest.

use std::sync::Arc;

use anyhow::Context as _;
use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng as _;
use sha2::Sha256;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::limits;

/// Argon2id with 19 MiB, 2 passes, 1 lane: OWASP's password storage cheat sheet.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// What codes are made of; readable aloud.
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Hashes away from the async threads, as many at once as there are cores: each takes 19 MiB.
#[derive(Clone)]
pub struct Hasher {
    room: Arc<Semaphore>,
    code_key: Arc<str>,
    /// Hash of a password that nobody has: an unknown account costs the same time as a known one.
    nobody: Arc<str>,
}

/// The right to verify one password.
pub struct Place(#[expect(dead_code, reason = "held for as long as it lives")] OwnedSemaphorePermit);

impl Hasher {
    pub fn new(code_key: &str) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let nobody = hash_now(&token()).unwrap_or_default();
        Self { room: Arc::new(Semaphore::new(cores)), code_key: code_key.into(), nobody: nobody.into() }
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// Only when Argon2 itself fails.
    pub async fn hash(&self, password: String) -> anyhow::Result<String> {
        let _place = self.room.acquire().await?;
        tokio::task::spawn_blocking(move || hash_now(&password)).await?
    }

    /// A place among those that verify. Held over the look at the throttle, the verification and the
    /// count of its failure, it lets no more guesses through at once than there are cores.
    ///
    /// # Errors
    /// Never while the process runs.
    pub async fn place(&self) -> anyhow::Result<Place> {
        Ok(Place(self.room.clone().acquire_owned().await?))
    }

    /// Whether the password is that of the hash; without one, takes as long and says no.
    ///
    /// # Errors
    /// Only when the threads cannot be had.
    pub async fn verify(
        &self,
        _place: &Place,
        password: String,
        hash: Option<String>,
    ) -> anyhow::Result<bool> {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.nobody.to_string());
        let right = tokio::task::spawn_blocking(move || {
            let parsed = PasswordHash::new(&hash).ok()?;
            Argon2::default().verify_password(password.as_bytes(), &parsed).ok()
        })
        .await?
        .is_some();
        Ok(right && known)
    }

    /// Keyed hash of a code: six characters can be tried out, the key cannot.
    pub fn code(&self, user: Uuid, code: &str) -> Vec<u8> {
        self.keyed(&format!("code:{user}:{}", code.trim().to_ascii_uppercase()))
    }

    /// Keyed hash of a reset token.
    pub fn token(&self, token: &str) -> Vec<u8> {
        self.keyed(&format!("reset:{token}"))
    }

    /// Keyed hash of a recovery code, whatever its case and dashes.
    pub fn recovery(&self, user: Uuid, code: &str) -> Vec<u8> {
        let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
        self.keyed(&format!("recovery:{user}:{}", plain.to_ascii_lowercase()))
    }

    /// What an age provider knows a session by.
    pub fn age(&self, session: Uuid) -> Vec<u8> {
        self.keyed(&format!("age:{session}"))
    }

    fn keyed(&self, text: &str) -> Vec<u8> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.code_key.as_bytes()).expect("HMAC takes keys of any length");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }
}

fn hash_now(password: &str) -> anyhow::Result<String> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|e| anyhow::anyhow!("{e}"))?;
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash =
        argon.hash_password(password.as_bytes()).map_err(|e| anyhow::anyhow!("{e}")).context("argon2")?;
    Ok(hash.to_string())
}

/// A new verification code.
pub fn code() -> String {
    let mut random = rand::rng();
    (0..limits::CODE_LENGTH).map(|_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())])).collect()
}

/// A recovery code, `abcde-fgh23`: 49 bits, of letters and digits that are not mistaken for others.
pub fn recovery_code() -> String {
    const READABLE: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut random = rand::rng();
    let mut part =
        || (0..5).map(|_| char::from(READABLE[random.random_range(0..READABLE.len())])).collect::<String>();
    format!("{}-{}", part(), part())
}

/// 32 random bytes as text: a reset token, or a password that nobody knows.
pub fn token() -> String {
    let mut bytes = [0u8; 32];
    rand::rng().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_kept_by_the_parameters_of_owasp() {
        let hasher = Hasher::new("a key of the tests");
        let hash = hasher.hash("Abcdefg1".into()).await.expect("hashed");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let place = hasher.place().await.expect("a place");
        let verify = async |typed: &str, hash| hasher.verify(&place, typed.into(), hash).await.expect("done");
        assert!(verify("Abcdefg1", Some(hash.clone())).await);
        assert!(!verify("Abcdefg2", Some(hash)).await);
        assert!(!verify("Abcdefg1", None).await);
    }

    #[test]
    fn codes_have_six_characters_of_the_alphabet() {
        let code = code();
        assert_eq!(code.len(), 6);
        assert!(code.bytes().all(|b| ALPHABET.contains(&b)));
    }
}
