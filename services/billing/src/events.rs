//! All that billing tells, and all that it hears.

use async_trait::async_trait;
use kit::{
    db::Transaction,
    inbox::{Apply, Event},
    outbox,
};
use proto::events::v1::{
    EntitlementChanged, ErasureDone, ImageEnded, MailRequested, UserErased, mail_requested::To,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    account_data,
    checkout::money,
    coins::store::{self as coins, End},
    error::Result,
    plans::CURRENCY,
    subscriptions::Subscription,
};

const COMPLETED: &str = "media.image.completed";
const FAILED: &str = "media.image.failed";
const CANCELED: &str = "media.image.canceled";

const ERASED: &str = "auth.user.erased";

/// `billing.entitlement.changed`
pub async fn entitlement_changed(tx: &mut Transaction, s: &Subscription, now: OffsetDateTime) -> Result<()> {
    let event = EntitlementChanged {
        user_id: s.user.to_string(),
        version: s.version,
        plan: s.plan_now(now).as_str().into(),
        status: s.status.as_str().into(),
        until: s.access_until().map(kit::time::to_proto),
    };
    outbox::enqueue(&mut **tx, "billing.entitlement.changed", &event).await?;
    Ok(())
}

/// `billing.mail.requested`
pub async fn mail(tx: &mut Transaction, user: Uuid, template: &str, params: &[(&str, String)]) -> Result<()> {
    let event = MailRequested {
        to: Some(To::UserId(user.to_string())),
        template: template.into(),
        params: params.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
    };
    outbox::enqueue(&mut **tx, "billing.mail.requested", &event).await?;
    Ok(())
}

/// A mail that has no template of its own.
pub async fn notice(tx: &mut Transaction, user: Uuid, subject: &str, text: String) -> Result<()> {
    mail(tx, user, "notice", &[("subject", subject.to_owned()), ("text", text)]).await
}

/// A renewal was not paid: grace has begun.
pub async fn payment_failed(tx: &mut Transaction, s: &Subscription) -> Result<()> {
    let due = s.grace_until.map(|at| at.date().to_string()).unwrap_or_default();
    let amount = s.plan.details().price(s.period);
    let params = [
        ("plan", s.plan.details().name.to_owned()),
        ("amount", format!("{} {CURRENCY}", money(amount))),
        ("due", due.clone()),
        ("subject", "Your payment did not go through".to_owned()),
        (
            "text",
            format!(
                "The renewal of your plan has not been paid. It stays until {due}; please see to your card."
            ),
        ),
    ];
    mail(tx, s.user, "payment_failed", &params).await
}

/// `billing.user.erased`: all that may go is gone.
pub async fn erasure_done(tx: &mut Transaction, user: &str) -> Result<()> {
    outbox::enqueue(&mut **tx, "billing.user.erased", &ErasureDone { user_id: user.to_owned() }).await?;
    Ok(())
}

/// Captures or releases what an image job has reserved; erases what is stored about a user.
pub struct Consumer;

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        let (end, reason) = match event.topic.as_str() {
            COMPLETED => (End::Capture, "Image drawn"),
            FAILED => (End::Release, "Image failed, coins given back"),
            CANCELED => (End::Release, "Image canceled, coins given back"),
            ERASED => {
                account_data::erase(tx, &event.decode::<UserErased>()?).await?;
                return Ok(());
            }
            _ => return Ok(()),
        };
        let image: ImageEnded = event.decode()?;
        let (user, job) = (Uuid::try_parse(&image.user_id)?, Uuid::try_parse(&image.job_id)?);
        coins::end(tx, user, job, end, reason).await?;
        Ok(())
    }
}
