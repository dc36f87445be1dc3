//! Who reads a list: what the gate and the index need to know of them, asked once for each list.

use uuid::Uuid;

use super::{index::Hidden, store};
use crate::{
    App,
    characters::{NSFW, gate::Gate},
    error::Result,
    viewers,
};

pub struct Reader {
    pub gate: Gate,
    /// Their blocks; nothing when there are none.
    pub hidden: Option<Hidden>,
}

impl Reader {
    pub fn user(&self) -> Option<Uuid> {
        self.gate.user
    }
}

impl App {
    pub(super) async fn reader(&self, user: Option<Uuid>) -> Result<Reader> {
        let gate = viewers::gate(&self.db, user).await?;
        let hidden = match gate.user {
            Some(reader) if !gate.blocks.is_empty() => {
                let slugs: Vec<String> = gate.blocks.tags.iter().cloned().collect();
                let characters: Vec<Uuid> = gate.blocks.characters.iter().copied().collect();
                Some(Hidden {
                    reader,
                    tags: self.tags.ids(&self.db, &slugs).await?,
                    nsfw: gate.blocks.tags.contains(NSFW),
                    creators: gate.blocks.creators.iter().copied().collect(),
                    ords: store::ords(&self.db, &characters).await?,
                })
            }
            _ => None,
        };
        Ok(Reader { gate, hidden })
    }
}
