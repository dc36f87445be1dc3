//! From the choice of a plan to the provider's webhook.

pub(crate) mod grpc;
pub mod store;

use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Error, Result},
    limits,
    plans::{CURRENCY, Period, Plan, promotion},
};

/// A choice of plan on its way to being paid. Amounts in minor units.
#[derive(Debug, Clone)]
pub struct Checkout {
    pub id: Uuid,
    pub user: Uuid,
    pub plan: Plan,
    pub period: Period,
    pub amount: i64,
    pub list_amount: i64,
    /// What the unused part of the plan so far takes off.
    pub credit: i64,
    pub currency: String,
    pub promo_code: Option<String>,
    pub expires_at: OffsetDateTime,
}

impl Checkout {
    /// What `user` is to pay for `plan` in a `period`; a promotion holds until `deadline`, and `credit` is
    /// what is left of the plan so far.
    ///
    /// # Errors
    /// `PromoUnknown`, `PromoExpired`.
    pub fn new(
        user: Uuid,
        (plan, period): (Plan, Period),
        promo: &str,
        deadline: Option<OffsetDateTime>,
        credit: i64,
        now: OffsetDateTime,
    ) -> Result<Self> {
        let list_amount = plan.details().price(period);
        let promo = match promo.trim() {
            "" => None,
            typed => Some(promotion(typed).ok_or(Error::PromoUnknown)?),
        };
        if promo.is_some() && deadline.is_some_and(|end| end <= now) {
            return Err(Error::PromoExpired);
        }
        let lowered = promo.map_or(list_amount, |p| list_amount - list_amount * p.percent_off / 100);
        // No more is taken off than there is to pay.
        let credit = credit.clamp(0, lowered);
        let amount = lowered - credit;
        Ok(Self {
            id: Uuid::now_v7(),
            user,
            plan,
            period,
            amount,
            list_amount,
            credit,
            currency: CURRENCY.into(),
            promo_code: promo.map(|p| p.code.to_owned()),
            expires_at: now + limits::CHECKOUT_LIFE,
        })
    }
}

/// An amount as people read it: `$2.70`.
pub fn money(minor: i64) -> String {
    format!("${}.{:02}", minor / 100, minor % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn checkout(promo: &str, credit: i64) -> Result<Checkout> {
        let deadline = Some(NOW + time::Duration::HOUR);
        Checkout::new(Uuid::nil(), (Plan::Premium, Period::Monthly), promo, deadline, credit, NOW)
    }

    #[test]
    fn seventy_percent_off_is_what_it_says() {
        let c = checkout("spookyszn", 0).expect("a known code");
        assert_eq!((c.list_amount, c.amount), (900, 270));
        assert_eq!(money(c.amount), "$2.70");
    }

    #[test]
    fn what_is_left_lowers_the_price_and_never_below_nothing() {
        let c = checkout("", 399).expect("made");
        assert_eq!((c.amount, c.credit), (501, 399));
        let c = checkout("SPOOKYSZN", 5_000).expect("made");
        assert_eq!((c.amount, c.credit), (0, 270));
    }

    #[test]
    fn an_unknown_code_is_told_and_so_is_one_that_is_over() {
        assert!(matches!(checkout("FREE", 0), Err(Error::PromoUnknown)));
        let plan = (Plan::Deluxe, Period::Yearly);
        let late = Checkout::new(Uuid::nil(), plan, "SPOOKYSZN", Some(NOW), 0, NOW);
        assert!(matches!(late, Err(Error::PromoExpired)));
    }
}
