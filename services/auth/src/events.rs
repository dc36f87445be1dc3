//! All that auth tells, and all that it hears.

use std::sync::Arc;

use async_trait::async_trait;
use kit::{
    inbox::{Apply, Event},
    outbox,
};
use proto::events::v1::{FollowChanged, MailRequested, UserChanged, mail_requested::To};
use sqlx::{PgExecutor, PgTransaction};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    accounts::store as accounts,
    config::Mail,
    error::Result,
    mail::{self, Letter},
    profiles::Person,
};

pub const TOPICS: &[&str] = &["*.mail.requested"];

/// `auth.user.registered` and, later, `auth.user.updated`.
pub async fn user_changed(db: impl PgExecutor<'_>, topic: &str, person: &Person, version: i64) -> Result<()> {
    let event = UserChanged {
        user_id: person.id.to_string(),
        username: person.username.clone(),
        avatar_asset: person.avatar_asset.clone(),
        version,
    };
    outbox::enqueue(db, topic, &event).await?;
    Ok(())
}

/// `auth.follow.changed`
pub async fn follow_changed(db: impl PgExecutor<'_>, follower: Uuid, followee: Uuid, on: bool) -> Result<()> {
    let event = FollowChanged {
        follower_id: follower.to_string(),
        followee_id: followee.to_string(),
        on,
        // Toggles of one pair come one after the other, so their time orders them.
        version: (OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000).try_into().unwrap_or(i64::MAX),
    };
    outbox::enqueue(db, "auth.follow.changed", &event).await?;
    Ok(())
}

/// Writes the mails that other services ask for.
pub struct Consumer(pub Arc<Mail>);

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut PgTransaction<'_>, event: &Event) -> anyhow::Result<()> {
        if !event.topic.ends_with(".mail.requested") {
            return Ok(());
        }
        let asked: MailRequested = event.decode()?;
        let address = match asked.to {
            Some(To::Address(address)) => Some(address),
            Some(To::UserId(id)) => accounts::email_of(&mut **tx, Uuid::try_parse(&id)?).await?,
            None => None,
        };
        let letter = Letter::from_template(&asked.template, &asked.params, &self.0);
        match (address, letter) {
            (Some(address), Some(letter)) => mail::queue(&mut **tx, &address, &letter).await?,
            (_, None) => tracing::error!(template = asked.template, "a mail template that is not known"),
            (None, _) => tracing::warn!(template = asked.template, "mail for somebody without an address"),
        }
        Ok(())
    }
}
