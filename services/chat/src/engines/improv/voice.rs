//! The character as its card shows it: name, pronouns, temper, the form of its turns, and words of the
//! card that can be said again.

use super::{noun, sentences};
use crate::{
    engines::{Card, Scene},
    prompt::macros,
};

/// How the character is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pronouns {
    pub subject: &'static str,
    pub object: &'static str,
    pub possessive: &'static str,
    pub own: &'static str,
    /// "they look", "I look": the verb without its s.
    pub bare_verbs: bool,
}

const SHE: Pronouns =
    Pronouns { subject: "she", object: "her", possessive: "her", own: "herself", bare_verbs: false };
const HE: Pronouns =
    Pronouns { subject: "he", object: "him", possessive: "his", own: "himself", bare_verbs: false };
const IT: Pronouns =
    Pronouns { subject: "it", object: "it", possessive: "its", own: "itself", bare_verbs: false };
const THEY: Pronouns =
    Pronouns { subject: "they", object: "them", possessive: "their", own: "themselves", bare_verbs: true };
const I: Pronouns =
    Pronouns { subject: "I", object: "me", possessive: "my", own: "myself", bare_verbs: true };

/// How a turn is set, as the greeting shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Actions in asterisks.
    pub stars: bool,
    /// Marks around speech.
    pub quotes: Option<(char, char)>,
}

/// An exchange of the card.
#[derive(Debug, Clone)]
pub struct Example {
    pub asked: String,
    pub answered: String,
}

/// All that is known of how the character speaks.
#[derive(Debug, Clone)]
pub struct Voice {
    pub name: String,
    /// What one calls it.
    pub short: String,
    pub pronouns: Pronouns,
    pub style: Style,
    pub temper: &'static str,
    /// Things in the scene, with their article.
    pub props: Vec<String>,
    /// What the narrator can say of the character, sentence by sentence.
    pub musings: Vec<String>,
    /// What the narrator can say of the scene.
    pub scenery: Vec<String>,
    /// What is said of the character by others.
    pub lines: Vec<String>,
    /// Small actions in the character's own manner.
    pub beats: Vec<String>,
    pub examples: Vec<Example>,
}

const TITLES: [&str; 22] = [
    "queen",
    "king",
    "lady",
    "lord",
    "dr",
    "dr.",
    "doctor",
    "commander",
    "captain",
    "rani",
    "sir",
    "madame",
    "madam",
    "mr",
    "mrs",
    "ms",
    "professor",
    "sister",
    "brother",
    "father",
    "mother",
    "the",
];

const TEMPERS: [(&str, &[&str]); 5] = [
    (
        "warm",
        &[
            "warm", "kind", "gentle", "motherly", "generous", "earnest", "tender", "welcom", "encourag",
            "patient", "soft", "care",
        ],
    ),
    (
        "dry",
        &[
            "dry",
            "deadpan",
            "sarcas",
            "precise",
            "wit",
            "amused",
            "econom",
            "unsentimental",
            "blunt",
            "deadpan",
            "irony",
            "kuudere",
            "detective",
        ],
    ),
    (
        "grave",
        &[
            "command", "formal", "order", "severe", "silence", "stern", "slow", "pitiless", "armour",
            "dominant", "royalty", "queen", "villain",
        ],
    ),
    (
        "playful",
        &[
            "playful",
            "silly",
            "mischie",
            "loud",
            "fast",
            "joke",
            "chatty",
            "gossip",
            "shameless",
            "thrilled",
            "laugh",
            "comedy",
            "tease",
            "charm",
            "cheat",
        ],
    ),
    (
        "shy",
        &[
            "shy",
            "awkward",
            "clumsy",
            "nervous",
            "anxious",
            "apolog",
            "timid",
            "blush",
            "dandere",
            "submissive",
            "lonely",
        ],
    ),
];

impl Voice {
    pub fn read(scene: &Scene, user: &str) -> Self {
        let card = &scene.card;
        let fill = |text: &str| macros::fill(text, &card.name, user);
        let greeting = fill(&card.greeting);
        let personality = fill(&card.personality);
        let short = short_name(&card.name);
        let style = style(&greeting);
        let pronouns = pronouns(card, &greeting, style);
        let examples = examples(&card.examples, &card.name, user);
        let about_user = |s: &str| s.contains("{{") || s.contains(user);

        let plain = |text: &str| -> Vec<String> {
            // Prose has asterisks for stress only.
            let text = text.replace('*', "");
            sentences::split(&text).into_iter().filter(|s| (4..=32).contains(&sentences::words(s))).collect()
        };
        let unnamed = |text: &str| -> Vec<String> {
            plain(text).into_iter().filter(|s| !about_user(s)).map(|s| fill(&s)).collect()
        };
        let narrated = pronouns != I;
        let description = unnamed(&card.description);
        let (to_reader, of_character): (Vec<_>, Vec<_>) =
            description.into_iter().partition(|s| speaks_to_you(s));
        let mut scenery = unnamed(&card.scenario);
        scenery.extend(to_reader);
        Self {
            props: props(
                &[&greeting, &fill(&card.scenario), &card.outfit, &card.description],
                &card.name,
                pronouns,
            ),
            musings: if narrated {
                plain(&personality).into_iter().filter(|s| !s.contains(user) && stands_alone(s)).collect()
            } else {
                Vec::new()
            },
            scenery,
            lines: of_character,
            beats: if narrated { beats(&examples, &short, pronouns) } else { Vec::new() },
            temper: temper(card),
            name: card.name.clone(),
            short,
            pronouns,
            style,
            examples,
        }
    }
}

fn speaks_to_you(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    lower.split(|c: char| !c.is_alphabetic()).any(|w| matches!(w, "you" | "your" | "yours"))
}

/// Not the second half of a thought.
fn stands_alone(sentence: &str) -> bool {
    let first = sentence.split(' ').next().unwrap_or_default();
    !matches!(
        first,
        "Not" | "But" | "And" | "Nor" | "Yet" | "So" | "Then" | "Instead" | "Or" | "That" | "This"
    )
}

fn short_name(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or(name);
    match words.next() {
        Some(second) if TITLES.contains(&first.to_lowercase().as_str()) => format!("{first} {second}"),
        _ => first.trim_end_matches(',').to_owned(),
    }
}

fn style(greeting: &str) -> Style {
    let quotes = [('"', '"'), ('“', '”'), ('«', '»')].into_iter().find(|(open, _)| greeting.contains(*open));
    let stars = greeting.contains('*');
    if !stars && quotes.is_none() {
        return Style { stars: true, quotes: Some(('"', '"')) };
    }
    Style { stars, quotes }
}

fn count(text: &str, words: &[&str]) -> usize {
    text.split(|c: char| !c.is_alphabetic()).filter(|w| words.contains(&w.to_lowercase().as_str())).count()
}

fn pronouns(card: &Card, greeting: &str, style: Style) -> Pronouns {
    // Outside of speech, a greeting that says "I" is told by the character.
    let narration: String = if style.stars {
        greeting.split('*').skip(1).step_by(2).collect::<Vec<_>>().join(" ")
    } else {
        greeting.split(['"', '“', '”']).step_by(2).collect::<Vec<_>>().join(" ")
    };
    let about = format!("{} {narration}", card.personality);
    let (she, he) =
        (count(&about, &["she", "her", "hers", "herself"]), count(&about, &["he", "his", "him", "himself"]));
    let (it, they) = (count(&about, &["it", "its", "itself"]), count(&about, &["they", "their", "them"]));
    let tagged = |tag: &str| card.tags.iter().any(|t| t.eq_ignore_ascii_case(tag));
    if count(&narration, &["i", "my"]) > 0 && she + he + count(&narration, &["they", "it"]) == 0 {
        return I;
    }
    if she > he && (she * 2 > it || tagged("female")) {
        return SHE;
    }
    if he > she && (he * 2 > it || tagged("male")) {
        return HE;
    }
    match () {
        () if tagged("female") => SHE,
        () if tagged("male") => HE,
        () if they > it => THEY,
        () if it > 0 && (tagged("robot") || tagged("non-human") || tagged("assistant")) => IT,
        () if it > they && it > 3 => IT,
        () => THEY,
    }
}

fn temper(card: &Card) -> &'static str {
    let text = format!("{} {}", card.personality, card.tags.join(" ")).to_lowercase();
    let score = |words: &[&str]| words.iter().map(|w| text.matches(w).count()).sum::<usize>();
    let best = TEMPERS.iter().rev().max_by_key(|(_, words)| score(words));
    best.filter(|(_, words)| score(words) > 0).map_or("warm", |(temper, _)| temper)
}

fn props(texts: &[&str], name: &str, pronouns: Pronouns) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let own = [pronouns.possessive];
    for text in texts {
        for (determiner, noun) in noun::phrases(text, &["the", "a", "an", "her", "his", "its", "their", "my"])
        {
            let article = if own.contains(&determiner.as_str()) { pronouns.possessive } else { "the" };
            let own_of_another = matches!(determiner.as_str(), "her" | "his" | "its" | "their" | "my")
                && !own.contains(&determiner.as_str());
            let prop = format!("{article} {noun}");
            if !own_of_another && !name.to_lowercase().contains(&noun) && !found.contains(&prop) {
                found.push(prop);
            }
        }
    }
    found.truncate(12);
    if found.len() < 3 {
        let own = pronouns.possessive;
        found.extend(["the door".to_owned(), format!("{own} hands"), "the floor between you".to_owned()]);
    }
    found
}

fn examples(text: &str, name: &str, user: &str) -> Vec<Example> {
    let user_marks = ["{{user}}:".to_owned(), "<user>:".to_owned(), format!("{user}:"), "You:".to_owned()];
    let own_marks = ["{{char}}:".to_owned(), "<bot>:".to_owned(), format!("{name}:")];
    let begins = |line: &str, marks: &[String]| {
        let lower = line.to_lowercase();
        marks.iter().find(|m| lower.starts_with(&m.to_lowercase())).map(|m| m.len())
    };
    let mut found: Vec<Example> = Vec::new();
    let mut asked = String::new();
    for line in text.lines().map(str::trim) {
        if line.eq_ignore_ascii_case("<start>") {
            asked.clear();
        } else if let Some(at) = begins(line, &user_marks) {
            asked = macros::fill(line[at..].trim(), name, user);
        } else if let Some(at) = begins(line, &own_marks) {
            found.push(Example {
                asked: std::mem::take(&mut asked),
                answered: macros::fill(line[at..].trim(), name, user),
            });
        } else if let (Some(last), false) = (found.last_mut(), line.is_empty()) {
            last.answered = format!("{} {}", last.answered, macros::fill(line, name, user));
        }
    }
    found.retain(|e| !e.answered.is_empty());
    found
}

/// Whole small actions from the examples that need nothing around them.
fn beats(examples: &[Example], short: &str, pronouns: Pronouns) -> Vec<String> {
    let subject = capital(pronouns.subject);
    examples
        .iter()
        .flat_map(|e| e.answered.split('*').skip(1).step_by(2))
        .map(str::trim)
        .filter(|a| {
            a.ends_with('.') && sentences::split(a).len() == 1 && (4..=16).contains(&sentences::words(a))
        })
        .filter(|a| a.starts_with(short) || a.split(' ').next() == Some(subject.as_str()))
        .map(str::to_owned)
        .collect()
}

/// With a capital first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
