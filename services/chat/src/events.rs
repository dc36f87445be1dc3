//! All that chat tells, and all that it hears.

use async_trait::async_trait;
use kit::{
    inbox::{Apply, Event},
    notice::Notices,
    outbox,
};
use proto::events::v1::{ActivityRecorded, CharacterActivity, CharacterChanged};
use sqlx::PgTransaction;
use uuid::Uuid;

use crate::{
    error::Result,
    peers::{CHARACTER_CHANGED, Peers},
};

const CHARACTER: &str = "catalog.character.changed";

pub const TOPICS: &[&str] = &[CHARACTER];

/// `chat.activity.recorded`
pub async fn activity_recorded(tx: &mut PgTransaction<'_>, characters: Vec<CharacterActivity>) -> Result<()> {
    outbox::enqueue(&mut **tx, "chat.activity.recorded", &ActivityRecorded { characters }).await?;
    Ok(())
}

/// Drops cards that have changed, here and (by a notice) in every other process.
pub struct Consumer {
    pub peers: Peers,
    pub notices: Notices,
}

#[async_trait]
impl Apply for Consumer {
    async fn apply(&self, _tx: &mut PgTransaction<'_>, event: &Event) -> anyhow::Result<()> {
        if event.topic != CHARACTER {
            return Ok(());
        }
        let changed: CharacterChanged = event.decode()?;
        let character = Uuid::try_parse(&changed.character_id)?;
        self.peers.forget_character(character);
        Ok(())
    }

    async fn applied(&self, event: &Event) {
        if let Ok(changed) = event.decode::<CharacterChanged>() {
            let owner = Uuid::try_parse(&changed.owner_id).unwrap_or_default();
            self.notices.hint(owner, CHARACTER_CHANGED, changed.character_id).await;
        }
    }
}
