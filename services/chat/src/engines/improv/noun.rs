//! Things that a text speaks of: a determiner and one or two words that end where a noun phrase ends.

/// Words before which a noun phrase has ended.
const ENDS: [&str; 44] = [
    "of", "in", "on", "with", "and", "that", "to", "at", "from", "by", "for", "as", "is", "was", "are",
    "were", "has", "had", "have", "which", "where", "who", "under", "over", "behind", "beside", "into",
    "through", "like", "or", "but", "when", "while", "between", "above", "before", "after", "until",
    "because", "so", "than", "if", "will", "would",
];

/// Last words that name no thing one could look at or talk about.
const NO_THING: [&str; 93] = [
    "way", "time", "times", "moment", "night", "morning", "evening", "hour", "hours", "minute", "minutes",
    "year", "years", "month", "week", "day", "days", "first", "last", "second", "third", "next", "same",
    "other", "rest", "end", "one", "thing", "things", "name", "kind", "sort", "part", "half", "lot",
    "little", "bit", "while", "side", "back", "front", "top", "middle", "world", "word", "words", "voice",
    "face", "eyes", "hand", "hands", "head", "mouth", "man", "men", "woman", "women", "people", "person",
    "somebody", "mother", "father", "husband", "wife", "sister", "brother", "daughter", "son", "friend",
    "queen", "king", "good", "bad", "old", "new", "small", "large", "best", "worst", "only", "whole", "more",
    "most", "least", "few", "many", "such", "much", "own", "reason", "question", "answer", "fact",
];

/// Words that are no noun though they stand like one.
const NO_NOUN: [&str; 14] = [
    "very", "too", "not", "just", "more", "less", "quite", "never", "always", "every", "there", "here",
    "then", "now",
];

/// Noun phrases of a text, in their order: the determiner as it stands (lower case), and the rest.
pub fn phrases(text: &str, determiners: &[&str]) -> Vec<(String, String)> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<(String, String)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let determiner = bare(token).to_lowercase();
        // "light as a moth", "for a living": nothing that is there.
        let before = at.checked_sub(1).map_or_else(String::new, |b| bare(tokens[b]).to_lowercase());
        if matches!(determiner.as_str(), "a" | "an")
            && matches!(before.as_str(), "as" | "like" | "for" | "than")
        {
            continue;
        }
        if !determiners.contains(&determiner.as_str()) || ends_clause(token) {
            continue;
        }
        let mut words = Vec::new();
        for &token in tokens.iter().skip(at + 1).take(3) {
            let word = bare(token);
            if !words.is_empty() && ENDS.contains(&word.to_lowercase().as_str()) {
                break;
            }
            words.push(word);
            if ends_clause(token) {
                break;
            }
        }
        // The last token looked at has to end the phrase; else it runs on and its head is not known.
        let last = tokens.get(at + words.len());
        let next = tokens.get(at + words.len() + 1).map(|t| bare(t).to_lowercase());
        let closed = last.is_some_and(|t| ends_clause(t))
            || next.is_none()
            || next.is_some_and(|n| ENDS.contains(&n.as_str()));
        if closed && words.len() <= 2 && is_thing(&words) {
            let phrase = (determiner, words.join(" "));
            if !found.iter().any(|(_, known)| *known == phrase.1) {
                found.push(phrase);
            }
        }
    }
    found
}

fn is_thing(words: &[&str]) -> bool {
    let plain = |w: &str| {
        w.chars().count() >= 3
            && w.chars().all(|c| c.is_lowercase() || matches!(c, '-' | '\'' | '’'))
            && !w.ends_with("ly")
            && !NO_NOUN.contains(&w)
            && !ENDS.contains(&w)
    };
    let Some(last) = words.last() else { return false };
    let verb_like =
        words.len() == 2 && (last.ends_with('s') || last.ends_with("ed") || last.ends_with("ing"));
    words.iter().all(|w| plain(w)) && !NO_THING.contains(last) && !verb_like && !last.ends_with("est")
}

fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric())
}

fn ends_clause(token: &str) -> bool {
    token.ends_with(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
}

#[cfg(test)]
mod tests {
    use super::phrases;

    #[test]
    fn finds_what_one_could_look_at() {
        let text = "The table by the stage has been reserved. She slides a photograph across the cloth, face down, \
                    and the court knows and the drummer will start, light as a moth.";
        let found: Vec<String> = phrases(text, &["the", "a"]).into_iter().map(|(_, n)| n).collect();
        assert!(found.contains(&"table".to_owned()), "{found:?}");
        assert!(found.contains(&"stage".to_owned()), "{found:?}");
        assert!(found.contains(&"cloth".to_owned()), "{found:?}");
        assert!(
            !found.iter().any(|f| f.contains("knows") || f.contains("start") || f == "moth"),
            "{found:?}"
        );
    }
}
