//! "What the character sees", block by block.

use serde::{Deserialize, Serialize};

/// Why a block or an entry is not there, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is none.
    Absent,
    /// There was no room.
    Budget,
    /// The card is longer than its share of the prompt.
    CardCut,
    /// The messages that it tells of stand in the history.
    InHistory,
    /// Its pattern cannot be read.
    BadRegex,
}

impl Why {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Budget => "budget",
            Self::CardCut => "card_cut",
            Self::InHistory => "in_history",
            Self::BadRegex => "bad_regex",
        }
    }
}

/// A memory, or an entry of a lorebook. Its text is kept where it belongs, not here: what is forgotten there is
/// forgotten here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Of the memory or of the lorebook; `card` for the character's own lorebook.
    pub id: String,
    /// Number of the lorebook's entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    pub title: String,
    pub tokens: usize,
    pub included: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// One part of the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    pub block: String,
    pub title: String,
    pub tokens: usize,
    pub included: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Messages, examples or entries that are in, where the block has such parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<usize>,
    /// Those that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Entry>,
}

impl Block {
    pub fn new(block: &str, title: impl Into<String>) -> Self {
        Self { block: block.to_owned(), title: title.into(), ..Self::default() }
    }

    /// A block that is in, whole.
    pub fn whole(block: &str, title: impl Into<String>, tokens: usize) -> Self {
        Self { tokens, included: true, ..Self::new(block, title) }
    }

    /// A block that there is nothing for.
    pub fn absent(block: &str, title: impl Into<String>) -> Self {
        Self { why: Some(Why::Absent), ..Self::new(block, title) }
    }

    /// A block of entries.
    pub fn of(block: &str, title: impl Into<String>, tokens: usize, entries: Vec<Entry>) -> Self {
        let parts = entries.iter().filter(|entry| entry.included).count();
        let dropped = entries.len() - parts;
        let why = match (entries.is_empty(), dropped) {
            (true, _) => Some(Why::Absent),
            (false, 0) => None,
            (false, _) => Some(Why::Budget),
        };
        Self {
            tokens,
            included: parts > 0,
            why,
            parts: Some(parts),
            dropped: Some(dropped),
            entries,
            ..Self::new(block, title)
        }
    }
}

/// "What the character sees". Older manifests lack some of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub engine: String,
    pub model: String,
    /// Tokens that the prompt may take.
    pub budget: usize,
    /// Tokens kept for the reply.
    pub reply: usize,
    /// Tokens of all that is included.
    pub tokens: usize,
    /// True unless the engine, or the model's own tokenizer, has counted.
    pub estimated: bool,
    /// Tokens at its beginning that were in the prompt before as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_tokens: Option<usize>,
    pub blocks: Vec<Block>,
    /// Stable codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Manifest {
    /// Whether a memory or an entry of a lorebook was told.
    pub fn tells(&self, id: &str) -> bool {
        self.blocks.iter().flat_map(|block| &block.entries).any(|entry| entry.included && entry.id == id)
    }
}
