//! How much of a prompt is the beginning of the one before, over a long talk with the built-in engine. Run by a
//! test, and by the example `prefix_bench`, which prints it.

use std::sync::Arc;

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Ask, Message, Mind, Spoken, build, shared_prefix};
use crate::{
    engines::{Card, Line, Person, Scene, improv},
    memories::Memory,
    tokens::Count,
};

const SAYINGS: [&str; 12] = [
    "*I step over the cable.* What did you hide behind the mirror?",
    "Tell me about the night of the fire.",
    "I do not believe you. Nobody leaves a lamp burning for nothing.",
    "*I sit down on the edge of the stage.* Go on, I am listening to every word of it.",
    "And the key? You said that there was a key, and that the old manager kept it.",
    "Hm.",
    "Who taught you to whisper like that, so that the last row hears it and the first does not?",
    "*I take your hand.* Show me where the trapdoor leads.",
    "What would you do if the curtain never rose again?",
    "That is not what you said yesterday, is it? You said the gallery was empty.",
    "*I laugh.* All right. One more line, and then I have to leave before the doors are locked.",
    "Promise me something.",
];

/// What a talk gave.
pub struct Outcome {
    /// Share of all prompt tokens that the prompt before began with.
    pub shared: f64,
    /// Tokens of a prompt, on average.
    pub tokens: usize,
    /// Time that putting one prompt together took, on average.
    pub each: std::time::Duration,
    /// Memories that the last prompt told of.
    pub remembered: usize,
}

/// Talks for `turns` turns within `context` tokens, 500 of which are for the reply. With `memories`, every twenty messages
/// are summarised, as the house does it.
pub fn talk(turns: usize, context: usize, counter: &Arc<dyn Count>, memories: bool, naive: bool) -> Outcome {
    let mut scene = Scene {
        card: card().into(),
        user: Person {
            name: "Wren".into(),
            description: "Afraid of the trapdoor.".into(),
            ..Person::default()
        },
        history: Vec::new(),
        continuing: false,
        seed: 11,
    };
    let mut mind = Mind { first_depth: 1, ..Mind::default() };
    let mut clock = OffsetDateTime::UNIX_EPOCH;
    let say = |scene: &mut Scene, mind: &mut Mind, by_user: bool, text: String, at: OffsetDateTime| {
        scene.history.push(Line { by_user, text: text.into() });
        mind.spoken.push(Spoken { id: Uuid::from_u128(mind.spoken.len() as u128 + 1), at });
    };
    let greeting = scene.card.greeting.clone();
    say(&mut scene, &mut mind, false, greeting, clock);
    let (mut before, mut shared, mut all): (Vec<Message>, usize, usize) = (Vec::new(), 0, 0);
    let (mut took, mut remembered) = (std::time::Duration::ZERO, 0);
    for turn in 0..turns {
        clock += Duration::minutes(1);
        say(&mut scene, &mut mind, true, SAYINGS[(turn * 7 + turn / 12) % SAYINGS.len()].to_owned(), clock);
        let begun = std::time::Instant::now();
        let ask = Ask {
            engine: "improv",
            model: "improv",
            scene: &scene,
            mind: &mind,
            context,
            reply: 500,
            counter: &**counter,
            naive,
        };
        let prompt = build(&ask);
        took += begun.elapsed();
        shared += shared_prefix(&before, &prompt.messages, &**counter);
        all += prompt.manifest.tokens;
        remembered =
            prompt.manifest.blocks.iter().filter(|b| b.block == "memory").filter_map(|b| b.parts).sum();
        before = prompt.messages;
        let reply = improv::reply(&scene);
        clock += Duration::seconds(10);
        say(&mut scene, &mut mind, false, reply, clock);
        let told = mind.memories.len() * 20;
        if memories && mind.spoken.len() >= told + 30 {
            mind.memories.push(Arc::new(Memory {
                id: Uuid::from_u128(1_000_000 + told as u128),
                character_id: Uuid::nil(),
                chat_id: None,
                kind: "summary".into(),
                text: crate::memories::extract(&scene.history[told..told + 20], "Isolde", "Wren"),
                importance: 3,
                pinned: false,
                edited: false,
                sources: mind.spoken[told..told + 20].iter().map(|spoken| spoken.id).collect(),
                since: None,
                created_at: clock,
            }));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few million tokens")]
    let share = shared as f64 / all as f64;
    let each = took / u32::try_from(turns).unwrap_or(1);
    Outcome { shared: share, tokens: all / turns, each, remembered }
}

fn card() -> Card {
    Card {
        name: "Isolde".into(),
        description: "Isolde is the prompter of an old theatre. She knows everyone's lines and says them half a \
            breath before they are forgotten. She has not been seen on the stage in twenty years, and she keeps the \
            key of the flooded understage on a ribbon around her wrist."
            .into(),
        personality: "Dry, patient, curious, quick to laugh at pomp and slow to forgive a missed cue.".into(),
        greeting: "*A voice comes out of the dark below the stage.* \"You are early. Or the play is late. Sit, and \
            do not touch the lamp.\""
            .into(),
        scenario: "It is the night before the last performance, and {{user}} was pulled from the stalls.".into(),
        examples: "<START>{{user}}: Hush?\n{{char}}: *She raises one finger.* \"Hush is a stage direction. Use it \
            well.\"<START>{{user}}: Why do you stay?\n{{char}}: \"Because somebody must know how it ends.\""
            .into(),
        outfit: "A grey velvet coat with ink on its cuffs.".into(),
        ..Card::default()
    }
}
