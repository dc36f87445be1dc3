//! Signed webhooks by the Standard Webhooks scheme: HMAC-SHA256 over `id.timestamp.body`, sent as
//! `v1,<base64>` in `webhook-signature` (a list, so that secrets can be rotated), beside `webhook-id`
//! and `webhook-timestamp` (seconds). Source: the specification of the Standard Webhooks project.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;

use crate::{
    error::{Error, Result},
    limits,
};

/// The value of `webhook-signature`.
#[must_use]
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// # Errors
/// `WebhookRefused` when a header is missing, the time is too far off, or no signature holds.
pub fn verify(
    secret: &str,
    header: impl Fn(&str) -> Option<String>,
    body: &[u8],
    now: OffsetDateTime,
) -> Result<String> {
    let id = header("webhook-id").filter(|id| !id.is_empty()).ok_or(Error::WebhookRefused("no id"))?;
    let timestamp: i64 = header("webhook-timestamp")
        .and_then(|t| t.parse().ok())
        .ok_or(Error::WebhookRefused("no time stamp"))?;
    let off = now.unix_timestamp().abs_diff(timestamp);
    if off > limits::WEBHOOK_TOLERANCE.whole_seconds().unsigned_abs() {
        return Err(Error::WebhookRefused("too old, or from the future"));
    }
    let signatures = header("webhook-signature").ok_or(Error::WebhookRefused("no signature"))?;
    let expected = sign(secret, &id, timestamp, body);
    if signatures.split(' ').any(|s| s.as_bytes().ct_eq(expected.as_bytes()).into()) {
        Ok(id)
    } else {
        Err(Error::WebhookRefused("no signature holds"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret of the tests";

    fn check(id: &str, at: i64, signature: &str, body: &[u8]) -> bool {
        let (id, signature) = (id.to_owned(), signature.to_owned());
        let header = move |name: &str| match name {
            "webhook-id" => Some(id.clone()),
            "webhook-timestamp" => Some(at.to_string()),
            "webhook-signature" => Some(signature.clone()),
            _ => None,
        };
        let now = OffsetDateTime::from_unix_timestamp(1_000_000).expect("a time");
        verify(SECRET, header, body, now).is_ok()
    }

    #[test]
    fn what_was_signed_holds_and_nothing_else() {
        let signature = sign(SECRET, "msg_1", 1_000_000, b"body");
        assert!(check("msg_1", 1_000_000, &signature, b"body"));
        assert!(
            check("msg_1", 1_000_000, &format!("v1,AAAA {signature}"), b"body"),
            "one of a list is enough"
        );
        assert!(!check("msg_2", 1_000_000, &signature, b"body"));
        assert!(!check("msg_1", 1_000_001, &signature, b"body"));
        assert!(!check("msg_1", 1_000_000, &signature, b"bodY"));
        assert!(!check("msg_1", 1_000_000, &sign("another", "msg_1", 1_000_000, b"body"), b"body"));
    }

    #[test]
    fn old_ones_are_refused() {
        let at = 1_000_000 - 301;
        assert!(!check("msg_1", at, &sign(SECRET, "msg_1", at, b"x"), b"x"));
        for at in [i64::MIN, i64::MAX] {
            assert!(!check("msg_1", at, &sign(SECRET, "msg_1", at, b"x"), b"x"), "{at}");
        }
    }
}
