//! Strikes: what was refused by a rule whose repeat suspends. The first occasion is explained, the second suspends.

mod store;

pub use self::store::forget;

use kit::db::Transaction;
use moderation::Rule;
use proto::events::v1::UserStruck;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    App,
    config::Mail,
    discipline::{self, Cause, Done},
    error::{Error, Result},
    keys, limits,
    mail::{self, Letter},
    notifications::{Note, store as notifications},
};

/// What was refused.
#[derive(Debug)]
pub struct Strike<'a> {
    pub id: Uuid,
    pub user: Uuid,
    pub rule: &'a str,
    pub object: &'a str,
    pub service: &'a str,
    pub at: OffsetDateTime,
}

/// Keeps a strike in the caller's transaction, and does what follows from it. `None` when nothing is to be told: the
/// occasion was told of already, or nobody is left to tell.
///
/// # Errors
/// When the database cannot be asked.
pub async fn strike(tx: &mut Transaction, strike: &Strike<'_>, mail: &Mail) -> Result<Option<Done>> {
    // Locked, so that two strikes at once are one occasion. Whoever was erased meanwhile is nobody.
    let Some(person) = discipline::store::lock(&mut **tx, strike.user).await? else { return Ok(None) };
    let since = strike.at - limits::OCCASION;
    let opens = !store::opened_since(&mut **tx, strike.user, since).await?;
    store::add(&mut **tx, strike, opens).await?;
    if !opens {
        return Ok(None);
    }
    let kept = strike.at - limits::STRIKE_LIFE;
    let occasions = store::occasions(&mut **tx, strike.user, kept).await?;
    tracing::info!(user = %strike.user, rule = strike.rule, service = strike.service, occasions, "struck");
    let rule = explained(strike.rule);
    if occasions < limits::OCCASIONS {
        let letter = Letter::struck(&person.username, strike.object, rule, mail);
        mail::queue(&mut **tx, &person.email, &letter).await?;
        let note = notifications::add(tx, strike.user, &Note::struck(strike.object, rule)).await?;
        return Ok(Some(Done { at: strike.at, revoked: Vec::new(), note }));
    }
    let reason = format!(
        "{} For a second time within {} days something of yours was refused by this rule or one as grave: {}.",
        rule,
        limits::STRIKE_LIFE.whole_days(),
        strike.object
    );
    discipline::suspend(tx, strike.user, Cause::Moderation, &reason, mail).await.map(Some)
}

/// The rule in a sentence, also one that this version does not know.
fn explained(rule: &str) -> &'static str {
    Rule::named(rule).map_or("This is against the rules.", Rule::public_text)
}

/// What another service tells.
pub async fn told(
    tx: &mut Transaction,
    event: &kit::inbox::Event,
    mail: &Mail,
) -> anyhow::Result<Option<(Uuid, Done)>> {
    let struck: UserStruck = event.decode()?;
    let user = Uuid::try_parse(&struck.user_id)?;
    let strike = Strike {
        id: event.id,
        user,
        rule: &struck.rule,
        object: &struck.object,
        service: event.topic.split('.').next().unwrap_or_default(),
        at: event.at.unwrap_or_else(OffsetDateTime::now_utc),
    };
    Ok(self::strike(tx, &strike, mail).await?.map(|done| (user, done)))
}

impl App {
    /// Of auth's own: where the refusal is one that strikes, it counts. The refusal stays what it is.
    pub async fn count(&self, user: Uuid, refusal: &Error, object: &str) -> Result<()> {
        let Error::Moderated(_, rule) = refusal else { return Ok(()) };
        if !rule.strikes() {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        let (id, at) = (Uuid::now_v7(), OffsetDateTime::now_utc());
        let struck = Strike { id, user, rule: rule.as_str(), object, service: "auth", at };
        let done = strike(&mut tx, &struck, &self.mail).await?;
        tx.commit().await?;
        let Some(done) = done else { return Ok(()) };
        keys::tell(&self.notices, &done.revoked).await;
        if let Some(note) = done.note {
            self.notices.hint(user, "notification", note.to_string()).await;
        }
        Ok(())
    }
}
