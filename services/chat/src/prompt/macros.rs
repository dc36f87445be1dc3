//! The macros of character cards: who speaks and who is spoken to.

use std::sync::LazyLock;

use regex::{Captures, Regex};

static MACRO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\{\{\s*([a-z_]*)[^{}]*\}\}|<(user|bot|char)>").expect("a pattern of this file")
});

/// Writes the names in; a macro that is not known leaves nothing behind.
pub fn fill(text: &str, character: &str, user: &str) -> String {
    MACRO
        .replace_all(text, |found: &Captures<'_>| {
            let name = found.get(1).or_else(|| found.get(2)).map_or("", |m| m.as_str());
            match name.to_ascii_lowercase().as_str() {
                "char" | "bot" => character.to_owned(),
                "user" => user.to_owned(),
                _ => String::new(),
            }
        })
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn names_are_written_in_however_they_are_spelled() {
        assert_eq!(
            fill("{{char}} sees {{ User }}. <BOT> nods to <user>.", "Isolde", "Wren"),
            "Isolde sees Wren. Isolde nods to Wren."
        );
    }

    #[test]
    fn what_is_not_known_leaves_nothing_behind() {
        assert_eq!(fill("a{{random:x,y}}b", "I", "W"), "ab");
    }
}
