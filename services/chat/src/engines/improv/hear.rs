//! What was said: which kind of turn it is, and the words that an answer can take up.

use std::sync::LazyLock;

use regex::Regex;

use super::noun;

/// What the other person does with their turn. The names are those of the bank's sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    Greet,
    Name,
    Who,
    What,
    Where,
    When,
    Why,
    How,
    HowAreYou,
    YesNo,
    Choice,
    Thanks,
    Bye,
    Sorry,
    Praise,
    Love,
    Sad,
    Happy,
    Afraid,
    Tired,
    Angry,
    Lonely,
    Agree,
    Refuse,
    Threat,
    Command,
    Tell,
    Did,
    Statement,
    Short,
    Continue,
}

/// A message, understood as far as it goes.
#[derive(Debug, Clone)]
pub struct Heard {
    pub act: Act,
    /// Words outside of asterisks.
    pub speech: String,
    /// "the harbour", as the one who answers would say it.
    pub topic: Option<String>,
    /// A short question, to be repeated.
    pub said: Option<String>,
    /// What they did, after "as you".
    pub vp: Option<String>,
}

static STARS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\*+([^*]+)\*+"));
static CALLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?i:my name is|my name's|call me|i am called|i'm called|the name's)\s+)(\p{Lu}[\p{L}'’-]+)",
    )
});
static I_AM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?i:i am|i'm)\s+(\p{Lu}[\p{L}’-]+)\s*(?:[.,!;]|$|and\b|by the way)"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file compile")
}

/// Openings and words that tell an act, in the order in which they are tried.
const TOLD: [(Act, &[&str]); 17] = [
    (Act::Thanks, &["thank", "thanks", "cheers", "grateful"]),
    (Act::Sorry, &["sorry", "apolog", "forgive me", "my fault"]),
    (
        Act::Bye,
        &[
            "goodbye",
            "good bye",
            "bye",
            "farewell",
            "good night",
            "goodnight",
            "i have to go",
            "i must go",
            "see you",
        ],
    ),
    (Act::Love, &["i love you", "love you", "i like you", "i missed you", "i adore you", "kiss", "hold you"]),
    (
        Act::Threat,
        &[
            "i will kill",
            "i'll kill",
            "i'll hurt",
            "or else",
            "shut up",
            "i hate you",
            "hands up",
            "you will regret",
            "you'll regret",
        ],
    ),
    (Act::Lonely, &["lonely", "alone", "nobody cares", "no one cares", "miss my"]),
    (
        Act::Sad,
        &[
            "sad",
            "crying",
            "cry",
            "heartbroken",
            "depressed",
            "grief",
            "miserable",
            "hurts",
            "unhappy",
            "lost my",
        ],
    ),
    (Act::Afraid, &["afraid", "scared", "frightened", "terrified", "nervous", "anxious", "worried", "fear"]),
    (Act::Tired, &["tired", "exhausted", "sleepy", "worn out", "weary"]),
    (Act::Angry, &["angry", "furious", "annoyed", "sick of", "fed up", "hate"]),
    (
        Act::Praise,
        &[
            "beautiful",
            "lovely",
            "handsome",
            "you're clever",
            "you are clever",
            "you're kind",
            "you are kind",
            "you're funny",
            "amazing",
            "brilliant",
            "impressive",
            "well done",
        ],
    ),
    (Act::Happy, &["happy", "glad", "delighted", "excited", "wonderful", "great news", "so good"]),
    (
        Act::Tell,
        &["tell me", "explain", "describe", "say something", "talk to me", "i want to hear", "story"],
    ),
    (Act::Refuse, &["i won't", "i will not", "i refuse", "not a chance", "i don't want"]),
    (
        Act::Agree,
        &[
            "i agree",
            "of course",
            "agreed",
            "you're right",
            "you are right",
            "deal",
            "i'll do it",
            "i trust you",
        ],
    ),
    (Act::Command, &["let's", "let us", "please"]),
    (
        Act::Greet,
        &["good evening", "good morning", "good afternoon", "nice to meet you", "pleased to meet you"],
    ),
];

const GREETINGS: [&str; 9] = ["hi", "hello", "hey", "hiya", "greetings", "howdy", "yo", "hullo", "evening"];
const YES: [&str; 11] =
    ["yes", "yeah", "yep", "ok", "okay", "sure", "fine", "right", "aye", "agreed", "indeed"];
const NO: [&str; 6] = ["no", "nope", "nah", "never", "don't", "not"];
const COMMANDS: [&str; 36] = [
    "show", "give", "come", "take", "sing", "dance", "sit", "stand", "wait", "look", "help", "follow",
    "open", "close", "stop", "go", "bring", "play", "say", "listen", "hold", "read", "put", "turn", "leave",
    "stay", "run", "walk", "hide", "draw", "pour", "teach", "choose", "drink", "eat", "try",
];
const AUXILIARY: [&str; 26] = [
    "do", "does", "did", "are", "is", "am", "was", "were", "can", "could", "will", "would", "should",
    "shall", "have", "has", "had", "may", "might", "must", "don't", "aren't", "isn't", "won't", "can't",
    "didn't",
];

/// Splits what was done (in asterisks) from what was said.
pub fn parts(text: &str) -> (String, String) {
    let done: Vec<&str> =
        STARS.captures_iter(text).filter_map(|c| c.get(1)).map(|m| m.as_str().trim()).collect();
    let speech = STARS.replace_all(text, " ");
    let speech = speech.replace(['"', '“', '”', '*'], " ");
    (done.join(" "), speech.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The name by which somebody introduces themselves.
pub fn introduced(text: &str) -> Option<String> {
    let (_, speech) = parts(text);
    let speech = speech.replace('’', "'");
    let found = CALLED.captures(&speech).or_else(|| I_AM.captures(&speech))?;
    let name = found.get(1)?.as_str().trim_end_matches("'s").to_owned();
    let word =
        matches!(name.as_str(), "Sorry" | "Fine" | "Not" | "Here" | "Ok" | "Okay" | "Sure" | "Glad" | "Just");
    (!word).then_some(name)
}

/// Understands a message. `they` is how the one who answers is spoken of ("her", "him"), `their` likewise.
pub fn hear(text: &str, they: &str, their: &str) -> Heard {
    let (done, speech) = parts(text);
    let lower = speech.to_lowercase().replace('’', "'");
    let question = last_question(&speech);
    let act = if speech.is_empty() {
        if done.is_empty() { Act::Short } else { Act::Did }
    } else if introduced(text).is_some() {
        Act::Name
    } else if let Some(question) = &question {
        asked(&question.to_lowercase().replace('’', "'"))
    } else {
        told(&lower, !done.is_empty())
    };
    let said = question.filter(|q| {
        let words = q.split_whitespace().count();
        (3..=9).contains(&words) && !q.contains(['{', '}', '<', '>'])
    });
    Heard { act, topic: topic(&speech), said, vp: verb_phrase(&done, they, their), speech }
}

fn last_question(speech: &str) -> Option<String> {
    let at = speech.rfind('?')?;
    let begin = speech[..at].rfind(['.', '!', '?', ';']).map_or(0, |b| b + 1);
    Some(speech[begin..=at].trim().to_owned())
}

/// The words of a lower-case text, for whole-word questions about it.
fn has(lower: &str, needle: &str) -> bool {
    lower.match_indices(needle).any(|(at, _)| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + needle.len()..].chars().next();
        let stem = matches!(needle, "thank" | "apolog" | "fear");
        !before.is_some_and(char::is_alphanumeric) && (stem || !after.is_some_and(char::is_alphanumeric))
    })
}

fn asked(q: &str) -> Act {
    let any = |needles: &[&str]| needles.iter().any(|n| has(q, n));
    if any(&[
        "how are you",
        "how do you feel",
        "are you ok",
        "are you okay",
        "are you all right",
        "how have you been",
        "how's it going",
        "you okay",
    ]) {
        return Act::HowAreYou;
    }
    if any(&["who are you", "your name", "about yourself", "who you are"]) || q.ends_with("what are you?") {
        return Act::Who;
    }
    if any(&["how long", "what time", "when"]) {
        return Act::When;
    }
    if any(&["why", "how come", "what for", "what makes you"]) {
        return Act::Why;
    }
    let first = q.split_whitespace().find(|w| !matches!(*w, "and" | "so" | "but" | "well" | "then" | "oh"));
    let first = first.unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
    if AUXILIARY.contains(&first) {
        return if has(q, "or") { Act::Choice } else { Act::YesNo };
    }
    match first {
        // Who somebody else is, is not for the card to say.
        "who" | "whose" | "whom" | "who's" => {
            if has(q, "you") {
                Act::Who
            } else {
                Act::What
            }
        }
        "where" => Act::Where,
        "how" => Act::How,
        "what" | "what's" | "which" => Act::What,
        _ if any(&["where"]) => Act::Where,
        _ if any(&["how"]) => Act::How,
        _ if any(&["what", "which"]) => Act::What,
        _ if any(&["who"]) => Act::Who,
        _ => Act::YesNo,
    }
}

fn told(lower: &str, did_something: bool) -> Act {
    let words: Vec<&str> =
        lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let first = words.first().copied().unwrap_or_default();
    if GREETINGS.contains(&first) && words.len() <= 7 {
        return Act::Greet;
    }
    if let Some((act, _)) = TOLD.iter().find(|(_, needles)| needles.iter().any(|n| has(lower, n))) {
        // "sit down, please" is a command, "let's" likewise, and so are bare verbs.
        return *act;
    }
    if YES.contains(&first) && words.len() <= 8 {
        return Act::Agree;
    }
    if NO.contains(&first) && words.len() <= 8 {
        return Act::Refuse;
    }
    if COMMANDS.contains(&first) {
        return Act::Command;
    }
    if did_something && words.len() <= 3 {
        return Act::Did;
    }
    if words.len() <= 2 { Act::Short } else { Act::Statement }
}

fn topic(speech: &str) -> Option<String> {
    let found = noun::phrases(speech, &["the", "a", "an", "my", "your", "our", "this", "that"]);
    let (determiner, noun) = found.into_iter().next_back()?;
    let determiner = match determiner.as_str() {
        "my" => "your",
        "your" => "my",
        "a" | "an" => "the",
        other => return Some(format!("{other} {noun}")),
    };
    Some(format!("{determiner} {noun}"))
}

/// "sits down beside her" or "I sit down beside her" → "sit down beside her".
fn verb_phrase(done: &str, they: &str, their: &str) -> Option<String> {
    let clause = done.split(['.', ';', '!', '?', '\n']).find(|c| !c.trim().is_empty())?;
    let mut words = clause.split_whitespace().peekable();
    let first_person = words.next_if(|w| w.eq_ignore_ascii_case("i")).is_some();
    let mut out: Vec<String> = Vec::new();
    let mut verb = !first_person;
    for word in words {
        let lower = word.to_lowercase();
        let (core, mark) = lower.split_at(lower.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
        if out.is_empty() && (core.ends_with("ing") || core.len() < 2) {
            return None;
        }
        let changed = match core {
            "i" => "you".to_owned(),
            "am" | "i'm" => "are".to_owned(),
            "my" => "your".to_owned(),
            "me" => "you".to_owned(),
            "myself" | "himself" | "herself" | "themselves" => "yourself".to_owned(),
            "mine" => "yours".to_owned(),
            "you" => they.to_owned(),
            "your" => their.to_owned(),
            _ if verb && core.ends_with('s') && !core.ends_with("ss") => base(core),
            _ => word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned(),
        };
        verb = !first_person && (core == "and" || core == "then" || (core.ends_with("ly") && verb));
        out.push(format!("{changed}{mark}"));
        if out.len() == 12 {
            break;
        }
    }
    let phrase = out.join(" ").trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let dangling = ["and", "the", "a", "to", "then", "with", "my", "your", "of"];
    let last = phrase.rsplit(' ').next().unwrap_or_default();
    (!phrase.is_empty() && !dangling.contains(&last)).then_some(phrase)
}

/// "watches" → "watch", "tries" → "try", "sits" → "sit".
fn base(verb: &str) -> String {
    if let Some(stem) = verb.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes", "oes"] {
        if verb.ends_with(ending) {
            return verb[..verb.len() - 2].to_owned();
        }
    }
    verb[..verb.len() - 1].to_owned()
}

/// Things that somebody told about themselves, turned to "you": "you are a painter".
pub fn facts(text: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 15] = [
        "i am a",
        "i'm a",
        "i have a",
        "i've a",
        "i live",
        "i work",
        "i like",
        "i love",
        "i used to",
        "i grew up",
        "my ",
        "i come from",
        "i'm from",
        "i am from",
        "i was born",
    ];
    let (_, speech) = parts(text);
    let speech = speech.replace('’', "'");
    super::sentences::split(&speech)
        .into_iter()
        .filter(|s| !s.contains(['?', '{', '<']) && (4..=14).contains(&s.split_whitespace().count()))
        .filter(|s| {
            let lower = s.to_lowercase();
            BEGINNINGS.iter().any(|b| lower.starts_with(b)) && !lower.contains(" name")
        })
        .map(|s| turned(&s))
        .collect()
}

fn turned(sentence: &str) -> String {
    let mut after_i = false;
    let words = sentence.trim_end_matches(['.', '!', ',', '…']).split_whitespace().map(|word| {
        let lower = word.to_lowercase();
        let (core, mark) = lower.split_at(lower.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
        let turned = match core {
            "i" => "you",
            "i'm" => "you are",
            "i've" => "you have",
            "am" => "are",
            "was" if after_i => "were",
            "my" => "your",
            "me" => "you",
            "mine" => "yours",
            "myself" => "yourself",
            "you" => "me",
            "your" => "my",
            _ => {
                after_i = false;
                return word.to_owned();
            }
        };
        after_i = core == "i";
        format!("{turned}{mark}")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Act, facts, hear, introduced};

    #[test]
    fn understands_what_people_commonly_say() {
        for (text, act) in [
            ("Hello there!", Act::Greet),
            ("Who are you?", Act::Who),
            ("Who is the man in the photograph?", Act::What),
            ("What is in the box?", Act::What),
            ("So where are we going?", Act::Where),
            ("When does it begin?", Act::When),
            ("Why would you help me?", Act::Why),
            ("How do I open it?", Act::How),
            ("How are you tonight?", Act::HowAreYou),
            ("Can you swim?", Act::YesNo),
            ("Would you rather stay or go?", Act::Choice),
            ("Thank you for the soup.", Act::Thanks),
            ("I'm so tired of walking.", Act::Tired),
            ("I feel lonely here.", Act::Lonely),
            ("My name is Wren.", Act::Name),
            ("*sits down beside her*", Act::Did),
            ("Yes, let us.", Act::Command),
            ("Yes.", Act::Agree),
            ("No way.", Act::Refuse),
            ("Tell me about the lighthouse.", Act::Tell),
            ("The harbour was full of ships this morning.", Act::Statement),
            ("I can't start my tax return.", Act::Statement),
            ("Hm.", Act::Short),
        ] {
            assert_eq!(hear(text, "her", "her").act, act, "{text}");
        }
    }

    #[test]
    fn hears_names_actions_and_what_people_tell_of_themselves() {
        assert_eq!(introduced("Hi, I'm Tom."), Some("Tom".into()));
        assert_eq!(introduced("call me Ishmael"), Some("Ishmael".into()));
        assert_eq!(introduced("I'm tired."), None);
        let heard = hear("*sits down beside you and watches your hands* Well.", "her", "her");
        assert_eq!(heard.vp.as_deref(), Some("sit down beside her and watch her hands"));
        let heard = hear("*I take my coat off.*", "him", "his");
        assert_eq!(heard.vp.as_deref(), Some("take your coat off"));
        assert_eq!(facts("I'm a painter from Ghent. Look!"), ["you are a painter from Ghent"]);
        assert_eq!(hear("Tell me about your lamp.", "her", "her").topic.as_deref(), Some("my lamp"));
    }
}
