//! Which entries are told: those whose keys were said lately, and what their texts call up in turn, within
//! their budget.

use std::{collections::HashMap, sync::Arc};

use regex::{Regex, RegexBuilder};

use super::{
    Book, Entry, Logic,
    keys::{Keyed, Keys, Searched, end_of, window},
};
use crate::tokens::Count;

/// Rounds in which what is told is searched for keys of others.
const ROUNDS: usize = 3;
/// Bytes that a compiled pattern may take; those that would be larger are refused.
const PATTERN_BYTES: usize = 256 * 1024;
/// Patterns that are tried for one prompt, over all books.
const PATTERNS_MAX: usize = 500;
/// What joins entries, in tokens.
const JOINT: usize = 1;

/// A lorebook that is open in a chat.
#[derive(Debug, Clone)]
pub struct Open {
    /// Of the lorebook; `card` for the character's own.
    id: String,
    keyed: Arc<Keyed>,
}

impl Open {
    pub fn new(id: String, keyed: impl Into<Arc<Keyed>>) -> Self {
        Self { id, keyed: keyed.into() }
    }

    fn book(&self) -> &Book {
        &self.keyed.book
    }
}

/// Why an entry that was called up is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    Budget,
    BadRegex,
}

/// An entry that was called up.
#[derive(Debug, Clone)]
pub struct Called {
    pub book: String,
    pub name: String,
    /// Number of the entry in its book.
    pub at: usize,
    pub text: String,
    pub tokens: usize,
    pub constant: bool,
    pub before_character: bool,
    pub depth: Option<u32>,
    pub order: i32,
    pub left: Option<Left>,
}

/// A pattern in linear time, within [`PATTERN_BYTES`].
///
/// # Errors
/// When it cannot be read, or is too large.
pub fn pattern(key: &str, case_sensitive: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(key).case_insensitive(!case_sensitive).size_limit(PATTERN_BYTES).build()
}

/// The entries of all books that `lines` (oldest first) call up, those that stand higher first. Every book has
/// its own budget, at most `share` tokens; all together have `share` tokens.
pub fn call_up(
    books: &[Open],
    lines: &[&str],
    share: usize,
    fill: &dyn Fn(&str) -> String,
    counter: &dyn Count,
) -> Vec<Called> {
    let mut patterns_left = PATTERNS_MAX;
    let mut all: Vec<Called> = Vec::new();
    for open in books {
        let mut called = in_book(open, lines, &mut patterns_left, fill, counter);
        let budget = open.book().token_budget.map_or(share, |budget| share.min(budget as usize));
        keep_within(&mut called, open.book(), budget);
        all.extend(called);
    }
    let mut left = share;
    for entry in all.iter_mut().filter(|entry| entry.left.is_none()) {
        if entry.tokens + JOINT > left {
            entry.left = Some(Left::Budget);
        } else {
            left -= entry.tokens + JOINT;
        }
    }
    all.sort_by_key(|entry| entry.order);
    all
}

/// Tokens that the entries that are not constant could take at most.
pub fn conditional_tokens(books: &[Open], counter: &dyn Count) -> usize {
    let entries = books.iter().flat_map(|open| &open.book().entries);
    entries.filter(|e| e.enabled && !e.constant).map(|e| counter.count(&e.content) + JOINT).sum()
}

fn in_book(
    open: &Open,
    lines: &[&str],
    patterns_left: &mut usize,
    fill: &dyn Fn(&str) -> String,
    counter: &dyn Count,
) -> Vec<Called> {
    let (book, keys) = (open.book(), open.keyed.keys());
    let mut called: Vec<Called> = Vec::new();
    let mut waiting: Vec<(usize, &Entry)> =
        book.entries.iter().enumerate().filter(|(_, entry)| entry.enabled).collect();
    let mut windows: HashMap<usize, Searched> = HashMap::new();
    let mut told: Option<Searched> = None;
    for _ in 0..=ROUNDS {
        let mut found = String::new();
        waiting.retain(|(at, entry)| {
            let left = if entry.constant {
                None
            } else {
                let depth = lines.len().min(entry.scan_depth.unwrap_or(book.scan_depth) as usize);
                let searched = match &told {
                    Some(told) => told,
                    None => windows.entry(depth).or_insert_with(|| keys.search(window(lines, depth))),
                };
                match says(entry, &keys, searched, patterns_left) {
                    Ok(true) => None,
                    Ok(false) => return true,
                    Err(()) => Some(Left::BadRegex),
                }
            };
            let text = fill(&entry.content);
            found.push_str(&text);
            found.push('\n');
            called.push(Called {
                book: open.id.clone(),
                name: entry.name.clone(),
                at: *at,
                tokens: counter.count(&text),
                text,
                constant: entry.constant,
                before_character: entry.before_character,
                depth: entry.depth,
                order: entry.order,
                left,
            });
            false
        });
        if !book.recursive || found.is_empty() || waiting.is_empty() {
            break;
        }
        told = Some(keys.search(end_of(found)));
    }
    called
}

/// Leaves out what does not fit: constant entries stay longest, then those of higher priority.
fn keep_within(called: &mut [Called], book: &Book, budget: usize) {
    let worth = |called: &Called| {
        let entry = &book.entries[called.at];
        (called.constant, entry.priority.unwrap_or(entry.order))
    };
    called.sort_by_key(|entry| std::cmp::Reverse(worth(entry)));
    let mut left = budget;
    for entry in called.iter_mut().filter(|entry| entry.left.is_none()) {
        if entry.tokens + JOINT > left {
            entry.left = Some(Left::Budget);
        } else {
            left -= entry.tokens + JOINT;
        }
    }
}

/// Whether the keys of an entry were said in a text; an error when none of its patterns can be read.
fn says(entry: &Entry, keys: &Keys, searched: &Searched, patterns_left: &mut usize) -> Result<bool, ()> {
    let mut bad = false;
    let mut one = |key: &String| {
        if !entry.regex {
            return keys.were_said(entry, key, searched);
        }
        if *patterns_left == 0 {
            return false;
        }
        *patterns_left -= 1;
        pattern(key, entry.case_sensitive).map_or_else(
            |_| {
                bad = true;
                false
            },
            |pattern| pattern.is_match(&searched.text),
        )
    };
    if !entry.keys.iter().any(&mut one) {
        return if bad { Err(()) } else { Ok(false) };
    }
    if entry.secondary_keys.is_empty() {
        return Ok(true);
    }
    let said = entry.secondary_keys.iter().filter(|key| one(key)).count();
    let all = said == entry.secondary_keys.len();
    Ok(match entry.logic {
        Logic::AndAny => said > 0,
        Logic::AndAll => all,
        Logic::NotAny => said == 0,
        Logic::NotAll => !all,
    })
}
