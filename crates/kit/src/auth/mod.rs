//! Tokens: EdDSA JWTs issued by `auth`, verified by every service for itself, refused everywhere
//! within a second of their revocation.

mod keys;
mod revocations;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use jsonwebtoken::{Algorithm, Validation};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;

pub use self::{
    keys::KeySet,
    revocations::{Revocation, RevocationSource, Revocations},
};
pub(crate) use self::{keys::Remote, revocations::RemoteRevocations};
use crate::caller::User;

/// Issuer and audience of every token.
pub const ISSUER: &str = "troupe";

/// A verified token is remembered for this long; revocation is checked on every use (a verification
/// was measured at 88 µs, a look-up at well under one).
const REMEMBER: Duration = Duration::from_secs(60);
/// Tokens remembered at most, about 1 kB each.
const REMEMBER_MAX: usize = 20_000;

/// What a token says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    /// User.
    pub sub: Uuid,
    /// Session.
    pub sid: Uuid,
    /// Seconds since 1970.
    pub iat: i64,
    pub exp: i64,
    #[serde(default)]
    pub roles: Vec<String>,
    /// Username.
    pub usr: String,
}

/// Why a token was not taken. The caller is told only that it was not.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    #[error("not a token of ours, or expired")]
    Invalid,
    /// Nobody can be judged before `auth` was heard, which may be away while others start.
    #[error("no key is known yet")]
    NoKeys,
    #[error("signed by a key that is not known")]
    UnknownKey,
    #[error("revoked")]
    Revoked,
}

/// Tokens that were verified, what they say, and when that was.
type Seen = HashMap<Arc<str>, (Claims, Instant)>;

/// Verifies bearers. Cheap to clone.
#[derive(Clone)]
pub struct Verifier {
    keys: tokio::sync::watch::Receiver<KeySet>,
    /// Asks for the keys again when a token names one that is not known.
    refresh: Option<Arc<tokio::sync::Notify>>,
    revocations: Revocations,
    seen: Arc<Mutex<Seen>>,
}

impl Verifier {
    #[must_use]
    pub fn new(keys: tokio::sync::watch::Receiver<KeySet>, revocations: Revocations) -> Self {
        Self { keys, refresh: None, revocations, seen: Arc::default() }
    }

    pub(crate) fn refreshing(mut self, refresh: Arc<tokio::sync::Notify>) -> Self {
        self.refresh = Some(refresh);
        self
    }

    #[must_use]
    pub fn revocations(&self) -> &Revocations {
        &self.revocations
    }

    /// # Errors
    /// [`Refused`], for the log; people are told only to log in again, or to come back when it is [`Refused::NoKeys`].
    pub fn verify(&self, token: &Arc<str>) -> Result<User, Refused> {
        let claims = match self.remembered(token) {
            Some(claims) => claims,
            None => self.decode(token)?,
        };
        if claims.exp <= OffsetDateTime::now_utc().unix_timestamp() {
            return Err(Refused::Invalid);
        }
        if self.revocations.revoked(&claims) {
            return Err(Refused::Revoked);
        }
        Ok(User {
            id: claims.sub,
            session: claims.sid,
            name: claims.usr,
            roles: claims.roles,
            issued_at: OffsetDateTime::from_unix_timestamp(claims.iat).map_err(|_| Refused::Invalid)?,
        })
    }

    fn remembered(&self, token: &Arc<str>) -> Option<Claims> {
        let seen = self.seen.lock().expect("no holder panics");
        seen.get(token).filter(|(_, at)| at.elapsed() < REMEMBER).map(|(claims, _)| claims.clone())
    }

    fn decode(&self, token: &Arc<str>) -> Result<Claims, Refused> {
        let header = jsonwebtoken::decode_header(token.as_bytes()).map_err(|_| Refused::Invalid)?;
        let kid = header.kid.ok_or(Refused::Invalid)?;
        let keys = self.keys.borrow();
        if keys.is_empty() {
            return Err(Refused::NoKeys);
        }
        let Some(key) = keys.get(&kid) else {
            if let Some(refresh) = &self.refresh {
                refresh.notify_one();
            }
            return Err(Refused::UnknownKey);
        };
        let mut rules = Validation::new(Algorithm::EdDSA);
        rules.set_issuer(&[ISSUER]);
        rules.set_audience(&[ISSUER]);
        rules.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
        rules.leeway = 0;
        let claims = jsonwebtoken::decode::<Claims>(token.as_bytes(), key, &rules)
            .map_err(|_| Refused::Invalid)?
            .claims;
        drop(keys);

        let mut seen = self.seen.lock().expect("no holder panics");
        if seen.len() >= REMEMBER_MAX {
            seen.retain(|_, (_, at)| at.elapsed() < REMEMBER);
            if seen.len() >= REMEMBER_MAX {
                seen.clear();
            }
        }
        seen.insert(token.clone(), (claims.clone(), Instant::now()));
        Ok(claims)
    }
}
