//! What neither people nor engines may write here, whatever the plan or the preference: sexual content
//! about minors, instructions for mass violence, encouragement of self-harm.
//!
//! A first line that is fast, deterministic and explainable; it errs on the side of fiction and leaves
//! doubt to reports. Texts are normalised first, so that spacing, look-alikes and digits for letters do
//! not hide a word.

mod normalise;
mod rules;
mod stream;

pub use rules::Rule;
pub use stream::{Released, StreamFilter};

/// Checks a whole text: a message, a card's field, a persona, a prompt.
///
/// # Errors
/// The first rule that the text breaks.
pub fn check(text: &str) -> Result<(), Rule> {
    rules::find(&normalise::normalise(text)).map_or(Ok(()), Err)
}

/// Checks a text that describes a character, where any age under 18 is refused, sexual or not.
///
/// # Errors
/// The first rule that the text breaks.
pub fn check_character(text: &str) -> Result<(), Rule> {
    let plain = normalise::normalise(text);
    rules::find(&plain).or_else(|| rules::describes_minor(&plain)).map_or(Ok(()), Err)
}
