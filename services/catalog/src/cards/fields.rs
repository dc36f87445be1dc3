//! What a card says, as the form of a character has it.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use kit::text;
use proto::catalog::v1::{CardExtras, CharacterDraft};

use super::parse::{
    Flaw,
    doc::{self, Doc},
};
use crate::{characters, limits};

/// Where our own fields stand under `extensions`.
pub const OURS: &str = "troupe";

/// A card's JSON, understood as far as its version goes.
#[derive(Debug, Clone)]
pub struct Card {
    pub top: Doc,
    /// `data`; of version 1 the whole.
    pub data: Doc,
    pub version: u8,
}

impl Card {
    /// # Errors
    /// When it is JSON, but no character card.
    pub fn read(json: &str) -> Result<Self, Flaw> {
        let top =
            Doc::read(json).map_err(|error| Flaw::invalid(format!("The card is not JSON: {error}.")))?;
        let spec: Option<String> = top.read_as("spec");
        let inner = top.object("data");
        match (spec.as_deref(), inner) {
            (Some("lorebook_v3"), _) => {
                Err(Flaw::invalid("This is a lorebook, not a character: open it where lorebooks are."))
            }
            (Some("chara_card_v3"), Some(data)) => Ok(Self { top, data, version: 3 }),
            (_, Some(data)) if data.get("name").is_some() => Ok(Self { top, data, version: 2 }),
            (Some(_), _) => Err(Flaw::invalid("The card says that it has data, and has none.")),
            (None, _) if top.get("name").is_some() => Ok(Self { data: top.clone(), top, version: 1 }),
            _ => Err(Flaw::invalid("There is no character in this JSON.")),
        }
    }

    /// Nothing is fetched, and nobody who opens the card is sent elsewhere either: its files come with it.
    ///
    /// # Errors
    /// When one of its files is somewhere else, naming it.
    pub fn brings_its_files(&self) -> Result<(), Flaw> {
        let assets: Vec<Doc> = match self.data.get("assets") {
            None | Some("null") => return Ok(()),
            Some(list) => serde_json::from_str(list)
                .map_err(|_| Flaw::invalid("“assets” of the card is not a list of files."))?,
        };
        let addresses = assets.iter().filter_map(|asset| asset.read_as::<String>("uri"));
        match addresses.into_iter().find(|uri| is_elsewhere(uri)) {
            Some(uri) => {
                let shown: String = uri.chars().take(limits::CARD_PATH_MAX).collect();
                Err(Flaw::invalid(format!(
                    "A file of the card is elsewhere ({shown}): put it into the card."
                )))
            }
            None => Ok(()),
        }
    }

    /// Our own fields.
    fn ours(&self) -> Doc {
        self.data.object("extensions").and_then(|all| all.object(OURS)).unwrap_or_default()
    }

    /// Text of a field; empty when absent or null.
    fn text(&self, key: &str) -> Result<String, Flaw> {
        match self.data.get(key) {
            None | Some("null") => Ok(String::new()),
            Some(value) => serde_json::from_str(value)
                .map_err(|_| Flaw::invalid(format!("“{key}” of the card is not a text."))),
        }
    }

    /// Texts of a list; empty when absent or null.
    fn texts(&self, key: &str) -> Result<Vec<String>, Flaw> {
        match self.data.get(key) {
            None | Some("null") => Ok(Vec::new()),
            Some(value) => serde_json::from_str(value)
                .map_err(|_| Flaw::invalid(format!("“{key}” of the card is not a list of texts."))),
        }
    }

    /// Whom the card names as its writer.
    pub fn author(&self) -> String {
        self.data.read_as("creator").unwrap_or_default()
    }

    /// The tags of the card, all of them.
    pub fn tags(&self) -> Vec<String> {
        let list = self.data.read_as::<Vec<String>>("tags");
        // Old cards part them by commas.
        let text = || self.data.read_as::<String>("tags").unwrap_or_default();
        list.unwrap_or_else(|| text().split(',').map(|tag| tag.trim().to_owned()).collect())
    }

    /// Whether the definition of the card is too long for what everybody reads, and stands under Personality.
    pub fn is_long(&self) -> bool {
        let told: Option<String> = self.ours().read_as("description");
        let description = self.text("description").unwrap_or_default();
        told.is_some() || description.trim().chars().count() > limits::DESCRIPTION_MAX
    }

    /// The character of the card, with what people should know about it.
    ///
    /// # Errors
    /// When a field has the wrong shape.
    pub fn draft(&self) -> Result<(CharacterDraft, Vec<String>), Flaw> {
        let mut warnings = Vec::new();
        let ours = self.ours();
        let extras = CardExtras {
            alternate_greetings: self.texts("alternate_greetings")?,
            character_book: self
                .data
                .get("character_book")
                .filter(|b| *b != "null")
                .unwrap_or_default()
                .into(),
            system_prompt: self.text("system_prompt")?,
            post_history_instructions: self.text("post_history_instructions")?,
            creator_notes: self.text("creator_notes")?,
            character_version: self.text("character_version")?,
            nickname: self.text("nickname")?,
        };
        let (description, personality) = self.description(&ours, &extras, &mut warnings)?;
        let kinks = ours.read_as::<Vec<String>>("kinks").unwrap_or_default();
        let (tags, nsfw) = some_tags(self.tags(), &mut warnings);
        let others: [(&str, &str); 3] = [
            (
                "group_only_greetings",
                "Greetings for groups are kept for the export; there are no groups here.",
            ),
            ("creator_notes_multilingual", "Notes in other languages are kept for the export."),
            ("source", "Where the card comes from is kept for the export."),
        ];
        for (key, warning) in others {
            if self.data.get(key).is_some_and(|value| !matches!(value, "null" | "[]" | "{}")) {
                warnings.push(warning.into());
            }
        }
        let draft = CharacterDraft {
            name: self.text("name")?,
            age: ours.read_as("age"),
            tags,
            description,
            personality,
            first_message: self.text("first_mes")?,
            scenario: self.text("scenario")?,
            example_conversation: self.text("mes_example")?,
            kinks,
            outfit: ours.read_as("outfit").unwrap_or_default(),
            nsfw: nsfw || ours.read_as("nsfw").unwrap_or(false),
            public: false,
            exportable: false,
            extras: Some(extras),
        };
        Ok((draft, warnings))
    }

    /// Description and personality. A long definition is no blurb: it stands under Personality, which people do not
    /// see, and the notes of its creator, where they fit, say what everybody reads.
    fn description(
        &self,
        ours: &Doc,
        extras: &CardExtras,
        warnings: &mut Vec<String>,
    ) -> Result<(String, String), Flaw> {
        let (definition, personality) = (self.text("description")?, self.text("personality")?);
        if !self.is_long() {
            return Ok((definition, personality));
        }
        let both = [definition.trim(), personality.trim()].join("\n\n").trim().to_owned();
        if let Some(told) = ours.read_as::<String>("description") {
            return Ok((told, both));
        }
        let notes = extras.creator_notes.trim();
        let fits = !notes.is_empty() && notes.chars().count() <= limits::DESCRIPTION_MAX;
        warnings.push(format!(
            "The card's description is longer than 2,000 characters: it stands under Personality, and {}.",
            if fits {
                "the creator's notes are the description"
            } else {
                "the description is for you to write"
            }
        ));
        let blurb = if fits { notes.to_owned() } else { self.text("name")? };
        Ok((blurb, both))
    }
}

/// Whether an address leads out of the card.
fn is_elsewhere(uri: &str) -> bool {
    let uri = uri.trim();
    let within = ["embeded://", "embedded://", "__asset:", "ccdefault:", "data:"];
    // Of a scheme (`https:`), or of the one that the reader happens to be at (`//host`).
    (uri.contains(':') || uri.starts_with("//") || uri.starts_with("\\\\"))
        && !within
            .iter()
            .any(|scheme| uri.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme)))
}

/// The first five that can be tags here; `nsfw` is the flag.
fn some_tags(all: Vec<String>, warnings: &mut Vec<String>) -> (Vec<String>, bool) {
    let given = all.iter().filter(|tag| !tag.trim().is_empty()).count();
    let (mut tags, mut nsfw) = (Vec::<String>::new(), false);
    let mut taken = 0;
    for tag in all {
        let Some(slug) = characters::tag(&tag) else { continue };
        taken += 1;
        if slug == characters::NSFW {
            nsfw = true;
        } else if tags.contains(&slug) {
        } else if tags.len() < limits::TAGS_MAX {
            tags.push(slug);
        } else {
            taken -= 1;
        }
    }
    if taken < given {
        warnings.push(format!(
            "The card has {given} tags: {} are used, all are kept for the export.",
            tags.len()
        ));
    }
    (tags, nsfw)
}

/// All that is written in a card, for the rules: also what no field of the form shows (greetings for groups,
/// extensions and the like), and the keys.
///
/// # Errors
/// When it cannot be read whole: what nobody can look at is not taken.
pub fn hidden(json: &str) -> Result<Vec<String>, Flaw> {
    let mut texts =
        doc::texts(json).map_err(|error| Flaw::invalid(format!("The card is not JSON: {error}.")))?;
    texts.retain(|text| says_something(text));
    Ok(texts)
}

/// What of these a person reads: keys and other single words were judged, and would bury the rest.
pub fn told(mut texts: Vec<String>) -> Vec<String> {
    texts.retain(|text| {
        text.contains(char::is_whitespace) || text.chars().nth(limits::CARD_WORD_MAX).is_some()
    });
    texts
}

/// Pictures and sounds within a text, numbers and identifiers say nothing to anybody.
fn says_something(text: &str) -> bool {
    let identifier = |b: u8| b.is_ascii_hexdigit() || b == b'-';
    !text.bytes().all(identifier) && !is_medium(text)
}

/// Whether a text is a picture or a sound (`data:image/png;base64,…`). By what it holds: its own word counts for
/// nothing.
fn is_medium(text: &str) -> bool {
    let Some((kind, body)) = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) else {
        return false;
    };
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'))
    };
    let named = kind.split_once('/').is_some_and(|(family, name)| plain(family) && plain(name));
    named && BASE64_STANDARD.decode(body).is_ok_and(|bytes| super::kind(&bytes).is_some() || is_sound(&bytes))
}

fn is_sound(bytes: &[u8]) -> bool {
    bytes.starts_with(b"OggS")
        || bytes.starts_with(b"ID3")
        || bytes.starts_with(b"fLaC")
        || bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE")
}

/// A text as the form stores it, to see whether it was changed.
pub fn stored(text: &str) -> String {
    text::clean(text, usize::MAX).unwrap_or_else(|_| text.to_owned())
}
