//! Lorebooks: what a character is told when certain words are said. Those of characters stand in their cards
//! (`character_book`), those of users here; both are read into the same shape.

mod grpc;
mod keys;
pub mod matching;
mod read;
pub mod store;

use serde::{Deserialize, Serialize};

pub use self::{keys::Keyed, read::read};

/// How the secondary keys decide, once one of the keys was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Logic {
    #[default]
    AndAny,
    AndAll,
    NotAny,
    NotAll,
}

/// An entry of a lorebook.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    pub name: String,
    /// Words, or regular expressions with `regex`.
    pub keys: Vec<String>,
    pub secondary_keys: Vec<String>,
    pub logic: Logic,
    pub content: String,
    pub enabled: bool,
    /// Always told.
    pub constant: bool,
    /// Lower stands higher.
    pub order: i32,
    /// Lower is left out first; the order decides when absent.
    pub priority: Option<i32>,
    /// Of a constant entry: before the character's description instead of behind it.
    pub before_character: bool,
    /// Messages from the newest above which it stands; with the newest when absent.
    pub depth: Option<u32>,
    /// Newest messages that are searched; as the book says when absent.
    pub scan_depth: Option<u32>,
    pub case_sensitive: bool,
    pub whole_words: bool,
    pub regex: bool,
}

/// What is in a lorebook.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Book {
    /// Newest messages that are searched.
    pub scan_depth: u32,
    /// Tokens of all its entries in a prompt; a share of the prompt when absent.
    pub token_budget: Option<u32>,
    /// What is told is searched for keys as well.
    pub recursive: bool,
    pub entries: Vec<Entry>,
}
