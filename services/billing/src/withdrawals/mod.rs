//! Withdrawal within 14 days of the first payment, in two steps (Directive 2011/83/EU as amended by
//! 2023/2673): what it means, then the confirmation and its receipt. The rule of the refund: what was paid
//! goes back in proportion to the days that have not begun; coins of the plan that are left are taken back.

pub mod store;

use kit::error::Failure;
use proto::billing::v1::{BeginWithdrawalResponse, ConfirmWithdrawalResponse};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    App,
    checkout::money,
    coins,
    error::{Error, Result},
    events, limits, payments,
    plans::CURRENCY,
    providers::{Task, ask},
    receipts::{self, Kind},
    subscriptions::{Subscription, store as subscriptions, terms},
};

/// A withdrawal that was begun, and perhaps confirmed.
#[derive(Debug)]
pub struct Withdrawal {
    pub subscription: Uuid,
    pub refund: i64,
    /// Of how much that was; something else is reckoned anew.
    pub at_stake: Option<i64>,
    pub begun_at: OffsetDateTime,
    /// Number of the receipt, once it is confirmed.
    pub receipt: Option<String>,
}

/// What would go back now, and of how much: what the open terms are worth less what went back.
async fn refund(db: &mut sqlx::PgConnection, s: &Subscription, now: OffsetDateTime) -> Result<(i64, i64)> {
    let open = terms::of(db, s.id, true).await?;
    Ok((open.iter().map(|t| t.withdrawable(now)).sum(), open.iter().map(|t| t.value - t.refunded).sum()))
}

fn open(s: &Subscription, now: OffsetDateTime) -> Result<()> {
    if s.started_at.is_none() {
        return Err(Error::NoSubscription);
    }
    s.withdrawable_until(now).map(drop).ok_or(Error::WithdrawalClosed)
}

impl App {
    pub(crate) async fn begin_withdrawal(&self, user: Uuid) -> Result<BeginWithdrawalResponse> {
        let mut tx = self.db.begin().await?;
        let now = kit::db::now(&mut *tx).await?;
        let s = subscriptions::lock(&mut tx, user).await?;
        open(&s, now)?;
        let (refund, at_stake) = refund(&mut tx, &s, now).await?;
        let id = Uuid::now_v7();
        store::add(&mut *tx, id, user, s.id, (refund, at_stake), CURRENCY).await?;
        tx.commit().await?;
        Ok(BeginWithdrawalResponse {
            withdrawal_id: id.to_string(),
            refund: u32::try_from(refund).unwrap_or(u32::MAX),
            currency: CURRENCY.into(),
            statement: format!(
                "If you confirm, your subscription ends at once, the coins left of your plan are taken back, and \
                 you get back {} {CURRENCY}: what you paid for the days that have not begun.",
                money(refund)
            ),
        })
    }

    pub(crate) async fn confirm_withdrawal(&self, user: Uuid, id: &str) -> Result<ConfirmWithdrawalResponse> {
        let id = Uuid::try_parse(id).map_err(|_| Error::WithdrawalNotFound)?;
        let mut tx = self.db.begin().await?;
        let now = kit::db::now(&mut *tx).await?;
        // The subscription first: two confirmations wait for each other here.
        let mut s = subscriptions::lock(&mut tx, user).await?;
        let w = store::find(&mut *tx, user, id).await?.ok_or(Error::WithdrawalNotFound)?;
        if let Some(number) = &w.receipt {
            let receipt = receipts::store::find(&mut *tx, number).await?.ok_or_else(Failure::internal)?;
            return Ok(ConfirmWithdrawalResponse {
                receipt: Some((&receipt).into()),
                subscription: Some((&s).into()),
            });
        }
        if w.subscription != s.id {
            return Err(Error::WithdrawalClosed);
        }
        open(&s, now)?;
        // What was told holds for a day, unless something was paid or went back since; later, more days have begun.
        let (due, at_stake) = refund(&mut tx, &s, now).await?;
        let holds = now - w.begun_at < limits::WITHDRAWAL_OFFER && w.at_stake == Some(at_stake);
        let sum = if holds { w.refund } else { due };
        terms::close(&mut *tx, s.id, now).await?;
        let receipt = payments::give_back(&mut tx, s.id, sum, Kind::Withdrawal).await?;
        let receipt = receipt.ok_or(Error::WithdrawalClosed)?;
        store::confirm(&mut *tx, id, &receipt.number, -receipt.amount).await?;
        let granted = terms::granted_in_all(&mut *tx, s.id).await?;
        coins::store::withdraw(&mut tx, user, id, granted, "Coins of a plan you withdrew from").await?;
        if let Some((provider, reference)) = s.mandate() {
            ask(&mut *tx, provider, &Task::End { subscription: reference.to_owned() }).await?;
        }
        s.end(now);
        // What the provider may still charge under this id goes back.
        s.provider_ref = None;
        s.last_event_at = Some(now);
        subscriptions::save(&mut *tx, &mut s).await?;
        events::entitlement_changed(&mut tx, &s, now).await?;
        tx.commit().await?;
        self.hint(user).await;
        Ok(ConfirmWithdrawalResponse { receipt: Some((&receipt).into()), subscription: Some((&s).into()) })
    }
}
