//! The parts of a card beyond the form of the specification, checked.

use kit::error::Violations;
use kit::text;
use proto::catalog::v1::CardExtras;
use serde::Deserialize;
use serde_json::Value;

use crate::limits;

/// A lorebook that is one: JSON with entries, within the limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    /// As it was written; empty when there is none.
    pub json: String,
    texts: Vec<String>,
}

impl Book {
    /// # Errors
    /// What is wrong with it, for people.
    pub fn new(json: &str) -> Result<Self, String> {
        let json = json.trim();
        if json.is_empty() || json == "null" {
            return Ok(Self::default());
        }
        if json.len() > limits::BOOK_BYTES {
            return Err("At most 512 KiB.".into());
        }
        // Chat reads it again: what it could not read is not taken.
        let value: Value = serde_json::from_str(json)
            .map_err(|_| "The lorebook is not JSON, or has a number beyond all bounds.")?;
        if !value.is_object() {
            return Err("The lorebook is one JSON object.".into());
        }
        let none = Vec::new();
        let entries = match value.get("entries") {
            None | Some(Value::Null) => &none,
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err("The entries of the lorebook are a list.".into()),
        };
        if entries.len() > limits::BOOK_ENTRIES_MAX {
            return Err("At most 500 entries.".into());
        }
        let mut texts = of(&value, &["name", "description"]);
        for (at, entry) in entries.iter().enumerate() {
            let number = at + 1;
            if !entry.is_object() {
                return Err(format!("Entry {number} of the lorebook is none."));
            }
            if !matches!(entry.get("content"), None | Some(Value::Null | Value::String(_))) {
                return Err(format!("The content of entry {number} of the lorebook is not a text."));
            }
            texts.extend(of(entry, &["content", "name", "comment"]));
            for field in ["keys", "secondary_keys"] {
                let keys = match entry.get(field) {
                    None | Some(Value::Null) => continue,
                    Some(Value::Array(keys)) if keys.len() <= limits::BOOK_KEYS_MAX => keys,
                    Some(_) => {
                        return Err(format!(
                            "Entry {number} of the lorebook has at most 100 keys, in a list."
                        ));
                    }
                };
                let words: Option<Vec<&str>> = keys.iter().map(Value::as_str).collect();
                let words =
                    words.ok_or_else(|| format!("A key of entry {number} of the lorebook is not a text."))?;
                texts.push(words.join(" "));
            }
        }
        Ok(Self { json: json.to_owned(), texts })
    }

    /// All that is written in it.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether it says the same as another, however that spells its numbers.
    pub fn says(&self, other: &str) -> bool {
        let read = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
        same(&read(&self.json), &read(other))
    }
}

fn of(object: &Value, fields: &[&str]) -> Vec<String> {
    let texts = fields.iter().filter_map(|field| object.get(field)?.as_str());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Browsers write 1 for 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The further parts of a card, checked ([`Extras::new`]) now or when they were [`Written`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    pub alternate_greetings: Vec<String>,
    pub book: Book,
    pub system_prompt: String,
    pub post_history_instructions: String,
    pub creator_notes: String,
    pub character_version: String,
    pub nickname: String,
}

/// The further parts as they are stored: a row of `character_extras`.
#[derive(Debug, Clone, Deserialize)]
pub struct Written {
    pub alternate_greetings: Vec<String>,
    pub character_book: String,
    pub system_prompt: String,
    pub post_history_instructions: String,
    pub creator_notes: String,
    pub character_version: String,
    pub nickname: String,
}

impl From<Written> for Extras {
    fn from(written: Written) -> Self {
        Self {
            alternate_greetings: written.alternate_greetings,
            book: Book::new(&written.character_book).unwrap_or_default(),
            system_prompt: written.system_prompt,
            post_history_instructions: written.post_history_instructions,
            creator_notes: written.creator_notes,
            character_version: written.character_version,
            nickname: written.nickname,
        }
    }
}

impl Extras {
    /// What is wrong is added to `v`.
    pub fn new(given: &CardExtras, v: &mut Violations) -> Self {
        let mut clean = |field: &str, value: &str, max: usize| {
            text::clean(value, max).unwrap_or_else(|e| {
                v.add(field, e.to_string());
                String::new()
            })
        };
        let alternate_greetings: Vec<String> = given
            .alternate_greetings
            .iter()
            .map(|g| clean("alternateGreetings", g, limits::FIRST_MESSAGE_MAX))
            .collect();
        let made = Self {
            system_prompt: clean("systemPrompt", &given.system_prompt, limits::INSTRUCTIONS_MAX),
            post_history_instructions: clean(
                "postHistoryInstructions",
                &given.post_history_instructions,
                limits::INSTRUCTIONS_MAX,
            ),
            creator_notes: clean("creatorNotes", &given.creator_notes, limits::NOTES_MAX),
            character_version: clean("characterVersion", &given.character_version, limits::CARD_VERSION_MAX),
            nickname: clean("nickname", &given.nickname, limits::NAME_MAX),
            book: Book::default(),
            alternate_greetings,
        };
        v.check(made.alternate_greetings.len() <= limits::GREETINGS_MAX, "alternateGreetings", "At most 20.");
        let book = Book::new(&given.character_book).unwrap_or_else(|text| {
            v.add("characterBook", text);
            Book::default()
        });
        Self { book, ..made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_taken_as_it_is_written_and_what_is_none_is_refused() {
        let json = r#"{"entries":[{"keys":["a"],"content":"b","insertion_order":1.0}],"x":1e3}"#;
        let book = Book::new(json).expect("a book");
        assert_eq!(book.json, json);
        assert!(book.says(r#"{"x":1000,"entries":[{"content":"b","keys":["a"],"insertion_order":1}]}"#));
        assert_eq!(Book::new("null").expect("none"), Book::default());
        for bad in [
            "[]",
            "{",
            r#"{"entries":{}}"#,
            r#"{"entries":[1]}"#,
            r#"{"x":1e999}"#,
            r#"{"entries":[{"keys":[1]}]}"#,
        ] {
            Book::new(bad).expect_err(bad);
        }
    }
}
