//! A moderator decides about what a rule holds.

use kit::{db::Transaction, error::Failure, outbox, text};
use moderation::Rule;
use proto::{
    catalog::v1::HeldDecision,
    events::v1::{ReportDecided, UserStruck},
};
use uuid::Uuid;

use super::{settle, store};
use crate::{
    App,
    characters::{A_CHARACTER, rows},
    error::{Error, Result},
    events, limits, reports,
};

const DECIDED: &str = "catalog.report.decided";

impl App {
    pub(super) async fn decide_about(
        &self,
        by: Uuid,
        id: Uuid,
        decision: HeldDecision,
        (reasons, digest): (&str, &str),
    ) -> Result<()> {
        let reasons = text::clean(reasons, limits::REPORT_TEXT_MAX)
            .map_err(|e| Failure::invalid("reasons", e.to_string()))?;
        let mut tx = self.db.begin().await?;
        let row = rows::one(&mut *tx, id).await?.ok_or(Error::CharacterNotFound)?;
        let subject = format!("the character {}", row.name());
        let held = store::rule(&mut tx, id).await?.ok_or(Error::NotHeld)?;
        // Its owner may have saved it while somebody read it.
        if hex::encode(&held.digest) != digest {
            return Err(Error::HeldChanged);
        }
        let rule = held.about;
        match decision {
            HeldDecision::Unspecified => {
                return Err(Failure::invalid("decision", "Choose what becomes of it.").into());
            }
            HeldDecision::Approve => {
                store::approve(&mut tx, id, &held.digest).await?;
                store::release(&mut tx, id, "rule").await?;
                store::release(&mut tx, id, "check").await?;
                settle(&mut tx, id).await?;
                tell(&mut tx, row.owner(), "restore", &reasons, subject).await?;
            }
            HeldDecision::Remove => {
                if reasons.is_empty() {
                    return Err(Failure::invalid("reasons", "Say why, for its owner.").into());
                }
                reports::remove_held(&mut tx, by, (id, row.owner()), subject, &rule, &reasons).await?;
                if Rule::named(&rule).is_some_and(Rule::strikes) {
                    let struck =
                        UserStruck { user_id: row.owner().to_string(), rule, object: A_CHARACTER.into() };
                    outbox::enqueue(&mut *tx, events::STRUCK, &struck).await?;
                }
            }
        }
        tx.commit().await?;
        Ok(())
    }
}

/// Tells an owner that the picture of a character was refused, and is gone.
pub async fn tell_picture_gone(tx: &mut Transaction, owner: Uuid, name: &str, rule: &str) -> Result<()> {
    let reasons = Rule::named(rule).map_or("It is against the rules.", Rule::public_text);
    tell(tx, owner, "remove", reasons, format!("the picture of {name}")).await
}

async fn tell(
    tx: &mut Transaction,
    owner: Uuid,
    decision: &str,
    reasons: &str,
    subject: String,
) -> Result<()> {
    let event = ReportDecided {
        report_id: Uuid::now_v7().to_string(),
        user_id: owner.to_string(),
        decision: decision.into(),
        reasons: reasons.into(),
        subject,
        ..ReportDecided::default()
    };
    outbox::enqueue(&mut **tx, DECIDED, &event).await?;
    Ok(())
}
