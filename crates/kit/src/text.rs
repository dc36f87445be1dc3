//! Text that people typed.

use thiserror::Error;

/// Why a text was not taken.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TextError {
    #[error("At most {0} characters.")]
    TooLong(usize),
    #[error("Contains characters that cannot be shown.")]
    Control,
}

/// Trims, unifies line ends, and refuses control characters and bidirectional overrides.
/// `max` counts characters (Unicode scalar values), after trimming.
///
/// # Errors
/// [`TextError::TooLong`] or [`TextError::Control`].
pub fn clean(text: &str, max: usize) -> Result<String, TextError> {
    let text = text.trim().replace("\r\n", "\n").replace('\r', "\n");
    if text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_override(c)) {
        return Err(TextError::Control);
    }
    if text.chars().count() > max {
        return Err(TextError::TooLong(max));
    }
    Ok(text)
}

/// Marks that turn the direction of the text around them, used to disguise names.
fn is_override(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_and_counts_characters_not_bytes() {
        assert_eq!(clean("  héllo\r\nthere ", 11).as_deref(), Ok("héllo\nthere"));
        assert_eq!(clean("éééé", 3), Err(TextError::TooLong(3)));
    }

    #[test]
    fn refuses_what_cannot_be_shown() {
        assert_eq!(clean("a\u{0}b", 10), Err(TextError::Control));
        assert_eq!(clean("a\u{202E}b", 10), Err(TextError::Control));
    }
}
