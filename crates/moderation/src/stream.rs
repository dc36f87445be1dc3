//! Moderation of a reply while it is written: the last words are held back until it is clear where
//! they lead.

use std::sync::{Arc, OnceLock};

use crate::{Place, Rule, Verdict, engine::Reading, vocabulary::Classes};

/// Characters held back unless a sentence has ended (architecture, rule 8).
pub const HOLD: usize = 48;
/// Characters before the end that are looked at.
pub const WINDOW: usize = 600;
/// Characters between two looks.
const STEP: usize = 32;
/// Characters without a blank after which it is looked at all the same.
const UNBROKEN: usize = 160;
/// Bytes before the window that are kept for a whole word.
const LONGEST: usize = 2_048;
/// Characters on both sides of the end of a text in which words are looked for that go over it.
const BOUNDARY: usize = 48;
/// Words at the end that may still become others ("15" becomes "15 minutes").
const OPEN: usize = 4;

/// Characters of the turn before a reply that are remembered while it begins.
const TURN: usize = 300;

/// The end of the turn that a reply answers, as the reply is read after it.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// With an end, so that it leads nowhere further.
    pub text: String,
    /// Words of it; none when it says nothing to a reply.
    pub words: usize,
}

impl Context {
    pub fn of(turn: &str) -> Self {
        let text = end_of(turn, TURN);
        let reading = Reading::of(&text);
        // What a user may say and an engine may not is no fault of the reply.
        let fault = matches!(reading.verdict(Place::ModelOutput, reading.words), Verdict::Refuse(_));
        if fault { Self::default() } else { Self { words: reading.words, text } }
    }
}

/// What was said before a turn, whatever it says by itself: the turn is judged after it, and so is the reply. It is read
/// once, when the first text comes that may complete it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Said(Arc<Before>);

#[derive(Debug)]
struct Before {
    /// Its end, as [`Context::text`].
    text: String,
    edge: Edge,
    read: OnceLock<Read>,
}

/// What is asked of what was said before.
#[derive(Debug)]
struct Read {
    words: usize,
    /// The classes that its words may have beside others.
    possible: Classes,
}

impl Said {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = end_of(text, WINDOW);
        Self(Arc::new(Before { edge: Edge::of(text.chars().rev()), text, read: OnceLock::new() }))
    }

    fn read(&self) -> &Read {
        self.0.read.get_or_init(|| {
            let reading = Reading::of(&self.0.text);
            Read { words: reading.words, possible: reading.possible }
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.text.is_empty()
    }

    pub(crate) fn words(&self) -> usize {
        self.read().words
    }

    /// This and a text after it, as one.
    pub(crate) fn and(&self, text: &str) -> String {
        [&self.0.text, text].concat()
    }

    /// Whether the text that `reading` is of has to be read together with this one. Most have not: no word of the text, or
    /// none of both, is one that a rule about people under 18 asks for.
    pub(crate) fn concerns(&self, text: &str, reading: &Reading, place: Place) -> bool {
        self.0.edge.may_spell(Edge::of(text.chars()))
            || reading.can_complete(place, Classes::MAX) && reading.can_complete(place, self.read().possible)
    }
}

/// The end of a text, from a whole word on, with an end.
fn end_of(said: &str, chars: usize) -> String {
    let said = said.trim();
    let from = byte_before_end(said, chars);
    let word = |from: usize| said[from..].find(char::is_whitespace).map_or(from, |at| from + at);
    let from = if from == 0 { 0 } else { word(from) };
    let text = said[from..].trim_start();
    if text.is_empty() { String::new() } else { [text, ".\n"].concat() }
}

/// How a text is where another one meets it.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Has signs that may be read as letters.
    is_strange: bool,
    /// The word there is a single letter.
    is_single: bool,
}

impl Edge {
    /// The signs of a text, from where it meets the other one.
    fn of(signs: impl Iterator<Item = char> + Clone) -> Self {
        let signs = signs.take(BOUNDARY);
        let strange = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !"…—–‘’“”«»".contains(c);
        let letters = signs.clone().skip_while(|c| !c.is_alphanumeric()).take_while(|c| c.is_alphanumeric());
        Self { is_single: letters.take(2).count() == 1, is_strange: signs.clone().any(strange) }
    }

    /// Whether letters that are spaced out at the end of one text and at the beginning of the next may make a word together,
    /// which neither has by itself.
    fn may_spell(self, next: Self) -> bool {
        self.is_strange || next.is_strange || self.is_single && next.is_single
    }
}

/// What may be shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    Text(String),
    /// The rule that the reply breaks; what was released before stays, what was held back is dropped.
    Refused(Rule),
}

/// Filters one reply. Where it looks depends on the text alone and not on the pieces in which it comes, so
/// that the same reply is always judged alike.
#[derive(Debug, Default)]
pub struct StreamFilter {
    /// What is looked at: the turn before and released text, then what is held back, then what was not looked at.
    tail: String,
    /// Bytes of `tail` that were released.
    released: usize,
    /// Words of the turn that it begins with; none once the reply has left it behind.
    turn: usize,
    /// What was said before that turn; nothing once the reply has left it behind.
    before: Vec<Said>,
    /// Characters since the last look, and the last character.
    since: usize,
    last: char,
    refused: Option<Rule>,
}

impl StreamFilter {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Of a reply to this turn: what the turn asks, the reply may say by a single word.
    #[must_use]
    pub fn after(turn: &str) -> Self {
        let context = Context::of(turn);
        Self { released: context.text.len(), tail: context.text, turn: context.words, ..Self::default() }
    }

    /// And after what was said before: what nobody says at once, the reply may complete.
    #[must_use]
    pub fn remembering(mut self, said: Said) -> Self {
        if !said.is_empty() {
            self.before.push(said);
        }
        self
    }

    /// Takes a piece; answers what may be shown, which can be nothing yet.
    pub fn push(&mut self, piece: &str) -> Released {
        let mut shown = String::new();
        for c in piece.chars() {
            if let Some(rule) = self.refused {
                return Released::Refused(rule);
            }
            self.tail.push(c);
            self.since += 1;
            let blank = c.is_whitespace();
            let sentence = blank && matches!(self.last, '.' | '!' | '?' | '…' | '"' | '*' | '”' | '»');
            if sentence || c == '\n' {
                self.look(true, &mut shown);
            } else if blank && self.since >= STEP || self.since >= UNBROKEN {
                self.look(false, &mut shown);
            }
            self.last = c;
        }
        match self.refused {
            // What this piece has released before is dropped with the rest: it came at the same moment.
            Some(rule) => Released::Refused(rule),
            None => Released::Text(shown),
        }
    }

    /// The reply has ended: the rest may be shown, or not.
    pub fn finish(&mut self) -> Released {
        let mut shown = String::new();
        if self.refused.is_none() && self.released < self.tail.len() {
            self.look(true, &mut shown);
            shown.push_str(&self.tail[self.released..]);
            self.released = self.tail.len();
        }
        self.refused.map_or(Released::Text(shown), Released::Refused)
    }

    /// Judges the window. A finished sentence leads nowhere further; before its end the last words stay open.
    fn look(&mut self, whole: bool, shown: &mut String) {
        self.since = 0;
        let reading = Reading::of_reply(&self.tail, self.turn);
        let words = if whole { reading.words } else { reading.words.saturating_sub(OPEN) };
        if let Verdict::Refuse(rule) = reading.verdict(Place::ModelOutput, words) {
            self.refused = Some(rule);
            return;
        }
        let concerns = |before: &&Said| before.concerns(&self.tail, &reading, Place::ModelOutput);
        for before in self.before.iter().filter(concerns) {
            let reading = Reading::of(&before.and(&self.tail));
            let words = if whole { reading.words } else { reading.words.saturating_sub(OPEN) };
            let first = before.words() + self.turn;
            if let Verdict::Refuse(rule) = reading.completed(Place::ModelOutput, first, words) {
                self.refused = Some(rule);
                return;
            }
        }
        // The blank after a sentence belongs to the next.
        let until = if whole { self.tail.trim_end().len() } else { self.closed() };
        if until > self.released {
            shown.push_str(&self.tail[self.released..until]);
            self.released = until;
        }
        // The window begins with a whole word, where there are words.
        let from = byte_before_end(&self.tail, WINDOW).min(self.released);
        let unbroken = if from > LONGEST { from } else { 0 };
        let from = self.tail[..from].rfind(char::is_whitespace).unwrap_or(unbroken);
        if from > 0 {
            self.turn = 0;
            self.before.clear();
        }
        self.tail.drain(..from);
        self.released -= from;
    }

    /// Where what is held back begins: the last words, which were not judged, and at least `HOLD` characters. Text
    /// without blanks is no word.
    fn closed(&self) -> usize {
        let open = self.tail.rmatch_indices(char::is_whitespace).nth(OPEN + 1).map_or(0, |(at, _)| at);
        byte_before_end(&self.tail, HOLD).min(open).max(byte_before_end(&self.tail, 2 * UNBROKEN))
    }
}

/// Where the last `count` characters begin.
fn byte_before_end(text: &str, count: usize) -> usize {
    text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Some words in a row of what the rules are tuned on, spaced out now and then.
    fn part() -> impl Strategy<Value = String> {
        let words: Vec<&str> = include_str!("../tests/labelled/tuned.tsv")
            .lines()
            .filter_map(|line| line.rsplit('\t').next())
            .flat_map(|text| text.split(' '))
            .collect();
        let one = (0..words.len(), 1..9usize, 0..8u8).prop_map(move |(at, count, how)| {
            let some = words[at..].iter().take(count).copied().collect::<Vec<_>>().join(" ");
            match how {
                0 => some.chars().map(|c| format!("{c} ")).collect(),
                1 => some.chars().map(|c| format!("{c}.")).collect(),
                2 => some.chars().map(|c| format!("{c}\u{301} ")).collect(),
                _ => some,
            }
        });
        proptest::collection::vec(one, 1..4).prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// To leave the second reading out never lets through what it would have found.
        #[test]
        fn what_need_not_be_read_together_breaks_no_rule_together(said in part(), tail in part()) {
            let before = Said::of(&said);
            let reading = Reading::of(&tail);
            let together = Reading::of(&before.and(&tail));
            for place in [Place::ModelOutput, Place::UserTurn] {
                if before.concerns(&tail, &reading, place) {
                    continue;
                }
                for words in before.words()..=together.words {
                    let verdict = together.completed(place, before.words(), words);
                    prop_assert_eq!(verdict, Verdict::Allow, "{:?} after {:?}", tail, said);
                }
            }
        }

        #[test]
        fn a_word_that_is_spelled_over_the_end_of_a_sentence_is_read(at in 1..5usize, gap in prop::sample::select(vec![" ", ".", " . "])) {
            let word: Vec<String> = "child".chars().map(String::from).collect();
            let (said, tail) = (word[..at].join(gap), word[at..].join(gap));
            let before = Said::of(&said);
            prop_assert!(before.concerns(&tail, &Reading::of(&tail), Place::UserTurn));
        }
    }

    #[test]
    fn ordinary_talk_is_read_once() {
        let before = Said::of("The rain has not stopped since noon. Would you like some tea?");
        let tail = "*She laughs.* Tea sounds wonderful, if you have honey.";
        assert!(!before.concerns(tail, &Reading::of(tail), Place::UserTurn));
        assert!(before.0.read.get().is_none(), "what was said before is not read at all");
        let tail = "The scene turns erotic.";
        assert!(Said::of("She is 15.").concerns(tail, &Reading::of(tail), Place::UserTurn));
    }
}
