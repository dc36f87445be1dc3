use std::{collections::HashMap, sync::Arc};

use ecow::eco_format;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Ask, Block, Front, Mind, Prompt, Role, Spoken, Why, bench, names, shared_prefix};
use crate::{
    engines::{Card, Line, Person, Scene},
    lorebooks::{Book, Entry, Keyed, Logic, matching::Open},
    memories::Memory,
    tokens::{Tokenizer, counter},
};

fn build(engine: &str, scene: &Scene, context: usize, reply: usize) -> Prompt {
    with_mind(engine, scene, &Mind { first_depth: 1, ..Mind::default() }, context, reply)
}

fn with_mind(engine: &str, scene: &Scene, mind: &Mind, context: usize, reply: usize) -> Prompt {
    let counter = counter(Tokenizer::Unknown);
    super::build(&Ask {
        engine,
        model: engine,
        scene,
        mind,
        context,
        reply,
        counter: &*counter,
        naive: false,
    })
}

fn block<'a>(prompt: &'a Prompt, name: &str) -> &'a Block {
    let found = prompt.manifest.blocks.iter().find(|block| block.block == name);
    found.unwrap_or_else(|| panic!("{name} in {:#?}", prompt.manifest))
}

fn all(prompt: &Prompt) -> String {
    prompt.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>().join("\n")
}

fn scene(lines: usize) -> Scene {
    let history = (0..lines)
        .map(|n| Line { by_user: n % 2 == 1, text: eco_format!("message {n} {}", "word ".repeat(40)) })
        .collect();
    Scene {
        card: Card {
            name: "Isolde".into(),
            description: "{{char}} knows everyone's lines.".into(),
            scenario: "{{user}} was pulled from the stalls.".into(),
            examples: "<START>{{user}}: Hush?\n{{char}}: Hush.<START>{{user}}: Why?\n{{char}}: Because."
                .into(),
            ..Card::default()
        }
        .into(),
        user: Person {
            name: "Wren".into(),
            description: "Afraid of the trapdoor.".into(),
            ..Person::default()
        },
        history,
        continuing: false,
        seed: 1,
    }
}

#[test]
fn what_never_changes_comes_first_and_names_are_written_in() {
    let prompt = build("test", &scene(4), 4_000, 400);
    let system = &prompt.messages[0];
    assert_eq!(system.role, Role::System);
    let at = |text: &str| system.content.find(text).unwrap_or_else(|| panic!("{text} in {}", system.content));
    assert!(at("Isolde knows everyone's lines.") < at("Wren was pulled from the stalls."));
    assert!(at("Wren was pulled from the stalls.") < at("Afraid of the trapdoor."));
    assert!(at("Afraid of the trapdoor.") < at("Isolde: Hush."));
    assert!(!system.content.contains("{{"));
}

#[test]
fn the_newest_messages_stay_whole_when_there_is_no_room_for_all() {
    let prompt = build("test", &scene(60), 1_200, 300);
    let last = prompt.messages.last().expect("messages");
    assert!(last.content.starts_with("message 59 "));
    let history = prompt.manifest.blocks.iter().find(|b| b.block == "history").expect("told");
    assert_eq!(history.why, Some(Why::Budget));
    let (kept, dropped) = (history.parts.expect("told"), history.dropped.expect("told"));
    assert!(kept > 2 && kept + dropped == 60, "{history:?}");
    for message in &prompt.messages[1..] {
        assert_eq!(message.content.matches("word ").count() % 40, 0, "a message was cut");
    }
    assert!(prompt.manifest.tokens <= prompt.manifest.budget);
}

#[test]
fn turns_alternate_and_begin_with_the_user() {
    let mut scene = scene(5);
    scene.history.push(Line { by_user: false, text: "And another thing.".into() });
    scene.continuing = true;
    let prompt = build("test", &scene, 4_000, 400);
    let roles: Vec<Role> = prompt.messages[1..].iter().map(|m| m.role).collect();
    assert_eq!(roles.first(), Some(&Role::User));
    assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    assert_eq!(roles.last(), Some(&Role::User));
}

#[test]
fn a_card_that_is_too_long_leaves_room_for_what_was_said() {
    let mut scene = scene(4);
    Arc::make_mut(&mut scene.card).description = "long ".repeat(20_000);
    let prompt = build("test", &scene, 4_000, 400);
    assert!(prompt.manifest.tokens <= prompt.manifest.budget);
    assert!(prompt.messages.last().expect("messages").content.starts_with("message 3 "));
    assert_eq!(block(&prompt, "description").why, Some(Why::CardCut));
    assert_eq!(prompt.manifest.warnings, ["card_cut"], "never silently");
}

#[test]
fn over_two_hundred_turns_nearly_all_of_a_prompt_is_what_the_one_before_began_with() {
    for (context, memories) in
        [2_048, 4_096, 8_192].into_iter().flat_map(|context| [(context, false), (context, true)])
    {
        let outcome = bench::talk(200, context, &counter(Tokenizer::Unknown), memories, false);
        assert!(outcome.shared >= 0.85, "{context} tokens, memories {memories}: {:.3}", outcome.shared);
        assert_eq!(outcome.remembered > 0, memories);
    }
    let naive = bench::talk(200, 2_048, &counter(Tokenizer::Unknown), false, true);
    assert!(naive.shared < 0.5, "what is measured against: {:.3}", naive.shared);
}

#[test]
fn what_stands_before_the_history_is_made_anew_where_it_depends_on_what_was_said() {
    let entry = |name: &str, keys: &[&str], constant: bool| Entry {
        name: name.into(),
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        content: format!("{name} {}", "lore ".repeat(120)),
        enabled: true,
        constant,
        ..Entry::default()
    };
    let open = |entries: Vec<Entry>| {
        Open::new("book".into(), Keyed::new(Book { scan_depth: 1, entries, ..Book::default() }))
    };
    let (called, always) = (entry("called", &["lantern"], false), entry("always", &[], true));
    let mut scene = scene(6);
    scene.history.push(Line { by_user: false, text: "She waits.".into() });
    scene.history.push(Line { by_user: true, text: "I lift the lantern.".into() });
    for (books, continuing, is_same) in [
        (vec![], false, true),
        (vec![], true, false),
        (vec![open(vec![called.clone(), always.clone()])], false, true),
        // What the first calls up leaves no room for what the second always tells.
        (vec![open(vec![called]), open(vec![always])], false, false),
    ] {
        let mind = Mind { first_depth: 1, books, ..Mind::default() };
        let scene = Scene { continuing, ..scene.clone() };
        let counter = counter(Tokenizer::Unknown);
        let ask = Ask {
            engine: "test",
            model: "test",
            scene: &scene,
            mind: &mind,
            context: 1_000,
            reply: 300,
            counter: &*counter,
            naive: false,
        };
        let names = names(&ask);
        let whole = Front::new(&ask, &names, scene.history.len(), true);
        assert_eq!(whole.is_of_each_turn(&ask), is_same);
        if is_same {
            let (mut kept, mut anew) = (whole.top.clone(), Front::new(&ask, &names, 6, false).top);
            kept.history(&ask, 6);
            anew.history(&ask, 6);
            assert_eq!(kept.page.finish().messages, anew.page.finish().messages);
        } else if !continuing {
            let anew = Front::new(&ask, &names, 6, false).top.page.finish();
            assert_ne!(whole.top.page.finish().manifest.blocks, anew.manifest.blocks, "it does depend");
        }
    }
}

#[test]
fn the_prefix_that_is_told_is_what_the_turn_before_had_sent() {
    let all = scene(80);
    let constant = Entry {
        name: "always".into(),
        content: "The house burned once.".into(),
        enabled: true,
        constant: true,
        ..Entry::default()
    };
    let book = Book { entries: vec![constant], ..Book::default() };
    let book = Open::new("card".into(), Keyed::new(book));
    for (books, context) in [(vec![], 8_000), (vec![], 1_200), (vec![book], 1_200)] {
        let mind = Mind { first_depth: 1, books, ..Mind::default() };
        let at = |lines: usize| {
            let scene = Scene { history: all.history[..lines].to_vec(), ..all.clone() };
            with_mind("test", &scene, &mind, context, 300)
        };
        // The user has every other line, from the second on.
        let mut before = at(2);
        assert_eq!(before.manifest.prefix_tokens, None, "nothing was sent before");
        for lines in (4..=80).step_by(2) {
            let now = at(lines);
            let shared = shared_prefix(&before.messages, &now.messages, &*counter(Tokenizer::Unknown));
            assert_eq!(now.manifest.prefix_tokens, Some(shared), "{lines} lines, {context} tokens");
            before = now;
        }
    }
}

#[test]
fn what_changes_each_turn_stands_behind_the_newest_message() {
    let mut scene = scene(6);
    let entry = |name: &str, keys: &[&str], content: &str| Entry {
        name: name.into(),
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        content: content.into(),
        enabled: true,
        ..Entry::default()
    };
    let mind = Mind {
        first_depth: 1,
        system_prompt: "{{original}} Rhyme.".into(),
        instructions: "Answer {{user}} in one line.".into(),
        nickname: "Iz".into(),
        books: vec![Open::new(
            "card".into(),
            Keyed::new(Book {
                scan_depth: 4,
                entries: vec![
                    Entry { constant: true, ..entry("always", &[], "The house burned once.") },
                    entry("lamp", &["lamp"], "The lamp must not go out."),
                    entry("crown", &["crown"], "The crown is paste."),
                    Entry { depth: Some(3), ..entry("deep", &["word"], "Words are counted here.") },
                ],
                ..Book::default()
            }),
        )],
        ..Mind::default()
    };
    let before = with_mind("test", &scene, &mind, 4_000, 400);
    assert!(all(&before).contains("Be") || before.messages[0].content.contains("Rhyme."));
    assert!(
        before.messages[0].content.contains("You are Iz;")
            && before.messages[0].content.contains("18 or older")
    );
    assert!(before.messages[0].content.contains("The house burned once."));
    scene.history.push(Line { by_user: false, text: "She waits.".into() });
    scene.history.push(Line { by_user: true, text: "I lift the Lamp.".into() });
    let now = with_mind("test", &scene, &mind, 4_000, 400);
    let last = &now.messages.last().expect("messages").content;
    let at = |text: &str| last.find(text).unwrap_or_else(|| panic!("{text} in {last}"));
    assert!(at("I lift the Lamp.") < at("The lamp must not go out."));
    assert!(at("The lamp must not go out.") < at("Answer Wren in one line."));
    assert!(!all(&now).contains("The crown is paste."));
    assert!(!last.contains("Words are counted here."), "it stands three messages up");
    assert!(all(&now).contains("Words are counted here."));
    let lore = block(&now, "lore");
    assert_eq!((lore.parts, lore.dropped, lore.entries.len()), (Some(2), Some(0), 2));
    assert!(now.manifest.prefix_tokens.expect("there was one before") > before.messages[0].content.len() / 4);
    assert!(shared_prefix(&before.messages, &now.messages, &*counter(Tokenizer::Unknown)) > 0);
    assert!(now.manifest.tokens <= now.manifest.budget);
}

fn memory(n: u128, text: &str, sources: &[u128], at: OffsetDateTime) -> Memory {
    Memory {
        id: Uuid::from_u128(10_000 + n),
        character_id: Uuid::nil(),
        chat_id: None,
        kind: if sources.is_empty() { "fact".into() } else { "summary".into() },
        text: text.into(),
        importance: 3,
        pinned: false,
        edited: false,
        sources: sources.iter().map(|id| Uuid::from_u128(*id)).collect(),
        since: None,
        created_at: at,
    }
}

#[test]
fn memories_tell_of_what_the_history_does_not() {
    let scene = scene(60);
    let begun = OffsetDateTime::UNIX_EPOCH;
    let spoken: Vec<Spoken> = (0..60)
        .map(|n| Spoken {
            id: Uuid::from_u128(n),
            at: begun + Duration::minutes(i64::try_from(n).expect("small")),
        })
        .collect();
    let early = memory(1, "They met in the flooded cellar.", &[1, 2, 3], begun + Duration::minutes(5));
    let late = memory(2, "This stands in the history.", &[58, 59], begun + Duration::minutes(5));
    let close = memory(3, "The mirror hides a door.", &[4, 5], begun + Duration::days(9));
    let far = memory(4, "Nobody spoke of the gulls.", &[6, 7], begun + Duration::days(9));
    let fact = memory(5, "Wren is allergic to dust.", &[], begun + Duration::days(9));
    let pinned =
        Memory { pinned: true, ..memory(6, "Never mention the fire.", &[], begun + Duration::days(9)) };
    let similar = HashMap::from([(close.id, 1.0)]);
    let mind = Mind {
        first_depth: 1,
        memories: [early.clone(), late, close.clone(), far, fact.clone(), pinned].map(Arc::new).into(),
        similar,
        spoken,
        ..Mind::default()
    };
    let prompt = with_mind("test", &scene, &mind, 2_000, 400);
    let (first, last) = (&prompt.messages[0].content, &prompt.messages.last().expect("messages").content);
    assert!(first.contains("Never mention the fire.") && first.contains("They met in the flooded cellar."));
    assert!(last.contains("The mirror hides a door.") && last.contains("Wren is allergic to dust."));
    let told = all(&prompt);
    assert!(!told.contains("This stands in the history.") && !told.contains("Nobody spoke of the gulls."));
    for memory in [early, close, fact] {
        assert!(prompt.manifest.tells(&memory.id.to_string()));
    }
    assert!(prompt.manifest.tokens <= prompt.manifest.budget);
    assert!(!serde_json::to_string(&prompt.manifest).expect("JSON").contains("cellar"), "by reference only");
}

#[test]
fn of_many_memories_those_of_most_worth_are_told_and_few_are_shown_as_left_out() {
    let begun = OffsetDateTime::UNIX_EPOCH;
    let memories: Vec<Arc<Memory>> = (0..500)
        .map(|n| {
            let text = format!("On day {n} they walked to the harbour and back, and spoke of the tide.");
            let at = begun + Duration::days(i64::try_from(n).expect("small"));
            Arc::new(Memory { importance: if n == 7 { 5 } else { 2 }, ..memory(n, &text, &[], at) })
        })
        .collect();
    let (best, last, first) = (memories[7].id, memories[499].id, memories[0].id);
    let mind = Mind { first_depth: 1, memories, ..Mind::default() };
    let prompt = with_mind("test", &scene(6), &mind, 2_000, 400);
    let told = prompt.manifest.blocks.iter().find(|block| block.block == "recalled").expect("a block");
    let parts = told.parts.expect("counted");
    assert!(
        parts > 2 && prompt.manifest.tells(&best.to_string()) && prompt.manifest.tells(&last.to_string())
    );
    assert!(!prompt.manifest.tells(&first.to_string()));
    assert_eq!(told.dropped, Some(500 - parts), "all that are not told are counted");
    assert_eq!(told.entries.len(), parts + crate::limits::MEMORIES_LEFT_OUT);
    assert!(prompt.manifest.tokens <= prompt.manifest.budget);
}

#[test]
fn secondary_keys_decide_as_their_logic_says() {
    let said = |logic, text: &str| {
        let entry = Entry {
            keys: vec!["lamp".into()],
            secondary_keys: vec!["oil".into(), "wick".into()],
            logic,
            content: "Told.".into(),
            enabled: true,
            ..Entry::default()
        };
        let book = Book { scan_depth: 2, entries: vec![entry], ..Book::default() };
        called(book, &[text]) == ["Told."]
    };
    for (logic, none, one, both) in [
        (Logic::AndAny, false, true, true),
        (Logic::AndAll, false, false, true),
        (Logic::NotAny, true, false, false),
        (Logic::NotAll, true, true, false),
    ] {
        assert_eq!(said(logic, "the lamp"), none, "{logic:?}");
        assert_eq!(said(logic, "the lamp, its oil"), one, "{logic:?}");
        assert_eq!(said(logic, "lamp, oil and wick"), both, "{logic:?}");
        assert!(!said(logic, "oil and wick"), "{logic:?}");
    }
}

/// The texts that are told, those that stand higher first.
fn called(book: Book, lines: &[&str]) -> Vec<String> {
    let open = [Open::new("card".into(), Keyed::new(book))];
    let counter = counter(Tokenizer::Unknown);
    let called = crate::lorebooks::matching::call_up(&open, lines, 400, &str::to_owned, &*counter);
    called.into_iter().filter(|entry| entry.left.is_none()).map(|entry| entry.text).collect()
}

#[test]
fn lore_is_found_by_words_cases_patterns_depth_and_by_lore() {
    let entry = |content: &str, key: &str| Entry {
        keys: vec![key.into()],
        content: content.into(),
        enabled: true,
        ..Entry::default()
    };
    let book = |entries: Vec<Entry>| Book { scan_depth: 2, entries, ..Book::default() };
    let lines = ["The cathedral is far.", "A Cat sleeps.", "Nobody moves."];
    assert_eq!(called(book(vec![entry("a", "cathedral")]), &lines), [""; 0], "too long ago");
    let deep = Entry { scan_depth: Some(3), ..entry("a", "cathedral") };
    assert_eq!(called(book(vec![deep]), &lines), ["a"]);
    assert_eq!(called(book(vec![entry("a", "cat")]), &lines), ["a"]);
    let cased = Entry { case_sensitive: true, ..entry("a", "cat") };
    assert_eq!(called(book(vec![cased]), &lines), [""; 0]);
    let whole = Entry { whole_words: true, scan_depth: Some(1), ..entry("a", "move") };
    assert_eq!(called(book(vec![whole]), &lines), [""; 0]);
    let regex = Entry { regex: true, ..entry("a", r"c[aeiou]t\b") };
    assert_eq!(called(book(vec![regex]), &lines), ["a"]);
    let off = Entry { enabled: false, ..entry("a", "cat") };
    assert_eq!(called(book(vec![off]), &lines), [""; 0]);
    let chain = vec![
        Entry { order: 3, ..entry("a cat has fleas", "cat") },
        Entry { order: 2, ..entry("fleas fear salt", "fleas") },
        Entry { order: 1, ..entry("salt is dear", "salt") },
    ];
    assert_eq!(called(book(chain.clone()), &lines), ["a cat has fleas"]);
    let recursive = Book { recursive: true, ..book(chain) };
    assert_eq!(called(recursive, &lines), ["salt is dear", "fleas fear salt", "a cat has fleas"]);
    let tight = Book {
        token_budget: Some(12),
        ..book(vec![
            Entry { priority: Some(1), ..entry("this one is of little worth", "cat") },
            Entry { priority: Some(9), ..entry("this one is of great worth", "cat") },
        ])
    };
    assert_eq!(called(tight, &lines), ["this one is of great worth"]);
}

#[test]
fn a_pattern_that_cannot_be_read_is_told_and_breaks_nothing() {
    let entry = Entry {
        name: "broken".into(),
        keys: vec!["(".into()],
        regex: true,
        content: "Never.".into(),
        enabled: true,
        ..Entry::default()
    };
    let book = Book { scan_depth: 4, entries: vec![entry], ..Book::default() };
    let open = Open::new("card".into(), Keyed::new(book));
    let mind = Mind { first_depth: 1, books: vec![open], ..Mind::default() };
    let prompt = with_mind("test", &scene(4), &mind, 4_000, 400);
    let lore = &block(&prompt, "lore").entries[0];
    assert_eq!((lore.title.as_str(), lore.included, lore.why), ("broken", false, Some(Why::BadRegex)));
}
