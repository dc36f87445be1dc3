//! The sandbox provider: a payment page without a payment. It behaves as one on the internet would: it
//! knows only its page and the signed webhooks that it posts.

use std::{sync::Arc, time::Duration};

use kit::shutdown::Shutdown;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Checkout, money, store, webhooks};
use crate::error::Result;

pub const PROVIDER: &str = "sandbox";

/// Between looks for webhooks to deliver.
const LOOK: Duration = Duration::from_millis(100);
/// How long a delivery may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the provider tells by webhook.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Told {
    Paid { checkout: Uuid, amount: i64, currency: String },
    Declined { checkout: Uuid },
}

pub struct Sandbox {
    secret: String,
    url: String,
    http: reqwest::Client,
}

impl Sandbox {
    pub fn new(secret: &str, url: String) -> Self {
        let http = reqwest::Client::builder().timeout(PATIENCE).build().unwrap_or_default();
        Self { secret: secret.into(), url, http }
    }

    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The webhook and its new id, to be stored in the transaction that caused it.
    pub async fn tell(&self, db: impl sqlx::PgExecutor<'_>, told: &Told) -> Result<()> {
        let body = serde_json::to_vec(told).expect("plain data");
        store::add_delivery(db, &format!("msg_{}", Uuid::now_v7().simple()), &body).await
    }
}

/// Delivers webhooks until shutdown; what is not taken with a 2xx is tried again, ever later.
pub async fn deliver(sandbox: Arc<Sandbox>, db: PgPool, shutdown: Shutdown) {
    loop {
        let more = match deliver_one(&sandbox, &db).await {
            Ok(more) => more,
            Err(error) => {
                tracing::warn!(%error, "sandbox webhooks not delivered");
                false
            }
        };
        let pause = if more { Duration::ZERO } else { LOOK };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

async fn deliver_one(sandbox: &Sandbox, db: &PgPool) -> Result<bool> {
    let Some((id, body)) = store::next_delivery(db).await? else { return Ok(false) };
    let timestamp = OffsetDateTime::now_utc().unix_timestamp();
    let sent = sandbox
        .http
        .post(&sandbox.url)
        .header("content-type", "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", timestamp.to_string())
        .header("webhook-signature", webhooks::sign(&sandbox.secret, &id, timestamp, &body))
        .body(body)
        .send()
        .await;
    match sent {
        Ok(answer) if answer.status().is_success() => store::delivered(db, &id).await?,
        Ok(answer) => {
            tracing::warn!(status = answer.status().as_u16(), "sandbox webhook refused; tried again later")
        }
        Err(error) => tracing::warn!(%error, "sandbox webhook not delivered; tried again later"),
    }
    Ok(true)
}

/// The payment page: plain HTML, one form, no script.
pub fn page(checkout: &Checkout) -> String {
    let details = checkout.plan.details();
    let was = if checkout.amount < checkout.list_amount {
        format!(" <s>{}</s>", money(checkout.list_amount))
    } else {
        String::new()
    };
    let promo =
        checkout.promo_code.as_ref().map_or_else(String::new, |code| format!("<dt>Code</dt><dd>{code}</dd>"));
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sandbox checkout</title>
<link rel="stylesheet" href="/sandbox.css">
</head>
<body>
<main>
<h1>Sandbox checkout</h1>
<p>This page stands in for a payment provider. No money moves.</p>
<dl>
<dt>Plan</dt><dd>{name}, {period}</dd>
<dt>Today</dt><dd>{amount} {currency}{was}</dd>
{promo}
</dl>
<form method="post" action="/sandbox/checkout/{id}">
<button type="submit" name="outcome" value="pay">Pay {amount}</button>
<button type="submit" name="outcome" value="decline">Decline the card</button>
<button type="submit" name="outcome" value="cancel">Cancel</button>
</form>
</main>
</body>
</html>
"#,
        name = details.name,
        period = checkout.period.as_str(),
        amount = money(checkout.amount),
        currency = checkout.currency,
        id = checkout.id,
    )
}
