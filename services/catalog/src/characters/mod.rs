//! Character cards: the rules that a card must pass, and the one door through which it is seen.

pub mod deletion;
pub mod extras;
pub mod gate;
mod grpc;
mod judge;
pub mod judging;
mod portrait;
pub mod rows;
mod saving;
pub mod shown;
pub mod store;

use std::collections::BTreeSet;

use kit::{
    error::{Failure, Violations},
    text,
};
use proto::catalog::v1::{CardExtras, CharacterDraft as PbDraft};

use self::extras::Extras;
pub use self::judge::{Judged, Words, graver};
pub(crate) use self::saving::{A_CHARACTER, generated_age};
use crate::{cards::judge_hidden, limits};

/// The tag that is a flag: it lists by it, and sets it.
pub const NSFW: &str = "nsfw";

/// Slugs that mean something else in addresses.
const RESERVED: [&str; 4] = ["me", "admin", "api", "support"];

/// What a creator wrote, checked: an adult, within the limits, within the rules. There is no other way
/// to one than [`Draft::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub name: String,
    pub age: Option<i32>,
    pub tags: Vec<String>,
    pub description: String,
    pub personality: String,
    pub first_message: String,
    pub scenario: String,
    pub example_conversation: String,
    pub kinks: Vec<String>,
    pub outfit: String,
    pub nsfw: bool,
    pub public: bool,
    pub exportable: bool,
    pub extras: Extras,
    /// What the card that it came in says beyond the form.
    pub hidden: Vec<String>,
    /// What the rules say of it.
    pub judged: Judged,
}

impl Draft {
    /// Without `extras` it has none: whoever changes a character hands in those that it has.
    ///
    /// # Errors
    /// `under_age`, `invalid` with all fields, or `moderated`.
    pub fn new(draft: PbDraft) -> Result<Self, Failure> {
        if draft.age.is_some_and(|age| age < limits::AGE_MIN) {
            return Err(Failure::new(tonic::Code::InvalidArgument, "under_age", "an adult is needed")
                .field("age", "Minimum age is 18"));
        }
        let mut v = Violations::new();
        v.check(draft.age.is_none_or(|age| age <= limits::AGE_MAX), "age", "At most 10,000.");
        let mut tags = tags(&draft.tags, &mut v);
        // The tag is the flag.
        let tagged = tags.len();
        tags.retain(|tag| tag != NSFW);
        let nsfw = draft.nsfw || tags.len() < tagged;
        let mut clean = |field: &str, value: &str, max: usize| {
            text::clean(value, max).unwrap_or_else(|e| {
                v.add(field, e.to_string());
                String::new()
            })
        };
        let name = clean("name", &draft.name, limits::NAME_MAX);
        let description = clean("description", &draft.description, limits::DESCRIPTION_MAX);
        let personality = clean("personality", &draft.personality, limits::PERSONALITY_MAX);
        let first_message = clean("firstMessage", &draft.first_message, limits::FIRST_MESSAGE_MAX);
        let scenario = clean("scenario", &draft.scenario, limits::SCENARIO_MAX);
        let example_conversation =
            clean("exampleConversation", &draft.example_conversation, limits::EXAMPLE_MAX);
        let outfit = clean("outfit", &draft.outfit, limits::OUTFIT_MAX);
        let kinks: Vec<String> = draft
            .kinks
            .iter()
            .map(|k| clean("kinks", k, limits::KINK_MAX))
            .filter(|k| !k.is_empty())
            .collect();
        let extras = Extras::new(&draft.extras.unwrap_or_default(), &mut v);
        v.check(kinks.len() <= limits::KINKS_MAX, "kinks", "At most 20.");
        for (field, value) in
            [("name", &name), ("description", &description), ("firstMessage", &first_message)]
        {
            v.check(!value.is_empty(), field, "Must fill out all fields!");
        }
        v.done()?;

        let age = draft.age.and_then(|age| i32::try_from(age).ok());
        let mut made = Self {
            name,
            age,
            tags,
            description,
            personality,
            first_message,
            scenario,
            example_conversation,
            kinks,
            outfit,
            nsfw,
            public: draft.public,
            exportable: draft.exportable,
            extras,
            hidden: Vec::new(),
            judged: Judged::default(),
        };
        made.judged = made.words().judge()?;
        Ok(made)
    }

    /// All that is written in it.
    pub fn words(&self) -> Words<'_> {
        Words {
            name: &self.name,
            tags: &self.tags,
            description: &self.description,
            personality: &self.personality,
            first_message: &self.first_message,
            scenario: &self.scenario,
            example_conversation: &self.example_conversation,
            kinks: &self.kinks,
            outfit: &self.outfit,
            extras: &self.extras,
            hidden: &self.hidden,
        }
    }

    /// The same, with the card that it came in.
    ///
    /// # Errors
    /// `moderated` or `card_invalid`, naming the file.
    pub fn beside(mut self, json: &str) -> Result<Self, Failure> {
        self.hidden = judge_hidden(json, &mut self.judged)?;
        Ok(self)
    }
}

impl From<Extras> for CardExtras {
    fn from(extras: Extras) -> Self {
        Self {
            alternate_greetings: extras.alternate_greetings,
            character_book: extras.book.json,
            system_prompt: extras.system_prompt,
            post_history_instructions: extras.post_history_instructions,
            creator_notes: extras.creator_notes,
            character_version: extras.character_version,
            nickname: extras.nickname,
        }
    }
}

/// Slugs, each once, in the order given.
fn tags(given: &[String], v: &mut Violations) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut tags = Vec::new();
    for tag in given {
        match self::tag(tag) {
            None => v.add("tags", format!("“{tag}” cannot be a tag.")),
            Some(slug) if seen.insert(slug.clone()) => tags.push(slug),
            Some(_) => {}
        }
    }
    v.check(tags.len() <= limits::TAGS_MAX, "tags", "You can add a maximum of 5 tags");
    tags
}

/// The slug of a tag; `None` for what cannot be one.
pub fn tag(text: &str) -> Option<String> {
    let slug = slug(text);
    let fits =
        !slug.is_empty() && slug.chars().count() <= limits::TAG_MAX && !RESERVED.contains(&slug.as_str());
    fits.then_some(slug)
}

/// `Monster Girl` is `monster-girl`.
pub fn slug(tag: &str) -> String {
    let words: Vec<String> = tag
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> PbDraft {
        PbDraft {
            name: " Maren ".into(),
            age: Some(41),
            tags: vec!["Female".into(), "female".into(), "Monster Girl".into()],
            description: "Keeps a lighthouse.".into(),
            first_message: "*She turns.* \"You came.\"".into(),
            public: true,
            ..PbDraft::default()
        }
    }

    #[test]
    fn a_card_is_trimmed_and_its_tags_are_slugs() {
        let made = Draft::new(draft()).expect("a good card");
        assert_eq!(
            (made.name.as_str(), made.tags),
            ("Maren", vec!["female".to_owned(), "monster-girl".to_owned()])
        );
    }

    #[test]
    fn the_tag_nsfw_is_the_flag_and_reserved_words_are_no_tags() {
        let made =
            Draft::new(PbDraft { tags: vec!["NSFW".into(), "Robot".into()], ..draft() }).expect("good");
        assert_eq!((made.nsfw, made.tags), (true, vec!["robot".to_owned()]));
        for word in ["me", "Admin", "API", "support"] {
            let fields = Draft::new(PbDraft { tags: vec![word.into()], ..draft() }).expect_err("no").fields;
            assert_eq!(fields[0].0, "tags");
        }
    }

    #[test]
    fn everybody_is_an_adult() {
        let told = Draft::new(PbDraft { age: Some(17), ..draft() }).expect_err("refused");
        assert_eq!((told.reason.as_str(), told.fields[0].1.as_str()), ("under_age", "Minimum age is 18"));
        let written = PbDraft { description: "Maren is 16 years old.".into(), ..draft() };
        assert_eq!(Draft::new(written).expect_err("refused").reason, "moderated");
    }

    #[test]
    fn tags_kinks_and_version_are_held_to_it_too() {
        let field = |bad: PbDraft| {
            let refused = Draft::new(bad).expect_err("refused");
            assert_eq!(refused.reason, "moderated");
            refused.fields[0].0.clone()
        };
        let tagged = |all: &[&str]| PbDraft { tags: all.iter().map(|t| (*t).into()).collect(), ..draft() };
        for tags in
            [&["underage"][..], &["15 years old"], &["fifteen-year-old"], &["15", "years-old"], &["a child"]]
        {
            assert_eq!(field(tagged(tags)), "tags", "{tags:?}");
        }
        Draft::new(tagged(&["female", "30-years-old", "monster girl", "18", "plus"])).expect("adults");
        assert_eq!(field(PbDraft { kinks: vec!["she is 15 years old".into()], ..draft() }), "kinks");
        let extras = CardExtras { character_version: "15 years old".into(), ..CardExtras::default() };
        assert_eq!(field(PbDraft { extras: Some(extras), ..draft() }), "characterVersion");
        // Neither says it alone.
        let named = PbDraft { name: "Sixteen".into(), tags: vec!["years-old".into()], ..draft() };
        assert_eq!(field(named), "description");
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let bad = PbDraft { name: String::new(), tags: (0..6).map(|n| format!("t{n}")).collect(), ..draft() };
        let fields = Draft::new(bad).expect_err("refused").fields;
        let told: Vec<&str> = fields.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(told, ["You can add a maximum of 5 tags", "Must fill out all fields!"]);
    }
}
