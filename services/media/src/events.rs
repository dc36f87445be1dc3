//! All that media tells, and all that it hears.

use std::time::Duration;

use async_trait::async_trait;
use kit::{
    db::{Db, Transaction},
    inbox::{Apply, Event},
    outbox,
};
use moderation::Rule;
use proto::events::v1::{CharacterChanged, ImageEnded, MailRequested, UserStruck, mail_requested::To};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    accounts,
    assets::{
        AssetId, copies,
        store::{self, Told},
    },
    error::Result,
    images::Job,
};

/// Ticket of a job; its body is the job's id (`google.protobuf.StringValue`).
pub const TICKET: &str = "media.job.queued";
/// Queue of the tickets.
pub const JOBS: &str = proto::queues::MEDIA_JOBS.name;

const CHARACTER_CHANGED: &str = "catalog.character.changed";

/// Why a suspended person's pictures are not drawn.
pub const SUSPENDED: &str = "suspended";

/// How a job ended.
pub enum End<'a> {
    Completed { asset: &'a AssetId, gel: &'a str },
    Failed(&'a str),
    Canceled(&'a str),
}

/// `media.image.completed`, `.failed` or `.canceled`
pub async fn image_ended(db: &mut PgConnection, job: &Job, end: End<'_>) -> Result<()> {
    let mut event = ImageEnded {
        job_id: job.id.to_string(),
        user_id: job.owner.to_string(),
        purpose: job.purpose.as_str().into(),
        character_id: job.character.map(|c| c.to_string()).unwrap_or_default(),
        version: job.version,
        cost: job.cost,
        ..ImageEnded::default()
    };
    let topic = match end {
        End::Completed { asset, gel } => {
            event.asset = asset.to_string();
            event.gel = gel.into();
            "media.image.completed"
        }
        End::Failed(reason) => {
            event.reason = reason.into();
            "media.image.failed"
        }
        End::Canceled(reason) => {
            event.reason = reason.into();
            "media.image.canceled"
        }
    };
    outbox::enqueue(db, topic, &event).await?;
    Ok(())
}

/// A ticket for the worker, delivered when so long has passed or soon after.
pub async fn ticket(db: &mut PgConnection, job: Uuid, after: Duration) -> Result<()> {
    outbox::enqueue_after(db, TICKET, &job.to_string(), after).await?;
    Ok(())
}

/// Keeps portraits as private as their characters, and does what is decided about pictures and people.
pub struct Consumer;

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        match event.topic.as_str() {
            CHARACTER_CHANGED => character_changed(tx, event.decode()?).await,
            "catalog.report.decided" => copies::decided(tx, event).await,
            "auth.user.erased" => accounts::erased(tx, event.decode()?).await,
            "auth.user.suspended" => accounts::suspended(tx, event.decode()?).await,
            _ => Ok(()),
        }
    }
}

async fn character_changed(tx: &mut Transaction, change: CharacterChanged) -> anyhow::Result<()> {
    let character = Uuid::try_parse(&change.character_id)?;
    // A limited character is seen by whoever has its address: so is its picture.
    let open = change.public && matches!(change.state.as_str(), "live" | "limited");
    let private = change.nsfw || change.deleted || !open;
    let image = AssetId::parse(&change.image_asset);
    let shown = image.as_ref().filter(|_| !change.deleted).map(AssetId::as_str).unwrap_or_default();
    let owner = Uuid::try_parse(&change.owner_id)?;
    let told =
        Told { character, version: change.version, private, deleted: change.deleted, image: shown, owner };
    let former = store::portrait_of(tx, character).await?;
    if !store::note_character(tx, told).await? {
        return Ok(());
    }
    if let Some(asset) = &image {
        store::set_private(tx, asset, owner, private).await?;
    }
    if let Some(former) = former {
        store::leave_the_stage(&mut **tx, former.as_str(), owner).await?;
    }
    Ok(())
}

/// `media.user.struck`: something of a user was refused by a rule whose repeat suspends. In a transaction of its own,
/// since what was refused leaves nothing behind; one that cannot be told is only logged.
pub async fn tell_strike(db: &Db, user: Uuid, rule: Rule, object: &str) {
    if !rule.strikes() {
        return;
    }
    let event = UserStruck { user_id: user.to_string(), rule: rule.as_str().into(), object: object.into() };
    let told = async {
        let mut connection = db.acquire().await?;
        outbox::enqueue(&mut *connection, "media.user.struck", &event).await
    };
    if let Err(error) = told.await {
        tracing::error!(%error, rule = rule.as_str(), "a strike was not told");
    }
}

/// `media.mail.requested`: a moderator has taken a picture away.
pub async fn picture_refused(db: &mut PgConnection, owner: Uuid, reasons: &str) -> Result<()> {
    let params = [("subject", "A picture of yours was taken away"), ("text", reasons)];
    let mail = MailRequested {
        to: Some(To::UserId(owner.to_string())),
        template: "notice".into(),
        params: params.map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect(),
    };
    outbox::enqueue(db, "media.mail.requested", &mail).await?;
    Ok(())
}
