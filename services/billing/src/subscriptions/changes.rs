//! What subscribers decide: another plan, no renewal, a renewal after all.

use kit::db::{Db, Transaction};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Status, Subscription, store, terms};
use crate::{
    App,
    checkout::Checkout,
    error::{Error, Result},
    events,
    plans::{Period, Plan, Step, step},
    providers::{Task, ask},
};

/// Where a choice of plan leads.
pub enum Buy {
    /// To a payment, lowered by what is left of the plan so far.
    Pay { credit: i64, customer: Option<String> },
    /// To the end of the period.
    Wait,
}

/// What choosing `to` means for a user.
///
/// # Errors
/// `PlanSame`.
pub async fn quote(
    db: &Db,
    provider: &str,
    user: Uuid,
    to: (Plan, Period),
    now: OffsetDateTime,
) -> Result<Buy> {
    let s = store::find(db, user).await?;
    let customer = s.customer.clone().filter(|_| s.provider.as_deref() == Some(provider));
    if !s.is_paid_at(now) {
        return Ok(Buy::Pay { credit: 0, customer });
    }
    match step((s.plan, s.period), to) {
        Step::Same if s.next.is_some() => Ok(Buy::Wait),
        // Somebody past due may pay at once.
        Step::Same if s.status == Status::PastDue => Ok(Buy::Pay { credit: 0, customer }),
        Step::Same => Err(Error::PlanSame),
        Step::Up => {
            let left: i64 =
                terms::of(&mut *db.acquire().await?, s.id, true).await?.iter().map(|t| t.unused(now)).sum();
            Ok(Buy::Pay { credit: left.min(to.0.details().price(to.1)), customer })
        }
        Step::Down => Ok(Buy::Wait),
    }
}

impl App {
    /// Goes to `to` when the period ends, or stays when that is the plan of today.
    pub(crate) async fn change_later(
        &self,
        user: Uuid,
        to: (Plan, Period),
        finish: impl AsyncFnOnce(&mut Transaction, &Subscription) -> Result<()>,
    ) -> Result<Subscription> {
        let mut tx = self.db.begin().await?;
        let now = kit::db::now(&mut *tx).await?;
        let mut s = store::lock(&mut tx, user).await?;
        if !s.is_paid_at(now) {
            return Err(Error::NoSubscription);
        }
        let next = (to != (s.plan, s.period)).then_some(to);
        let canceled = s.status == Status::Canceled;
        if s.next != next || canceled {
            s.next = next;
            s.last_event_at = Some(now);
            let mandate = s.mandate().map(|(p, r)| (p.to_owned(), r.to_owned()));
            if let Some((provider, subscription)) = mandate {
                if canceled {
                    // Whoever chooses a plan wants to go on.
                    s.go_on();
                    let task = Task::Renew { subscription: subscription.clone(), on: true };
                    ask(&mut *tx, &provider, &task).await?;
                }
                let task = Task::Change { subscription, plan: to.0, period: to.1 };
                ask(&mut *tx, &provider, &task).await?;
            }
            store::save(&mut *tx, &mut s).await?;
            events::entitlement_changed(&mut tx, &s, now).await?;
        }
        finish(&mut tx, &s).await?;
        tx.commit().await?;
        self.hint(user).await;
        Ok(s)
    }

    /// Ends the renewal; one that is canceled already stays as it is.
    pub(crate) async fn cancel(&self, user: Uuid) -> Result<Subscription> {
        let mut tx = self.db.begin().await?;
        let now = kit::db::now(&mut *tx).await?;
        let mut s = store::lock(&mut tx, user).await?;
        match s.status {
            Status::Inactive => return Err(Error::NoSubscription),
            Status::Canceled => return Ok(s),
            Status::Active | Status::PastDue => {}
        }
        if let Some((provider, reference)) = s.mandate() {
            // Another plan that was waited for is dropped with it.
            let task = Task::Renew { subscription: reference.to_owned(), on: false };
            ask(&mut *tx, provider, &task).await?;
        }
        s.cancel();
        s.last_event_at = Some(now);
        store::save(&mut *tx, &mut s).await?;
        events::entitlement_changed(&mut tx, &s, now).await?;
        tx.commit().await?;
        self.hint(user).await;
        Ok(s)
    }

    /// Takes a cancellation back while what was paid lasts.
    pub(crate) async fn reactivate(&self, user: Uuid) -> Result<Subscription> {
        let mut tx = self.db.begin().await?;
        let now = kit::db::now(&mut *tx).await?;
        let mut s = store::lock(&mut tx, user).await?;
        if !s.is_paid_at(now) {
            return Err(Error::NoSubscription);
        }
        if s.status != Status::Canceled {
            return Err(Error::NotCanceled);
        }
        if let Some((provider, reference)) = s.mandate() {
            let task = Task::Renew { subscription: reference.to_owned(), on: true };
            ask(&mut *tx, provider, &task).await?;
        }
        s.go_on();
        s.last_event_at = Some(now);
        store::save(&mut *tx, &mut s).await?;
        events::entitlement_changed(&mut tx, &s, now).await?;
        tx.commit().await?;
        self.hint(user).await;
        Ok(s)
    }

    /// What `user` is to pay for `to`.
    pub(crate) fn checkout(
        &self,
        user: Uuid,
        to: (Plan, Period),
        promo: &str,
        credit: i64,
        now: OffsetDateTime,
    ) -> Result<Checkout> {
        Checkout::new(user, to, promo, self.promo_deadline, credit, now)
    }
}
