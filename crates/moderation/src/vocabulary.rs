//! The words that the rules are about, by language and class, and where they stand in a text.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::LazyLock,
};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Deserialize;

use crate::normalise::{Plain, is_elision, normalise};

/// A class of words, by number.
pub type Class = u8;
/// Classes, a bit for each.
pub type Classes = u128;

/// Letters of a beginning (`undress*`) from which on disguised words are looked up in it.
const STEM_MIN: usize = 5;

/// Words that a disguised one may stand for.
#[derive(Debug, Default)]
pub struct Words {
    whole: HashSet<String>,
    stems: HashSet<String>,
    /// Bytes of the longest of the stems.
    longest: usize,
}

impl Words {
    pub fn has(&self, word: &str) -> bool {
        word.len() >= 3
            && (self.whole.contains(word)
                || (STEM_MIN..=word.len().min(self.longest))
                    .any(|end| word.is_char_boundary(end) && self.stems.contains(&word[..end])))
    }
}

/// A word of a class in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Its first word, and the one after its last.
    pub from: u32,
    pub to: u32,
    pub class: Class,
    /// Of a number.
    pub value: u8,
}

/// What a pattern stands for.
struct Meaning {
    class: Class,
    /// Words of it.
    length: u32,
    value: u8,
    language: u8,
    /// Counts only where its language is evident, since it means something else in another.
    foreign: bool,
    /// Takes the marks of `class` that it covers away.
    harmless: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    /// Words that make the language evident.
    #[serde(default)]
    evident: Vec<String>,
    /// Whether words before an apostrophe are dropped (`d'un`), so that phrases may be written without one.
    #[serde(default)]
    elides: bool,
    /// Units that are written in one word with their number ("zestienjarig").
    #[serde(default)]
    glued: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    harmless: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    numbers: BTreeMap<String, u8>,
}

pub struct Vocabulary {
    automaton: AhoCorasick,
    /// By pattern.
    meanings: Vec<Meaning>,
    classes: HashMap<String, Class>,
    pub words: Words,
}

/// Classes that the code itself knows.
pub const NUMBER: &str = "number";
pub const GLUED: &str = "number_glued";
const EVIDENT: &str = "evident";

pub static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let files = [
        include_str!("../rules/vocabulary/en.toml"),
        include_str!("../rules/vocabulary/fr.toml"),
        include_str!("../rules/vocabulary/nl.toml"),
        include_str!("../rules/vocabulary/de.toml"),
        include_str!("../rules/vocabulary/es.toml"),
        include_str!("../rules/people.toml"),
    ];
    let read = files.map(|file| toml::from_str(file).expect("a test reads rules/vocabulary"));
    Vocabulary::new(&read)
});

impl Vocabulary {
    fn new(languages: &[Language]) -> Self {
        let mut made = Builder::default();
        for (number, language) in (0_u8..).zip(languages) {
            (made.language, made.elides) = (number, language.elides);
            language.evident.iter().for_each(|word| made.add(word, EVIDENT, 0, false));
            for (harmless, classes) in [(false, &language.words), (true, &language.harmless)] {
                for (class, phrases) in classes {
                    phrases.iter().for_each(|phrase| made.add(phrase, class, 0, harmless));
                }
            }
            for (word, value) in &language.numbers {
                made.add(word, NUMBER, *value, false);
                language.glued.iter().for_each(|unit| {
                    made.add(&[word.trim_end_matches('?'), unit, "*"].concat(), GLUED, *value, false)
                });
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&made.patterns)
            .expect("some thousand short patterns");
        Self { automaton, meanings: made.meanings, classes: made.classes, words: made.words }
    }

    /// The number of a class that some language has words for.
    pub fn class(&self, name: &str) -> Option<Class> {
        self.classes.get(name).copied()
    }

    /// How many classes there are, which is the first number that is free.
    pub fn size(&self) -> Class {
        Class::try_from(self.classes.len()).unwrap_or(Class::MAX)
    }

    /// All marks in a text, in order, without those that a harmless phrase covers; and the classes of all that was found,
    /// whether it counts here or would beside words that make its language evident.
    pub fn marks(&self, plain: &Plain) -> (Vec<Mark>, Classes) {
        let mut possible = 0;
        let evident = self.classes.get(EVIDENT).copied().unwrap_or(Class::MAX);
        let (mut marks, mut foreign, mut harmless) = (Vec::new(), Vec::new(), Vec::new());
        let mut languages = 0_u8;
        for found in self.automaton.find_overlapping_iter(&plain.text) {
            let meaning = &self.meanings[found.pattern().as_usize()];
            if meaning.class == evident {
                languages |= 1 << meaning.language;
                continue;
            }
            possible |= 1 << meaning.class;
            let from = u32::try_from(plain.word_at(found.start() + 1)).unwrap_or(u32::MAX);
            let mark = Mark { from, to: from + meaning.length, class: meaning.class, value: meaning.value };
            match (meaning.harmless, meaning.foreign) {
                (true, _) => harmless.push(mark),
                (false, true) => foreign.push((meaning.language, mark)),
                (false, false) => marks.push(mark),
            }
        }
        marks.extend(foreign.iter().filter(|(l, _)| languages >> l & 1 == 1).map(|(_, mark)| *mark));
        if !harmless.is_empty() {
            harmless.sort_unstable();
            marks.retain(|mark| !covered(mark, &harmless));
        }
        marks.sort_unstable();
        (marks, possible)
    }
}

/// Whether a phrase of the same class covers the mark. Phrases are sorted and at most some words long.
fn covered(mark: &Mark, phrases: &[Mark]) -> bool {
    const LONGEST: u32 = 8;
    let first = phrases.partition_point(|p| p.from + LONGEST < mark.from);
    phrases[first..]
        .iter()
        .take_while(|p| p.from <= mark.from)
        .any(|p| p.class == mark.class && p.to >= mark.to)
}

#[derive(Default)]
struct Builder {
    language: u8,
    elides: bool,
    patterns: Vec<String>,
    meanings: Vec<Meaning>,
    classes: HashMap<String, Class>,
    words: Words,
}

impl Builder {
    /// `phrase` may end with `*` (a beginning) or `?` (only where its language is evident).
    fn add(&mut self, phrase: &str, class: &str, value: u8, harmless: bool) {
        let (phrase, foreign) = phrase.strip_suffix('?').map_or((phrase, false), |p| (p, true));
        let (phrase, stem) = phrase.strip_suffix('*').map_or((phrase, false), |p| (p, true));
        let plain = normalise(phrase, &Words::default());
        let mut words: Vec<&str> = plain.text.split_whitespace().collect();
        if self.elides && words.len() > 1 {
            words.retain(|word| !is_elision(word));
        }
        let Some((last, before)) = words.split_last() else { return };
        if class != EVIDENT {
            self.words.whole.extend(before.iter().map(|w| (*w).to_owned()));
            let set = if stem { &mut self.words.stems } else { &mut self.words.whole };
            set.insert((*last).to_owned());
            if stem {
                self.words.longest = self.words.longest.max(last.len());
            }
        }
        let next = Class::try_from(self.classes.len()).expect("at most 128 classes");
        let class = *self.classes.entry(class.to_owned()).or_insert(next);
        let end = if stem { "" } else { " " };
        self.patterns.push([" ", &words.join(" "), end].concat());
        let length = u32::try_from(words.len()).unwrap_or(u32::MAX);
        self.meanings.push(Meaning { class, length, value, language: self.language, foreign, harmless });
    }
}
