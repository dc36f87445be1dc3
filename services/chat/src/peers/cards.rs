//! A card as catalog gives it for a chat.

use std::{mem, sync::Arc};

use proto::catalog::v1::{CardExtras, CharacterCard, OpenCharacterResponse};
use uuid::Uuid;

use crate::{
    engines::Card,
    error::{Error, Result},
    limits::VARIANTS_MAX,
    lorebooks::{self, Keyed},
    prompt::macros,
};

/// A card that the caller may chat with.
#[derive(Debug, Clone)]
pub struct Opened {
    pub id: Uuid,
    /// As readers see it.
    pub shown: CharacterCard,
    /// As the engine is told.
    pub card: Arc<Card>,
    /// What only a prompt needs.
    pub extras: CardExtras,
    /// The character's own lorebook.
    pub book: Option<Arc<Keyed>>,
}

impl Opened {
    /// # Errors
    /// `character_not_found` when catalog gives no card, or one that is locked to the caller.
    pub fn read(answer: OpenCharacterResponse) -> Result<Self> {
        let missing = || Error::Refused(kit::error::Failure::not_found("character_not_found"));
        let shown = answer.card.filter(|card| !card.locked).ok_or_else(missing)?;
        let id = Uuid::try_parse(&shown.id).map_err(|_| missing())?;
        let card = Card {
            name: one_line(&shown.name),
            description: shown.description.clone(),
            personality: answer.personality,
            greeting: answer.first_message,
            scenario: answer.scenario,
            examples: answer.example_conversation,
            outfit: answer.outfit,
            tags: shown.tags.clone(),
        };
        let mut extras = answer.extras.unwrap_or_default();
        extras.nickname = one_line(&extras.nickname);
        // Read here once, and held in no other form.
        let book = mem::take(&mut extras.character_book);
        let book = serde_json::from_str(&book).ok().as_ref().and_then(lorebooks::read);
        let book = book.map(|(book, _, _)| Arc::new(Keyed::new(book)));
        Ok(Self { id, shown, card: Arc::new(card), extras, book })
    }

    /// The greeting, said to somebody.
    pub fn greeting(&self, user: &str) -> String {
        let text = macros::fill(&self.card.greeting, self.called(), user);
        match text.trim() {
            "" => format!("*{} looks up and smiles.* \"There you are, {user}.\"", self.card.name),
            text => text.to_owned(),
        }
    }

    /// All greetings, said to somebody: the first message, then the alternate ones.
    pub fn greetings(&self, user: &str) -> Vec<String> {
        let alternate = self.extras.alternate_greetings.iter();
        let alternate = alternate.map(|text| macros::fill(text, self.called(), user).trim().to_owned());
        let mut all = vec![self.greeting(user)];
        all.extend(alternate.filter(|text| !text.is_empty()).take(VARIANTS_MAX - 1));
        all
    }

    /// The scene as the reader may see it.
    pub fn scene(&self, user: &str) -> String {
        macros::fill(&self.card.scenario, self.called(), user)
    }

    /// What `{{char}}` says.
    pub fn called(&self) -> &str {
        if self.extras.nickname.is_empty() { &self.card.name } else { &self.extras.nickname }
    }
}

/// A name as it stands in rules, stop strings and transcripts: a line within would begin something else there.
pub fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
