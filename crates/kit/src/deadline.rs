//! Deadlines: the BFF sets one, each hop hands on what is left.

use std::time::Duration;

use tokio::time::Instant;

use crate::caller;

/// Kept back at each hop for the way home.
const HOP: Duration = Duration::from_millis(50);
/// With less than this left, work is refused rather than begun.
pub(crate) const TOO_LATE: Duration = Duration::from_millis(5);

/// Runs `work` with at most `limit` for all the calls it makes (an earlier deadline stays).
pub async fn within<F: Future>(limit: Duration, work: F) -> F::Output {
    let mut context = caller::current();
    let new = Instant::now() + limit;
    context.deadline = Some(context.deadline.map_or(new, |old| old.min(new)));
    caller::scope(context, work).await
}

/// What the next hop may take; `None` without a deadline.
pub(crate) fn for_next_hop() -> Option<Duration> {
    let deadline = caller::current().deadline?;
    Some(deadline.saturating_duration_since(Instant::now()).saturating_sub(HOP))
}

/// Reads a `grpc-timeout` (gRPC over HTTP/2: up to 8 digits and a unit).
pub(crate) fn parse(value: &str) -> Option<Duration> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_unit_and_refuses_the_rest() {
        assert_eq!(parse("5S"), Some(Duration::from_secs(5)));
        assert_eq!(parse("4950m"), Some(Duration::from_millis(4950)));
        assert_eq!(parse("99999999n"), Some(Duration::from_nanos(99_999_999)));
        for bad in ["", "S", "5", "123456789S", "5x", "-1S"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[tokio::test]
    async fn an_earlier_deadline_stays() {
        let left =
            within(Duration::from_secs(1), within(Duration::from_secs(60), async { for_next_hop() })).await;
        assert!(left.expect("a deadline") <= Duration::from_secs(1));
    }
}
