//! Passwords that are among the first to be tried: those that many people have, and those that are made of what everybody
//! knows of their owner (ASVS 5.0, 6.2.4 and 6.2.11).

use kit::error::Failure;
use zxcvbn::{matching::patterns::MatchPattern, zxcvbn};

/// Shorter words are in too many good passwords.
const WORD_MIN: usize = 4;
/// A longer password is in no list, and has more beside a name than is guessed.
const LENGTH_MAX: usize = 40;
/// Tries, as a power of ten, that a password with a known word in it has to outlast.
const TRIES_LOG10: f64 = 8.0;

/// Words that whoever guesses would begin with: the product's name, a username, what stands before the `@` of an address.
#[must_use]
pub fn known_words<'a>(brand: &'a str, username: &'a str, email: &'a str) -> [&'a str; 3] {
    [brand, username, email.split('@').next().unwrap_or_default()]
}

/// # Errors
/// That the password, of the field that is named, is one of the 30,000 most used or a word of a dictionary, in whatever case
/// and with digits for letters; or that it has one of the known words in it and little else.
pub fn refuse_guessable(field: &str, password: &str, known: &[&str]) -> Result<(), Failure> {
    if password.chars().count() > LENGTH_MAX {
        return Ok(());
    }
    let known: Vec<String> =
        known.iter().filter(|word| word.len() >= WORD_MIN).map(|word| word.to_lowercase()).collect();
    let words: Vec<&str> = known.iter().map(String::as_str).collect();
    let entropy = zxcvbn(password, &words);
    let all_of_it =
        matches!(entropy.sequence(), [only] if matches!(only.pattern, MatchPattern::Dictionary(_)));
    let has_known = entropy.sequence().iter().any(|part| is_made_of(&part.pattern, &known));
    if all_of_it || (has_known && entropy.guesses_log10() < TRIES_LOG10) {
        return Err(Failure::invalid(field, "Password is too easy to guess!"));
    }
    Ok(())
}

/// Whether a part of a password is one of these words, once or again and again.
fn is_made_of(part: &MatchPattern, words: &[String]) -> bool {
    match part {
        MatchPattern::Dictionary(found) => words.contains(&found.matched_word),
        MatchPattern::Repeat(again) => again.base_matches.iter().any(|base| is_made_of(&base.pattern, words)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] = ["Troupe", "wren_of_ely", "margaret.hale"];

    #[test]
    fn what_many_people_have_is_refused_in_whatever_case() {
        for common in ["Password1", "Abcdefg1", "QWERTY123", "P@ssw0rd", "Iloveyou2", "Superman1"] {
            let refused = refuse_guessable("password", common, &KNOWN).expect_err(common);
            assert_eq!(
                refused.fields,
                [("password".to_owned(), "Password is too easy to guess!".to_owned())]
            );
        }
    }

    #[test]
    fn what_is_known_of_somebody_is_no_password_of_theirs() {
        for known in ["Troupe2026", "Wren_of_ely1", "1Margaret.hale", "TroupeTroupe1"] {
            assert!(refuse_guessable("password", known, &KNOWN).is_err(), "{known}");
        }
        assert!(
            refuse_guessable("password", "Wren_of_ely1", &["Troupe", "ada", "ada"]).is_ok(),
            "of somebody else"
        );
        assert!(refuse_guessable("password", "Troupe-9-lanterns-burn", &KNOWN).is_ok(), "enough beside it");
    }

    #[test]
    fn what_nobody_would_guess_is_taken() {
        for good in ["Prompt-box-7", "PromptBox8", "Curtain-rises-4", &"Wren_of_ely1".repeat(4)] {
            assert!(refuse_guessable("password", good, &KNOWN).is_ok(), "{good}");
        }
    }
}
