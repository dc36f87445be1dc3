//! Ages in figures and words: whose they are, and whether they are ages at all.

use crate::{
    normalise::Plain,
    vocabulary::{Class, Classes, GLUED, Mark, NUMBER, Vocabulary},
};

/// Words between a possessive and the child that it belongs to ("her 10-year-old son", "a mother of two, 8 and 10").
const RELATED: usize = 5;

/// Least number that is an age without a unit, and between two commas.
const BARE_MIN: u8 = 4;
const LISTED_MIN: u8 = 10;
/// Least number after "at" that is an age and no hour.
const AT_MIN: u8 = 13;

/// Classes of words around an age, and the classes that ages become.
pub struct Ages {
    number: Class,
    /// "zestienjarig"
    glued: Class,
    /// "years old"
    unit: Classes,
    /// "ans", "Jahre": an age after a lead only.
    weak_unit: Classes,
    /// "she is": a number that follows is an age, unless a measure follows.
    lead: Classes,
    /// "elle a": a number with a weak unit that follows is an age.
    lead_unit: Classes,
    /// "a" in French, a name before it and nothing before that: as `lead_unit`.
    lead_name: Classes,
    /// "only": a number at the end of a clause that follows is an age.
    lead_stop: Classes,
    /// "was": as a lead, of the past.
    past: Classes,
    /// "mit": as `past`, with a unit only.
    past_unit: Classes,
    /// "at": as `past`, of ages that are no hours, before a pronoun.
    past_at: Classes,
    pronoun: Classes,
    /// "il y a", "seit": what follows is no age.
    since: Classes,
    /// "minutes"
    measure: Classes,
    /// "and", "when": a clause ends before it.
    joint: Classes,
    /// "twenty", "soixante": with the number that follows another number.
    tens: Classes,
    /// "her"
    relation: Classes,
    /// "mother of"
    parent_of: Classes,
    /// "son"
    relative: Classes,
    /// "i am"
    first_person: Classes,
    /// Under 18, of whom the text describes.
    pub minor: Class,
    /// Under 18, in the past.
    pub once: Class,
    /// Under 18, of a relative of whom the text describes.
    pub relatives: Class,
    /// Under 18, of the writer.
    pub mine: Class,
    /// 18 and more.
    pub adult: Class,
}

/// Classes of the words that begin and end at each word.
struct Around {
    begins: Vec<Classes>,
    ends: Vec<Classes>,
}

impl Around {
    fn new(marks: &[Mark], words: usize) -> Self {
        let (mut begins, mut ends) = (vec![0; words + 1], vec![0; words + 1]);
        for mark in marks {
            begins[(mark.from as usize).min(words)] |= 1 << mark.class;
            ends[(mark.to as usize).min(words)] |= 1 << mark.class;
        }
        Self { begins, ends }
    }

    fn begins(&self, at: usize, classes: Classes) -> bool {
        self.begins.get(at).is_some_and(|found| found & classes != 0)
    }

    fn ends(&self, at: usize, classes: Classes) -> bool {
        self.ends.get(at).is_some_and(|found| found & classes != 0)
    }
}

impl Ages {
    /// `next` is the first number of a class that is free.
    pub fn new(vocabulary: &Vocabulary, next: Class) -> Self {
        let class = |name: &str| vocabulary.class(name).map_or(0, |class| 1 << class);
        Self {
            number: vocabulary.class(NUMBER).expect("the vocabulary has numbers"),
            glued: vocabulary.class(GLUED).expect("the vocabulary has numbers with their units"),
            unit: class("age_unit"),
            weak_unit: class("age_weak_unit"),
            lead: class("age_lead") | class("age_lead_first"),
            lead_unit: class("age_lead_unit") | class("age_lead_unit_first"),
            lead_name: class("age_lead_name"),
            lead_stop: class("age_lead_stop"),
            past: class("age_past"),
            past_unit: class("age_past_unit"),
            past_at: class("age_past_at"),
            pronoun: class("pronoun"),
            since: class("age_since"),
            measure: class("age_measure"),
            joint: class("age_joint"),
            tens: class("age_tens"),
            relation: class("relation"),
            parent_of: class("parent_of"),
            relative: class("relative"),
            first_person: class("age_lead_first") | class("age_lead_unit_first"),
            minor: next,
            once: next + 1,
            relatives: next + 2,
            mine: next + 3,
            adult: next + 4,
        }
    }

    /// The classes that ages may become where such classes stand, whatever the words around them.
    pub fn possible(&self, found: Classes, plain: &Plain) -> Classes {
        let figure = |start: &u32| plain.text.as_bytes()[*start as usize].is_ascii_digit();
        if found & (1 << self.number | 1 << self.glued) == 0 && !plain.starts.iter().any(figure) {
            return 0;
        }
        [self.minor, self.once, self.relatives, self.mine, self.adult]
            .iter()
            .fold(0, |all, class| all | 1 << class)
    }

    pub const NAMES: [&str; 5] = ["age", "age_once", "age_of_relative", "age_of_writer", "age_adult"];

    /// The ages in a text.
    pub fn find(&self, plain: &Plain, marks: &[Mark]) -> Vec<Mark> {
        let mut numbers: Vec<Mark> =
            marks.iter().filter(|m| m.class == self.number || m.class == self.glued).copied().collect();
        let digits = (0_u32..).zip(&plain.starts).filter_map(|(at, &start)| {
            let first = plain.text.as_bytes()[start as usize];
            let word = if first.is_ascii_digit() { plain.word(at as usize) } else { return None };
            let value = word.parse().ok().filter(|_| word.len() <= 2)?;
            Some(Mark { from: at, to: at + 1, class: self.number, value })
        });
        numbers.extend(digits);
        if numbers.is_empty() {
            return numbers;
        }
        numbers.sort_unstable();
        let around = Around::new(marks, plain.starts.len());
        // A number of several words ("dix sept") stands next to those that it is made of.
        let part = |at: usize| {
            let (mark, near) = (&numbers[at], at.saturating_sub(3)..(at + 4).min(numbers.len()));
            numbers[near].iter().any(|n| n != mark && n.from <= mark.from && mark.to <= n.to)
        };
        let whole = (0..numbers.len()).filter(|&at| (1..=99).contains(&numbers[at].value) && !part(at));
        whole
            .filter_map(|at| {
                let class = self.class_of(numbers[at], plain, &around)?;
                Some(Mark { class, ..numbers[at] })
            })
            .collect()
    }

    fn class_of(&self, number: Mark, plain: &Plain, around: &Around) -> Option<Class> {
        let (from, to) = (number.from as usize, number.to as usize);
        let is_word = !plain.word(from).starts_with(|c: char| c.is_ascii_digit());
        if is_word && (around.ends(from, self.tens) || around.begins(to, self.tens)) {
            return None;
        }
        let unit = number.class == self.glued || around.begins(to, self.unit);
        let weak = around.begins(to, self.weak_unit);
        let measured = around.begins(to, self.measure);
        let clause_ends = matches!(plain.word(to), "" | "." | ",") || around.begins(to, self.joint);
        let since = around.ends(from, self.since);
        let past = around.ends(from, self.past);
        let clause_begins =
            |at: Option<usize>| at.is_none_or(|at| at == 0 || matches!(plain.word(at - 1), "." | ","));
        // Without a unit a small number is a count more often than an age.
        let bare = number.value >= BARE_MIN;
        let listed = from > 1 && plain.word(from - 1) == ",";
        let lead = bare && around.ends(from, self.lead) && !measured && !weak
            || around.ends(from, self.lead | self.lead_unit) && weak && !measured
            || number.value >= LISTED_MIN && around.ends(from, self.lead_stop) && clause_ends && !measured
            || around.ends(from, self.lead_name) && weak && !measured && clause_begins(from.checked_sub(2))
            || listed && weak && !measured
            // "Lena, 16, lives by the sea.", but not "rooms 12, 14, and 16".
            || listed && number.value >= LISTED_MIN && plain.word(to) == "," && !self.is_number(plain, from - 2, around);
        let told_by_whom =
            around.begins(to, self.pronoun) || plain.word(to) == "," && around.begins(to + 1, self.pronoun);
        let once = past && !measured && (unit || weak || bare && clause_ends)
            || around.ends(from, self.past_unit) && !measured && (unit || weak)
            || around.ends(from, self.past_at) && number.value >= AT_MIN && told_by_whom;
        if since || !(unit || lead || once) {
            return None;
        }
        Some(match number.value {
            18.. => self.adult,
            _ if once && !lead => self.once,
            _ if self.is_relatives(from, to, around) => self.relatives,
            _ if around.ends(from, self.first_person) => self.mine,
            _ => self.minor,
        })
    }

    fn is_number(&self, plain: &Plain, at: usize, around: &Around) -> bool {
        plain.word(at).starts_with(|c: char| c.is_ascii_digit()) || around.begins(at, 1 << self.number)
    }

    /// "mother of a 10-year-old", "her 10-year-old son", "his son, 10 years old".
    fn is_relatives(&self, from: usize, to: usize, around: &Around) -> bool {
        let ends =
            |before: usize, classes| (from.saturating_sub(before)..=from).any(|at| around.ends(at, classes));
        ends(RELATED, self.parent_of)
            || ends(RELATED + 1, self.relation)
                && (ends(4, self.relative) || (to..=to + 3).any(|at| around.begins(at, self.relative)))
    }
}
