//! Stripe's webhooks: `Stripe-Signature: t=…,v1=…`, HMAC-SHA256 over `t.body` in hex, any of several `v1`
//! (so that secrets can be rotated). The endpoint is to be made with API version `2024-06-20`, that of our
//! calls: invoices are read in the later shape as well, but from version `2025-03-31` on a charge does not name
//! its invoice any more, so that refunds made at Stripe's would not be heeded.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Error, Result},
    limits,
    plans::{Period, Plan},
    providers::{About, Event, Header, Paid, Webhook},
};

/// The hex of one `v1`.
#[must_use]
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{timestamp}.").as_bytes());
    mac.update(body);
    hex::encode(mac.finalize().into_bytes())
}

/// # Errors
/// `WebhookRefused` when the header is missing, the time is too far off, or no signature holds.
pub fn verify(secret: &str, header: Header<'_>, body: &[u8], now: OffsetDateTime) -> Result<()> {
    let header = header("stripe-signature").ok_or(Error::WebhookRefused("no signature"))?;
    let values = |name: &'static str| {
        header.split(',').filter_map(move |part| {
            part.trim().split_once('=').filter(|(key, _)| *key == name).map(|(_, value)| value)
        })
    };
    let timestamp: i64 =
        values("t").next().and_then(|t| t.parse().ok()).ok_or(Error::WebhookRefused("no time stamp"))?;
    if now.unix_timestamp().abs_diff(timestamp) > limits::WEBHOOK_TOLERANCE.whole_seconds().unsigned_abs() {
        return Err(Error::WebhookRefused("too old, or from the future"));
    }
    let expected = sign(secret, timestamp, body);
    // All are compared, so that the time tells nothing.
    let held = values("v1").fold(0, |held, v| held | v.as_bytes().ct_eq(expected.as_bytes()).unwrap_u8());
    if held == 1 { Ok(()) } else { Err(Error::WebhookRefused("no signature holds")) }
}

/// What a body means; `plan_of` knows the plan of a price.
///
/// # Errors
/// `WebhookRefused` when it is not one of Stripe's events.
pub fn parse(body: &[u8], plan_of: impl Fn(&str) -> Option<(Plan, Period)>) -> Result<Webhook> {
    let unclear = || Error::WebhookRefused("a body that is not understood");
    let event: Value = serde_json::from_slice(body).map_err(|_| unclear())?;
    let id = event["id"].as_str().ok_or_else(unclear)?.to_owned();
    let kind = event["type"].as_str().ok_or_else(unclear)?;
    let at = event["created"].as_i64().and_then(|s| OffsetDateTime::from_unix_timestamp(s).ok());
    let at = at.ok_or_else(unclear)?;
    let object = &event["data"]["object"];
    let meaning = match kind {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => session(object, at),
        "invoice.paid" => renewal(object, at, plan_of),
        "invoice.payment_failed" if cycle(object) => {
            subscription(object).map(|subscription| Event::PaymentFailed { subscription, at })
        }
        "customer.subscription.deleted" => {
            text(&object["id"]).map(|subscription| Event::Canceled { subscription, canceled: true, at })
        }
        // Told for many reasons; only a change of this field is news.
        "customer.subscription.updated"
            if event["data"]["previous_attributes"].get("cancel_at_period_end").is_some() =>
        {
            let canceled = object["cancel_at_period_end"].as_bool().unwrap_or_default();
            text(&object["id"]).map(|subscription| Event::Canceled { subscription, canceled, at })
        }
        "charge.refunded" => text(&object["invoice"])
            .zip(object["amount_refunded"].as_i64())
            .map(|(payment, total)| Event::Refunded { payment, total, at }),
        _ => None,
    };
    Ok(Webhook { id, event: meaning.unwrap_or(Event::Ignored) })
}

/// A field that is text, or an expanded object with an id.
fn text(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value["id"].as_str()).map(ToOwned::to_owned)
}

/// An invoice's subscription; newer versions keep it under its parent.
fn subscription(invoice: &Value) -> Option<String> {
    text(&invoice["subscription"])
        .or_else(|| text(&invoice["parent"]["subscription_details"]["subscription"]))
}

/// Whether an invoice is for a renewal; the first one is told by the session.
fn cycle(invoice: &Value) -> bool {
    invoice["billing_reason"] == "subscription_cycle"
}

fn session(session: &Value, at: OffsetDateTime) -> Option<Event> {
    let paid = matches!(session["payment_status"].as_str(), Some("paid" | "no_payment_required"));
    if session["mode"] != "subscription" || !paid {
        return None;
    }
    let checkout = session["client_reference_id"].as_str().and_then(|id| Uuid::try_parse(id).ok())?;
    Some(Event::Paid(Paid {
        about: About::Checkout(checkout),
        payment: text(&session["invoice"]).or_else(|| text(&session["id"]))?,
        subscription: text(&session["subscription"]),
        customer: text(&session["customer"]),
        amount: session["amount_total"].as_i64()?,
        currency: session["currency"].as_str()?.to_uppercase(),
        of: None,
        at,
    }))
}

fn renewal(
    invoice: &Value,
    at: OffsetDateTime,
    plan_of: impl Fn(&str) -> Option<(Plan, Period)>,
) -> Option<Event> {
    if !cycle(invoice) {
        return None;
    }
    let subscription = subscription(invoice)?;
    let lines = invoice["lines"]["data"].as_array();
    let of = lines.into_iter().flatten().find_map(|line| {
        text(&line["price"])
            .or_else(|| text(&line["pricing"]["price_details"]["price"]))
            .and_then(|p| plan_of(&p))
    });
    Some(Event::Paid(Paid {
        about: About::Subscription(subscription.clone()),
        payment: text(&invoice["id"])?,
        subscription: Some(subscription),
        customer: text(&invoice["customer"]),
        amount: invoice["amount_paid"].as_i64()?,
        currency: invoice["currency"].as_str()?.to_uppercase(),
        of,
        at,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "whsec_of_the_tests";

    fn check(header: &str, body: &[u8], now: i64) -> bool {
        let header = header.to_owned();
        let read = move |name: &str| (name == "stripe-signature").then(|| header.clone());
        verify(SECRET, &read, body, OffsetDateTime::from_unix_timestamp(now).expect("a time")).is_ok()
    }

    fn meaning(event: &Value) -> Event {
        let plan_of = |price: &str| (price == "price_py").then_some((Plan::Premium, Period::Yearly));
        parse(&serde_json::to_vec(event).expect("JSON"), plan_of).expect("understood").event
    }

    #[test]
    fn any_of_several_signatures_holds_within_five_minutes() {
        let v1 = sign(SECRET, 1_000, b"body");
        assert!(check(&format!("t=1000,v1={v1}"), b"body", 1_300));
        assert!(check(&format!("t=1000,v1=00,v0=x,v1={v1}"), b"body", 700));
        assert!(!check(&format!("t=1000,v1={v1}"), b"body", 1_301), "too old");
        assert!(!check(&format!("t=1001,v1={v1}"), b"body", 1_000), "the time is signed");
        assert!(!check(&format!("t=1000,v1={v1}"), b"bodY", 1_000));
        assert!(!check(&format!("t=1000,v0={v1}"), b"body", 1_000), "an older scheme");
        assert!(!check("", b"body", 1_000));
    }

    #[test]
    fn a_renewal_is_told_by_its_invoice_in_both_shapes() {
        for place in [
            json!({"subscription": "sub_1", "lines": {"data": [{"price": {"id": "price_py"}}]}}),
            json!({"parent": {"subscription_details": {"subscription": "sub_1"}},
                   "lines": {"data": [{"pricing": {"price_details": {"price": "price_py"}}}]}}),
        ] {
            let mut invoice = json!({"id": "in_1", "billing_reason": "subscription_cycle", "amount_paid": 9_900,
                                     "currency": "usd", "customer": "cus_1"});
            invoice.as_object_mut().expect("one").extend(place.as_object().expect("one").clone());
            let event =
                json!({"id": "evt_1", "type": "invoice.paid", "created": 1_000, "data": {"object": invoice}});
            let Event::Paid(paid) = meaning(&event) else { panic!("a payment") };
            assert_eq!(paid.about, About::Subscription("sub_1".into()));
            assert_eq!((paid.amount, paid.currency.as_str()), (9_900, "USD"));
            assert_eq!(paid.of, Some((Plan::Premium, Period::Yearly)));
        }
    }

    #[test]
    fn what_is_no_news_is_ignored() {
        let first = json!({"id": "in_1", "billing_reason": "subscription_create", "amount_paid": 900});
        for (kind, object) in [
            ("invoice.paid", first),
            ("customer.subscription.updated", json!({"id": "sub_1", "cancel_at_period_end": false})),
            ("checkout.session.completed", json!({"mode": "subscription", "payment_status": "unpaid"})),
            ("product.created", json!({})),
        ] {
            let event = json!({"id": "evt_1", "type": kind, "created": 1_000, "data": {"object": object}});
            assert_eq!(meaning(&event), Event::Ignored, "{kind}");
        }
        parse(b"{}", |_| None).expect_err("not an event");
    }
}
