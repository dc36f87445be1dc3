//! Receipts: every payment and everything given back, numbered without gaps in each year.

pub mod store;

use kit::db::Transaction;
use proto::billing::v1 as pb;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    checkout::money,
    error::Result,
    events,
    plans::{Period, Plan},
    subscriptions::terms::Term,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Payment,
    Refund,
    Withdrawal,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::Withdrawal => "withdrawal",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "refund" => Self::Refund,
            "withdrawal" => Self::Withdrawal,
            _ => Self::Payment,
        }
    }

    fn to_proto(self) -> pb::ReceiptKind {
        match self {
            Self::Payment => pb::ReceiptKind::Payment,
            Self::Refund => pb::ReceiptKind::Refund,
            Self::Withdrawal => pb::ReceiptKind::Withdrawal,
        }
    }
}

/// A receipt. Amounts in minor units, negative for what was given back.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// `2026-000042`
    pub number: String,
    pub user: Uuid,
    pub kind: Kind,
    pub plan: Plan,
    pub period: Period,
    pub amount: i64,
    pub currency: String,
    pub promo_code: Option<String>,
    pub at: OffsetDateTime,
}

impl From<&Receipt> for pb::Receipt {
    fn from(r: &Receipt) -> Self {
        Self {
            number: r.number.clone(),
            kind: r.kind.to_proto().into(),
            plan: r.plan.to_proto().into(),
            period: r.period.to_proto().into(),
            amount: r.amount,
            currency: r.currency.clone(),
            promo_code: r.promo_code.clone().unwrap_or_default(),
            at: Some(kit::time::to_proto(r.at)),
        }
    }
}

/// Writes a receipt about `term`, under the next number of the year, and mails it; `amount` is not negative.
pub async fn write(tx: &mut Transaction, kind: Kind, term: &Term, amount: i64) -> Result<Receipt> {
    let at = OffsetDateTime::now_utc();
    let receipt = Receipt {
        number: store::next_number(&mut **tx, at.year()).await?,
        user: term.user,
        kind,
        plan: term.plan,
        period: term.period,
        amount: if kind == Kind::Payment { amount } else { -amount },
        currency: term.currency.clone(),
        promo_code: term.promo_code.clone().filter(|_| kind == Kind::Payment),
        at,
    };
    store::add(&mut **tx, &receipt, term.id).await?;
    let sum = format!("{} {}", money(amount), receipt.currency);
    match kind {
        Kind::Payment => {
            let params = [
                ("plan", receipt.plan.details().name.to_owned()),
                ("period", receipt.period.as_str().to_owned()),
                ("amount", sum),
                ("reference", receipt.number.clone()),
            ];
            events::mail(tx, term.user, "receipt", &params).await?;
        }
        Kind::Refund => {
            let text = format!("We have given back {sum}. Receipt: {}.", receipt.number);
            events::notice(tx, term.user, "Your refund", text).await?;
        }
        Kind::Withdrawal => {
            let params = [
                ("number", receipt.number.clone()),
                ("amount", sum.clone()),
                ("date", at.date().to_string()),
                ("subject", "Your withdrawal".to_owned()),
                (
                    "text",
                    format!(
                        "You have withdrawn from your subscription. It has ended, and {sum} is on its way back to you."
                    ),
                ),
            ];
            events::mail(tx, term.user, "withdrawal", &params).await?;
        }
    }
    Ok(receipt)
}
