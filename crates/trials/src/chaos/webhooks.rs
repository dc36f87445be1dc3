//! Webhooks whose signature was tampered with, and one that is told a hundred times.

use anyhow::{Context as _, Result};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::{StreamExt as _, stream};
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::{Method, StatusCode};
use serde_json::json;
use sha2::Sha256;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::time::Instant;
use uuid::Uuid;

use super::{house::LOOK, report::Row, scene::Scene};

/// Mutations of a message that holds.
const MUTATIONS: usize = 1_000;
/// How often it is told.
const REPLAYS: usize = 100;
/// Requests under way at a time.
const AT_ONCE: usize = 50;
/// Seconds that a message may be old, or ahead (`WEBHOOK_TOLERANCE` of billing).
const TOLERANCE: i64 = 300;
/// How long an effect may take to be seen.
const SEEN: std::time::Duration = std::time::Duration::from_secs(5);

/// What a provider posts.
#[derive(Clone)]
struct Message {
    id: String,
    at: String,
    signature: String,
    body: Vec<u8>,
}

impl Message {
    fn signed(secret: &str, at: i64, body: Vec<u8>) -> Self {
        let id = format!("msg_{}", Uuid::new_v4().simple());
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("keys of any length");
        mac.update(format!("{id}.{at}.").as_bytes());
        mac.update(&body);
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        Self { id, at: at.to_string(), signature, body }
    }

    /// Another one: a character of a header, or a bit of the body, is not what it was.
    fn mutated(&self, luck: &mut impl rand::Rng) -> Self {
        let mut other = self.clone();
        loop {
            match luck.random_range(0..6) {
                0 => swap(&mut other.id, luck),
                1 => other.at = (self.at.parse::<i64>().unwrap_or(0) + luck.random_range(1..200)).to_string(),
                2 => swap(&mut other.signature, luck),
                3 => other.signature.truncate(luck.random_range(0..self.signature.len())),
                4 => other.body.truncate(luck.random_range(0..self.body.len())),
                _ => {
                    let at = luck.random_range(0..other.body.len());
                    other.body[at] ^= 1 << luck.random_range(0..8);
                }
            }
            let same = other.id == self.id
                && other.at == self.at
                && other.signature == self.signature
                && other.body == self.body;
            if !same {
                return other;
            }
        }
    }
}

fn swap(text: &mut String, luck: &mut impl rand::Rng) {
    let mut bytes = text.clone().into_bytes();
    let at = luck.random_range(0..bytes.len());
    bytes[at] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[luck.random_range(0..62)];
    *text = String::from_utf8(bytes).unwrap_or_default();
}

/// A thousand mutations of the news of a payment: none is believed. Then the news a hundred times: one effect.
///
/// # Errors
/// When a checkout cannot be started.
pub async fn webhooks(scene: &mut Scene) -> Result<Row> {
    let mut row = Row::new(format!("{MUTATIONS} mutated webhooks, then one told {REPLAYS} times"));
    row.times = MUTATIONS + REPLAYS;
    let judge = scene.crowd.judge.clone();
    let secret = scene.house.instance.secret("BILLING_WEBHOOK_SECRET").map_err(anyhow::Error::msg)?;
    let guest = judge.newcomer().await.context("nobody can sign up")?;
    let wish = json!({ "plan": "premium", "period": "monthly" });
    let started = guest.ask(Method::POST, "/api/checkout", Some(wish)).await?;
    let checkout =
        started["url"].as_str().and_then(|url| url.rsplit('/').next()).context("no checkout")?.to_owned();
    let billing = scene.house.db("billing");
    let (me, amount): (Uuid, i64) =
        sqlx::query_as("select user_id, amount from checkout where id::text = $1")
            .bind(&checkout)
            .fetch_one(billing)
            .await?;
    let now = OffsetDateTime::now_utc();
    let paid = json!({ "paid": {
        "about": { "checkout": checkout },
        "payment": format!("pay_{}", Uuid::new_v4().simple()),
        "subscription": Uuid::new_v4(),
        "customer": null,
        "amount": amount,
        "currency": "USD",
        "of": ["premium", "monthly"],
        "at": now.format(&Rfc3339)?,
    }});
    let body = serde_json::to_vec(&paid)?;
    let good = Message::signed(&secret, now.unix_timestamp(), body.clone());
    let post = async |message: Message| {
        let sent = scene
            .house
            .http
            .post(format!("{}/webhooks/sandbox", scene.house.address))
            .header("content-type", "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", message.at)
            .header("webhook-signature", message.signature)
            .body(message.body)
            .send()
            .await;
        sent.map(|answer| answer.status())
    };

    let mut luck = scene.luck.clone();
    let mut mutations: Vec<Message> = (0..MUTATIONS - 2).map(|_| good.mutated(&mut luck)).collect();
    // Signed as they should be, at another time; what is ahead comes nearer until it is posted.
    for off in [-TOLERANCE - 5, TOLERANCE + 120] {
        mutations.push(Message::signed(&secret, now.unix_timestamp() + off, body.clone()));
    }
    let answers: Vec<_> = stream::iter(mutations).map(&post).buffer_unordered(AT_ONCE).collect().await;
    let accepted = answers.iter().filter(|a| a.as_ref().is_ok_and(StatusCode::is_success)).count();
    let refused = answers.iter().filter(|a| a.as_ref().is_ok_and(|s| *s == StatusCode::UNAUTHORIZED)).count();
    row.expect(accepted == 0, || format!("{accepted} mutations were accepted"));
    row.expect(refused == MUTATIONS, || {
        format!("{} mutations were not refused with 401", MUTATIONS - refused)
    });
    let grants = "select count(*) from coin_tx t join coin_entry e on e.tx = t.id join coin_account a on a.id = e.account
                  where a.user_id = $1 and t.kind = 'grant'";
    let none: i64 = sqlx::query_scalar(grants).bind(me).fetch_one(billing).await?;
    row.expect(none == 0, || "a mutated webhook had an effect".into());

    let answers: Vec<_> =
        stream::iter(std::iter::repeat_n(good, REPLAYS)).map(&post).buffer_unordered(AT_ONCE).collect().await;
    let taken = answers.iter().filter(|a| a.as_ref().is_ok_and(StatusCode::is_success)).count();
    row.expect(taken == REPLAYS, || format!("{} of the true ones were not taken", REPLAYS - taken));
    let began = Instant::now();
    let mut effects: i64 = 0;
    while effects == 0 && began.elapsed() < SEEN {
        effects = sqlx::query_scalar(grants).bind(me).fetch_one(billing).await?;
        tokio::time::sleep(LOOK).await;
    }
    row.expect(effects == 1, || format!("{effects} effects of one payment"));
    let receipts: i64 = sqlx::query_scalar("select count(*) from receipt where user_id = $1")
        .bind(me)
        .fetch_one(billing)
        .await?;
    row.expect(receipts == 1, || format!("{receipts} receipts of one payment"));
    scene.luck = luck;
    scene.examine(&mut row).await;
    Ok(row)
}
