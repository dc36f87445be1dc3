//! Meets the conditions of `rules/rules.toml` with the words of a text.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

use crate::{
    Place, Rule, Verdict,
    ages::Ages,
    normalise::{Plain, normalise},
    private,
    vocabulary::{Class, Classes, Mark, VOCABULARY},
};

/// Words that may lie between the first and the last word that meet a condition, where it does not say.
const NEAR: u32 = 12;
/// Words on both sides of what meets a condition in which `unless` is looked for.
const AROUND: u32 = 6;
/// Class of the place where a reply begins, after the turn that it answers.
const REPLY: &str = "reply";
/// Most classes, since a set of them is a word of 128 bits.
const CLASSES: usize = 128;

/// Words that meet a rule when they stand together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// One class of each; alternatives are parted by `|`.
    all: Vec<String>,
    near: Option<u32>,
    /// Whether they stand in this order.
    #[serde(default)]
    in_order: bool,
    /// Classes that take it back where they stand next to it.
    #[serde(default)]
    unless: Vec<String>,
    /// Whether they take it back between the first and the last word only.
    #[serde(default)]
    between: bool,
}

struct Compiled {
    all: Vec<Classes>,
    near: u32,
    in_order: bool,
    unless: Classes,
    /// Words on both sides in which `unless` is looked for.
    around: u32,
}

struct Engine {
    ages: Ages,
    private: [Class; 4],
    reply: Class,
    rules: Vec<Ruled>,
}

struct Ruled {
    rule: Rule,
    conditions: Vec<Compiled>,
    /// All that its conditions ask for.
    asked: Classes,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut names: HashMap<&str, Class> = HashMap::new();
    let mut next = VOCABULARY.size();
    let ages = Ages::new(&VOCABULARY, next);
    let private_names = ["card_number", "phone", "email", "street"];
    for name in Ages::NAMES.into_iter().chain(private_names).chain([REPLY]) {
        names.insert(name, next);
        next += 1;
    }
    assert!(usize::from(next) <= CLASSES, "a test reads the rules: at most 128 classes");
    let class = |name: &str| {
        let known = names.get(name).copied().or_else(|| VOCABULARY.class(name));
        1 << known.unwrap_or_else(|| panic!("a test reads the rules: {name} is no class"))
    };
    let any =
        |names: &str| names.split('|').map(|name| class(name.trim())).fold(0, |all, one: Classes| all | one);
    let compile = |condition: &Condition| Compiled {
        all: condition.all.iter().map(|names| any(names)).collect(),
        near: condition.near.unwrap_or(NEAR),
        in_order: condition.in_order,
        unless: condition.unless.iter().map(|names| any(names)).fold(0, |all, one| all | one),
        around: if condition.between { 0 } else { AROUND },
    };
    let rules = Rule::all().map(|rule| {
        let conditions: Vec<_> = rule.conditions().iter().map(compile).collect();
        let asked = conditions.iter().flat_map(|c| &c.all).fold(0, |all, one| all | one);
        Ruled { rule, conditions, asked }
    });
    let private = private_names.map(|name| names[name]);
    Engine { ages, private, reply: names[REPLY], rules: rules.collect() }
});

/// A text as the rules see it.
pub struct Reading {
    marks: Vec<Mark>,
    classes: Classes,
    /// The classes that its words may have beside others.
    pub possible: Classes,
    /// Words of it.
    pub words: usize,
}

impl Reading {
    pub fn of(text: &str) -> Self {
        let mut reading = Self::of_plain(&normalise(text, &VOCABULARY.words));
        let found = private::find(text);
        let flags = [found.card_number, found.phone, found.email, found.street];
        for (class, _) in ENGINE.private.iter().zip(flags).filter(|(_, found)| *found) {
            // Where it stands is not asked.
            reading.marks.insert(0, Mark { from: 0, to: 1, class: *class, value: 0 });
            reading.classes |= 1 << class;
        }
        reading
    }

    /// A turn of so many words, and the reply to it.
    pub fn of_reply(text: &str, turn: usize) -> Self {
        let mut reading = Self::of(text);
        if turn > 0 {
            let from = u32::try_from(turn).unwrap_or(u32::MAX);
            let begins = Mark { from, to: from, class: ENGINE.reply, value: 0 };
            let at = reading.marks.partition_point(|mark| *mark < begins);
            reading.marks.insert(at, begins);
            reading.classes |= 1 << ENGINE.reply;
        }
        reading
    }

    /// Without what the text as it was written tells.
    fn of_plain(plain: &Plain) -> Self {
        let (mut marks, found) = VOCABULARY.marks(plain);
        let possible = found | ENGINE.ages.possible(found, plain);
        let ages = ENGINE.ages.find(plain, &marks);
        if !ages.is_empty() {
            marks.extend(ages);
            marks.sort_unstable();
        }
        let classes = marks.iter().fold(0, |all, mark| all | 1 << mark.class);
        Self { marks, classes, possible, words: plain.starts.len() }
    }

    /// The gravest of what the rules of the place say about the first `words` words.
    pub fn verdict(&self, place: Place, words: usize) -> Verdict {
        let end = self.marks.partition_point(|mark| (mark.from as usize) < words);
        self.judged(place, &self.marks[..end], 0, |_| true)
    }

    /// The same, of rules about people under 18, as far as the words from `first` on complete what they look for.
    pub fn completed(&self, place: Place, first: usize, words: usize) -> Verdict {
        let end = self.marks.partition_point(|mark| (mark.from as usize) < words);
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        self.judged(place, &self.marks[..end], first, Rule::is_about_minors)
    }

    /// Whether [`Self::completed`] can say anything of this text after one whose words may have these classes: each group
    /// of some condition has to have a word, and the last of them is one of this text.
    pub fn can_complete(&self, place: Place, before: Classes) -> bool {
        let possible = self.possible | before;
        ENGINE.rules.iter().any(|Ruled { rule, conditions, asked }| {
            asked & self.possible != 0
                && rule.is_about_minors()
                && rule.holds_in(place)
                && conditions.iter().any(|c| {
                    c.all.iter().all(|group| group & possible != 0)
                        && c.all.iter().any(|group| group & self.possible != 0)
                })
        })
    }

    fn judged(&self, place: Place, marks: &[Mark], first: u32, asked: impl Fn(Rule) -> bool) -> Verdict {
        let mut gravest = Verdict::Allow;
        for Ruled { rule, conditions, .. } in &ENGINE.rules {
            let verdict = rule.verdict();
            if verdict.weight() > gravest.weight()
                && rule.holds_in(place)
                && asked(*rule)
                && conditions
                    .iter()
                    .any(|c| c.all.iter().all(|group| group & self.classes != 0) && c.is_met(marks, first))
            {
                gravest = verdict;
            }
        }
        gravest
    }
}

impl Compiled {
    /// Whether it is met, with the last of its words from `first` on.
    fn is_met(&self, marks: &[Mark], first: u32) -> bool {
        // By group: where the latest words begin that end with a word of that group.
        let mut latest: Vec<Option<u32>> = vec![None; self.all.len()];
        marks.iter().any(|mark| {
            let is_in = |group: usize| self.all[group] >> mark.class & 1 == 1;
            let mut complete = false;
            if self.in_order {
                for group in (0..self.all.len()).rev().filter(|group| is_in(*group)) {
                    let from = if group == 0 { Some(mark.from) } else { latest[group - 1] };
                    let from = from.filter(|from| mark.from - from <= self.near);
                    latest[group] = from.or(latest[group]);
                    complete |= group + 1 == self.all.len() && from.is_some();
                }
            } else {
                // A word of two groups stands for one of them only, unless it is the only one.
                let free = (0..self.all.len()).filter(|g| is_in(*g));
                if let Some(group) = free.min_by_key(|g| latest[*g]) {
                    latest[group] = Some(mark.from);
                    complete = latest.iter().all(|l| l.is_some_and(|from| mark.from - from <= self.near));
                }
            }
            complete && mark.from >= first && {
                let from = latest.iter().flatten().min().copied().unwrap_or(mark.from);
                !self.taken_back(marks, from.saturating_sub(self.around), mark.to + self.around)
            }
        })
    }

    fn taken_back(&self, marks: &[Mark], from: u32, to: u32) -> bool {
        if self.unless == 0 {
            return false;
        }
        let first = marks.partition_point(|mark| mark.from < from);
        marks[first..].iter().take_while(|mark| mark.from < to).any(|mark| self.unless >> mark.class & 1 == 1)
    }
}
