//! The form of a character: its fields as text, read into the draft of a card.

use proto::catalog::v1::{CardExtras, CharacterDraft};
use utoipa::ToSchema;

use super::images::ImageOptions;
use crate::{
    errors::{Answer, Problem},
    form::Form,
};

/// The form of a character. Objects are JSON text. Either `image`, or `generateMode` with
/// `imageGeneration` (as JSON text, or as `imageGeneration[field]`); on a change the picture may stay.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the form")]
pub struct CharacterForm {
    #[schema(max_length = 80)]
    name: String,
    /// Years, at least 18.
    age: Option<u32>,
    /// A JSON array of at most 5 slugs of at most 30 characters.
    tags: Option<String>,
    #[schema(max_length = 2000)]
    description: Option<String>,
    #[schema(max_length = 32000)]
    personality: Option<String>,
    #[schema(max_length = 4000)]
    first_message: Option<String>,
    #[schema(max_length = 4000)]
    scenario: Option<String>,
    #[schema(max_length = 16000)]
    example_conversation: Option<String>,
    /// A JSON array, or text; at most 20 of at most 60 characters.
    kinks: Option<String>,
    #[schema(max_length = 500)]
    outfit: Option<String>,
    /// False when absent.
    nsfw: Option<bool>,
    /// True when absent.
    public: Option<bool>,
    /// Lets others export the card. False when absent.
    exportable: Option<bool>,
    /// A JSON array of at most 20 greetings of at most 4,000 characters. This and the six below are sent together; as
    /// long as none of the seven is sent they stay as they were.
    alternate_greetings: Option<String>,
    /// The lorebook (`character_book` of the card's specification) as JSON text, at most 512 KiB and 500 entries.
    character_book: Option<String>,
    #[schema(max_length = 8000)]
    system_prompt: Option<String>,
    #[schema(max_length = 8000)]
    post_history_instructions: Option<String>,
    #[schema(max_length = 16000)]
    creator_notes: Option<String>,
    #[schema(max_length = 100)]
    character_version: Option<String>,
    #[schema(max_length = 80)]
    nickname: Option<String>,
    /// PNG, JPEG, WebP or GIF, at most 10 MiB.
    #[schema(value_type = Option<String>, format = Binary)]
    image: Option<Vec<u8>>,
    generate_mode: Option<bool>,
    /// The choices of the portrait as JSON text.
    image_generation: Option<String>,
}

/// A form that was understood.
pub(super) struct Asked {
    pub(super) draft: CharacterDraft,
    pub(super) options: Option<ImageOptions>,
}

/// Reads the fields of the form.
pub(super) fn understand(form: &Form) -> Answer<Asked> {
    let age = match form.text("age").map(str::trim).filter(|t| !t.is_empty()) {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| Problem::field("age", "A whole number of years."))?),
    };
    let draft = CharacterDraft {
        name: form.text_or_empty("name"),
        age,
        tags: list(form, "tags")?.into_iter().map(|tag| tag.to_lowercase()).collect(),
        description: form.text_or_empty("description"),
        personality: form.text_or_empty("personality"),
        first_message: form.text_or_empty("firstMessage"),
        scenario: form.text_or_empty("scenario"),
        example_conversation: form.text_or_empty("exampleConversation"),
        kinks: list(form, "kinks")?,
        outfit: form.text_or_empty("outfit"),
        nsfw: form.flag("nsfw", false)?,
        public: form.flag("public", true)?,
        exportable: form.flag("exportable", false)?,
        extras: extras(form)?,
    };
    let options = if form.flag("generateMode", false)? { Some(generation(form)?) } else { None };
    Ok(Asked { draft, options })
}

/// The further parts of a card; absent when the form has none of them.
fn extras(form: &Form) -> Answer<Option<CardExtras>> {
    const NAMES: [&str; 7] = [
        "alternateGreetings",
        "characterBook",
        "systemPrompt",
        "postHistoryInstructions",
        "creatorNotes",
        "characterVersion",
        "nickname",
    ];
    if NAMES.iter().all(|name| form.text(name).is_none()) {
        return Ok(None);
    }
    let greetings = form.text("alternateGreetings").map(str::trim).filter(|t| !t.is_empty());
    let alternate_greetings = match greetings {
        None => Vec::new(),
        Some(text) => serde_json::from_str(text)
            .map_err(|_| Problem::field("alternateGreetings", "A JSON array of texts."))?,
    };
    Ok(Some(CardExtras {
        alternate_greetings,
        character_book: form.text_or_empty("characterBook"),
        system_prompt: form.text_or_empty("systemPrompt"),
        post_history_instructions: form.text_or_empty("postHistoryInstructions"),
        creator_notes: form.text_or_empty("creatorNotes"),
        character_version: form.text_or_empty("characterVersion"),
        nickname: form.text_or_empty("nickname"),
    }))
}

/// A JSON array of texts, or text parted by commas.
fn list(form: &Form, name: &str) -> Answer<Vec<String>> {
    let text = form.text(name).unwrap_or_default().trim();
    let items: Vec<String> = if text.starts_with('[') {
        serde_json::from_str(text).map_err(|_| Problem::field(name, "A JSON array of texts."))?
    } else {
        text.split(',').map(str::to_owned).collect()
    };
    Ok(items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
}

/// `imageGeneration` as JSON text, then `imageGeneration[field]` over it.
pub(super) fn generation(form: &Form) -> Answer<ImageOptions> {
    let mut object = match form.text("imageGeneration").map(str::trim).filter(|t| !t.is_empty()) {
        None => serde_json::Map::new(),
        Some(text) => serde_json::from_str(text)
            .map_err(|_| Problem::field("imageGeneration", "A JSON object of the choices."))?,
    };
    for (name, text) in form.texts() {
        if let Some(key) = name.strip_prefix("imageGeneration[").and_then(|rest| rest.strip_suffix(']')) {
            object.insert(key.to_owned(), text.into());
        }
    }
    serde_json::from_value(object.into())
        .map_err(|_| Problem::field("imageGeneration", "A JSON object of the choices."))
}

/// Fields of the picture's choices that no field of the card is called like.
const CHOICES: [&str; 9] =
    ["gender", "ethnicity", "hairColor", "face", "pose", "breastSize", "bodyType", "style", "prompt"];

/// Names the choices of the picture as the form does, `imageGeneration[style]`.
pub(super) fn as_in_the_form(status: tonic::Status) -> Problem {
    Problem::from(status)
        .renaming(|field| CHOICES.contains(&field).then(|| format!("imageGeneration[{field}]")))
}
