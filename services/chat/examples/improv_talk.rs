//! Prints a talk of the offline engine with a character: `improv_talk <card.toml> <name> [words]…`.
//! The card file holds `[[character]]` tables as catalog's seeds do.

use chat::engines::{Card, Line, Person, Scene, improv};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("improv_talk <card.toml> <name> [words]…".into());
    };
    let table: toml::Table = std::fs::read_to_string(file)?.parse()?;
    let cards = table.get("character").and_then(toml::Value::as_array).ok_or("no [[character]]")?;
    let text = |card: &toml::Value, key: &str| {
        card.get(key).and_then(toml::Value::as_str).unwrap_or_default().trim().to_owned()
    };
    let card = cards.iter().find(|c| text(c, "name").starts_with(&name)).ok_or("no such character")?;
    let mut scene = Scene {
        card: Card {
            name: text(card, "name"),
            description: text(card, "description"),
            personality: text(card, "personality"),
            greeting: text(card, "first_message"),
            scenario: text(card, "scenario"),
            examples: text(card, "example_conversation"),
            ..Card::default()
        }
        .into(),
        user: Person { name: "Robin".into(), ..Person::default() },
        history: vec![Line { by_user: false, text: text(card, "first_message").into() }],
        continuing: false,
        seed: 1,
    };
    for words in arguments {
        println!("> {words}");
        scene.history.push(Line { by_user: true, text: words.into() });
        let answer = improv::reply(&scene);
        println!("{answer}\n");
        scene.history.push(Line { by_user: false, text: answer.into() });
    }
    Ok(())
}
