//! Every number of billing, with its unit.

use time::Duration;

/// How long a checkout can be paid.
pub const CHECKOUT_LIFE: Duration = Duration::hours(1);
/// A webhook's time stamp may be this far from now (Standard Webhooks).
pub const WEBHOOK_TOLERANCE: Duration = Duration::minutes(5);
/// Coins of one reservation at most.
pub const RESERVATION_MAX: u32 = 10_000;
/// Deliveries of one sandbox webhook before it is given up.
pub const DELIVERIES_MAX: i32 = 20;
/// Largest webhook body, in bytes; the BFF's `WEBHOOK_BYTES` is the same number, so that what it lets in is read.
pub const WEBHOOK_BODY_MAX: usize = 256 * 1024;
/// Between two attempts of the sandbox at a charge that was declined.
pub const CHARGE_AGAIN: Duration = Duration::days(1);
/// Attempts of the sandbox at one charge.
pub const CHARGES_MAX: i32 = 3;
/// How long somebody keeps access whose renewal has failed.
pub const GRACE: Duration = Duration::days(3);
/// How long a renewal may take to be told before the subscription counts as past due.
pub const RENEWAL_PATIENCE: Duration = Duration::hours(1);
/// How long after its first payment one may withdraw from a subscription (Directive 2011/83/EU, article 9).
pub const WITHDRAWAL_WINDOW: Duration = Duration::days(14);
/// How long the refund that was told in the first step of a withdrawal holds.
pub const WITHDRAWAL_OFFER: Duration = Duration::hours(24);
/// How long books are kept under a pseudonym once an account is erased.
pub const KEPT: Duration = Duration::days(6 * 365 + 2);
/// How long news of an unknown subscription wait for the payment that began it.
pub const PARKED: Duration = Duration::days(30);
/// How long refunds of a payment that is not known are asked for again.
pub const REFUND_PATIENCE: Duration = Duration::days(1);
/// How long checkouts that nobody paid and withdrawals that nobody confirmed are kept.
pub const OFFERS_KEPT: Duration = Duration::days(30);
/// How long the ids of webhooks are remembered.
pub const WEBHOOK_MEMORY: Duration = Duration::days(90);
