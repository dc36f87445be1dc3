//! Moderation of a reply while it is written: the last words are held back until it is clear where
//! they lead.

use crate::{Rule, normalise::normalise, rules};

/// Characters held back unless a sentence has ended (architecture, rule 8).
pub const HOLD: usize = 48;
/// Characters before the end that are looked at with each piece.
pub const WINDOW: usize = 600;

/// What may be shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Released {
    Text(String),
    /// The rule that the reply breaks; what was released before stays, what was held back is dropped.
    Refused(Rule),
}

/// Filters one reply.
#[derive(Debug, Default)]
pub struct StreamFilter {
    /// Released text that is still looked at, and what is held back.
    tail: String,
    /// Bytes of `tail` that were released.
    released: usize,
}

impl StreamFilter {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece; answers what may be shown, which can be nothing yet.
    pub fn push(&mut self, piece: &str) -> Released {
        self.tail.push_str(piece);
        if let Some(rule) = rules::find(&normalise(&self.tail)) {
            return Released::Refused(rule);
        }
        let held = byte_before_end(&self.tail, HOLD);
        // A finished sentence leads nowhere further.
        let sentence = self.tail.rfind(['.', '!', '?', '\n', '"', '*']).map_or(0, |at| at + 1);
        let until = held.max(sentence).max(self.released);
        Released::Text(self.release(until))
    }

    /// The reply has ended: the rest may be shown.
    pub fn finish(&mut self) -> Released {
        let until = self.tail.len();
        Released::Text(self.release(until))
    }

    fn release(&mut self, until: usize) -> String {
        let text = self.tail[self.released..until].to_owned();
        self.released = until;
        let drop = byte_before_end(&self.tail, WINDOW).min(self.released);
        self.tail.drain(..drop);
        self.released -= drop;
        text
    }
}

/// Where the last `count` characters begin.
fn byte_before_end(text: &str, count: usize) -> usize {
    text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pieces: &[&str]) -> (String, Option<Rule>) {
        let mut filter = StreamFilter::new();
        let mut shown = String::new();
        for piece in pieces {
            match filter.push(piece) {
                Released::Text(text) => shown.push_str(&text),
                Released::Refused(rule) => return (shown, Some(rule)),
            }
        }
        if let Released::Text(text) = filter.finish() {
            shown.push_str(&text);
        }
        (shown, None)
    }

    #[test]
    fn an_innocent_reply_comes_out_whole() {
        let text = "*She turns the lamp.* \"You came late,\" she says. Then, after a while: é, ü, 日本語 and on and on.".repeat(20);
        let pieces: Vec<String> =
            text.chars().collect::<Vec<_>>().chunks(3).map(|c| c.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(run(&pieces), (text, None));
    }

    #[test]
    fn a_reply_is_cut_before_the_words_that_break_a_rule_are_shown() {
        let (shown, rule) = run(&["The evening was calm. ", "she is 15 and ", "the scene turns ", "erotic"]);
        assert_eq!(rule, Rule::named("minor.sexual"));
        assert!(!shown.contains("erotic"), "{shown}");
    }
}
