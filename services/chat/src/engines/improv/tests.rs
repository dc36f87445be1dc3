use std::{collections::HashSet, path::Path};

use super::{hear, reply, sentences};
use crate::{
    engines::{Card, Line, Person, Scene},
    prompt::macros,
};

/// Twenty turns as people take them.
const TALK: [&str; 20] = [
    "Hello!",
    "Who are you?",
    "Where are we?",
    "*I sit down and look around* What is this place?",
    "My name is Wren, by the way.",
    "I'm a painter from Ghent.",
    "Why are you here?",
    "How are you feeling tonight?",
    "Tell me about the strangest night of your life.",
    "Do you trust me?",
    "I'm a little afraid of the dark.",
    "Thank you for saying that.",
    "Would you rather stay or go?",
    "*takes your hand and listens*",
    "Yes.",
    "What are you hiding?",
    "When will it happen?",
    "I love the way you talk.",
    "How do you do it?",
    "I have to go soon. Goodbye.",
];

fn seeded() -> Vec<Card> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/seeds/characters");
    let mut cards = Vec::new();
    for file in std::fs::read_dir(&folder).expect("the seeds of catalog") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let table: toml::Table = text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for character in table["character"].as_array().expect("characters") {
            let text =
                |key: &str| character.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
            let tags = character.get("tags").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            cards.push(Card {
                name: text("name"),
                description: text("description"),
                personality: text("personality"),
                greeting: text("first_message"),
                scenario: text("scenario"),
                examples: text("example_conversation"),
                outfit: text("outfit"),
                tags: tags.iter().filter_map(|t| t.as_str().map(str::to_owned)).collect(),
            });
        }
    }
    cards.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cards.len() >= 18, "only {} cards", cards.len());
    cards
}

fn scene(card: Card, seed: u64) -> Scene {
    let greeting = macros::fill(&card.greeting, &card.name, "Robin");
    Scene {
        card: card.into(),
        user: Person { name: "Robin".into(), ..Person::default() },
        history: vec![Line { by_user: false, text: greeting.trim().into() }],
        continuing: false,
        seed,
    }
}

/// Plays a talk and answers the replies.
fn play(mut scene: Scene, talk: &[&str]) -> Vec<String> {
    talk.iter()
        .map(|words| {
            scene.history.push(Line { by_user: true, text: (*words).into() });
            let answer = reply(&scene);
            scene.history.push(Line { by_user: false, text: answer.as_str().into() });
            answer
        })
        .collect()
}

#[test]
fn twenty_turns_with_every_seeded_card_repeat_no_sentence_and_leave_no_placeholder() {
    for card in seeded() {
        let name = card.name.clone();
        let greeting = sentences::split(&macros::fill(&card.greeting, &card.name, "Robin"));
        let mut seen: HashSet<String> = greeting.into_iter().map(|s| s.to_lowercase()).collect();
        let answers = play(scene(card, 7), &TALK);
        for (turn, answer) in answers.iter().enumerate() {
            for sentence in sentences::split(answer) {
                assert!(
                    seen.insert(sentence.to_lowercase()),
                    "{name}, turn {turn}, again: {sentence}\n{answer}"
                );
            }
            for mark in ["{", "}", "<", ">", "~", "  ", "**", "\"\""] {
                assert!(!answer.contains(mark), "{name}, turn {turn}: {mark} in {answer}");
            }
            let words = sentences::words(answer);
            assert!((38..=112).contains(&words), "{name}, turn {turn}: {words} words: {answer}");
            assert_eq!(moderation::check(answer), Ok(()), "{name}: {answer}");
            assert_eq!(answer.matches('*').count() % 2, 0, "{name}, turn {turn}: {answer}");
        }
        let before = answers[..4].iter().filter(|a| a.contains("Robin")).count();
        let after = answers[4..].iter().filter(|a| a.contains("Wren")).count();
        assert!(before >= 1, "{name} does not call Robin by name: {answers:#?}");
        assert!(after >= 4, "{name} does not remember Wren: {answers:#?}");
        assert!(answers[4].contains("Wren"), "{name}: {}", answers[4]);
        let rest = answers[5..].join(" ");
        assert!(!rest.contains("Robin"), "{name} falls back to the old name: {rest}");
        assert!(rest.contains("you are a painter from Ghent"), "{name} forgets what was told: {rest}");
    }
}

#[test]
fn the_same_question_twenty_times_is_never_answered_in_the_same_words() {
    for card in seeded().into_iter().step_by(4) {
        let name = card.name.clone();
        for question in ["Why?", "Who are you?", "*smiles*", "ok"] {
            let answers = play(scene(card.clone(), 3), &[question; 20]);
            let mut seen = HashSet::new();
            for sentence in answers.iter().flat_map(|a| sentences::split(a)) {
                assert!(seen.insert(sentence.to_lowercase()), "{name} on {question} again: {sentence}");
            }
            assert!(answers.iter().all(|a| sentences::words(a) >= 25), "{name} on {question}: {answers:#?}");
        }
    }
}

#[test]
fn a_seed_decides_and_another_seed_plays_otherwise() {
    let card = seeded().remove(0);
    assert_eq!(play(scene(card.clone(), 5), &TALK), play(scene(card.clone(), 5), &TALK));
    assert_ne!(play(scene(card.clone(), 5), &TALK), play(scene(card, 6), &TALK));
}

#[test]
fn the_cards_own_words_come_up() {
    for card in seeded() {
        let name = card.name.clone();
        let own: Vec<String> = [&card.personality, &card.description, &card.scenario, &card.examples]
            .into_iter()
            .flat_map(|text| sentences::split(&macros::fill(text, &card.name, "Wren")))
            .filter(|s| s.split_whitespace().count() >= 4)
            .collect();
        let all = play(scene(card, 11), &TALK).join(" ");
        let used = own.iter().filter(|s| all.contains(s.as_str())).count();
        assert!(used >= 6, "{name} speaks too little from the card: {used}");
    }
}

#[test]
fn an_example_of_the_card_answers_what_it_was_written_for() {
    let card = Card {
        name: "Maren Holt".into(),
        personality: "She hums when she is afraid.".into(),
        greeting: "*She looks up.* \"You came.\"".into(),
        examples: "<START>\n{{user}}: What do you eat out here?\n{{char}}: *Her face brightens.* \"Soup, {{user}}, mostly. \
                   Bean on weekdays, fish when I am lucky, and on Sundays I burn a cake.\""
            .into(),
        ..Card::default()
    };
    let answer = play(scene(card, 1), &["So what do people eat out here?"]).remove(0);
    assert!(answer.contains("Soup, Robin, mostly."), "{answer}");
}

#[test]
fn going_on_adds_something_new_without_anything_being_said() {
    for card in seeded().into_iter().step_by(6) {
        let mut scene = scene(card, 2);
        scene.continuing = true;
        let mut seen = HashSet::new();
        for _ in 0..6 {
            let more = reply(&scene);
            assert!(sentences::words(&more) >= 38, "{more}");
            for sentence in sentences::split(&more) {
                assert!(seen.insert(sentence.clone()), "again: {sentence}");
            }
            scene.history.push(Line { by_user: false, text: more.into() });
        }
    }
}

#[test]
fn the_form_of_the_greeting_is_kept() {
    let card = |greeting: &str| Card { name: "Ada".into(), greeting: greeting.into(), ..Card::default() };
    let plain = play(scene(card("*waves* Hello you."), 1), &["Hello!"]).remove(0);
    assert!(plain.contains('*') && !plain.contains('"'), "{plain}");
    let curly = play(scene(card("*She waves.* “Hello you.”"), 1), &["Hello!"]).remove(0);
    assert!(curly.contains('“') && curly.contains('”'), "{curly}");
    let first = play(scene(card("*I wave from my chair.* \"Hello you.\""), 1), &["*sits down*"]).remove(0);
    let (done, _) = hear::parts(&first);
    assert!(!done.contains("she ") && !done.contains("they "), "{first}");
}
