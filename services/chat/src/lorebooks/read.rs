//! Reads a lorebook from any of the shapes that travel: `character_book` of card versions 2 and 3, the lone
//! `lorebook_v3`, and SillyTavern's world info. What is wrong in one entry leaves that entry out, no more.

use serde_json::Value;

use super::{Book, Entry, Logic};
use crate::limits::LORE_SCAN_MAX;

/// Newest messages that are searched when a book does not say.
pub const SCAN_DEPTH: u32 = 4;
/// Order of an entry that does not say.
const ORDER: i32 = 100;

/// An entry that was left out, and why, in a sentence for people.
pub type Skipped = String;

/// The book, its own name, and what was left out; `None` when it is no lorebook at all.
pub fn read(json: &Value) -> Option<(Book, String, Vec<Skipped>)> {
    let body = match json.get("spec").and_then(Value::as_str) {
        Some("lorebook_v3") => json.get("data")?,
        // A whole card: its book.
        Some(_) => json.pointer("/data/character_book")?,
        None => json.get("character_book").unwrap_or(json),
    };
    let entries: Vec<&Value> = match body.get("entries")? {
        Value::Array(entries) => entries.iter().collect(),
        // SillyTavern keeps them by number.
        Value::Object(entries) => entries.values().collect(),
        _ => return None,
    };
    let mut skipped = Vec::new();
    let mut kept = Vec::new();
    for (at, entry) in entries.into_iter().enumerate() {
        match read_entry(entry) {
            Some(entry) => kept.push(entry),
            None => skipped.push(format!("Entry {} has nothing to tell.", at + 1)),
        }
    }
    let book = Book {
        scan_depth: number(body, &["scan_depth"]).unwrap_or(SCAN_DEPTH).min(LORE_SCAN_MAX),
        token_budget: number(body, &["token_budget"]).filter(|n| *n > 0),
        recursive: flag(body, &["recursive_scanning"]).unwrap_or(false),
        entries: kept,
    };
    Some((book, text(body, &["name"]), skipped))
}

fn read_entry(json: &Value) -> Option<Entry> {
    let content = text(json, &["content"]);
    let (decorated, content) = decorators(&content);
    if content.trim().is_empty() {
        return None;
    }
    let extensions = json.get("extensions").unwrap_or(&Value::Null);
    let both = |names: &[&str]| number(json, names).or_else(|| number(extensions, names));
    let (mut secondary, mut regex) = (texts(json, &["secondary_keys", "keysecondary"]), false);
    if flag(json, &["selective"]) == Some(false) {
        secondary.clear();
    }
    let mut keys = texts(json, &["keys", "key"]);
    if let Some(keys_by_decorator) = decorated.keys {
        keys.extend(keys_by_decorator);
    }
    if flag(json, &["use_regex"]) == Some(true) {
        regex = true;
    } else if !keys.is_empty() && keys.iter().all(|key| slashed(key).is_some()) {
        // SillyTavern's way of saying it: /pattern/flags
        regex = true;
        keys = keys.iter().filter_map(|key| slashed(key)).collect();
        secondary = secondary.iter().map(|key| slashed(key).unwrap_or_else(|| regex::escape(key))).collect();
    }
    let logic = match both(&["selectiveLogic"]) {
        Some(1) => Logic::NotAll,
        Some(2) => Logic::NotAny,
        Some(3) => Logic::AndAll,
        _ => Logic::AndAny,
    };
    let at_depth = both(&["position"]) == Some(4);
    let depth = decorated.depth.or_else(|| both(&["depth"]).filter(|_| at_depth));
    let before = json.get("position").is_some_and(|p| p == "before_char" || p == 0);
    let named = text(json, &["name"]);
    Some(Entry {
        name: if named.is_empty() { text(json, &["comment"]) } else { named },
        keys,
        secondary_keys: secondary,
        logic,
        content: content.trim().to_owned(),
        enabled: flag(json, &["enabled"]).unwrap_or(!flag(json, &["disable"]).unwrap_or(false)),
        constant: decorated.constant || flag(json, &["constant"]).unwrap_or(false),
        order: signed(json, &["insertion_order", "order"]).unwrap_or(ORDER),
        priority: signed(json, &["priority"]),
        before_character: before,
        depth,
        scan_depth: decorated
            .scan_depth
            .or_else(|| both(&["scan_depth", "scanDepth"]))
            .map(|n| n.min(LORE_SCAN_MAX)),
        case_sensitive: flag(json, &["case_sensitive", "caseSensitive"])
            .or_else(|| flag(extensions, &["case_sensitive"]))
            .unwrap_or(false),
        whole_words: flag(json, &["matchWholeWords"])
            .or_else(|| flag(extensions, &["match_whole_words"]))
            .unwrap_or(false),
        regex,
    })
}

/// What the first lines of a text decide (`@@depth 4`); a fallback (`@@@`) stands where we do not know the other.
#[derive(Default)]
struct Decorated {
    depth: Option<u32>,
    scan_depth: Option<u32>,
    constant: bool,
    keys: Option<Vec<String>>,
}

fn decorators(content: &str) -> (Decorated, String) {
    let mut found = Decorated::default();
    let mut rest = content.trim_start();
    while let Some(line) = rest.lines().next().filter(|line| line.starts_with("@@")) {
        let (name, value) =
            line.trim_start_matches('@').split_once(' ').unwrap_or((line.trim_start_matches('@'), ""));
        let value = value.trim();
        match name.trim() {
            "depth" => found.depth = value.parse().ok(),
            "scan_depth" => found.scan_depth = value.parse().ok(),
            "constant" => found.constant = true,
            "additional_keys" => {
                found.keys = Some(
                    value.split(',').map(|key| key.trim().to_owned()).filter(|k| !k.is_empty()).collect(),
                );
            }
            _ => {}
        }
        rest = rest[line.len()..].trim_start_matches(['\r', '\n']);
    }
    (found, rest.to_owned())
}

/// The pattern of `/pattern/flags`, as Rust writes it.
fn slashed(key: &str) -> Option<String> {
    let body = key.trim().strip_prefix('/')?;
    let (pattern, flags) = body.rsplit_once('/')?;
    if pattern.is_empty() || !flags.chars().all(|c| "gimsuy".contains(c)) {
        return None;
    }
    let kept: String = flags.chars().filter(|c| "ims".contains(*c)).collect();
    let pattern = pattern.replace("\\/", "/");
    Some(if kept.is_empty() { pattern } else { format!("(?{kept}){pattern}") })
}

fn text(json: &Value, names: &[&str]) -> String {
    names.iter().find_map(|name| json.get(name)?.as_str()).unwrap_or_default().to_owned()
}

fn texts(json: &Value, names: &[&str]) -> Vec<String> {
    let found = names.iter().find_map(|name| json.get(name)?.as_array());
    let texts = found.into_iter().flatten().filter_map(Value::as_str).map(str::trim);
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn flag(json: &Value, names: &[&str]) -> Option<bool> {
    names.iter().find_map(|name| json.get(name)?.as_bool())
}

fn signed(json: &Value, names: &[&str]) -> Option<i32> {
    let found = names.iter().find_map(|name| json.get(name)?.as_f64())?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of a float saturates, which is what is wanted"
    )]
    Some(found as i32)
}

fn number(json: &Value, names: &[&str]) -> Option<u32> {
    signed(json, names).and_then(|n| u32::try_from(n).ok())
}
