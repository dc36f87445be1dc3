//! The part of a message in which something was found.

use crate::limits::SNIPPET_MAX;

/// Words of one search.
const WORDS_MAX: usize = 10;
/// Characters before the first word that was found.
const LEAD: usize = 40;

/// A part of a text, and where the words stand in it: UTF-16 code units, the end excluded.
#[derive(Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub marks: Vec<(u32, u32)>,
}

/// The words that are looked for, in small letters.
pub fn words(query: &str) -> Vec<String> {
    query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .take(WORDS_MAX)
        .collect()
}

/// The words as PostgreSQL looks for them: all of them, each perhaps only the beginning of one.
pub fn tsquery(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}':*")).collect();
    quoted.join(" & ")
}

/// The part around the first word that is found.
pub fn snippet(content: &str, words: &[String]) -> Snippet {
    // Line breaks have no place in one line.
    let chars: Vec<char> = content.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let found = found(&chars, words);
    let first = found.first().map_or(0, |(start, _)| *start);
    let mut from = first.saturating_sub(LEAD);
    // Begin with a whole word, if one begins before the first that was found.
    if from > 0 {
        from = (from..first).find(|at| chars[at - 1] == ' ').unwrap_or(first);
    }
    let to = (from + SNIPPET_MAX).min(chars.len());

    let mut text = String::new();
    if from > 0 {
        text.push('…');
    }
    let mut units = utf16(&text);
    let mut marks = Vec::new();
    let mut open = None;
    for (at, c) in chars.iter().enumerate().take(to).skip(from) {
        if found.iter().any(|(start, _)| *start == at) {
            open = Some(units);
        }
        text.push(*c);
        units += u32::try_from(c.len_utf16()).unwrap_or(1);
        if found.iter().any(|(_, end)| *end == at + 1)
            && let Some(start) = open.take()
        {
            marks.push((start, units));
        }
    }
    if let Some(start) = open {
        marks.push((start, units));
    }
    if to < chars.len() {
        text.push('…');
    }
    Snippet { text, marks }
}

/// Where words begin that begin with one of `words`, and where they end.
fn found(chars: &[char], words: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_alphanumeric() {
            at += 1;
            continue;
        }
        let end = (at..chars.len()).find(|i| !chars[*i].is_alphanumeric()).unwrap_or(chars.len());
        let word: String = chars[at..end].iter().collect::<String>().to_lowercase();
        if words.iter().any(|wanted| word.starts_with(wanted.as_str())) {
            found.push((at, end));
        }
        at = end;
    }
    found
}

fn utf16(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{snippet, tsquery, words};

    fn marked(content: &str, query: &str) -> (String, Vec<String>) {
        let found = snippet(content, &words(query));
        let units: Vec<u16> = found.text.encode_utf16().collect();
        let marked = found.marks.iter().map(|(start, end)| {
            String::from_utf16(&units[*start as usize..*end as usize]).expect("whole characters")
        });
        let marked = marked.collect();
        (found.text, marked)
    }

    #[test]
    fn words_are_marked_where_javascript_counts_them() {
        let (text, marked) = marked("🕯️ The Lamp is lit, and the lamps of the harbour too.", "lamp harb");
        assert_eq!(text, "🕯️ The Lamp is lit, and the lamps of the harbour too.");
        assert_eq!(marked, ["Lamp", "lamps", "harbour"]);
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_word() {
        let content = format!("{} The lighthouse keeper\nwaits. {}", "sea ".repeat(80), "fog ".repeat(80));
        let (text, marked) = marked(&content, "lighthouse");
        assert!(text.starts_with("…sea ") && text.ends_with('…'), "{text}");
        assert!(text.contains("lighthouse keeper waits"), "{text}");
        assert_eq!(marked, ["lighthouse"]);
        assert!(text.chars().count() <= 162);
    }

    #[test]
    fn what_is_typed_is_never_an_operator() {
        assert_eq!(tsquery(&words("a' & !b | (c:*) <-> Ärger")), "'a':* & 'b':* & 'c':* & 'ärger':*");
        assert!(words(" !&|() ").is_empty());
        assert_eq!(snippet("", &words("x")).text, "");
    }
}
