//! An issuer of tokens that every service accepts, instead of `auth`.

use std::sync::{Arc, Mutex};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use proto::auth::v1::{
    ListRevocationsRequest, ListRevocationsResponse, Revocation,
    keys_server::{Keys, KeysServer},
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status, service::Routes};
use uuid::Uuid;

use crate::auth::{Claims, ISSUER};

const KID: &str = "test";

/// Serves its public key over HTTP and its revocations over gRPC.
#[derive(Clone)]
pub struct Issuer {
    pub jwks_url: String,
    pub grpc_url: String,
    key: Arc<EncodingKey>,
    revoked: Arc<Mutex<Vec<Revocation>>>,
}

impl Issuer {
    /// # Panics
    /// When no port can be bound.
    pub async fn start() -> Self {
        let pair = Ed25519KeyPair::generate().expect("randomness");
        let pkcs8 = pair.to_pkcs8v1().expect("an exportable key");
        let x = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        let jwks = serde_json::json!({ "keys": [
            { "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": KID, "x": x }
        ]});
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("bound");
        let router = axum::Router::new()
            .route("/jwks.json", axum::routing::get(async move || axum::Json(jwks.clone())));
        tokio::spawn(async move { axum::serve(listener, router).await });

        let revoked: Arc<Mutex<Vec<Revocation>>> = Arc::default();
        let grpc_url = super::fake(Routes::new(KeysServer::new(List(revoked.clone())))).await;
        Self {
            jwks_url: format!("http://{addr}/jwks.json"),
            grpc_url,
            key: Arc::new(EncodingKey::from_ed_der(pkcs8.as_ref())),
            revoked,
        }
    }

    /// A new user with this name, signed in: id and bearer.
    #[must_use]
    pub fn user(&self, name: &str) -> (Uuid, String) {
        let id = Uuid::now_v7();
        (id, self.token(id, name))
    }

    /// A bearer for a known user, in a new session.
    ///
    /// # Panics
    /// Never: the claims are plain data.
    #[must_use]
    pub fn token(&self, id: Uuid, name: &str) -> String {
        self.token_with(id, name, &[])
    }

    /// A bearer for somebody with these roles.
    ///
    /// # Panics
    /// Never: the claims are plain data.
    #[must_use]
    pub fn token_with(&self, id: Uuid, name: &str, roles: &[&str]) -> String {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let claims = Claims {
            iss: ISSUER.into(),
            aud: ISSUER.into(),
            sub: id,
            sid: Uuid::now_v7(),
            iat: now,
            exp: now + 3600,
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            usr: name.into(),
        };
        self.sign(&claims)
    }

    /// A bearer with whatever claims.
    ///
    /// # Panics
    /// Never: the claims are plain data.
    #[must_use]
    pub fn sign(&self, claims: &Claims) -> String {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(KID.into());
        jsonwebtoken::encode(&header, claims, &self.key).expect("claims can be signed")
    }

    /// Revokes a subject (`u:<user>` or `s:<session>`), as `auth` would list it.
    ///
    /// # Panics
    /// Never: no holder of the list panics.
    pub fn revoke(&self, subject: &str) {
        let now = OffsetDateTime::now_utc();
        let mut revoked = self.revoked.lock().expect("no holder panics");
        let id = i64::try_from(revoked.len()).unwrap_or(0) + 1;
        revoked.push(Revocation {
            id,
            subject: subject.into(),
            not_before: Some(crate::time::to_proto(now + std::time::Duration::from_secs(1))),
            expires_at: Some(crate::time::to_proto(now + std::time::Duration::from_secs(3600))),
        });
    }
}

struct List(Arc<Mutex<Vec<Revocation>>>);

#[tonic::async_trait]
impl Keys for List {
    async fn list_revocations(
        &self,
        request: Request<ListRevocationsRequest>,
    ) -> Result<Response<ListRevocationsResponse>, Status> {
        let after = request.into_inner().after_id;
        let revoked = self.0.lock().expect("no holder panics");
        let revocations = revoked.iter().filter(|r| r.id > after).cloned().collect();
        Ok(Response::new(ListRevocationsResponse { revocations }))
    }
}
