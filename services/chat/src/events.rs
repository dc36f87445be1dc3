//! All that chat tells, and all that it hears.

use async_trait::async_trait;
use kit::{
    db::{Db, Transaction},
    inbox::{Apply, Event},
    notice::Notices,
    outbox,
};
use moderation::Rule;
use proto::events::v1::{
    ActivityRecorded, CharacterActivity, CharacterChanged, ErasureDone, UserErased, UserStruck, UserSuspended,
};
use uuid::Uuid;

use crate::{
    account_data::store as account_data,
    error::Result,
    peers::{CHARACTER_CHANGED, Peers},
};

const CHARACTER: &str = "catalog.character.changed";

const SUSPENDED: &str = "auth.user.suspended";
const ERASED: &str = "auth.user.erased";

/// `chat.activity.recorded`
pub async fn activity_recorded(tx: &mut Transaction, characters: Vec<CharacterActivity>) -> Result<()> {
    outbox::enqueue(&mut **tx, "chat.activity.recorded", &ActivityRecorded { characters }).await?;
    Ok(())
}

/// `chat.user.struck`
pub async fn user_struck(db: &Db, user: Uuid, rule: Rule, object: &str) -> Result<()> {
    let struck =
        UserStruck { user_id: user.to_string(), rule: rule.as_str().to_owned(), object: object.to_owned() };
    let mut tx = db.begin().await?;
    outbox::enqueue(&mut *tx, "chat.user.struck", &struck).await?;
    tx.commit().await?;
    Ok(())
}

/// Drops cards that have changed, here and (by a notice) in every other process.
pub struct Consumer {
    pub peers: Peers,
    pub notices: Notices,
}

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, tx: &mut Transaction, event: &Event) -> anyhow::Result<()> {
        match event.topic.as_str() {
            CHARACTER => {
                let changed: CharacterChanged = event.decode()?;
                self.peers.forget_character(Uuid::try_parse(&changed.character_id)?);
            }
            SUSPENDED => {
                let suspended: UserSuspended = event.decode()?;
                account_data::stop_replies(tx, Uuid::try_parse(&suspended.user_id)?).await?;
            }
            ERASED => {
                let erased: UserErased = event.decode()?;
                let user = Uuid::try_parse(&erased.user_id)?;
                account_data::erase(tx, user).await?;
                let done = ErasureDone { user_id: erased.user_id };
                outbox::enqueue(&mut **tx, "chat.user.erased", &done).await?;
            }
            _ => {}
        }
        Ok(())
    }

    async fn applied(&self, event: &Event) {
        if event.topic != CHARACTER {
            return;
        }
        if let Ok(changed) = event.decode::<CharacterChanged>() {
            let owner = Uuid::try_parse(&changed.owner_id).unwrap_or_default();
            self.notices.hint(owner, CHARACTER_CHANGED, changed.character_id).await;
        }
    }
}
