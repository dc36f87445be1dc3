use auth::Rotate;
use kit::{
    config::Secret,
    testing::{Issuer, common, eventually},
};

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

#[tokio::test]
async fn private_keys_lie_sealed() {
    let house = house().await;
    let sealed: Vec<u8> = sqlx::query_scalar("select sealed from signing_key")
        .fetch_one(&house.db.pool)
        .await
        .expect("one key");
    // PKCS #8 names the algorithm (OID 1.3.101.112) in the clear; sealed, nothing of it can be seen.
    assert!(!sealed.windows(3).any(|w| w == [0x2b, 0x65, 0x70]), "a readable private key");
}
