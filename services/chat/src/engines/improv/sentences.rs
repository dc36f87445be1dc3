//! Texts cut into sentences, and which of them were said before.

use std::collections::HashSet;

/// Abbreviations whose full stop ends nothing.
const SHORT: [&str; 8] = ["Dr", "Mr", "Mrs", "Ms", "St", "No", "vs", "Prof"];

/// The sentences of a text, marks and asterisks around them left out.
pub fn split(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut current = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        if c == '*' || c == '\n' {
            finish(&mut sentences, &mut current);
            continue;
        }
        current.push(c);
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        let closes = matches!(c, '.' | '!' | '?' | '…')
            || (matches!(c, '"' | '”' | '\'' | '’')
                && at > 0
                && matches!(chars[at - 1], '.' | '!' | '?' | '…'));
        let word = current.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
        if closes && next.is_whitespace() && !(c == '.' && SHORT.contains(&word)) {
            finish(&mut sentences, &mut current);
        }
    }
    finish(&mut sentences, &mut current);
    sentences
}

fn finish(sentences: &mut Vec<String>, current: &mut String) {
    let sentence = current.trim().trim_matches(['"', '“', '”']).trim();
    if sentence.chars().any(char::is_alphanumeric) {
        sentences.push(sentence.to_owned());
    }
    current.clear();
}

/// A sentence without case and punctuation.
fn plain(sentence: &str) -> String {
    let kept = sentence.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace());
    let text: String = kept.flat_map(char::to_lowercase).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was said.
#[derive(Default)]
pub struct Said(HashSet<String>);

impl Said {
    /// Remembers a text.
    pub fn add(&mut self, text: &str) {
        self.0.extend(split(text).iter().map(|s| plain(s)));
    }

    /// Whether every sentence of the text is new, and none comes twice in it.
    pub fn is_new(&self, text: &str) -> bool {
        let mut here = HashSet::new();
        split(text).iter().all(|s| {
            let plain = plain(s);
            !self.0.contains(&plain) && here.insert(plain)
        })
    }
}

pub fn words(text: &str) -> usize {
    text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).count()
}
