//! The macros of character cards: who speaks and is spoken to, parts of the card, and chance. What is not
//! known stays as it is written.
//!
//! Chance falls the same way in a chat each time (`{{random:}}`, `{{pick:}}` and `{{roll:}}` go by the chat's
//! seed, their place and their words), and in texts at the beginning of a prompt `{{date}}` and `{{time}}` are
//! those at which the chat began: both so that a prompt begins as the one before it did.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use time::{OffsetDateTime, macros::format_description};

/// All macros but `{{trim}}`, which takes the blanks before it as well: with it a match may begin at any blank.
const USUAL: &str = r"\{\{\s*(?P<comment>//)[^{}]*\}\}|\{\{\s*(?P<name>[a-z_]+)\s*(?::{1,2}(?P<arguments>[^{}]*))?\}\}|<(?P<tag>user|bot|char)>";

/// For texts that have "trim" somewhere.
static MACRO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<trim>\s*\{\{\s*trim\s*\}\}\s*)|"));
/// For all others: each match begins with a sign that stands nowhere else much, so that what is between is passed over quickly.
static MACRO_WITHOUT_TRIM: LazyLock<Regex> = LazyLock::new(|| pattern(""));

fn pattern(trim: &str) -> Regex {
    Regex::new(&["(?is)", trim, USUAL].concat()).expect("a pattern of this file")
}

/// Passes in which what a macro stands for is looked through for macros; parts of the card are written in by
/// the first alone, so that a card that quotes itself stays short.
const PASSES: usize = 3;
/// Bytes that macros may write into one text.
const WRITTEN_MAX: usize = 64 * 1024;

/// What macros stand for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names<'a> {
    pub character: &'a str,
    pub user: &'a str,
    pub persona: &'a str,
    pub description: &'a str,
    pub personality: &'a str,
    pub scenario: &'a str,
    pub examples: &'a str,
    /// What the text replaces.
    pub original: &'a str,
    pub seed: u64,
    /// UTC; without one `{{date}}` and `{{time}}` stay as they are written.
    pub clock: Option<OffsetDateTime>,
}

/// Writes the names in, where nothing but names is known.
pub fn fill(text: &str, character: &str, user: &str) -> String {
    Names { character, user, ..Names::default() }.fill(text)
}

impl Names<'_> {
    /// The text with all macros that are known written in.
    pub fn fill(&self, text: &str) -> String {
        self.with_names(text).unwrap_or_else(|| self.with_all(text))
    }

    /// The same of a text in which nothing but `{{char}}` and `{{user}}` may be macros, as of most; `None` of others.
    fn with_names(&self, text: &str) -> Option<String> {
        const NAME: usize = "{{char}}".len();
        // Nor may what is written in begin one.
        if text.contains('<') || [self.character, self.user].iter().any(|name| name.contains(['{', '<'])) {
            return None;
        }
        let mut filled = String::with_capacity(text.len() + text.len() / 8);
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            let name = match rest.as_bytes().get(at..at + NAME)? {
                name if name.eq_ignore_ascii_case(b"{{char}}") => self.character,
                name if name.eq_ignore_ascii_case(b"{{user}}") => self.user,
                _ => return None,
            };
            filled.push_str(&rest[..at]);
            filled.push_str(name);
            rest = &rest[at + NAME..];
        }
        filled.push_str(rest);
        Some(filled)
    }

    fn with_all(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut written = 0;
        for pass in 0..PASSES {
            if !may_hold_macros(&text) {
                break;
            }
            let pattern = if may_trim(&text) { &MACRO } else { &MACRO_WITHOUT_TRIM };
            let filled = pattern.replace_all(&text, |found: &Captures<'_>| {
                let value = self.value(found, pass);
                written += value.len();
                if written > WRITTEN_MAX { String::new() } else { value }
            });
            if filled == text {
                break;
            }
            text = filled.into_owned();
        }
        text
    }

    fn value(&self, found: &Captures<'_>, pass: usize) -> String {
        let whole = found.get(0).expect("the match itself");
        if found.name("trim").is_some() || found.name("comment").is_some() {
            return String::new();
        }
        let name = found.name("name").or_else(|| found.name("tag")).map_or("", |m| m.as_str());
        let arguments = found.name("arguments").map(|m| m.as_str());
        let part = |text: &str| if pass == 0 { text.to_owned() } else { String::new() };
        let seed = || mix(self.seed, whole.start(), whole.as_str());
        match (name.to_ascii_lowercase().as_str(), arguments) {
            ("char" | "bot", None) => self.character.to_owned(),
            ("user", None) => self.user.to_owned(),
            ("persona", None) => part(self.persona),
            ("description", None) => part(self.description),
            ("personality", None) => part(self.personality),
            ("scenario", None) => part(self.scenario),
            ("mesexamples", None) => part(self.examples),
            ("original", None) => part(self.original),
            ("newline", None) => "\n".to_owned(),
            ("date", None) => self.stamp(false).unwrap_or_else(|| whole.as_str().to_owned()),
            ("time", None) => self.stamp(true).unwrap_or_else(|| whole.as_str().to_owned()),
            ("random" | "pick", Some(choices)) => choose(choices, seed()),
            ("roll", Some(dice)) => roll(dice, seed()).unwrap_or_else(|| whole.as_str().to_owned()),
            _ => whole.as_str().to_owned(),
        }
    }

    fn stamp(&self, time: bool) -> Option<String> {
        let clock = self.clock?;
        if time {
            clock.format(format_description!("[hour]:[minute]")).ok()
        } else {
            clock.format(format_description!("[day padding:none] [month repr:long] [year]")).ok()
        }
    }
}

/// Most texts have none of what a macro begins with, and the pattern is slow.
fn may_hold_macros(text: &str) -> bool {
    text.contains("{{") || text.contains('<')
}

/// Whether a text has the letters of "trim", however they are written.
fn may_trim(text: &str) -> bool {
    memchr::memchr2_iter(b'm', b'M', text.as_bytes())
        .any(|at| at >= 3 && text.as_bytes()[at - 3..at].eq_ignore_ascii_case(b"tri"))
}

/// One of `a,b,c`, or of `a::b::c`; a comma behind a backslash is part of a choice.
fn choose(choices: &str, seed: u64) -> String {
    let escaped = choices.replace("\\,", "\u{1f}");
    let all: Vec<&str> =
        if escaped.contains("::") { escaped.split("::").collect() } else { escaped.split(',').collect() };
    let at = usize::try_from(seed % all.len() as u64).unwrap_or(0);
    all[at].trim().replace('\u{1f}', ",")
}

/// `6`, `d6` or `2d6`.
fn roll(dice: &str, seed: u64) -> Option<String> {
    let dice = dice.trim().to_ascii_lowercase();
    let (count, sides) = dice.split_once('d').unwrap_or(("", &dice));
    let count: u64 = if count.is_empty() { 1 } else { count.parse().ok()? };
    let sides: u64 = sides.parse().ok()?;
    if !(1..=100).contains(&count) || !(1..=1_000_000).contains(&sides) {
        return None;
    }
    let sum: u64 = (0..count).map(|n| mix(seed, usize::try_from(n).unwrap_or(0), "") % sides + 1).sum();
    Some(sum.to_string())
}

/// A number that looks like chance, and is the same for the same seed, place and words.
fn mix(seed: u64, at: usize, words: &str) -> u64 {
    let step = |hash: u64, byte: u64| (hash ^ byte).wrapping_mul(0x0100_0000_01b3);
    let mut hash = step(seed ^ 0xcbf2_9ce4_8422_2325, at as u64);
    for byte in words.bytes() {
        hash = step(hash, u64::from(byte));
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn names() -> Names<'static> {
        Names { character: "Isolde", user: "Wren", seed: 7, ..Names::default() }
    }

    #[test]
    fn names_are_written_in_however_they_are_spelled() {
        assert_eq!(
            fill("{{char}} sees {{ User }}. <BOT> nods to <user>.", "Isolde", "Wren"),
            "Isolde sees Wren. Isolde nods to Wren."
        );
    }

    #[test]
    fn a_text_with_names_alone_is_read_as_any_other() {
        for text in [
            "",
            "No names.",
            "{{char}} and {{USER}}, {{Char}}{{user}}: {char} {{",
            "{{{char}}} {{ char }} {{charm}} {{char",
            "<user> {{user}} <b>",
            "{{user}} é {{random:{{char}},x}} {{trim}} {{char}}",
        ] {
            for user in ["Wren", "{", "<user>", "{{char}}", ""] {
                let names = Names { user, ..names() };
                assert_eq!(names.fill(text), names.with_all(text), "{text} for {user}");
            }
        }
        assert!(
            names().with_names("{{char}} sees {{USER}}.").is_some()
                && names().with_names("{{bot}}").is_none()
        );
    }

    #[test]
    fn what_is_not_known_stays_as_it_is_written() {
        assert_eq!(names().fill("a {{unheard_of}} {{roll:many}} <b>"), "a {{unheard_of}} {{roll:many}} <b>");
        assert_eq!(names().fill("at {{time}}"), "at {{time}}", "nobody said what time it is");
    }

    #[test]
    fn parts_of_the_card_are_written_in_with_their_own_macros() {
        let names = Names {
            persona: "{{user}} is tall.",
            description: "{{char}} prompts.",
            personality: "Dry.",
            scenario: "A theatre.",
            examples: "None.",
            original: "Be kind.",
            clock: Some(datetime!(2026-03-01 09:05 UTC)),
            ..names()
        };
        assert_eq!(
            names.fill(
                "{{original}} {{Description}} {{personality}} {{SCENARIO}} {{mesExamples}} {{persona}}"
            ),
            "Be kind. Isolde prompts. Dry. A theatre. None. Wren is tall."
        );
        assert_eq!(names.fill("{{date}} {{time}}"), "1 March 2026 09:05");
    }

    #[test]
    fn a_card_that_quotes_itself_stays_short() {
        let quoting = "{{description}}".repeat(500);
        let names = Names { description: &quoting, ..names() };
        assert!(names.fill(&quoting).len() <= WRITTEN_MAX);
    }

    #[test]
    fn comments_go_blanks_are_trimmed_and_lines_broken() {
        assert_eq!(names().fill("a{{// not told }}b{{newline}}c \n {{trim}} \n d"), "ab\ncd");
    }

    #[test]
    fn chance_falls_the_same_way_each_time_and_differs_by_chat() {
        let text = "{{random:a,b\\,c,d}} {{pick:x::y}} {{roll:2d6}} {{roll:d20}} {{roll:4}}";
        let first = names().fill(text);
        assert_eq!(first, names().fill(text));
        assert!((0..40).any(|seed| Names { seed, ..names() }.fill(text) != first));
        for seed in 0..200 {
            let rolled: u32 = Names { seed, ..names() }.fill("{{roll:2d6}}").parse().expect("a number");
            assert!((2..=12).contains(&rolled));
            let chosen = Names { seed, ..names() }.fill("{{random:a,b\\,c,d}}");
            assert!(["a", "b,c", "d"].contains(&chosen.as_str()), "{chosen}");
        }
    }
}
