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
/// Largest webhook body, in bytes.
pub const WEBHOOK_BODY_MAX: usize = 64 * 1024;
