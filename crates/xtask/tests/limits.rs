//! A length stands once, in the service that keeps it; what the description of `/api` says must be that.

use std::{fs, path::Path};

use serde_json::Value;

/// Schema and property of the description, service and constant.
const LENGTHS: &[(&str, &str, &str, &str)] = &[
    ("SignupBody", "email", "auth", "EMAIL_MAX"),
    ("SignupBody", "password", "auth", "PASSWORD_MAX"),
    ("LoginBody", "email", "auth", "EMAIL_MAX"),
    ("LoginBody", "password", "auth", "PASSWORD_MAX"),
    ("EmailBody", "email", "auth", "EMAIL_MAX"),
    ("ResetBody", "password", "auth", "PASSWORD_MAX"),
    ("PasswordBody", "newPassword", "auth", "PASSWORD_MAX"),
    ("UpdateForm", "bio", "auth", "BIO_MAX"),
    ("UpdateForm", "sponsorMeLink", "auth", "LINK_MAX"),
    ("PreferencesBody", "ageProof", "auth", "PROOF_MAX"),
    ("SuspendBody", "reason", "auth", "REASON_MAX"),
    ("Persona", "id", "auth", "PERSONA_ID_MAX"),
    ("PersonasBody", "personas", "auth", "PERSONAS"),
    ("Persona", "name", "auth", "PERSONA_NAME_MAX"),
    ("Persona", "description", "auth", "PERSONA_DESCRIPTION_MAX"),
    ("InlinePersona", "name", "chat", "PERSONA_NAME_MAX"),
    ("InlinePersona", "description", "chat", "PERSONA_DESCRIPTION_MAX"),
    ("SendBody", "content", "chat", "MESSAGE_MAX"),
    ("PresetBody", "label", "chat", "PRESET_LABEL_MAX"),
    ("SamplingValues", "stop", "chat", "STOP_MAX"),
    ("EditBody", "content", "chat", "EDIT_MAX"),
    ("ChatBody", "title", "chat", "TITLE_MAX"),
    ("MemoryBody", "text", "chat", "MEMORY_MAX"),
    ("MemoryPatch", "text", "chat", "MEMORY_MAX"),
    ("LorebookBody", "name", "chat", "LORE_NAME_MAX"),
    ("LoreEntry", "name", "chat", "LORE_NAME_MAX"),
    ("LoreEntry", "content", "chat", "LORE_CONTENT_MAX"),
    ("LoreEntry", "keys", "chat", "LORE_KEYS_MAX"),
    ("LoreEntry", "secondaryKeys", "chat", "LORE_KEYS_MAX"),
    ("LoreBook", "entries", "chat", "LORE_ENTRIES_MAX"),
    ("LorebookBody", "characterIds", "chat", "LORE_CHARACTERS_MAX"),
    ("CharacterForm", "name", "catalog", "NAME_MAX"),
    ("CharacterForm", "description", "catalog", "DESCRIPTION_MAX"),
    ("CharacterForm", "personality", "catalog", "PERSONALITY_MAX"),
    ("CharacterForm", "firstMessage", "catalog", "FIRST_MESSAGE_MAX"),
    ("CharacterForm", "scenario", "catalog", "SCENARIO_MAX"),
    ("CharacterForm", "exampleConversation", "catalog", "EXAMPLE_MAX"),
    ("CharacterForm", "outfit", "catalog", "OUTFIT_MAX"),
    ("CharacterForm", "systemPrompt", "catalog", "INSTRUCTIONS_MAX"),
    ("CharacterForm", "postHistoryInstructions", "catalog", "INSTRUCTIONS_MAX"),
    ("CharacterForm", "creatorNotes", "catalog", "NOTES_MAX"),
    ("CharacterForm", "characterVersion", "catalog", "CARD_VERSION_MAX"),
    ("CharacterForm", "nickname", "catalog", "NAME_MAX"),
    ("HeldDecisionBody", "reasons", "catalog", "REPORT_TEXT_MAX"),
    ("ReviewBody", "comment", "catalog", "COMMENT_MAX"),
    ("ReportBody", "text", "catalog", "REPORT_TEXT_MAX"),
    ("ReportBody", "subjectId", "catalog", "SUBJECT_MAX"),
    ("ComplaintBody", "text", "catalog", "REPORT_TEXT_MAX"),
    ("ComplaintBody", "name", "catalog", "REPORTER_NAME_MAX"),
    ("ComplaintBody", "email", "catalog", "REPORTER_EMAIL_MAX"),
    ("ComplaintBody", "subject", "catalog", "SUBJECT_MAX"),
    ("IntimateImageForm", "subject", "catalog", "SUBJECT_MAX"),
    ("AppealBody", "text", "catalog", "REPORT_TEXT_MAX"),
    ("DecisionBody", "reasons", "catalog", "REPORT_TEXT_MAX"),
    ("ImageOptions", "prompt", "media", "PROMPT"),
    ("ImageOptions", "pose", "media", "POSE"),
    ("ImageOptions", "label", "media", "LABEL"),
    ("ImageChange", "label", "media", "LABEL"),
    ("ImageDecisionBody", "reasons", "media", "REASONS"),
];

/// Reason whose sentence tells a count, service and constant.
const COUNTS: &[(&str, &str, &str)] = &[
    ("too_many_blocks", "catalog", "BLOCKS_MAX"),
    ("too_many_lorebooks", "chat", "LOREBOOKS_MAX"),
    ("too_many_memories", "chat", "MEMORIES_MAX"),
    ("too_many_presets", "chat", "PRESETS_MAX"),
    ("too_many_tags", "catalog", "TAGS_MAX"),
    ("too_many_variants", "chat", "VARIANTS_MAX"),
];

fn constant(root: &Path, service: &str, name: &str) -> u64 {
    let path = root.join("services").join(service).join("src/limits.rs");
    let text = fs::read_to_string(&path).expect("the limits of the service");
    let mark = format!("pub const {name}: ");
    let value = text.lines().find_map(|line| line.strip_prefix(&mark)).expect(name);
    let number = value.split(" = ").nth(1).expect(name).trim_end_matches(';').replace('_', "");
    number.parse().expect(name)
}

#[test]
fn documented_lengths_are_those_that_are_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
    let doc = fs::read_to_string(root.join("bff/openapi.json")).expect("the description");
    let doc: Value = serde_json::from_str(&doc).expect("JSON");
    let told = |schema: &str, property: &str| {
        let property = &doc["components"]["schemas"][schema]["properties"][property];
        property["maxLength"].as_u64().or(property["maxItems"].as_u64())
    };
    let wrong: Vec<String> = LENGTHS
        .iter()
        .map(|(schema, property, service, name)| {
            (schema, property, told(schema, property), constant(root, service, name))
        })
        .filter(|(_, _, told, kept)| *told != Some(*kept))
        .map(|(schema, property, told, kept)| format!("{schema}.{property}: told {told:?}, kept {kept}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn counts_in_sentences_are_those_that_are_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
    let table = fs::read_to_string(root.join("bff/src/errors.rs")).expect("the table");
    for (reason, service, name) in COUNTS {
        let mark = format!("(\"{reason}\", ");
        let sentence = table.lines().find(|line| line.trim_start().starts_with(&mark)).expect(reason);
        let told = sentence.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty()).nth(1);
        assert_eq!(
            told.and_then(|word| word.parse().ok()),
            Some(constant(root, service, name)),
            "{sentence}"
        );
    }
}
