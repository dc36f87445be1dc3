//! What can go wrong, and what callers are told: the one table.

use kit::error::Failure;
use thiserror::Error;
use tonic::{Code, Status};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub enum Error {
    #[error("not enough coins")]
    CoinsShort,
    #[error("the reservation was released before it was made")]
    ReservationEnded,
    #[error("the promotion is not known")]
    PromoUnknown,
    #[error("the promotion was used before")]
    PromoUsed,
    #[error("the checkout is not there, or no longer open")]
    CheckoutNotFound,
    #[error("there is no subscription")]
    NoSubscription,
    #[error("the promotion is over")]
    PromoExpired,
    #[error("this plan is the one of today")]
    PlanSame,
    #[error("the subscription is not canceled")]
    NotCanceled,
    #[error("there is nothing to withdraw from any more")]
    WithdrawalClosed,
    #[error("the withdrawal is not there")]
    WithdrawalNotFound,
    #[error("the payment provider: {0}")]
    Provider(&'static str),
    #[error("the provider is not known")]
    ProviderUnknown,
    #[error("the webhook does not hold: {0}")]
    WebhookRefused(&'static str),
    #[error("the webhook is too large")]
    WebhookTooLarge,
    #[error("the payment {0} is not known")]
    PaymentUnknown(String),
    #[error("the payment provider will never do it: {0}")]
    ProviderNever(&'static str),
    #[error("refused: {}", .0.message)]
    Refused(Failure),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

impl Error {
    fn failure(&self) -> Failure {
        let text = self.to_string();
        match self {
            Self::CoinsShort => Failure::new(Code::FailedPrecondition, "coins_short", text),
            Self::ReservationEnded => Failure::new(Code::FailedPrecondition, "reservation_ended", text),
            Self::PromoUnknown => Failure::invalid("promoCode", "This code is not known."),
            Self::PromoUsed => Failure::invalid("promoCode", "You have used this code before."),
            Self::CheckoutNotFound => Failure::not_found("checkout_not_found"),
            Self::NoSubscription => Failure::new(Code::FailedPrecondition, "not_subscribed", text),
            Self::PromoExpired => Failure::new(Code::InvalidArgument, "promo_expired", text)
                .field("promoCode", "This code is no longer valid."),
            Self::PlanSame => Failure::new(Code::FailedPrecondition, "plan_same", text),
            Self::NotCanceled => Failure::new(Code::FailedPrecondition, "not_canceled", text),
            Self::WithdrawalClosed => Failure::new(Code::FailedPrecondition, "withdrawal_closed", text),
            Self::WithdrawalNotFound => Failure::not_found("withdrawal_not_found"),
            Self::Provider(_) | Self::ProviderNever(_) | Self::PaymentUnknown(_) => {
                Failure::unavailable("the payment provider")
            }
            Self::ProviderUnknown => Failure::not_found("provider_unknown"),
            Self::WebhookRefused(_) => Failure::new(Code::Unauthenticated, "webhook_refused", text),
            Self::WebhookTooLarge => Failure::new(Code::InvalidArgument, "too_large", text),
            Self::Refused(failure) => failure.clone(),
            Self::Database(error) => match kit::error::constraint(error) {
                Some("coin_account_not_negative") => Self::CoinsShort.failure(),
                _ => kit::error::database(error),
            },
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.failure().into()
    }
}
