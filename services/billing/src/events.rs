//! All that billing tells, and all that it hears.

use async_trait::async_trait;
use kit::{
    inbox::{Apply, Event},
    outbox,
};
use proto::events::v1::{EntitlementChanged, ImageEnded, MailRequested, mail_requested::To};
use sqlx::PgTransaction;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    coins::store::{self as coins, End},
    error::Result,
    subscriptions::Subscription,
};

const COMPLETED: &str = "media.image.completed";
const FAILED: &str = "media.image.failed";
const CANCELED: &str = "media.image.canceled";

pub const TOPICS: &[&str] = &[COMPLETED, FAILED, CANCELED];

/// `billing.entitlement.changed`
pub async fn entitlement_changed(
    tx: &mut PgTransaction<'_>,
    s: &Subscription,
    now: OffsetDateTime,
) -> Result<()> {
    let event = EntitlementChanged {
        user_id: s.user.to_string(),
        version: s.version,
        plan: s.plan_now(now).as_str().into(),
        status: s.status.as_str().into(),
        until: s.ends_at.map(kit::time::to_proto),
    };
    outbox::enqueue(&mut **tx, "billing.entitlement.changed", &event).await?;
    Ok(())
}

/// `billing.mail.requested`: a receipt.
pub async fn receipt(tx: &mut PgTransaction<'_>, user: Uuid, params: &[(&str, String)]) -> Result<()> {
    let event = MailRequested {
        to: Some(To::UserId(user.to_string())),
        template: "receipt".into(),
        params: params.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
    };
    outbox::enqueue(&mut **tx, "billing.mail.requested", &event).await?;
    Ok(())
}

/// Captures or releases what an image job has reserved.
pub struct Consumer;

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut PgTransaction<'_>, event: &Event) -> anyhow::Result<()> {
        let (end, reason) = match event.topic.as_str() {
            COMPLETED => (End::Capture, "image drawn"),
            FAILED => (End::Release, "image failed"),
            CANCELED => (End::Release, "image canceled"),
            _ => return Ok(()),
        };
        let image: ImageEnded = event.decode()?;
        let (user, job) = (Uuid::try_parse(&image.user_id)?, Uuid::try_parse(&image.job_id)?);
        coins::end(tx, user, job, end, reason).await?;
        Ok(())
    }
}
