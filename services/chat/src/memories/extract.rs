//! Summaries without a model: the sentences that say most, in their order.

use std::collections::{HashMap, HashSet};

use super::words::lower;
use crate::engines::Line;

/// Characters of such a summary.
const LENGTH: usize = 360;
/// Sentences from which one is taken at most.
const SENTENCES_MAX: usize = 400;
/// Tenths of the words of a sentence that may have been told already.
const REPEATED: usize = 6;
/// Shorter ones say too little, longer ones take all the room.
const SENTENCE: std::ops::RangeInclusive<usize> = 20..=200;

/// The sentences with the most words that come up again, told by who said them.
pub fn extract(lines: &[Line], character: &str, user: &str) -> String {
    let mut sentences: Vec<(usize, bool, String)> = Vec::new();
    for line in lines {
        for sentence in split(&line.text) {
            if SENTENCE.contains(&sentence.chars().count()) && sentences.len() < SENTENCES_MAX {
                sentences.push((sentences.len(), line.by_user, sentence));
            }
        }
    }
    let mut seen: HashMap<String, f64> = HashMap::new();
    for (_, _, sentence) in &sentences {
        for word in words(sentence) {
            *seen.entry(word).or_default() += 1.0;
        }
    }
    let mut ranked: Vec<(f64, usize)> = sentences
        .iter()
        .map(|(at, by_user, sentence)| {
            let (sum, count) = words(sentence).fold((0.0, 0.0), |(sum, count), word| {
                // A word that is said all the time says as little as one that is said once.
                (sum + seen[&word].min(4.0), count + 1.0)
            });
            // What the user says is what they would miss; a question says little by itself.
            let weight = if *by_user { 1.5 } else { 1.0 } * if sentence.ends_with('?') { 0.4 } else { 1.0 };
            (if count > 2.0 { weight * sum / f64::sqrt(count) } else { 0.0 }, *at)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let (mut chosen, mut length, mut told) = (Vec::new(), 0, HashSet::new());
    for (_, at) in ranked {
        let sentence = &sentences[at].2;
        let (known, all) = words(sentence)
            .fold((0, 0), |(known, all), word| (known + usize::from(told.contains(&word)), all + 1));
        if length + sentence.len() > LENGTH || known * 10 > all * REPEATED {
            continue;
        }
        told.extend(words(sentence));
        length += sentence.len();
        chosen.push(at);
    }
    chosen.sort_unstable();
    let mut summary = String::new();
    let mut speaker = None;
    for at in chosen {
        let (_, by_user, sentence) = &sentences[at];
        if !summary.is_empty() {
            summary.push(' ');
        }
        if speaker != Some(*by_user) {
            summary.push_str(if *by_user { user } else { character });
            summary.push_str(": ");
            speaker = Some(*by_user);
        }
        summary.push_str(sentence);
    }
    summary
}

/// Sentences without the marks of actions and speech.
fn split(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|c| !matches!(c, '*' | '"' | '“' | '”')).collect();
    let mut sentences = Vec::new();
    let mut rest = plain.as_str();
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                *c == '\n'
                    || matches!(c, '.' | '!' | '?' | '…')
                        && rest[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
            })
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let sentence = rest[..end].trim();
        if !sentence.is_empty() {
            sentences.push(sentence.to_owned());
        }
        rest = &rest[end..];
    }
    sentences
}

fn words(sentence: &str) -> impl Iterator<Item = String> {
    super::words::words(sentence).map(|word| lower(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_up_again_is_kept_and_told_by_who_said_it() {
        let said = |by_user, text: &str| Line { by_user, text: text.into() };
        let lines = [
            said(false, "*She nods.* The key of the cellar hangs behind the mirror."),
            said(true, "I take the key from behind the mirror. Hm."),
            said(false, "\"The cellar was flooded,\" she says. Fine."),
        ];
        let summary = extract(&lines, "Isolde", "Wren");
        assert!(
            summary
                .starts_with("Isolde: The key of the cellar hangs behind the mirror. Wren: I take the key")
        );
        assert!(!summary.contains('*') && !summary.contains("Hm"), "{summary}");
        assert!(extract(&lines[..0], "Isolde", "Wren").is_empty());
    }
}
