//! From the choice of a plan to the provider's webhook.

mod grpc;
pub mod sandbox;
mod store;
pub mod webhooks;

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
    pub currency: String,
    pub promo_code: Option<String>,
    pub expires_at: OffsetDateTime,
}

impl Checkout {
    /// What `user` is to pay.
    ///
    /// # Errors
    /// `PromoUnknown`.
    pub fn new(user: Uuid, plan: Plan, period: Period, promo: &str, now: OffsetDateTime) -> Result<Self> {
        let list_amount = plan.details().price(period);
        let promo = match promo.trim() {
            "" => None,
            typed => Some(promotion(typed).ok_or(Error::PromoUnknown)?),
        };
        let amount = promo.map_or(list_amount, |p| list_amount - list_amount * p.percent_off / 100);
        Ok(Self {
            id: Uuid::now_v7(),
            user,
            plan,
            period,
            amount,
            list_amount,
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

    #[test]
    fn seventy_percent_off_is_what_it_says() {
        let now = OffsetDateTime::UNIX_EPOCH;
        let c = Checkout::new(Uuid::nil(), Plan::Premium, Period::Monthly, "spookyszn", now)
            .expect("a known code");
        assert_eq!((c.list_amount, c.amount), (900, 270));
        assert_eq!(money(c.amount), "$2.70");
    }

    #[test]
    fn an_unknown_code_is_told() {
        let made =
            Checkout::new(Uuid::nil(), Plan::Deluxe, Period::Yearly, "FREE", OffsetDateTime::UNIX_EPOCH);
        assert!(matches!(made, Err(Error::PromoUnknown)));
    }
}
