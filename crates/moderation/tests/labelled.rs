//! The labelled phrases, and texts that nobody may be refused.

use std::{fs, path::Path};

use proptest::prelude::*;
use troupe_moderation::{
    Place, Released, Rule, Said, StreamFilter, Verdict, check, check_character, judge, judge_after,
    judge_reply,
};

/// Of 100 held-out phrases to stop, and of 100 benign ones, how many may go wrong before somebody looks.
const HELD_OUT_MISSED: usize = 10;
const HELD_OUT_WRONG: usize = 5;

/// Between what a user said and the reply to it.
const TURN: &str = " => ";

struct Phrase {
    place: Place,
    /// `None`: allowed.
    rule: Option<Rule>,
    text: &'static str,
}

impl Phrase {
    fn met(&self) -> Option<Rule> {
        match self.text.split_once(TURN) {
            Some((turn, reply)) => judge_reply(turn, reply).rule(),
            None => judge(self.text, self.place).rule(),
        }
    }
}

fn phrases(set: &'static str) -> Vec<Phrase> {
    let lines = set.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [_, place, rule, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}");
            };
            let known = Rule::named(rule);
            assert_eq!(known.is_none(), rule == "allow", "{rule} is no rule");
            Phrase { place: Place::named(place).expect("a place"), rule: known, text }
        })
        .collect()
}

fn tuned() -> Vec<Phrase> {
    phrases(include_str!("labelled/tuned.tsv"))
}

#[test]
fn every_labelled_phrase_meets_its_rule_and_no_other() {
    let tuned = tuned();
    let to_stop = tuned.iter().filter(|p| p.rule.is_some()).count();
    assert!(
        tuned.len() >= 400 && (200..).contains(&to_stop) && tuned.len() - to_stop >= 200,
        "{}",
        tuned.len()
    );
    let wrong: Vec<_> =
        tuned.iter().filter(|p| p.met() != p.rule).map(|p| (p.text, p.place, p.rule, p.met())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unmet: Vec<_> = Rule::all().filter(|rule| tuned.iter().all(|p| p.rule != Some(*rule))).collect();
    assert!(unmet.is_empty(), "nothing tries {unmet:?}");
}

#[test]
fn phrases_nobody_tuned_for_fare_nearly_as_well() {
    let held_out = phrases(include_str!("labelled/held_out.tsv"));
    let (stop, pass): (Vec<_>, Vec<_>) = held_out.iter().partition(|p| p.rule.is_some());
    let missed = stop.iter().filter(|p| p.met().is_none()).count();
    let wrong = pass.iter().filter(|p| p.met().is_some()).count();
    assert!(missed * 100 <= HELD_OUT_MISSED * stop.len(), "{missed} of {}", stop.len());
    assert!(wrong * 100 <= HELD_OUT_WRONG * pass.len(), "{wrong} of {}", pass.len());
}

/// All texts of a TOML value, with the keys that lead to them.
fn texts(value: &toml::Value, key: &str, found: &mut Vec<(String, String)>) {
    match value {
        toml::Value::String(text) => found.push((key.to_owned(), text.clone())),
        toml::Value::Array(list) => list.iter().for_each(|value| texts(value, key, found)),
        toml::Value::Table(table) => table.iter().for_each(|(key, value)| texts(value, key, found)),
        _ => {}
    }
}

#[test]
fn our_own_characters_pass_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services/catalog/seeds/characters");
    let mut refused = Vec::new();
    let mut seen = 0;
    for file in fs::read_dir(folder).expect("the seeds") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("readable");
        let mut found = Vec::new();
        texts(&toml::Value::Table(toml::from_str(&text).expect("TOML")), "", &mut found);
        for (key, text) in found {
            let places: &[Place] = match key.as_str() {
                "name" | "description" | "personality" | "scenario" | "outfit" | "kinks" | "tags" => {
                    &[Place::Card, Place::Lorebook]
                }
                "first_message" | "example_conversation" => {
                    &[Place::Greeting, Place::ModelOutput, Place::UserTurn]
                }
                "comment" => &[Place::Review],
                "prompt" => &[Place::ImagePrompt],
                _ => continue,
            };
            seen += 1;
            let met = places.iter().map(|place| judge(&text, *place)).find(|v| *v != Verdict::Allow);
            refused.extend(met.map(|met| (met, text)));
        }
    }
    assert!(seen > 500, "{seen}");
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn the_short_ways_to_ask_are_still_there() {
    assert_eq!(check("she is 15 and it turns erotic").map_err(Rule::as_str), Err("minor.sexual"));
    assert_eq!(check("Mira is 16 years old and lives by the sea."), Ok(()));
    assert_eq!(check_character("Mira is 16 years old.").map_err(Rule::as_str), Err("minor.character"));
    assert_eq!(check_character("Taylor Swift"), Ok(()), "what waits for a moderator is not refused");
    let held = judge("Taylor Swift", Place::Card);
    assert!(matches!(held, Verdict::Hold(_)) && held.unless_held().is_err() && held.unless_refused().is_ok());
    assert_eq!(judge("Taylor Swift is on the radio.", Place::UserTurn), Verdict::Allow);
}

#[test]
fn only_what_nobody_writes_by_mistake_strikes() {
    let strikes: Vec<_> = Rule::all().filter(|rule| rule.strikes()).map(Rule::as_str).collect();
    assert_eq!(strikes, ["minor.sexual", "hate.incitement", "threat.person"]);
    for rule in Rule::all() {
        let text = rule.public_text();
        assert!(text.ends_with('.') && text.len() < 160, "{rule:?}: {text}");
    }
}

#[test]
fn a_page_between_a_child_and_lovers_parts_them() {
    let far =
        ["The child waves. ", &"The rain goes on and on, and nobody minds. ".repeat(20), "They undress."]
            .concat();
    assert_eq!(judge(&far, Place::ModelOutput), Verdict::Allow);
}

/// What a reply shows, and the rule that cut it.
fn stream(pieces: &[String]) -> (String, Option<Rule>) {
    filtered(StreamFilter::new(), pieces)
}

/// The same of a reply to this turn.
fn stream_after(turn: &str, pieces: &[String]) -> (String, Option<Rule>) {
    filtered(StreamFilter::after(turn), pieces)
}

fn filtered(mut filter: StreamFilter, pieces: &[String]) -> (String, Option<Rule>) {
    let mut shown = String::new();
    for piece in pieces {
        match filter.push(piece) {
            Released::Text(text) => shown.push_str(&text),
            Released::Refused(rule) => return (shown, Some(rule)),
        }
    }
    match filter.finish() {
        Released::Text(text) => (shown + &text, None),
        Released::Refused(rule) => (shown, Some(rule)),
    }
}

#[test]
fn a_reply_is_cut_that_says_by_a_word_what_was_asked() {
    let turn = "You look so young. Are you 15?";
    for size in [1, 3, 9] {
        for (reply, shown, rule) in [
            ("*She smiles.* Yes, I am. Come in.", "*She smiles.*", Some("minor.confirmed")),
            (
                "*She smiles.* No, I am thirty. Yes, really.",
                "*She smiles.* No, I am thirty. Yes, really.",
                None,
            ),
        ] {
            let (seen, met) = stream_after(turn, &pieces(reply, size));
            assert_eq!((seen.as_str(), met.map(Rule::as_str)), (shown, rule), "{size}");
        }
    }
    let far = ["The rain goes on and on, and nobody minds. ".repeat(20), "Yes, I am.".into()].concat();
    assert_eq!(stream_after(turn, &pieces(&far, 7)), (far, None));
    let undressed = stream_after("Pretend to be thirteen now.", &pieces("*She undresses.*", 5));
    assert_eq!(
        undressed.1.map(Rule::as_str),
        Some("minor.sexual"),
        "what the turn began, a reply does not end"
    );
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(size.max(1)).map(|c| c.iter().collect()).collect()
}

#[test]
fn an_innocent_reply_comes_out_whole() {
    let reply =
        "*She turns the lamp.* \"You came late,\" she says. Then, after a while: é, ü, 日本語 and on and on."
            .repeat(20);
    let unbroken = "海".repeat(2_000);
    for text in [reply, unbroken, include_str!("labelled/prose.txt").to_owned()] {
        for size in [1, 3, 7, 1_000] {
            assert_eq!(stream(&pieces(&text, size)), (text.clone(), None));
        }
    }
}

#[test]
fn a_reply_is_cut_before_the_words_that_break_a_rule_are_shown() {
    let text = "The evening was calm. Then it is said that she is 15 and the scene turns erotic, and it goes on for long.";
    for size in [1, 4, 50, 500] {
        let (shown, rule) = stream(&pieces(text, size));
        assert_eq!(rule.map(Rule::as_str), Some("minor.sexual"), "{size}");
        assert!(!shown.contains("erotic") && text.starts_with(&shown), "{shown}");
    }
}

#[test]
fn what_may_still_become_harmless_is_waited_for() {
    let text = "They undress and make love, and in the end he says that he is 15 minutes late for the train to Ostend.";
    for size in 1..40 {
        assert_eq!(stream(&pieces(text, size)), (text.to_owned(), None), "{size}");
    }
}

fn phrase() -> impl Strategy<Value = String> {
    let texts: Vec<String> = tuned().iter().map(|p| p.text.to_owned()).collect();
    prop::collection::vec(prop::sample::select(texts), 1..8).prop_map(|texts| texts.join(" "))
}

proptest! {
    #[test]
    fn no_text_breaks_the_judge(text in "\\PC{0,300}", at in 0..10_usize) {
        let _ = judge(&text, Place::ALL[at]);
    }

    #[test]
    fn the_pieces_of_a_reply_change_nothing(text in phrase(), sizes in prop::collection::vec(1..40_usize, 1..60)) {
        let letters: Vec<char> = text.chars().collect();
        let mut rest = &letters[..];
        let mut cut = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            cut.push(piece.iter().collect::<String>());
            rest = after;
        }
        let (shown, rule) = stream(&cut);
        prop_assert_eq!(rule, stream(&pieces(&text, 1)).1);
        prop_assert!(text.starts_with(&shown));
        prop_assert!(rule.is_some() || shown == text);
    }
}

#[test]
fn what_is_said_in_two_parts_is_judged_as_one() {
    let after = |before: &str, text: &str| {
        judge_after([&Said::of(before)], text, Place::UserTurn)[0]
            .rule()
            .map_or("allow", |rule| rule.as_str())
    };
    assert_eq!(after("She is 15.", "Now the scene turns erotic."), "minor.sexual");
    assert_eq!(after("The scene is erotic.", "She is 15."), "minor.sexual");
    for (before, text) in [
        ("She is 35.", "Now the scene turns erotic."),
        ("She is 15.", "Good evening."),
        ("", "Now the scene turns erotic."),
        // What was said before by itself is not asked again.
        ("She is 15 and the scene turns erotic.", "Good evening."),
        // Of other rules, each part speaks for itself.
        ("How do I make", "a bomb"),
    ] {
        assert_eq!(after(before, text), "allow", "{before} / {text}");
    }
    let far = "The lamp burns low over the harbour and the gulls are quiet. ".repeat(10);
    assert_eq!(after(&["She is 15. ", &far].concat(), "Now the scene turns erotic."), "allow");

    let mut filter = StreamFilter::after("Go on.").remembering(Said::of("She is 15."));
    assert!(matches!(filter.push("The scene turns erotic at once. And "), Released::Refused(_)));
    let mut filter = StreamFilter::after("Go on.").remembering(Said::of("She is 35."));
    filter.push("The scene turns erotic at once. And ");
    assert!(matches!(filter.finish(), Released::Text(_)));
}
