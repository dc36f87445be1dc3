//! What neither people nor engines may write here, whatever the plan or the preference, and what a moderator
//! looks at first.
//!
//! A first line that is fast, deterministic and explainable: the rules are data (`rules/`), a text is
//! normalised, so that spacing, look-alikes and digits for letters do not hide a word, and judged by the
//! place where it stands. An adult theme between adults passes; anything that makes a person under 18 part of
//! it never does. A [`classifier`] can stand beside the rules (feature `classifier`).

mod ages;
#[cfg(feature = "classifier")]
pub mod classifier;
mod engine;
mod help;
mod normalise;
mod private;
mod rule;
mod stream;
mod vocabulary;

use std::cell::LazyCell;

pub use help::{HelpLine, HelpLines, help_lines};
pub use rule::{Place, Rule, SELF_HARM_INTENT, Verdict};
pub use stream::{Released, Said, StreamFilter};

/// Judges a whole text: the gravest of what the rules of its place say.
#[must_use]
pub fn judge(text: &str, place: Place) -> Verdict {
    judge_in(text, &[place])
}

/// Judges a text that stands in several places, which reads it once: the gravest of what their rules say.
#[must_use]
pub fn judge_in(text: &str, places: &[Place]) -> Verdict {
    let reading = engine::Reading::of(text);
    let verdicts = places.iter().map(|place| reading.verdict(*place, reading.words));
    verdicts.max_by_key(|verdict| verdict.weight()).unwrap_or(Verdict::Allow)
}

/// Judges what a text completes, by the rules about people under 18, of each of some texts before it: what may not be said
/// at once may not be said in two parts either. What is wrong with one part alone is not asked.
#[must_use]
pub fn judge_after<const N: usize>(before: [&Said; N], text: &str, place: Place) -> [Verdict; N] {
    // Most texts have no word that such a rule asks for, and are read by themselves alone.
    let alone = LazyCell::new(|| engine::Reading::of(text));
    before.map(|before| {
        if before.is_empty() || !before.concerns(text, &alone, place) {
            return Verdict::Allow;
        }
        let reading = engine::Reading::of(&before.and(text));
        reading.completed(place, before.words(), reading.words)
    })
}

/// Judges a whole reply as the answer to what was said before it.
#[must_use]
pub fn judge_reply(turn: &str, reply: &str) -> Verdict {
    let context = stream::Context::of(turn);
    let reading = engine::Reading::of_reply(&[&context.text, reply].concat(), context.words);
    reading.verdict(Place::ModelOutput, reading.words)
}

/// Checks a text that nobody looks at before others see it: what is refused, as a user's turn is.
///
/// # Errors
/// The first rule that the text breaks.
pub fn check(text: &str) -> Result<(), Rule> {
    judge(text, Place::UserTurn).unless_refused().map(drop)
}

/// Checks a text that describes a character, where any age under 18 is refused, sexual or not.
///
/// # Errors
/// The first rule that the text breaks.
pub fn check_character(text: &str) -> Result<(), Rule> {
    judge(text, Place::Card).unless_refused().map(drop)
}
