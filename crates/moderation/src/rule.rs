//! What a rule is, what it may say, and where texts stand.

use std::{collections::HashMap, fmt, hash, sync::LazyLock};

use serde::Deserialize;

use crate::engine::Condition;

/// Rule that a user's turn meets which tells of the wish to die: the turn stands, and help lines
/// ([`crate::help_lines`]) stand in place of the reply.
pub const SELF_HARM_INTENT: &str = "self_harm.intent";

/// Where a text stands, which decides who reads it and what it describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// What describes a character: name, description, personality, scenario, outfit, instructions, tags, kinks.
    Card,
    /// What a character says first, and example conversations.
    Greeting,
    /// Who a user is in a chat.
    Persona,
    /// Entries of a lorebook, and what is kept in memory.
    Lorebook,
    Review,
    /// Username and bio.
    Profile,
    /// Names of chats, pictures and the like.
    Label,
    ImagePrompt,
    UserTurn,
    /// What an engine writes.
    ModelOutput,
}

impl Place {
    /// All of them, for tests and benchmarks.
    pub const ALL: [Self; 10] = [
        Self::Card,
        Self::Greeting,
        Self::Persona,
        Self::Lorebook,
        Self::Review,
        Self::Profile,
        Self::Label,
        Self::ImagePrompt,
        Self::UserTurn,
        Self::ModelOutput,
    ];

    /// By its name in data files (`image_prompt`).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }
}

/// What is to become of a text. `docs/decisions/0012-moderation.md` says what that means where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// It stands, but not in lists; of a turn that meets [`SELF_HARM_INTENT`]: it stands without a reply.
    Limit(Rule),
    /// Nobody but its writer sees it until a moderator has; where nobody else would see it, it stands.
    Hold(Rule),
    Refuse(Rule),
}

impl Verdict {
    /// The rule that is met, whatever follows from it.
    #[must_use]
    pub fn rule(self) -> Option<Rule> {
        match self {
            Self::Allow => None,
            Self::Limit(rule) | Self::Hold(rule) | Self::Refuse(rule) => Some(rule),
        }
    }

    /// For places whose text others see: waits for a moderator, so `Err` on a refusal only.
    ///
    /// # Errors
    /// The rule that refuses.
    pub fn unless_refused(self) -> Result<Self, Rule> {
        match self {
            Self::Refuse(rule) => Err(rule),
            other => Ok(other),
        }
    }

    /// For places where nobody would look at what is held (labels, image prompts, reviews).
    ///
    /// # Errors
    /// The rule that refuses or holds.
    pub fn unless_held(self) -> Result<Self, Rule> {
        match self {
            Self::Refuse(rule) | Self::Hold(rule) => Err(rule),
            other => Ok(other),
        }
    }

    /// The graver the greater.
    pub(crate) fn weight(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Limit(_) => 1,
            Self::Hold(_) => 2,
            Self::Refuse(_) => 3,
        }
    }
}

/// What follows when a rule is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Limit,
    Hold,
    Refuse,
}

/// A rule as `rules/rules.toml` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    id: String,
    action: Action,
    #[serde(default)]
    strikes: bool,
    /// What the writer is told.
    text: String,
    /// Where it holds; empty: everywhere.
    #[serde(default)]
    places: Vec<Place>,
    /// Ways to meet it; one is enough.
    #[serde(default)]
    when: Vec<Condition>,
}

/// One of the rules.
#[derive(Clone, Copy)]
pub struct Rule(&'static Known);

impl Rule {
    /// Stable, for records and metrics ("minor.sexual").
    #[must_use]
    pub fn as_str(self) -> &'static str {
        &self.0.id
    }

    /// What the writer is told.
    #[must_use]
    pub fn public_text(self) -> &'static str {
        &self.0.text
    }

    /// Whether meeting it twice suspends (event `<service>.user.struck`).
    #[must_use]
    pub fn strikes(self) -> bool {
        self.0.strikes
    }

    /// The rule of that id, also one that was recorded long ago.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        static BY_ID: LazyLock<HashMap<&str, Rule>> =
            LazyLock::new(|| Rule::all().map(|rule| (rule.as_str(), rule)).collect());
        BY_ID.get(id).copied()
    }

    /// All rules, the gravest first.
    pub fn all() -> impl Iterator<Item = Self> {
        RULES.rule.iter().map(Self)
    }

    /// Whether it is about people under 18, of whom nothing may be put together from parts.
    pub(crate) fn is_about_minors(self) -> bool {
        self.as_str().starts_with("minor.")
    }

    pub(crate) fn conditions(self) -> &'static [Condition] {
        &self.0.when
    }

    /// Whether it holds there.
    pub(crate) fn holds_in(self, place: Place) -> bool {
        self.0.places.is_empty() || self.0.places.contains(&place)
    }

    pub(crate) fn verdict(self) -> Verdict {
        match self.0.action {
            Action::Limit => Verdict::Limit(self),
            Action::Hold => Verdict::Hold(self),
            Action::Refuse => Verdict::Refuse(self),
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Rule {}

impl hash::Hash for Rule {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Deserialize)]
struct Rules {
    rule: Vec<Known>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    toml::from_str(include_str!("../rules/rules.toml")).expect("a test reads rules/rules.toml")
});
