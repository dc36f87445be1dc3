use auth::Rotate;
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use kit::{
    config::Secret,
    testing::{Issuer, common, eventually},
};
use sha2::{Digest as _, Sha256};

use crate::support::{KEY_SECRET, PASSWORD, house, house_of};

fn key_of(token: &str) -> String {
    jsonwebtoken::decode_header(token.as_bytes()).expect("a token").kid.expect("a key id")
}

#[tokio::test]
async fn a_rotation_logs_nobody_out() {
    let house = house().await;
    let old = house.member("ada").await;
    Rotate::new(house.db.target(), Secret::new(KEY_SECRET), 0).run().await.expect("rotated");

    let new = eventually(|| async {
        let token = house.log_in("ada", PASSWORD).await.ok()?.token;
        (key_of(&token) != key_of(&old)).then_some(token)
    })
    .await;
    house.profile(Some(&new), "ada").await.expect("the new key's token holds");
    house.profile(Some(&old), "ada").await.expect("and so does the old key's");
}

#[tokio::test]
async fn a_new_key_is_published_before_it_signs() {
    let mut common = common(&Issuer::start().await);
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    common.ops_addr = free.local_addr().expect("bound");
    drop(free);
    let jwks = format!("http://{}/.well-known/jwks.json", common.ops_addr);
    let house = house_of(common).await;
    let old = key_of(&house.member("ada").await);
    let published = async || -> Option<Vec<String>> {
        let body: serde_json::Value =
            kit::outbound::builder().build().ok()?.get(&jwks).send().await.ok()?.json().await.ok()?;
        body["keys"].as_array()?.iter().map(|k| Some(k["kid"].as_str()?.to_owned())).collect()
    };
    assert_eq!(published().await.expect("a key set"), std::slice::from_ref(&old));

    Rotate::new(house.db.target(), Secret::new(KEY_SECRET), 600).run().await.expect("rotated");
    let both = eventually(|| async { published().await.filter(|keys| keys.len() == 2) }).await;
    assert!(both.contains(&old), "who was signed in stays so");
    let token = house.log_in("ada", PASSWORD).await.expect("logged in").token;
    assert_eq!(key_of(&token), old, "every process has ten minutes to learn of the new key");
}

/// What is sealed, by whoever knows the secret and how it is done: AES-256-GCM under its SHA-256, the nonce first.
fn opened(secret: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let key = UnboundKey::new(&AES_256_GCM, &Sha256::digest(secret)).expect("256 bits");
    let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let mut body = body.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let plain = LessSafeKey::new(key).open_in_place(nonce, Aad::empty(), &mut body).ok()?;
    Some(plain.to_vec())
}

#[tokio::test]
async fn private_keys_lie_sealed() {
    let house = house().await;
    let token = house.member("ada").await;
    let (sealed, public): (Vec<u8>, Vec<u8>) = sqlx::query_as("select sealed, public from signing_key")
        .fetch_one(&house.db.pool)
        .await
        .expect("one key");
    // PKCS #8 names the algorithm (OID 1.3.101.112) in the clear; sealed, nothing of it can be seen.
    assert!(!sealed.windows(3).any(|w| w == [0x2b, 0x65, 0x70]), "a readable private key");
    assert!(opened("another secret", &sealed).is_none());
    let plain = opened(KEY_SECRET, &sealed).expect("sealed as it is said");
    let pair = Ed25519KeyPair::from_pkcs8(&plain).expect("a key of Ed25519");
    assert_eq!(pair.public_key().as_ref(), public, "the one that is published");

    let (said, signature) = token.rsplit_once('.').expect("three parts");
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    UnparsedPublicKey::new(&ED25519, &public).verify(said.as_bytes(), &signature).expect("signed by it");
}
