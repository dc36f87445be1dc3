//! The keys that sign tokens, and the tokens that no longer hold.
//!
//! Private keys are sealed (AES-256-GCM under AUTH_KEY_SECRET) in auth's own database, so that every
//! replica signs with the same ones. A new key is published ten minutes before it signs; an old one
//! stays published until the last token it signed has expired.

mod revocation;
mod seal;
mod store;

use std::{
    sync::{Arc, RwLock},
    time::Duration,
};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use axum::{Json, Router, http::header, routing::get};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, jwk::JwkSet};
use kit::{
    auth::{Claims, ISSUER, KeySet},
    config::Secret,
    db::Db,
    shutdown::Shutdown,
};
use time::OffsetDateTime;
use tokio::sync::watch;
use uuid::Uuid;

pub use self::revocation::{Revoked, Told, revoke_sessions, revoke_user, tell};
use self::seal::Seal;
use crate::{config::KeySecret, limits};

/// How often the keys are read again: a rotation is a command in another process.
const EVERY: Duration = Duration::from_secs(10);

/// The key that signs now.
struct Signing {
    kid: String,
    key: EncodingKey,
}

/// All keys. Cheap to clone.
#[derive(Clone)]
pub struct Keyring {
    db: Db,
    seal: Arc<Seal>,
    signing: Arc<RwLock<Option<Signing>>>,
    published: watch::Sender<serde_json::Value>,
    verification: watch::Sender<KeySet>,
}

impl Keyring {
    /// Reads the keys; makes the first one when there is none.
    ///
    /// # Errors
    /// When the database cannot be asked, or AUTH_KEY_SECRET does not open the keys.
    pub async fn open(db: Db, secret: &str) -> anyhow::Result<Self> {
        let ring = Self {
            db,
            seal: Arc::new(Seal::new(secret)),
            signing: Arc::default(),
            published: watch::Sender::new(serde_json::json!({ "keys": [] })),
            verification: watch::Sender::new(KeySet::default()),
        };
        let mut tx = ring.db.begin().await?;
        store::lock(&mut *tx).await?;
        if store::live(&mut *tx).await?.is_empty() {
            let key = new_key(&ring.seal, kit::db::now(&mut *tx).await?)?;
            store::add(&mut *tx, &key).await?;
        }
        tx.commit().await?;
        ring.load().await?;
        Ok(ring)
    }

    async fn load(&self) -> anyhow::Result<()> {
        let keys = store::live(&self.db).await?;
        let jwks = serde_json::json!({ "keys": keys.iter().map(|k| serde_json::json!({
            "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig",
            "kid": k.kid, "x": URL_SAFE_NO_PAD.encode(&k.public),
        })).collect::<Vec<_>>() });
        let set: JwkSet = serde_json::from_value(jwks.clone())?;
        self.verification.send_replace(KeySet::from_jwks(&set));
        self.published.send_replace(jwks);

        let now = kit::db::now(&self.db).await?;
        let newest = keys.iter().filter(|k| k.signs_from <= now).max_by_key(|k| k.signs_from);
        let newest = newest.ok_or_else(|| anyhow::anyhow!("there is no key that may sign yet"))?;
        let pkcs8 = self.seal.open(&[], &newest.sealed)?;
        let signing = Signing { kid: newest.kid.clone(), key: EncodingKey::from_ed_der(&pkcs8) };
        *self.signing.write().expect("no holder panics") = Some(signing);
        Ok(())
    }

    /// Reads the keys again and again until shutdown.
    pub async fn follow(self, shutdown: Shutdown) {
        loop {
            tokio::select! { () = tokio::time::sleep(EVERY) => {}, () = shutdown.wait() => return }
            if let Err(error) = self.load().await {
                tracing::warn!(%error, "keys not read again");
            }
        }
    }

    /// What auth itself verifies with.
    pub fn verification(&self) -> watch::Receiver<KeySet> {
        self.verification.subscribe()
    }

    /// The public keys, for everybody else.
    pub fn routes(&self) -> Router {
        let published = self.published.subscribe();
        Router::new().route(
            "/.well-known/jwks.json",
            get(async move || {
                let jwks = published.borrow().clone();
                ([(header::CACHE_CONTROL, "public, max-age=60")], Json(jwks))
            }),
        )
    }

    /// Seals something of a user's with the secret of the keys.
    ///
    /// # Errors
    /// Only when the cipher fails.
    pub fn seal(&self, user: Uuid, plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.seal.seal(user.as_bytes(), plain)
    }

    /// Opens what [`Keyring::seal`] sealed.
    ///
    /// # Errors
    /// When AUTH_KEY_SECRET is not the one it was sealed with.
    pub fn unseal(&self, user: Uuid, sealed: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.seal.open(user.as_bytes(), sealed)
    }

    /// A token for a session, and when it expires. `now` is PostgreSQL's, as that of revocations is: they are compared.
    ///
    /// # Errors
    /// Only when the key cannot sign.
    pub fn issue(
        &self,
        user: Uuid,
        session: Uuid,
        name: &str,
        roles: Vec<String>,
        now: OffsetDateTime,
    ) -> anyhow::Result<(String, OffsetDateTime)> {
        let expires_at = now + limits::TOKEN_LIFE;
        let claims = Claims {
            iss: ISSUER.into(),
            aud: ISSUER.into(),
            sub: user,
            sid: session,
            iat: now.unix_timestamp(),
            exp: expires_at.unix_timestamp(),
            roles,
            usr: name.into(),
        };
        let signing = self.signing.read().expect("no holder panics");
        let signing = signing.as_ref().ok_or_else(|| anyhow::anyhow!("no signing key is loaded"))?;
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(signing.kid.clone());
        Ok((jsonwebtoken::encode(&header, &claims, &signing.key)?, expires_at))
    }
}

/// A new key pair, its private part sealed.
fn new_key(seal: &Seal, signs_from: OffsetDateTime) -> anyhow::Result<store::Key> {
    let pair = Ed25519KeyPair::generate()?;
    Ok(store::Key {
        kid: Uuid::now_v7().simple().to_string(),
        sealed: seal.seal(&[], pair.to_pkcs8v1()?.as_ref())?,
        public: pair.public_key().as_ref().to_vec(),
        signs_from,
    })
}

/// `auth rotate-keys`
#[derive(Debug, Clone, clap::Args)]
pub struct Rotate {
    #[command(flatten)]
    database: kit::db::Target,
    #[command(flatten)]
    keys: KeySecret,
    /// Seconds until the new key signs; less than the default only where every process has been told.
    #[arg(long, default_value_t = limits::KEY_LEAD.whole_seconds())]
    lead_s: i64,
}

impl Rotate {
    #[must_use]
    pub fn new(database: kit::db::Target, key_secret: Secret, lead_s: i64) -> Self {
        Self { database, keys: KeySecret { key_secret }, lead_s }
    }

    /// # Errors
    /// When the database cannot be asked.
    pub async fn run(&self) -> anyhow::Result<()> {
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        let signs_from = kit::db::now(&db).await? + time::Duration::seconds(self.lead_s);
        let key = new_key(&Seal::new(self.keys.key_secret.expose()), signs_from)?;
        let mut tx = db.begin().await?;
        store::lock(&mut *tx).await?;
        store::retire_others(&mut *tx, signs_from + limits::TOKEN_LIFE).await?;
        store::add(&mut *tx, &key).await?;
        tx.commit().await?;
        tracing::info!(kid = key.kid, %signs_from, "a new signing key");
        Ok(())
    }
}
