//! Who is on which plan, until when, and what that entitles to.

mod grpc;
pub mod store;

use std::time::Duration;

use kit::shutdown::Shutdown;
use proto::billing::v1 as pb;
use sqlx::PgTransaction;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    App, coins,
    error::Result,
    events,
    plans::{Period, Plan},
};

/// How often subscriptions that have run out are ended.
const SWEEP: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Inactive,
    Active,
    PastDue,
    Canceled,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "active" => Self::Active,
            "past_due" => Self::PastDue,
            "canceled" => Self::Canceled,
            _ => Self::Inactive,
        }
    }
}

impl From<Status> for pb::SubscriptionStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Inactive => Self::Inactive,
            Status::Active => Self::Active,
            Status::PastDue => Self::PastDue,
            Status::Canceled => Self::Canceled,
        }
    }
}

/// A subscription as it stands; somebody who never paid has none, which is the free plan.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub id: Uuid,
    pub user: Uuid,
    pub status: Status,
    pub plan: Plan,
    pub period: Period,
    pub ends_at: Option<OffsetDateTime>,
    pub next_payment_at: Option<OffsetDateTime>,
    pub last_payment_at: Option<OffsetDateTime>,
    pub version: i64,
}

impl Subscription {
    pub fn none(user: Uuid) -> Self {
        Self {
            id: Uuid::nil(),
            user,
            status: Status::Inactive,
            plan: Plan::Free,
            period: Period::Monthly,
            ends_at: None,
            next_payment_at: None,
            last_payment_at: None,
            version: 0,
        }
    }

    /// The plan whose rights hold now: what was paid stays until its end, canceled or not.
    pub fn plan_now(&self, now: OffsetDateTime) -> Plan {
        let paid = self.status != Status::Inactive && self.ends_at.is_some_and(|end| end > now);
        if paid { self.plan } else { Plan::Free }
    }
}

/// The end of a period that begins at `start`: the same day of the next month or year, or that month's
/// last day.
pub fn period_end(start: OffsetDateTime, period: Period) -> OffsetDateTime {
    let (year, month) = match period {
        Period::Monthly if start.month() == time::Month::December => (start.year() + 1, time::Month::January),
        Period::Monthly => (start.year(), start.month().next()),
        Period::Yearly => (start.year() + 1, start.month()),
    };
    let day = start.day().min(month.length(year));
    let date = time::Date::from_calendar_date(year, month, day).expect("a day of that month");
    start.replace_date(date)
}

/// A payment has arrived: the plan is active for a period from now, and its coins are granted.
pub async fn paid(
    tx: &mut PgTransaction<'_>,
    user: Uuid,
    plan: Plan,
    period: Period,
    at: OffsetDateTime,
) -> Result<Subscription> {
    let end = period_end(at, period);
    let subscription = store::activate(&mut **tx, user, plan, period, at, end).await?;
    let key = format!("{}:{}", subscription.id, at.unix_timestamp());
    let grant = Uuid::new_v5(&Uuid::NAMESPACE_OID, key.as_bytes());
    coins::store::grant(tx, user, grant, plan.details().coins_per_month, "monthly coins of the plan").await?;
    events::entitlement_changed(tx, &subscription, at).await?;
    Ok(subscription)
}

/// Ends what has run out, until shutdown.
pub(crate) async fn expire(app: App, shutdown: Shutdown) {
    loop {
        if let Err(error) = expire_once(&app).await {
            tracing::warn!(%error, "subscriptions not swept");
        }
        tokio::select! { () = tokio::time::sleep(SWEEP) => {}, () = shutdown.wait() => return }
    }
}

async fn expire_once(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let ended = store::expire(&mut *tx).await?;
    for subscription in &ended {
        events::entitlement_changed(&mut tx, subscription, OffsetDateTime::now_utc()).await?;
    }
    tx.commit().await?;
    for subscription in ended {
        app.notices.hint(subscription.user, "entitlement.changed", subscription.user.to_string()).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_month_from_the_last_day_ends_on_a_last_day() {
        assert_eq!(
            period_end(datetime!(2026-01-31 10:00 UTC), Period::Monthly),
            datetime!(2026-02-28 10:00 UTC)
        );
        assert_eq!(
            period_end(datetime!(2026-12-15 10:00 UTC), Period::Monthly),
            datetime!(2027-01-15 10:00 UTC)
        );
        assert_eq!(
            period_end(datetime!(2028-02-29 10:00 UTC), Period::Yearly),
            datetime!(2029-02-28 10:00 UTC)
        );
    }

    #[test]
    fn what_was_paid_holds_until_its_end() {
        let end = datetime!(2026-12-01 0:00 UTC);
        let canceled = Subscription {
            status: Status::Canceled,
            plan: Plan::Premium,
            ends_at: Some(end),
            ..Subscription::none(Uuid::nil())
        };
        assert_eq!(canceled.plan_now(end - time::Duration::SECOND), Plan::Premium);
        assert_eq!(canceled.plan_now(end), Plan::Free);
    }
}
