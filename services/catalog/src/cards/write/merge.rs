//! The JSON of a card: what was changed since it came in, over what came in.

use kit::error::Violations;
use proto::catalog::v1::{CardExtras, CharacterDraft};

use super::PORTRAIT;
use crate::{
    cards::{
        fields::{Card, OURS, stored},
        parse::doc::{self, Doc, quoted},
    },
    characters::extras::Extras,
};

/// The version that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V1,
    V2,
    V3,
}

/// A character as it stands now.
#[derive(Debug)]
pub struct Now<'a> {
    pub draft: &'a CharacterDraft,
    pub extras: &'a Extras,
    pub creator: &'a str,
}

/// The card as JSON.
pub fn json(original: Option<&str>, now: &Now<'_>, version: Version) -> String {
    let card = original.and_then(|json| Card::read(json).ok());
    let whole = match &card {
        Some(card) => changed(card, now),
        None => written(now),
    };
    match version {
        Version::V1 => plain(whole, card.is_some_and(|card| card.version == 1)),
        Version::V2 | Version::V3 => finished(whole, version),
    }
}

/// The fields of version 1, all of them.
const FIRST: [&str; 6] = ["name", "description", "personality", "scenario", "first_mes", "mes_example"];

/// A card of version 1: its fields stand at the top. What it has no place for stays behind, but for what stood there
/// when it came in.
fn plain(parts: Parts, was_plain: bool) -> String {
    let Parts { top, data } = parts;
    let mut card = if was_plain { data.clone() } else { top };
    for key in ["spec", "spec_version", "data"] {
        card.remove(key);
    }
    for key in FIRST {
        card.set(key, data.get(key).unwrap_or("\"\""));
    }
    card.write()
}

/// Top and data of a card that somebody made here.
fn written(now: &Now<'_>) -> Parts {
    let draft = now.draft;
    let extras: CardExtras = now.extras.clone().into();
    let mut data = Doc::default();
    for (key, text) in [
        ("name", &draft.name),
        ("description", &draft.description),
        ("personality", &draft.personality),
        ("scenario", &draft.scenario),
        ("first_mes", &draft.first_message),
        ("mes_example", &draft.example_conversation),
        ("creator_notes", &extras.creator_notes),
        ("system_prompt", &extras.system_prompt),
        ("post_history_instructions", &extras.post_history_instructions),
    ] {
        data.set_text(key, text);
    }
    data.set("alternate_greetings", &list(&extras.alternate_greetings));
    if !extras.character_book.is_empty() {
        data.set("character_book", &extras.character_book);
    }
    data.set("tags", &list(&draft.tags));
    data.set_text("creator", now.creator);
    data.set_text("character_version", &extras.character_version);
    if !extras.nickname.is_empty() {
        data.set_text("nickname", &extras.nickname);
    }
    let mut all = Doc::default();
    let mut ours = Doc::default();
    ours_of(draft, &CharacterDraft::default(), &mut ours);
    if ours.write() != "{}" {
        all.set(OURS, &ours.write());
    }
    data.set("extensions", &all.write());
    Parts { top: Doc::default(), data }
}

struct Parts {
    top: Doc,
    data: Doc,
}

/// A card that came in, with what was changed since.
fn changed(card: &Card, now: &Now<'_>) -> Parts {
    let (draft, extras) = (now.draft, now.extras);
    let before = card.draft().map(|(draft, _)| draft).unwrap_or_default();
    let then = Extras::new(&before.extras.clone().unwrap_or_default(), &mut Violations::new());
    let mut parts = Parts { top: card.top.clone(), data: card.data.clone() };
    let mut puts: Vec<(&str, String)> = Vec::new();
    let mut put = |key: &'static str, old: &str, new: &str| {
        if stored(old) != new {
            puts.push((key, quoted(new)));
        }
    };
    put("name", &before.name, &draft.name);
    put("scenario", &before.scenario, &draft.scenario);
    put("first_mes", &before.first_message, &draft.first_message);
    put("mes_example", &before.example_conversation, &draft.example_conversation);
    put("system_prompt", &then.system_prompt, &extras.system_prompt);
    put("post_history_instructions", &then.post_history_instructions, &extras.post_history_instructions);
    put("creator_notes", &then.creator_notes, &extras.creator_notes);
    put("character_version", &then.character_version, &extras.character_version);
    put("nickname", &then.nickname, &extras.nickname);
    let long = card.is_long();
    if !long {
        put("description", &before.description, &draft.description);
        put("personality", &before.personality, &draft.personality);
    } else if stored(&before.personality) != draft.personality {
        // Both stand under Personality here.
        puts.push(("description", quoted(&draft.personality)));
        puts.push(("personality", quoted("")));
    }
    if then.alternate_greetings != extras.alternate_greetings {
        puts.push(("alternate_greetings", list(&extras.alternate_greetings)));
    }
    if then.book.json != extras.book.json {
        let book = if extras.book.json.is_empty() { "null" } else { &extras.book.json };
        puts.push(("character_book", book.to_owned()));
    }
    if before.tags != draft.tags {
        // Those that found no place here stay.
        let others = card.tags().into_iter().filter(|tag| {
            crate::characters::tag(tag)
                .is_none_or(|slug| !before.tags.contains(&slug) && !draft.tags.contains(&slug))
        });
        let tags: Vec<String> = draft.tags.iter().cloned().chain(others).collect();
        puts.push(("tags", list(&tags)));
    }
    let mut all = card.data.object("extensions").unwrap_or_default();
    let mut ours = all.object(OURS).unwrap_or_default();
    let was = ours.write();
    ours_of(draft, &before, &mut ours);
    if long && stored(&before.description) != draft.description {
        ours.set_text("description", &draft.description);
    }
    if ours.write() != was {
        all.set(OURS, &ours.write());
        puts.push(("extensions", all.write()));
    }
    for (key, value) in puts {
        parts.data.set(key, &value);
        // Many writers repeat the fields of version 1 beside `data`.
        if parts.top.get(key).is_some() {
            parts.top.set(key, &value);
        }
    }
    parts
}

/// Our own fields, where they are others than before.
fn ours_of(draft: &CharacterDraft, before: &CharacterDraft, ours: &mut Doc) {
    if draft.age != before.age {
        ours.set("age", &draft.age.map_or_else(|| "null".into(), |age| age.to_string()));
    }
    if draft.kinks != before.kinks {
        ours.set("kinks", &list(&draft.kinks));
    }
    if draft.outfit != stored(&before.outfit) {
        ours.set_text("outfit", &draft.outfit);
    }
    if draft.nsfw != before.nsfw {
        ours.set("nsfw", if draft.nsfw { "true" } else { "false" });
    }
}

/// What version 2 or 3 demands, where it is missing.
fn finished(parts: Parts, version: Version) -> String {
    let Parts { mut top, mut data } = parts;
    let was = top.read_as::<String>("spec");
    for key in [
        "name",
        "description",
        "personality",
        "scenario",
        "first_mes",
        "mes_example",
        "creator_notes",
        "system_prompt",
        "post_history_instructions",
        "creator",
        "character_version",
    ] {
        if data.get(key).is_none() {
            data.set(key, "\"\"");
        }
    }
    for (key, empty) in [("alternate_greetings", "[]"), ("tags", "[]"), ("extensions", "{}")] {
        if data.get(key).is_none() {
            data.set(key, empty);
        }
    }
    if version == Version::V3 && data.get("group_only_greetings").is_none() {
        data.set("group_only_greetings", "[]");
    }
    let (spec, number) = match version {
        Version::V3 => ("chara_card_v3", "3.0"),
        Version::V1 | Version::V2 => ("chara_card_v2", "2.0"),
    };
    if was.as_deref() != Some(spec) {
        top.set_text("spec", spec);
        top.set_text("spec_version", number);
    }
    top.set("data", &data.write());
    top.write()
}

fn list(texts: &[String]) -> String {
    serde_json::Value::from(texts.to_vec()).to_string()
}

/// The assets of a card, with our portrait as the icon in place of the one that was first.
pub fn with_portrait(json: &str) -> String {
    let Ok(mut top) = Doc::read(json) else { return json.to_owned() };
    let mut data = top.object("data").unwrap_or_default();
    let mut icon = Doc::default();
    icon.set_text("type", "icon");
    icon.set_text("uri", &["embeded://", PORTRAIT].concat());
    icon.set_text("name", "main");
    icon.set_text("ext", "png");
    let mut assets: Vec<Doc> = data.read_as("assets").unwrap_or_default();
    assets.retain(|asset| !is_main_icon(asset));
    assets.insert(0, icon);
    let whole: Vec<String> = assets.iter().map(Doc::write).collect();
    data.set("assets", &["[", &whole.join(","), "]"].concat());
    top.set("data", &data.write());
    top.write()
}

/// The card without the files within it, for others than its owner: nobody has looked at them.
pub fn without_files(json: &str) -> String {
    let plain = doc::without(json, is_file);
    let Ok(mut top) = Doc::read(&plain) else { return plain };
    if let Some(mut data) = top.object("data").filter(|data| data.get("assets").is_some()) {
        data.set("assets", "[]");
        top.set("data", &data.write());
    }
    top.write()
}

/// Whether a text is the address of what it holds itself (`data:image/png;base64,…`).
fn is_file(text: &str) -> bool {
    let text = text.trim_start();
    let head = text.split_once(',').map_or("", |(head, _)| head);
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
        && !head.is_empty()
        && !head.contains(char::is_whitespace)
}

/// The path of the file that is the card's picture.
pub fn icon(data: &Doc) -> Option<String> {
    let assets: Vec<Doc> = data.read_as("assets").unwrap_or_default();
    let main = assets.iter().find(|asset| is_main_icon(asset));
    let first = || assets.iter().find(|asset| asset.read_as::<String>("type").as_deref() == Some("icon"));
    main.or_else(first).and_then(|asset| asset.read_as("uri"))
}

fn is_main_icon(asset: &Doc) -> bool {
    let text = |key: &str| asset.read_as::<String>(key).unwrap_or_default();
    text("type") == "icon" && text("name") == "main"
}
