//! The bank of lines: sections of alternatives, and how a line becomes a sentence of this character.

use std::{collections::HashMap, sync::LazyLock};

use regex::{Captures, Regex};

use super::{
    random::Random,
    sentences::Said,
    voice::{Voice, capital},
};

static LINES: LazyLock<HashMap<&'static str, Vec<&'static str>>> =
    LazyLock::new(|| sections(include_str!("../../../data/improv/lines.txt")));
static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"<([a-z]+)>"));
static VERB: LazyLock<Regex> = LazyLock::new(|| pattern(r"~(e?s)\b"));
static SLOT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{(,?[A-Za-z]+)\}"));

/// How often a line with parts is tried with others before the next line is taken.
const VARIATIONS: usize = 12;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file compile")
}

fn sections(text: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut sections: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut current = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            current = name;
        } else if !line.trim().is_empty() && !line.starts_with("# ") && line != "#" {
            sections.entry(current).or_default().push(line);
        }
    }
    sections
}

/// What the slots of a line stand for in this turn.
pub struct Slots<'a> {
    pub voice: &'a Voice,
    pub user: &'a str,
    /// The next line that can, calls the person by name.
    pub call: bool,
    pub topic: Option<&'a str>,
    pub said: Option<&'a str>,
    pub vp: Option<&'a str>,
    pub fact: Option<&'a str>,
    pub line: Option<&'a str>,
}

/// A line of the section that says nothing that was said before; `None` when there is none left.
pub fn pick(section: &str, slots: &mut Slots<'_>, said: &Said, random: &mut Random) -> Option<String> {
    let tempered = format!("{section}:{}", slots.voice.temper);
    let mut lines: Vec<&str> = Vec::new();
    // What is in the character's temper comes up more often than what anybody could say.
    for (name, times) in [(section, 1), (tempered.as_str(), 2)] {
        for _ in 0..times {
            lines.extend(LINES.get(name).into_iter().flatten());
        }
    }
    random.shuffle(&mut lines);
    for line in lines {
        let tries = if line.contains('<') || line.contains("{prop}") { VARIATIONS } else { 1 };
        for _ in 0..tries {
            let Some(text) = write(line, slots, random) else { break };
            if said.is_new(&text) {
                if line.contains("{,user}") || line.contains("{user}") {
                    slots.call = false;
                }
                return Some(text);
            }
        }
    }
    None
}

fn write(line: &str, slots: &Slots<'_>, random: &mut Random) -> Option<String> {
    let mut text = line.to_owned();
    while let Some(found) = PART.captures(&text) {
        let (range, name) = (found.get(0)?.range(), found.get(1)?.as_str());
        let options = LINES.get(name)?;
        let option = options[random.below(options.len())];
        text.replace_range(range, option);
    }
    let voice = slots.voice;
    let pronouns = voice.pronouns;
    // Once in a while by name; not where the verb would have to change with it.
    let by_name = !pronouns.bare_verbs && random.chance(35);
    let mut missing = false;
    let mut named = false;
    let written = SLOT.replace_all(&text, |found: &Captures<'_>| {
        let mut need = |value: Option<&str>| {
            missing |= value.is_none();
            value.unwrap_or_default().to_owned()
        };
        match &found[1] {
            "She" if by_name && !named => {
                named = true;
                voice.short.clone()
            }
            "She" => capital(pronouns.subject),
            "she" => pronouns.subject.to_owned(),
            "Her" => capital(pronouns.possessive),
            "her" => pronouns.possessive.to_owned(),
            "obj" => pronouns.object.to_owned(),
            "self" => pronouns.own.to_owned(),
            "is" if pronouns.subject == "I" => "am".to_owned(),
            "is" => if pronouns.bare_verbs { "are" } else { "is" }.to_owned(),
            "has" => if pronouns.bare_verbs { "have" } else { "has" }.to_owned(),
            "does" => if pronouns.bare_verbs { "do" } else { "does" }.to_owned(),
            "name" => voice.name.clone(),
            "user" => slots.user.to_owned(),
            ",user" if slots.call => format!(", {}", slots.user),
            ",user" => String::new(),
            "prop" => voice.props[random.below(voice.props.len())].clone(),
            "topic" => need(slots.topic),
            "said" => need(slots.said),
            "vp" => need(slots.vp),
            "fact" => need(slots.fact),
            "line" => need(slots.line),
            _ => need(None),
        }
    });
    let written = VERB.replace_all(&written, if pronouns.bare_verbs { "" } else { "$1" }).into_owned();
    (!missing).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::{LINES, PART, SLOT};

    #[test]
    fn every_part_and_slot_of_the_bank_is_known() {
        let slots = [
            "She", "she", "Her", "her", "obj", "self", "is", "has", "does", "name", "user", ",user", "prop",
            "topic", "said", "vp", "fact", "line",
        ];
        for line in LINES.values().flatten() {
            for part in PART.captures_iter(line) {
                assert!(LINES.contains_key(&part[1]), "{line}");
            }
            for slot in SLOT.captures_iter(line) {
                assert!(slots.contains(&&slot[1]), "{line}");
            }
        }
    }
}
