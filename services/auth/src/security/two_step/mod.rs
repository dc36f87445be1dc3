//! The second step of a login: codes of an authenticator app (RFC 6238), and recovery codes.

pub mod store;

use anyhow::Context as _;
use kit::db::Transaction;
use rand::Rng as _;
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;
use totp_rs::{Algorithm, TOTP};
use uuid::Uuid;

use crate::{
    App,
    accounts::hashing,
    error::{Error, Result},
    limits,
};

/// What an authenticator app and we both know.
struct Authenticator(TOTP);

impl Authenticator {
    fn new(secret: Vec<u8>, brand: &str, name: &str) -> anyhow::Result<Self> {
        // A colon would end the issuer in the address.
        let brand = brand.replace(':', " ");
        let skew = u8::try_from(limits::STEP_SKEW)?;
        TOTP::new(
            Algorithm::SHA1,
            limits::STEP_DIGITS,
            skew,
            limits::STEP_S,
            secret,
            Some(brand),
            name.to_owned(),
        )
        .map(Self)
        .map_err(|e| anyhow::anyhow!("{e}"))
        .context("the secret of an authenticator app")
    }

    /// The time step that a code belongs to, among those that a clock may be off.
    fn step_of(&self, code: &str, now: u64) -> Option<u64> {
        let at = now / limits::STEP_S;
        (at.saturating_sub(limits::STEP_SKEW)..=at + limits::STEP_SKEW)
            .rev()
            .find(|step| self.0.generate(step * limits::STEP_S).as_bytes().ct_eq(code.as_bytes()).into())
    }
}

/// What is shown once, when the second step is begun.
pub struct Begun {
    pub secret: String,
    pub uri: String,
}

fn is_code(text: &str) -> bool {
    text.len() == limits::STEP_DIGITS && text.bytes().all(|b| b.is_ascii_digit())
}

impl App {
    /// A new secret, which counts once a code of it was seen.
    pub(super) async fn begin_step(&self, user: Uuid, name: &str) -> Result<Begun> {
        let mut secret = vec![0u8; limits::STEP_SECRET];
        rand::rng().fill(secret.as_mut_slice());
        let sealed = self.keys.seal(user, &secret)?;
        let app = Authenticator::new(secret, &self.mail.brand_name, name)?;
        if store::begin(&self.db, user, &sealed).await? {
            Ok(Begun { secret: app.0.get_secret_base32(), uri: app.0.get_url() })
        } else {
            Err(Error::TwoStepOn)
        }
    }

    /// Whether a code is the user's and unused; it is used thereby.
    pub(super) async fn takes_code(&self, user: Uuid, sealed: &[u8], code: &str) -> Result<bool> {
        let app = Authenticator::new(self.keys.unseal(user, sealed)?, "", "")?;
        let now = OffsetDateTime::now_utc().unix_timestamp();
        match app.step_of(code, u64::try_from(now).unwrap_or_default()) {
            Some(step) => store::use_step(&self.db, user, i64::try_from(step).unwrap_or(i64::MAX)).await,
            None => Ok(false),
        }
    }

    /// Whether the second step is taken by this code of the app, or by this recovery code. Either is good
    /// for once.
    pub async fn takes_step(&self, user: Uuid, otp: &str) -> Result<bool> {
        if !is_code(otp) {
            return store::use_recovery(&self.db, user, &self.hasher.recovery(user, otp)).await;
        }
        match store::find(&self.db, user).await?.filter(|found| found.on) {
            Some(found) => self.takes_code(user, &found.sealed, otp).await,
            None => Ok(false),
        }
    }

    /// New recovery codes, in the caller's transaction; the old ones are dead.
    pub(super) async fn new_recovery_codes(&self, tx: &mut Transaction, user: Uuid) -> Result<Vec<String>> {
        let codes: Vec<String> = (0..limits::RECOVERY_CODES).map(|_| hashing::recovery_code()).collect();
        let hashes: Vec<Vec<u8>> = codes.iter().map(|code| self.hasher.recovery(user, code)).collect();
        store::replace_recovery(tx, user, &hashes).await?;
        Ok(codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, in six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let app = Authenticator::new(b"12345678901234567890".to_vec(), "Troupe", "ada").expect("a secret");
        assert_eq!(app.step_of("287082", 59), Some(1));
        assert_eq!(app.step_of("081804", 1_111_111_109), Some(37_037_036));
        assert_eq!(app.step_of("081804", 1_111_111_109 + 30), Some(37_037_036), "a clock that is late");
        assert_eq!(app.step_of("081804", 1_111_111_109 + 60), None);
    }
}
