//! One spelling for many.

use unicode_normalization::UnicodeNormalization as _;

/// Lower case, compatibility forms folded, accents dropped, digits and signs that stand for letters
/// inside a word read as letters, letters spaced out one by one joined, everything else one blank.
pub fn normalise(text: &str) -> String {
    let folded: String = text
        .nfkd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c) && !is_invisible(*c))
        .flat_map(char::to_lowercase)
        .map(latin)
        .collect();
    let words: Vec<String> = folded
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '@' | '$' | '!' | '\'')))
        .map(|w| w.trim_matches(['!', '\'']))
        .filter(|w| !w.is_empty())
        .map(read)
        .collect();
    join_spelled(&words)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{202A}'..='\u{202E}')
}

/// Cyrillic and Greek letters that look like Latin ones.
fn latin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'е' | 'ε' => 'e',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'х' | 'χ' => 'x',
        'у' | 'υ' => 'y',
        'і' | 'ι' => 'i',
        'к' | 'κ' => 'k',
        'ѕ' => 's',
        '’' => '\'',
        _ => c,
    }
}

/// Reads digits as letters where letters stand around them: `ch1ld`, but not `17` or `17yo`.
fn read(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let leading_digits = word.chars().take_while(char::is_ascii_digit).count();
    if letters < 2 || leading_digits > 0 && word[leading_digits..].chars().all(char::is_alphabetic) {
        return word.to_owned();
    }
    word.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            _ => c,
        })
        .collect()
}

/// `c h i l d` is one word.
fn join_spelled(words: &[String]) -> String {
    let mut out = String::new();
    let mut run: Vec<&str> = Vec::new();
    let flush = |run: &mut Vec<&str>, out: &mut String| {
        if run.len() >= 3 {
            push(out, &run.concat());
        } else {
            run.iter().for_each(|w| push(out, w));
        }
        run.clear();
    };
    for word in words {
        if word.chars().count() == 1 && word.chars().all(char::is_alphabetic) {
            run.push(word);
        } else {
            flush(&mut run, &mut out);
            push(&mut out, word);
        }
    }
    flush(&mut run, &mut out);
    out
}

fn push(out: &mut String, word: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_fall_off() {
        for disguised in
            ["child", "CHILD", "ch1ld", "c h i l d", "c.h.i.l.d", "çhîld", "сhіld", "ch\u{200B}ild"]
        {
            assert_eq!(normalise(disguised), "child", "{disguised}");
        }
    }

    #[test]
    fn ages_stay_ages() {
        assert_eq!(normalise("I'm 17, she is 17yo"), "i'm 17 she is 17yo");
    }
}
