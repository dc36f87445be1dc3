use auth::Rotate;
use kit::{config::Secret, testing::eventually};

use crate::support::{KEY_SECRET, PASSWORD, house};

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
async fn private_keys_lie_sealed() {
    let house = house().await;
    let sealed: Vec<u8> = sqlx::query_scalar("select sealed from signing_key")
        .fetch_one(&house.db.pool)
        .await
        .expect("one key");
    // PKCS #8 names the algorithm (OID 1.3.101.112) in the clear; sealed, nothing of it can be seen.
    assert!(!sealed.windows(3).any(|w| w == [0x2b, 0x65, 0x70]), "a readable private key");
}
