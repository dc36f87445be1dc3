//! Moderation of a reply while it is written: the last words are held back until it is clear where
//! they lead.

use crate::{Place, Rule, Verdict, engine::Reading};

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
        let turn = turn.trim();
        let from = byte_before_end(turn, TURN);
        let word = |from: usize| turn[from..].find(char::is_whitespace).map_or(from, |at| from + at);
        let from = if from == 0 { 0 } else { word(from) };
        let text = turn[from..].trim_start();
        if text.is_empty() {
            return Self::default();
        }
        let text = [text, ".\n"].concat();
        let reading = Reading::of(&text);
        // What a user may say and an engine may not is no fault of the reply.
        let fault = matches!(reading.verdict(Place::ModelOutput, reading.words), Verdict::Refuse(_));
        if fault { Self::default() } else { Self { words: reading.words, text } }
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
