//! The plain keys of a lorebook, all looked for in one pass: a book has thousands of them, and a chat has a long
//! memory.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{Book, Entry};
use crate::limits::{LORE_KEYS_KEPT, LORE_SEARCHED_BYTES};

/// A text, and which keys stand in it.
pub struct Searched {
    pub text: String,
    exact: Found,
    folded: Found,
}

/// By the number of a key: whether it stands there, and whether as a whole word.
type Found = Vec<(bool, bool)>;

/// A book whose keys are built when they are first asked for, and kept with it where they are not too many.
#[derive(Debug)]
pub struct Keyed {
    pub book: Book,
    keys: OnceLock<Arc<Keys>>,
}

impl Keyed {
    pub const fn new(book: Book) -> Self {
        Self { book, keys: OnceLock::new() }
    }

    /// Those of its entries that are on.
    pub fn keys(&self) -> Arc<Keys> {
        let build = || Arc::new(Keys::new(self.book.entries.iter().filter(|entry| entry.enabled)));
        let keys = self.book.entries.iter().flat_map(|entry| entry.keys.iter().chain(&entry.secondary_keys));
        match keys.map(String::len).sum::<usize>() <= LORE_KEYS_KEPT {
            true => Arc::clone(self.keys.get_or_init(build)),
            false => build(),
        }
    }
}

/// The keys of a book that are no patterns, each once.
#[derive(Debug)]
pub struct Keys {
    /// Of entries that tell capitals from small letters.
    exact: Finder,
    /// Of the others, in small letters.
    folded: Finder,
}

impl Keys {
    pub fn new<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let (mut exact, mut folded) = (Finder::default(), Finder::default());
        for entry in entries.filter(|entry| !entry.regex && !entry.constant) {
            for key in entry.keys.iter().chain(&entry.secondary_keys).filter(|key| !key.is_empty()) {
                if entry.case_sensitive {
                    exact.add(key.clone());
                } else {
                    folded.add(key.to_lowercase());
                }
            }
        }
        exact.build();
        folded.build();
        Self { exact, folded }
    }

    /// Looks for all of them.
    pub fn search(&self, text: String) -> Searched {
        let exact = self.exact.find(&text);
        let folded = if self.folded.numbers.is_empty() {
            Found::new()
        } else {
            self.folded.find(&text.to_lowercase())
        };
        Searched { text, exact, folded }
    }

    /// Whether a key of an entry stands in the text.
    pub fn were_said(&self, entry: &Entry, key: &str, searched: &Searched) -> bool {
        let found = if entry.case_sensitive {
            self.exact.numbers.get(key).and_then(|number| searched.exact.get(*number))
        } else {
            self.folded.numbers.get(&key.to_lowercase()).and_then(|number| searched.folded.get(*number))
        };
        found.is_some_and(|(anywhere, whole)| if entry.whole_words { *whole } else { *anywhere })
    }
}

#[derive(Debug, Default)]
struct Finder {
    numbers: HashMap<String, usize>,
    automaton: Option<AhoCorasick>,
}

impl Finder {
    fn add(&mut self, key: String) {
        let next = self.numbers.len();
        self.numbers.entry(key).or_insert(next);
    }

    fn build(&mut self) {
        let mut keys: Vec<(&String, &usize)> = self.numbers.iter().collect();
        keys.sort_unstable_by_key(|(_, number)| **number);
        // It may be kept, so it is of the kind that takes least.
        let built = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(keys.iter().map(|(key, _)| key.as_str()));
        self.automaton = built.inspect_err(|error| tracing::error!(%error, "keys cannot be looked for")).ok();
    }

    fn find(&self, text: &str) -> Found {
        let mut found = vec![(false, false); self.numbers.len()];
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        for hit in self.automaton.iter().flat_map(|automaton| automaton.find_overlapping_iter(text)) {
            let (anywhere, whole) = &mut found[hit.pattern().as_usize()];
            *anywhere = true;
            *whole = *whole
                || !(word(text[..hit.start()].chars().next_back()) || word(text[hit.end()..].chars().next()));
        }
        found
    }
}

/// The newest `depth` lines, at most the last [`LORE_SEARCHED_BYTES`] of them.
pub fn window(lines: &[&str], depth: usize) -> String {
    let first = lines.len().saturating_sub(depth);
    let mut from = lines.len();
    let mut bytes = 0;
    while from > first && bytes < LORE_SEARCHED_BYTES {
        from -= 1;
        bytes += lines[from].len() + 1;
    }
    end_of(lines[from..].join("\n"))
}

/// As much of the end of a text as is searched.
pub fn end_of(mut text: String) -> String {
    let from = text.floor_char_boundary(text.len().saturating_sub(LORE_SEARCHED_BYTES));
    text.drain(..from);
    text
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{
        lorebooks::{
            Book,
            matching::{Open, call_up},
        },
        tokens::{Tokenizer, counter},
    };

    fn entry(keys: Vec<String>) -> Entry {
        Entry { keys, content: "Lore.".into(), enabled: true, ..Entry::default() }
    }

    fn called(book: Book, lines: &[&str]) -> usize {
        let open = Open::new("book".into(), Keyed::new(book));
        call_up(&[open], lines, 10_000, &|text| text.to_owned(), &*counter(Tokenizer::Unknown)).len()
    }

    #[test]
    fn keys_are_found_whole_or_not_and_by_their_capitals() {
        let text = "The Gulls of Vesper; a foghorn.";
        for (key, whole_words, case_sensitive, said) in [
            ("gulls", true, false, true),
            ("gull", true, false, false),
            ("gull", false, false, true),
            ("Gulls", true, true, true),
            ("gulls", true, true, false),
            ("horn", true, false, false),
            ("VESPER", true, false, true),
            ("", false, false, false),
        ] {
            let entry = Entry { whole_words, case_sensitive, ..entry(vec![key.into()]) };
            let keys = Keys::new(std::iter::once(&entry));
            let searched = keys.search(text.to_owned());
            assert_eq!(keys.were_said(&entry, key, &searched), said, "{key} {whole_words} {case_sensitive}");
        }
    }

    #[test]
    fn large_books_search_long_chats_in_no_time() {
        let line = "é quite ordinary evening at the harbour. ".repeat(100);
        let lines: Vec<&str> = std::iter::repeat_n(line.as_str(), 100).collect();
        let entries: Vec<Entry> = (0..200_u32)
            .map(|n| Entry {
                scan_depth: Some(n % 100),
                ..entry((0..30).map(|k| format!("no such key {n} {k}")).collect())
            })
            .collect();
        let begun = Instant::now();
        assert_eq!(called(Book { scan_depth: 100, entries, ..Book::default() }, &lines), 0);
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    #[test]
    fn only_so_much_of_the_end_is_searched() {
        let far = "x".repeat(LORE_SEARCHED_BYTES);
        let book = || Book { scan_depth: 3, entries: vec![entry(vec!["beacon".into()])], ..Book::default() };
        assert_eq!(called(book(), &["the beacon", "the sea"]), 1);
        assert_eq!(called(book(), &["the beacon", &far]), 0);
        assert_eq!(called(book(), &[&far, "the beacon"]), 1);
    }
}
