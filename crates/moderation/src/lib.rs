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

/// Judges what a text completes of what was said before it, by the rules about people under 18: what may not be said at
/// once may not be said in two parts either. What is wrong with one part alone is not asked.
#[must_use]
pub fn judge_after(before: &Said, text: &str, place: Place) -> Verdict {
    let context = before.context();
    if context.words == 0 {
        return Verdict::Allow;
    }
    // Most texts have no word that such a rule asks for, and are read by themselves alone.
    if !context.concerns(text, &engine::Reading::of(text), place) {
        return Verdict::Allow;
    }
    let reading = engine::Reading::of(&[&context.text, text].concat());
    reading.completed(place, context.words, reading.words)
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
