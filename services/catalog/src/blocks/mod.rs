//! What a person does not want to see. The gate and the lists hold to it; nothing else needs to know.

mod grpc;
pub mod store;

use std::collections::HashSet;

use proto::catalog::v1::BlockKind;
use uuid::Uuid;

use crate::characters::NSFW;

/// What one reader has blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    pub tags: HashSet<String>,
    pub creators: HashSet<Uuid>,
    pub characters: HashSet<Uuid>,
}

impl Blocks {
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.creators.is_empty() && self.characters.is_empty()
    }

    /// Whether the reader does not want to see this (SQL says the same: `is_hidden`).
    pub fn hide(&self, id: Uuid, creator: Uuid, tags: &[String], nsfw: bool) -> bool {
        self.characters.contains(&id)
            || self.creators.contains(&creator)
            || nsfw && self.tags.contains(NSFW)
            || tags.iter().any(|tag| self.tags.contains(tag))
    }
}

/// As stored; `None` when unspecified.
pub fn word(kind: BlockKind) -> Option<&'static str> {
    match kind {
        BlockKind::Tag => Some("tag"),
        BlockKind::Creator => Some("creator"),
        BlockKind::Character => Some("character"),
        BlockKind::Unspecified => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_hidden_like_a_tag() {
        let (id, creator) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let tags = ["robot".to_owned()];
        let blocks = Blocks { tags: [NSFW.to_owned(), "feet".to_owned()].into(), ..Blocks::default() };
        assert!(!blocks.hide(id, creator, &tags, false));
        assert!(blocks.hide(id, creator, &tags, true));
        assert!(Blocks { creators: [creator].into(), ..Blocks::default() }.hide(id, creator, &tags, false));
        assert!(Blocks { characters: [id].into(), ..Blocks::default() }.hide(id, creator, &tags, false));
    }
}
