//! Who is on which plan, until when, and what that entitles to. What is paid for are terms; the
//! subscription is where they stand.

mod changes;
mod grpc;
pub mod store;
mod sweep;
pub mod terms;

use proto::billing::v1 as pb;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) use self::{
    changes::{Buy, quote},
    sweep::sweep,
};
use crate::{
    limits,
    plans::{Period, Plan},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Never paid, or over.
    Inactive,
    Active,
    /// A renewal failed; access stays for a few days.
    PastDue,
    /// Not renewed, but paid until its end.
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
    /// A new one for each time somebody subscribes after it was over.
    pub id: Uuid,
    pub user: Uuid,
    pub status: Status,
    pub plan: Plan,
    pub period: Period,
    /// Who renews it, under which id, and whom it charges.
    pub provider: Option<String>,
    pub provider_ref: Option<String>,
    pub customer: Option<String>,
    /// First payment.
    pub started_at: Option<OffsetDateTime>,
    pub ends_at: Option<OffsetDateTime>,
    pub next_payment_at: Option<OffsetDateTime>,
    pub last_payment_at: Option<OffsetDateTime>,
    /// What it becomes at the end of the period.
    pub next: Option<(Plan, Period)>,
    pub grace_until: Option<OffsetDateTime>,
    /// The newest word that was heeded: an older one undoes nothing.
    pub last_event_at: Option<OffsetDateTime>,
    /// Set when the account was erased.
    pub kept_until: Option<OffsetDateTime>,
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
            provider: None,
            provider_ref: None,
            customer: None,
            started_at: None,
            ends_at: None,
            next_payment_at: None,
            last_payment_at: None,
            next: None,
            grace_until: None,
            last_event_at: None,
            kept_until: None,
            version: 0,
        }
    }

    /// When access ends as things stand: with the term, later while a renewal is awaited or has failed.
    pub fn access_until(&self) -> Option<OffsetDateTime> {
        match self.status {
            Status::Inactive => None,
            Status::Canceled => self.ends_at,
            Status::Active => self.ends_at.map(|end| end + limits::RENEWAL_PATIENCE),
            Status::PastDue => self.grace_until.max(self.ends_at),
        }
    }

    /// The plan whose rights hold now: what was paid stays until its end, canceled or not.
    pub fn plan_now(&self, now: OffsetDateTime) -> Plan {
        if self.access_until().is_some_and(|end| end > now) { self.plan } else { Plan::Free }
    }

    /// Whether something is paid for at this moment.
    pub fn is_paid_at(&self, at: OffsetDateTime) -> bool {
        self.status != Status::Inactive && self.ends_at.is_some_and(|end| end > at)
    }

    /// Until when one may withdraw from it.
    pub fn withdrawable_until(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let until = self.started_at.filter(|_| self.status != Status::Inactive)? + limits::WITHDRAWAL_WINDOW;
        (until > now).then_some(until)
    }

    /// Who is to be told of a change, and under which id.
    pub fn mandate(&self) -> Option<(&str, &str)> {
        self.provider.as_deref().zip(self.provider_ref.as_deref())
    }

    /// It is over: nothing is due, nothing waits.
    pub fn end(&mut self, at: OffsetDateTime) {
        self.status = Status::Inactive;
        self.plan = Plan::Free;
        self.next = None;
        self.next_payment_at = None;
        self.grace_until = None;
        self.ends_at = self.ends_at.map(|end| end.min(at));
    }

    /// The card could not be charged: grace begins.
    pub fn fail(&mut self, at: OffsetDateTime) {
        self.status = Status::PastDue;
        self.next_payment_at = None;
        self.grace_until = Some(self.ends_at.map_or(at, |end| end.max(at)) + limits::GRACE);
    }

    /// It will not be renewed.
    pub fn cancel(&mut self) {
        self.status = Status::Canceled;
        self.next = None;
        self.next_payment_at = None;
    }

    /// It is renewed at its end.
    pub fn go_on(&mut self) {
        self.status = Status::Active;
        self.next_payment_at = self.ends_at;
        self.grace_until = None;
    }
}

/// The same day so many months later, or that month's last day.
pub fn months_after(start: OffsetDateTime, months: u32) -> OffsetDateTime {
    let count = u32::from(u8::from(start.month())) - 1 + months;
    let year = start.year() + (count / 12).cast_signed();
    let month = time::Month::January.nth_next(u8::try_from(count % 12).expect("below 12"));
    let day = start.day().min(month.length(year));
    let date = time::Date::from_calendar_date(year, month, day).expect("a day of that month");
    start.replace_date(date)
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    #[test]
    fn a_month_from_the_last_day_ends_on_a_last_day() {
        let start = datetime!(2026-01-31 10:00 UTC);
        assert_eq!(months_after(start, 0), start);
        assert_eq!(months_after(start, 1), datetime!(2026-02-28 10:00 UTC));
        assert_eq!(months_after(start, 2), datetime!(2026-03-31 10:00 UTC));
        assert_eq!(months_after(datetime!(2026-12-15 10:00 UTC), 1), datetime!(2027-01-15 10:00 UTC));
        assert_eq!(months_after(datetime!(2028-02-29 10:00 UTC), 12), datetime!(2029-02-28 10:00 UTC));
    }

    #[test]
    fn what_was_paid_holds_until_its_end_and_a_failed_renewal_three_days_longer() {
        let end = datetime!(2026-12-01 0:00 UTC);
        let paid = |status| Subscription {
            status,
            plan: Plan::Premium,
            ends_at: Some(end),
            ..Subscription::none(Uuid::nil())
        };
        let canceled = paid(Status::Canceled);
        assert_eq!(canceled.plan_now(end - Duration::SECOND), Plan::Premium);
        assert_eq!(canceled.plan_now(end), Plan::Free);

        let mut failed = paid(Status::Active);
        failed.fail(end);
        assert_eq!(failed.plan_now(end + Duration::days(3) - Duration::SECOND), Plan::Premium);
        assert_eq!(failed.plan_now(end + Duration::days(3)), Plan::Free);
        failed.end(end);
        assert_eq!(failed.plan_now(end - Duration::SECOND), Plan::Free);
    }
}
