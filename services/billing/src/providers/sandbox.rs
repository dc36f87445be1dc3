//! The sandbox provider: a payment page without a payment. It behaves as one on the internet would: it
//! knows only its page, the mandates it renews, and the signed webhooks that it posts.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kit::{
    db::{Db, Transaction},
    shutdown::Shutdown,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    About, Event, Header, Paid, PaymentProvider, Webhook,
    faults::Faults,
    standard,
    store::{self, Mandate},
};
use crate::{
    checkout::{Checkout, money},
    error::{Error, Result},
    limits,
    plans::{Period, Plan},
    subscriptions::months_after,
};

pub const PROVIDER: &str = "sandbox";

/// Between looks for webhooks to deliver, and for mandates to charge.
const LOOK: Duration = Duration::from_millis(200);
/// How long a delivery may take.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Sandbox {
    secret: String,
    url: String,
    http: reqwest::Client,
    db: Db,
    faults: Faults,
}

impl Sandbox {
    pub fn new(secret: &str, url: String, db: Db, faults: Faults) -> reqwest::Result<Self> {
        let http = kit::outbound::client(PATIENCE)?;
        Ok(Self { secret: secret.into(), url, http, db, faults })
    }

    /// Takes the first payment and keeps a mandate for the next ones, which the card declines if `fails`.
    pub async fn pay(&self, tx: &mut Transaction, checkout: &Checkout, fails: bool) -> Result<()> {
        let now = kit::db::now(&mut **tx).await?;
        let months = checkout.period.months();
        let mandate = Mandate {
            id: Uuid::now_v7(),
            plan: checkout.plan,
            period: checkout.period,
            amount: checkout.plan.details().price(checkout.period),
            currency: checkout.currency.clone(),
            anchor: now,
            months: months.cast_signed(),
            next_charge_at: Some(months_after(now, months)),
            renews: true,
            fails,
            tries: 0,
            next: None,
        };
        store::add_mandate(&mut **tx, &mandate).await?;
        let paid = paid(&mandate, About::Checkout(checkout.id), checkout.amount, now);
        self.tell(tx, &Event::Paid(paid)).await
    }

    /// Says that the card was declined.
    pub async fn decline(&self, tx: &mut Transaction) -> Result<()> {
        self.tell(tx, &Event::Ignored).await
    }

    /// Stores the webhook with its new id in the transaction that caused it.
    async fn tell(&self, tx: &mut Transaction, event: &Event) -> Result<()> {
        let body = serde_json::to_vec(event).expect("plain data");
        let id = format!("msg_{}", Uuid::now_v7().simple());
        store::add_delivery(&mut **tx, &id, &body, self.faults.lateness().as_secs_f64()).await
    }

    /// Charges one mandate whose period is over; false when there is none.
    async fn charge_one(&self) -> Result<bool> {
        // Mostly none is due, and one statement says so more cheaply than a transaction.
        if store::due_mandate(&self.db).await?.is_none() {
            return Ok(false);
        }
        let mut tx = self.db.begin().await?;
        let Some(mut mandate) = store::due_mandate(&mut *tx).await? else { return Ok(false) };
        let now = kit::db::now(&mut *tx).await?;
        let subscription = mandate.id.to_string();
        if !mandate.renews {
            mandate.next_charge_at = None;
        } else if mandate.fails {
            mandate.tries += 1;
            mandate.next_charge_at = Some(now + limits::CHARGE_AGAIN);
            self.tell(&mut tx, &Event::PaymentFailed { subscription: subscription.clone(), at: now }).await?;
            if mandate.tries >= limits::CHARGES_MAX {
                mandate.next_charge_at = None;
                self.tell(&mut tx, &Event::Canceled { subscription, canceled: true, at: now }).await?;
            }
        } else {
            if let Some((plan, period)) = mandate.next.take() {
                (mandate.plan, mandate.period) = (plan, period);
                mandate.amount = plan.details().price(period);
            }
            mandate.months += mandate.period.months().cast_signed();
            mandate.next_charge_at = Some(months_after(mandate.anchor, mandate.months.unsigned_abs()));
            mandate.tries = 0;
            let paid = paid(&mandate, About::Subscription(subscription), mandate.amount, now);
            self.tell(&mut tx, &Event::Paid(paid)).await?;
        }
        store::put_off(&mut *tx, &mandate).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Delivers one webhook that is due; false when there is none.
    async fn deliver_one(&self) -> Result<bool> {
        let Some((id, body)) = store::next_delivery(&self.db).await? else { return Ok(false) };
        if self.faults.loses() {
            return Ok(true);
        }
        let taken = self.post(&id, &body).await;
        if self.faults.repeats() {
            self.post(&id, &body).await;
        }
        if taken {
            store::delivered(&self.db, &id).await?;
        }
        Ok(true)
    }

    async fn post(&self, id: &str, body: &[u8]) -> bool {
        let timestamp = OffsetDateTime::now_utc().unix_timestamp();
        let sent = self
            .http
            .post(&self.url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", standard::sign(&self.secret, id, timestamp, body))
            .body(body.to_vec())
            .send()
            .await;
        match sent {
            Ok(answer) if answer.status().is_success() => return true,
            Ok(answer) => {
                tracing::warn!(
                    status = answer.status().as_u16(),
                    "sandbox webhook refused; tried again later"
                );
            }
            Err(error) => tracing::warn!(%error, "sandbox webhook not delivered; tried again later"),
        }
        false
    }
}

fn paid(mandate: &Mandate, about: About, amount: i64, at: OffsetDateTime) -> Paid {
    Paid {
        about,
        payment: format!("pay_{}", Uuid::now_v7().simple()),
        subscription: Some(mandate.id.to_string()),
        customer: None,
        amount,
        currency: mandate.currency.clone(),
        of: Some((mandate.plan, mandate.period)),
        at,
    }
}

/// The id of a mandate, in the text that is known elsewhere.
fn mandate(subscription: &str) -> Uuid {
    Uuid::try_parse(subscription).unwrap_or_default()
}

#[async_trait]
impl PaymentProvider for Sandbox {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    async fn start(&self, checkout: &Checkout, _: Option<&str>) -> Result<String> {
        Ok(format!("/sandbox/checkout/{}", checkout.id))
    }

    async fn portal(&self, _: Option<&str>) -> Result<String> {
        Ok("/account".into())
    }

    async fn renew(&self, subscription: &str, on: bool) -> Result<()> {
        store::set_renewal(&self.db, mandate(subscription), on).await
    }

    async fn change(&self, subscription: &str, plan: Plan, period: Period) -> Result<()> {
        store::set_next(&self.db, mandate(subscription), plan, period).await
    }

    async fn end(&self, subscription: &str) -> Result<()> {
        store::end_mandate(&self.db, mandate(subscription)).await
    }

    async fn refund(&self, payment: &str, amount: i64, key: Uuid) -> Result<()> {
        tracing::info!(payment, amount, %key, "the sandbox gives money back");
        Ok(())
    }

    fn read(&self, header: Header<'_>, body: &[u8], now: OffsetDateTime) -> Result<Webhook> {
        let id = standard::verify(&self.secret, header, body, now)?;
        let event = serde_json::from_slice(body)
            .map_err(|_| Error::WebhookRefused("a body that is not understood"))?;
        Ok(Webhook { id, event })
    }
}

/// Charges and delivers until shutdown; a webhook not taken with a 2xx is tried again, ever later.
pub async fn run(sandbox: Arc<Sandbox>, shutdown: Shutdown) {
    loop {
        let more = match kit::db::round(round(&sandbox)).await {
            Ok(more) => more,
            Err(error) => {
                tracing::warn!(%error, "sandbox charges or webhooks not done");
                false
            }
        };
        let pause = if more { Duration::ZERO } else { LOOK };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

async fn round(sandbox: &Sandbox) -> Result<bool> {
    let charged = sandbox.charge_one().await?;
    Ok(sandbox.deliver_one().await? || charged)
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
    let credit = if checkout.credit > 0 {
        format!("<dt>Unused part of your plan</dt><dd>-{}</dd>", money(checkout.credit))
    } else {
        String::new()
    };
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
{promo}{credit}
</dl>
<form method="post" action="/sandbox/checkout/{id}">
<button type="submit" name="outcome" value="pay">Pay {amount}</button>
<button type="submit" name="outcome" value="pay_then_fail_renewal">Pay, then decline the renewals</button>
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
