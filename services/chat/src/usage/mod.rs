//! How much a user may write, counted in the transaction of the turn.

pub mod store;

use kit::db::Transaction;
use proto::chat::v1 as pb;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::{
    error::{Error, Result},
    limits::{FREE_PATH, FREE_PER_DAY},
    peers::Entitlement,
};

/// Today, in UTC.
pub fn today() -> Date {
    OffsetDateTime::now_utc().date()
}

/// What one reply is counted in: first what the user may run out of, then the other. `path` is the length of the path
/// before the turn.
///
/// # Errors
/// `subscribe_required`.
pub fn spans(entitlement: Entitlement, path: u32, on: Date) -> Result<[store::Span; 2]> {
    if !entitlement.paid && path > FREE_PATH {
        return Err(Error::SubscribeRequired);
    }
    let month = store::Span { name: "month", start: first_of_month(on), limit: i32::MAX };
    let day = store::Span { name: "day", start: on, limit: i32::MAX };
    if entitlement.paid {
        let limit = i32::try_from(entitlement.messages_per_month).unwrap_or(i32::MAX);
        Ok([store::Span { limit, ..month }, day])
    } else {
        Ok([store::Span { limit: FREE_PER_DAY, ..day }, month])
    }
}

/// Counts one reply, or says why there may be none; the chat's row is locked by the caller.
///
/// # Errors
/// `allowance_used` or `day_cap_reached`.
pub async fn charge(tx: &mut Transaction, user: Uuid, spans: &[store::Span]) -> Result<()> {
    let taken = store::take(&mut **tx, user, spans).await?;
    if !taken.iter().any(|span| span == "month") {
        return Err(Error::AllowanceUsed);
    }
    if !taken.iter().any(|span| span == "day") {
        return Err(Error::DayCap);
    }
    Ok(())
}

/// The first day of the month, which names it.
pub fn first_of_month(day: Date) -> Date {
    day.replace_day(1).unwrap_or(day)
}

/// What the page shows.
pub fn shown(used: i32, entitlement: Entitlement, path: u32) -> pb::Usage {
    pb::Usage {
        used: used.unsigned_abs(),
        limit: entitlement.paid.then_some(entitlement.messages_per_month),
        path_messages: path,
        free_limit: (!entitlement.paid).then_some(FREE_PATH),
    }
}
