use super::{Role, Why, build};
use crate::engines::{Card, Line, Person, Scene};

fn scene(lines: usize) -> Scene {
    let history = (0..lines)
        .map(|n| Line { by_user: n % 2 == 1, text: format!("message {n} {}", "word ".repeat(40)) })
        .collect();
    Scene {
        card: Card {
            name: "Isolde".into(),
            description: "{{char}} knows everyone's lines.".into(),
            scenario: "{{user}} was pulled from the stalls.".into(),
            examples: "<START>{{user}}: Hush?\n{{char}}: Hush.<START>{{user}}: Why?\n{{char}}: Because."
                .into(),
            ..Card::default()
        },
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
    assert!(kept > 3 && kept + dropped == 60, "{history:?}");
    for message in &prompt.messages[2..] {
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
    scene.card.description = "long ".repeat(20_000);
    let prompt = build("test", &scene, 4_000, 400);
    assert!(prompt.manifest.tokens <= prompt.manifest.budget);
    assert!(prompt.messages.last().expect("messages").content.starts_with("message 3 "));
}
