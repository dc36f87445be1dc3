use bff::routes::{Access, access};
use bff::security::CONTENT_SECURITY_POLICY;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{header, house, house_with, json};

/// Every operation of the description, as a visitor, and with a token that does not hold.
#[tokio::test]
async fn what_is_not_listed_as_open_needs_a_token_that_holds() {
    let house = house().await;
    let doc: Value = serde_json::from_str(&bff::openapi::json().expect("plain data")).expect("JSON");
    let mut closed = 0;
    for (path, item) in doc["paths"].as_object().expect("paths") {
        for name in item.as_object().expect("operations").keys() {
            let method: Method = name.to_uppercase().parse().expect("a method");
            let address = path
                .replace("{id}", "1")
                .replace("{username}", "ada")
                .replace("{tag}", "elf")
                .replace("{generation}", "2");
            let (visitor, body) = json(house.request(method.clone(), &address)).await;
            let access = access(&method, path);
            if access == Access::Users {
                closed += 1;
                assert_eq!(
                    (visitor, body["code"].as_str()),
                    (401, Some("unauthenticated")),
                    "{method} {path}"
                );
            } else if path != "/api/characters/tag/me" {
                assert_ne!(visitor, 401, "{method} {path}");
            }
            if access != Access::Anyone {
                let (bad, body) =
                    json(house.request(method.clone(), &address).bearer_auth("not.a.token")).await;
                assert_eq!(
                    (bad, body["msg"].as_str()),
                    (401, Some("Please login again.")),
                    "{method} {path}"
                );
            }
        }
    }
    assert!(closed >= 20, "{closed}");
    assert_eq!(json(house.get("/api/characters/tag/me")).await.0, 401, "whose, without a creator?");
}

#[tokio::test]
async fn a_token_holds_until_it_is_revoked() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says("chat.v1.Chats/ListChats", proto::chat::v1::ListChatsResponse::default());
    assert_eq!(json(house.get("/api/chats").bearer_auth(&ada.token)).await.0, 200);
    let (status, _) =
        json(house.get("/api/chats").header("authorization", format!("Basic {}", ada.token))).await;
    assert_eq!(status, 401);

    let gone = proto::auth::v1::Revocation {
        id: 1,
        subject: format!("u:{}", ada.id),
        not_before: Some(prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 }),
        expires_at: Some(prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 }),
    };
    house.stage.says(
        "auth.v1.Keys/ListRevocations",
        proto::auth::v1::ListRevocationsResponse { revocations: vec![gone] },
    );
    kit::testing::eventually(|| async {
        (json(house.get("/api/chats").bearer_auth(&ada.token)).await.0 == 401).then_some(())
    })
    .await;
}

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let house = house().await;
    for path in [
        "/",
        "/search",
        "/nowhere",
        "/api/meta",
        "/api/chats",
        "/api/nothing",
        "/media/a/card.webp",
        "/assets/main-4f3a2b1c.js",
        "/api/docs/",
        "/sandbox.css",
        "/sandbox/checkout/1",
        "/dev/mailbox",
    ] {
        let answer = house.get(path).send().await.expect("an answer");
        assert_eq!(header(&answer, "content-security-policy"), CONTENT_SECURITY_POLICY, "{path}");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header(&answer, "cross-origin-opener-policy"), "same-origin", "{path}");
        assert!(!header(&answer, "referrer-policy").is_empty(), "{path}");
        assert!(!header(&answer, "permissions-policy").is_empty(), "{path}");
    }
    assert!(!CONTENT_SECURITY_POLICY.contains("unsafe"));
}

#[tokio::test]
async fn answers_of_the_api_are_not_kept_by_browsers() {
    let house = house().await;
    house.stage.says("billing.v1.Plans/ListPlans", proto::billing::v1::ListPlansResponse::default());
    let answer = house.get("/api/plans").send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "cache-control"), "no-store");
    assert_eq!(header(&answer, "x-robots-tag"), "noindex");
}

#[tokio::test]
async fn a_rate_is_told_and_held_per_user_and_group() {
    let house = house_with(|config| {
        config.common.dev = false;
        config.rates.rate_write = "3/3600".parse().expect("a rate");
    })
    .await;
    let (ada, bob) = (house.sign_in("ada"), house.sign_in("bob"));
    house.stage.says("catalog.v1.Reactions/React", proto::catalog::v1::ReactResponse::default());
    let like = |token: &str| {
        house.post("/api/character/x/react", &json!({ "reactionType": "like" })).bearer_auth(token)
    };
    for left in ["2", "1", "0"] {
        let answer = like(&ada.token).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        assert_eq!(header(&answer, "ratelimit-limit"), "3");
        assert_eq!(header(&answer, "ratelimit-remaining"), left);
    }
    let refused = like(&ada.token).send().await.expect("an answer");
    assert_eq!(refused.status(), 429);
    assert_eq!(header(&refused, "ratelimit-remaining"), "0");
    let wait: u64 = header(&refused, "retry-after").parse().expect("seconds");
    assert!((1..=1200).contains(&wait), "{wait}");
    let (_, body) = crate::support::read(refused).await;
    assert_eq!(body["code"], "rate_limited");

    // Somebody else, and something else, go on.
    assert_eq!(like(&bob.token).send().await.expect("an answer").status(), 200);
    house.stage.says("chat.v1.Chats/ListChats", proto::chat::v1::ListChatsResponse::default());
    assert_eq!(json(house.get("/api/chats").bearer_auth(&ada.token)).await.0, 200);

    // The count is forgotten by itself.
    let client = redis::Client::open(house.redis_url.as_str()).expect("an address");
    let mut redis = client.get_multiplexed_async_connection().await.expect("Redis");
    let keys: Vec<String> =
        redis::cmd("KEYS").arg(format!("{}:rl:*", house.prefix)).query_async(&mut redis).await.expect("keys");
    assert!(!keys.is_empty());
    for key in keys {
        let ttl: i64 = redis::cmd("TTL").arg(&key).query_async(&mut redis).await.expect("a time");
        // -2: it has ended since it was listed.
        assert_ne!(ttl, -1, "{key} never ends");
    }
}

/// Far from a limit nobody waits for Redis; it is told all the same, or another process would begin anew.
#[tokio::test]
async fn what_one_process_lets_through_is_counted_for_all() {
    let house = house_with(|config| {
        config.common.dev = false;
        config.rates.rate_read = "100/3600".parse().expect("a rate");
    })
    .await;
    let ada = house.sign_in("ada");
    house.stage.says("chat.v1.Chats/ListChats", proto::chat::v1::ListChatsResponse::default());
    for left in (80..100).rev() {
        let answer = house.get("/api/chats").bearer_auth(&ada.token).send().await.expect("an answer");
        assert_eq!(header(&answer, "ratelimit-remaining"), left.to_string());
    }
    let client = redis::Client::open(house.redis_url.as_str()).expect("an address");
    let redis = client.get_multiplexed_async_connection().await.expect("Redis");
    let key = format!("{}:rl:read:u:{}", house.prefix, ada.id);
    kit::testing::eventually(|| async {
        let mut redis = redis.clone();
        let (now, _): (i64, i64) = redis::cmd("TIME").query_async(&mut redis).await.expect("a time");
        let paid: i64 = redis::cmd("GET").arg(&key).query_async(&mut redis).await.expect("a time");
        // Each takes 36 s of the hour, of which some have passed.
        let counted = (paid / 1_000_000 - now).div_euclid(36) + 1;
        (counted == 20).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_redis_that_has_lost_the_script_of_rates_is_told_it_again() {
    // So few that Redis is asked about each: of whoever is far from a limit it is told later.
    let house = house_with(|config| {
        config.common.dev = false;
        config.rates.rate_accounts = "2/3600".parse().expect("a rate");
    })
    .await;
    house.stage.says("auth.v1.Accounts/ForgotPassword", proto::auth::v1::ForgotPasswordResponse {});
    let forgot = async || {
        let answer = house.post("/api/forgot-password", &json!({ "email": "a@b.cd" })).send().await;
        let answer = answer.expect("an answer");
        (answer.status().as_u16(), header(&answer, "ratelimit-remaining").to_owned())
    };
    assert_eq!(forgot().await, (200, "1".to_owned()));
    let client = redis::Client::open(house.redis_url.as_str()).expect("an address");
    let mut redis = client.get_multiplexed_async_connection().await.expect("Redis");
    redis::cmd("SCRIPT").arg("FLUSH").query_async::<()>(&mut redis).await.expect("forgotten");
    assert_eq!(forgot().await, (200, "0".to_owned()));
    assert_eq!(forgot().await, (429, "0".to_owned()));
}

#[tokio::test]
async fn visitors_are_counted_by_the_address_that_our_own_proxy_saw() {
    let house = house_with(|config| {
        config.common.dev = false;
        config.forwarded_hops = 1;
        config.rates.rate_accounts = "1/3600".parse().expect("a rate");
    })
    .await;
    house.stage.says("auth.v1.Accounts/ForgotPassword", proto::auth::v1::ForgotPasswordResponse {});
    let forgot = |from: &str| {
        house.post("/api/forgot-password", &json!({ "email": "a@b.cd" })).header("x-forwarded-for", from)
    };
    assert_eq!(json(forgot("203.0.113.7")).await.0, 200);
    // What a client claims stands to the left and changes nothing.
    let (status, body) = json(forgot("198.51.100.1, 203.0.113.7")).await;
    assert_eq!((status, body["data"]["success"].as_bool()), (429, Some(false)));
    assert_eq!(json(forgot("203.0.113.8")).await.0, 200);
}

#[tokio::test]
async fn an_idempotency_key_goes_with_the_calls_and_a_bad_one_is_refused() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says(
        "billing.v1.Checkout/StartCheckout",
        proto::billing::v1::StartCheckoutResponse { url: "/sandbox/checkout/1".into() },
    );
    let start = |key: &str| {
        house
            .post("/api/checkout", &json!({ "plan": "premium", "period": "monthly" }))
            .bearer_auth(&ada.token)
            .header("idempotency-key", key)
    };
    assert_eq!(json(start("once-7f")).await.0, 200);
    assert_eq!(
        house.stage.call("billing.v1.Checkout/StartCheckout").header("idempotency-key"),
        Some("once-7f")
    );
    let (status, body) = json(start(&"x".repeat(256))).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["Idempotency-Key"].is_string());
}

#[tokio::test]
async fn every_answer_names_its_request_and_takes_no_other_text_for_an_id() {
    let house = house().await;
    let sent = |id: &'static str| house.get("/api/meta").header("x-request-id", id).send();
    let id = |answer: reqwest::Response| answer.headers()["x-request-id"].to_str().expect("ASCII").to_owned();

    assert_eq!(id(sent("0199-of-the-browser").await.expect("an answer")), "0199-of-the-browser");
    let own = id(sent("a b=\"c\"").await.expect("an answer"));
    assert_eq!(own.len(), 36, "{own}");
    let other = id(house.get("/api/nothing-here").send().await.expect("an answer"));
    assert_ne!(own, other);
}
