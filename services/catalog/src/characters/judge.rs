//! All that is written in a character, held against the rules: each text by its place, and all of them together.

use std::collections::HashSet;

use kit::error::Failure;
use moderation::{Place, Rule, Verdict};
use sha2::{Digest as _, Sha256};

use super::extras::Extras;
use crate::error::refuse;

/// The texts of a character.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    pub name: &'a str,
    pub tags: &'a [String],
    pub description: &'a str,
    pub personality: &'a str,
    pub first_message: &'a str,
    pub scenario: &'a str,
    pub example_conversation: &'a str,
    pub kinks: &'a [String],
    pub outfit: &'a str,
    pub extras: &'a Extras,
    /// What the card that it came in says beyond all these.
    pub hidden: &'a [String],
}

/// What the rules say of a character that is not refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judged {
    pub hold: Option<Rule>,
    pub limit: Option<Rule>,
}

impl Judged {
    /// # Errors
    /// `moderated`, naming the field.
    pub fn add(&mut self, field: &str, verdict: Verdict) -> Result<(), Failure> {
        match verdict {
            Verdict::Allow => {}
            Verdict::Limit(rule) => self.limit = self.limit.or(Some(rule)),
            Verdict::Hold(rule) => self.hold = self.hold.or(Some(rule)),
            Verdict::Refuse(rule) => return Err(refuse(field, rule)),
        }
        Ok(())
    }
}

/// The graver of two verdicts.
pub fn graver(a: Verdict, b: Verdict) -> Verdict {
    let weight = |verdict: &Verdict| match verdict {
        Verdict::Allow => 0,
        Verdict::Limit(_) => 1,
        Verdict::Hold(_) => 2,
        Verdict::Refuse(_) => 3,
    };
    if weight(&b) > weight(&a) { b } else { a }
}

impl Words<'_> {
    /// Field of the form, place for the rules, text; what is empty is left out.
    pub fn all(&self) -> Vec<(&'static str, Place, String)> {
        let extras = self.extras;
        let mut all = vec![
            ("name", Place::Card, self.name.to_owned()),
            ("tags", Place::Card, self.spoken_tags()),
            ("description", Place::Card, self.description.to_owned()),
            ("personality", Place::Card, self.personality.to_owned()),
            ("firstMessage", Place::Greeting, self.first_message.to_owned()),
            ("scenario", Place::Card, self.scenario.to_owned()),
            ("exampleConversation", Place::Greeting, self.example_conversation.to_owned()),
            ("kinks", Place::Card, self.kinks.join(" ")),
            ("outfit", Place::Card, self.outfit.to_owned()),
            ("systemPrompt", Place::Card, extras.system_prompt.clone()),
            ("postHistoryInstructions", Place::Card, extras.post_history_instructions.clone()),
            ("creatorNotes", Place::Card, extras.creator_notes.clone()),
            ("characterVersion", Place::Card, extras.character_version.clone()),
            ("nickname", Place::Card, extras.nickname.clone()),
        ];
        let greetings = extras.alternate_greetings.iter();
        all.extend(greetings.map(|text| ("alternateGreetings", Place::Greeting, text.clone())));
        let book = extras.book.texts().iter();
        all.extend(book.map(|text| ("characterBook", Place::Lorebook, text.clone())));
        let shown: HashSet<&str> = all.iter().map(|(_, _, text)| text.trim()).collect();
        let hidden = self.hidden.iter().filter(|text| !shown.contains(text.trim()));
        let hidden: Vec<_> = hidden.map(|text| ("file", Place::Greeting, text.clone())).collect();
        all.extend(hidden);
        all.retain(|(_, _, text)| !text.is_empty());
        all
    }

    /// Changes with every text.
    pub fn digest(&self) -> Vec<u8> {
        let mut digest = Sha256::new();
        for (field, _, text) in self.all() {
            digest.update(field);
            digest.update((text.len() as u64).to_be_bytes());
            digest.update(text);
        }
        digest.finalize().to_vec()
    }

    /// # Errors
    /// `moderated`, naming the field.
    pub fn judge(&self) -> Result<Judged, Failure> {
        let mut judged = Judged::default();
        for (field, place, text) in self.all() {
            judged.add(field, moderation::judge(&text, place))?;
        }
        let (tags, kinks) = (self.spoken_tags(), self.kinks.join(" "));
        // Tags stand in lists, and word for word in what an image engine is asked for.
        for place in [Place::Label, Place::ImagePrompt] {
            judged.add("tags", moderation::judge(&tags, place))?;
        }
        // What no field says alone, all of them may say together.
        let together = [self.name, &tags, self.description, self.scenario, &kinks].join(" ");
        judged.add("description", moderation::judge(&together, Place::Greeting))?;
        Ok(judged)
    }

    /// The tags as people read them: `fifteen-year-old` is three words, and so are two tags that go on from one to
    /// the other.
    fn spoken_tags(&self) -> String {
        self.tags.join(" ").replace('-', " ")
    }
}
