//! All that auth tells, and all that it hears.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use kit::{
    db::Transaction,
    inbox::{Apply, Event},
    notice::Notices,
    outbox,
};
use proto::events::v1::{
    AssetJudged, EntitlementChanged, ErasureDone, FollowChanged, ImageEnded, MailRequested, ReportDecided,
    ReviewPosted, UserChanged, UserErased, UserSuspended, mail_requested::To,
};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    account_data::store as account_data,
    accounts::store as accounts,
    config::Mail,
    discipline::{self, Cause},
    error::{Error, Result},
    keys::{self, Told},
    mail::{self, Letter},
    notifications::{Note, store as notifications},
    profiles::{Person, store as profiles},
    strikes,
};

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
pub async fn follow_changed(tx: &mut Transaction, follower: Uuid, followee: Uuid, on: bool) -> Result<()> {
    // Toggles of one pair come one after the other, so their time orders them.
    let now = kit::db::now(&mut **tx).await?;
    let event = FollowChanged {
        follower_id: follower.to_string(),
        followee_id: followee.to_string(),
        on,
        version: (now.unix_timestamp_nanos() / 1_000).try_into().unwrap_or(i64::MAX),
    };
    outbox::enqueue(&mut **tx, "auth.follow.changed", &event).await?;
    Ok(())
}

/// `auth.user.suspended`
pub async fn suspended(db: impl PgExecutor<'_>, user: Uuid, reason: &str, version: i64) -> Result<()> {
    let event = UserSuspended { user_id: user.to_string(), reason: reason.to_owned(), version };
    outbox::enqueue(db, "auth.user.suspended", &event).await?;
    Ok(())
}

/// `auth.user.reinstated`
pub async fn reinstated(db: impl PgExecutor<'_>, user: Uuid, version: i64) -> Result<()> {
    let event = UserSuspended { user_id: user.to_string(), reason: String::new(), version };
    outbox::enqueue(db, "auth.user.reinstated", &event).await?;
    Ok(())
}

/// `auth.user.erased`
pub async fn erased(db: impl PgExecutor<'_>, user: Uuid, characters: &str, pseudonym: Uuid) -> Result<()> {
    let event = UserErased {
        user_id: user.to_string(),
        characters: characters.to_owned(),
        pseudonym: pseudonym.to_string(),
    };
    outbox::enqueue(db, "auth.user.erased", &event).await?;
    Ok(())
}

/// What is told once an event is committed.
#[derive(Default)]
struct After {
    revoked: Vec<Told>,
    /// A user and their new notification.
    note: Option<(Uuid, Uuid)>,
}

/// Writes the mails that other services ask for, tells people what has happened to them, and suspends
/// whom a decision suspends.
pub struct Consumer {
    mail: Arc<Mail>,
    notices: Notices,
    /// By event, between its transaction and its commit.
    after: Mutex<HashMap<Uuid, After>>,
}

impl Consumer {
    pub fn new(mail: Arc<Mail>, notices: Notices) -> Self {
        Self { mail, notices, after: Mutex::default() }
    }

    async fn mail(&self, tx: &mut Transaction, asked: MailRequested) -> anyhow::Result<()> {
        let address = match asked.to {
            Some(To::Address(address)) => Some(address),
            Some(To::UserId(id)) => accounts::email_of(&mut **tx, Uuid::try_parse(&id)?).await?,
            None => None,
        };
        let letter = Letter::from_template(&asked.template, &asked.params, &self.mail);
        match (address, letter) {
            (Some(address), Some(letter)) => mail::queue(&mut **tx, &address, &letter).await?,
            (_, None) => tracing::error!(template = asked.template, "a mail template that is not known"),
            (None, _) => tracing::warn!(template = asked.template, "mail for somebody without an address"),
        }
        Ok(())
    }

    async fn decided(&self, tx: &mut Transaction, decided: ReportDecided) -> anyhow::Result<After> {
        // A decision may concern nobody who has an account.
        let Ok(user) = Uuid::try_parse(&decided.user_id) else { return Ok(After::default()) };
        if decided.undone == "suspend" {
            // An appeal was granted. Who is suspended for something else, or gone, stays so.
            match discipline::undo(tx, user, &decided.report_id, &self.mail).await {
                Ok(()) | Err(Error::UserNotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if decided.decision != "suspend" {
            return tell(tx, user, Note::decision(&decided)).await;
        }
        let cause = Cause::Report(&decided.report_id);
        match discipline::suspend(tx, user, cause, &decided.reasons, &self.mail).await {
            Ok(done) => Ok(After { revoked: done.revoked, note: done.note.map(|id| (user, id)) }),
            // Erased meanwhile.
            Err(Error::UserNotFound) => Ok(After::default()),
            Err(error) => Err(error.into()),
        }
    }
}

async fn tell(tx: &mut Transaction, user: Uuid, note: Option<Note>) -> anyhow::Result<After> {
    let Some(note) = note else { return Ok(After::default()) };
    let id = notifications::add(tx, user, &note).await?;
    Ok(After { note: id.map(|id| (user, id)), ..Default::default() })
}

async fn entitled(tx: &mut Transaction, change: EntitlementChanged) -> anyhow::Result<After> {
    let user = Uuid::try_parse(&change.user_id)?;
    if notifications::plan_is_new(&mut **tx, user, change.version, &change.plan, &change.status).await? {
        tell(tx, user, Note::subscription(&change)).await
    } else {
        Ok(After::default())
    }
}

/// An avatar that was refused would be an address that nothing answers. Its owner is told by media.
async fn judged(tx: &mut Transaction, judged: AssetJudged) -> anyhow::Result<()> {
    let Ok(owner) = Uuid::try_parse(&judged.owner_id) else { return Ok(()) };
    if judged.passed {
        return Ok(());
    }
    if let Some((person, version)) = profiles::drop_avatar(&mut **tx, owner, &judged.asset).await? {
        user_changed(&mut **tx, "auth.user.updated", &person, version).await?;
    }
    Ok(())
}

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        let after = match event.topic.as_str() {
            topic if topic.ends_with(".mail.requested") => {
                self.mail(tx, event.decode()?).await?;
                After::default()
            }
            "catalog.review.posted" => {
                let review: ReviewPosted = event.decode()?;
                tell(tx, Uuid::try_parse(&review.owner_id)?, Some(Note::review(&review))).await?
            }
            "catalog.report.decided" => self.decided(tx, event.decode()?).await?,
            "media.image.completed" | "media.image.failed" => {
                let image: ImageEnded = event.decode()?;
                let note = Note::image(&image, event.topic.ends_with("completed"));
                tell(tx, Uuid::try_parse(&image.user_id)?, note).await?
            }
            "media.asset.judged" => {
                judged(tx, event.decode()?).await?;
                After::default()
            }
            // One's own, which the others answer.
            "auth.user.erased" => After::default(),
            topic if topic.ends_with(".user.erased") => {
                let done: ErasureDone = event.decode()?;
                let service = topic.split('.').next().unwrap_or_default();
                account_data::erased_by(&mut **tx, Uuid::try_parse(&done.user_id)?, service).await?;
                After::default()
            }
            topic if topic.ends_with(".user.struck") => match strikes::told(tx, event, &self.mail).await? {
                Some((user, done)) => After { revoked: done.revoked, note: done.note.map(|id| (user, id)) },
                None => After::default(),
            },
            "billing.entitlement.changed" => entitled(tx, event.decode()?).await?,
            _ => After::default(),
        };
        self.after.lock().expect("no holder panics").insert(event.id, after);
        Ok(())
    }

    async fn applied(&self, event: &Event) {
        let after = self.after.lock().expect("no holder panics").remove(&event.id);
        let Some(after) = after else { return };
        keys::tell(&self.notices, &after.revoked).await;
        if let Some((user, id)) = after.note {
            self.notices.hint(user, "notification", id.to_string()).await;
        }
    }
}
