//! Chat files of SillyTavern: a header, then a message a line, each perhaps with swipes. Reading is a pure
//! function of the bytes, so that anything may be thrown at it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::dates;
use crate::limits::{
    IMPORT_LINE_BYTES, IMPORT_MESSAGES_MAX, IMPORT_TEXT_BYTES, IMPORT_WRONG_MAX, VARIANTS_MAX,
};

/// A conversation as the file has it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    pub messages: Vec<Spoken>,
    /// Lines that are no messages of the conversation, and swipes beyond the limit.
    pub left_out: usize,
}

/// A message and the versions beside it.
#[derive(Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Line of the file, from 1.
    pub line: usize,
    pub by_user: bool,
    /// Never empty.
    pub versions: Vec<String>,
    /// Which of them the conversation goes on from.
    pub chosen: usize,
    pub at: Option<OffsetDateTime>,
}

/// A line that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    pub why: &'static str,
}

const NOT_UTF8: &str = "is not UTF-8 text.";
const NOT_JSON: &str = "is not a JSON object.";
const NO_HEADER: &str = "is not the header of a chat file of SillyTavern.";
const NO_TEXT: &str = "has no text (mes).";
const TOO_LONG: &str = "is too long.";
const NOTHING: &str = "holds no messages.";
const TOO_MANY: &str = "holds more than 5,000 messages.";

/// A line as SillyTavern writes it. Of what it need not have, nothing is asked.
#[derive(Deserialize)]
struct Line {
    mes: Option<String>,
    #[serde(default)]
    is_user: Option<bool>,
    #[serde(default)]
    is_system: Option<bool>,
    #[serde(default)]
    send_date: Option<Value>,
    #[serde(default)]
    swipes: Option<Vec<Value>>,
    #[serde(default)]
    swipe_id: Option<Value>,
}

/// Reads a file whole, or names the lines that are wrong.
///
/// # Errors
/// The first lines that are wrong.
pub fn read(file: &[u8]) -> Result<Transcript, Vec<Wrong>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let mut transcript = Transcript::default();
    let mut wrong = Vec::new();
    let mut header = false;
    for (line, bytes) in (1..).zip(file.split(|byte| *byte == b'\n')) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            continue;
        }
        let result = if header {
            message(line, bytes, &mut transcript)
        } else {
            header = true;
            check_header(bytes)
        };
        if let Err(why) = result {
            wrong.push(Wrong { line, why });
            if wrong.len() >= IMPORT_WRONG_MAX {
                return Err(wrong);
            }
        }
        if transcript.messages.len() > IMPORT_MESSAGES_MAX {
            return Err(vec![Wrong { line: 0, why: TOO_MANY }]);
        }
    }
    if wrong.is_empty() && transcript.messages.is_empty() {
        wrong.push(Wrong { line: 0, why: NOTHING });
    }
    if wrong.is_empty() { Ok(transcript) } else { Err(wrong) }
}

fn text(bytes: &[u8]) -> Result<&str, &'static str> {
    if bytes.len() > IMPORT_LINE_BYTES {
        return Err(TOO_LONG);
    }
    std::str::from_utf8(bytes).map_err(|_| NOT_UTF8)
}

fn check_header(bytes: &[u8]) -> Result<(), &'static str> {
    let header: Map<String, Value> = serde_json::from_str(text(bytes)?).map_err(|_| NOT_JSON)?;
    let named = ["user_name", "character_name", "chat_metadata"].iter().any(|key| header.contains_key(*key));
    if named && !header.contains_key("mes") { Ok(()) } else { Err(NO_HEADER) }
}

fn message(line: usize, bytes: &[u8], transcript: &mut Transcript) -> Result<(), &'static str> {
    let read: Line = serde_json::from_str(text(bytes)?).map_err(|_| NOT_JSON)?;
    // Notes of the program between the messages, and what was hidden from the model.
    if read.is_system == Some(true) {
        transcript.left_out += 1;
        return Ok(());
    }
    let said = clean(&read.mes.ok_or(NO_TEXT)?)?;
    let mut versions = Vec::new();
    let mut chosen = None;
    let wanted = read.swipe_id.as_ref().and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    for (at, swipe) in read.swipes.unwrap_or_default().iter().enumerate() {
        let swipe = clean(swipe.as_str().ok_or(NO_TEXT)?)?;
        if wanted == Some(at) {
            chosen = Some(versions.len());
            // The text that is shown may have been edited since.
            versions.push(said.clone());
        } else if !swipe.is_empty() && !versions.contains(&swipe) {
            versions.push(swipe);
        }
    }
    let chosen = chosen.or_else(|| versions.iter().position(|version| *version == said));
    let mut chosen = chosen.unwrap_or_else(|| {
        versions.push(said);
        versions.len() - 1
    });
    if versions[chosen].is_empty() {
        transcript.left_out += versions.len();
        return Ok(());
    }
    // Those nearest to the chosen one stay.
    if versions.len() > VARIANTS_MAX {
        let from = chosen.saturating_sub(VARIANTS_MAX - 1);
        transcript.left_out += versions.len() - VARIANTS_MAX;
        versions = versions.into_iter().skip(from).take(VARIANTS_MAX).collect();
        chosen -= from;
    }
    let at = read.send_date.as_ref().and_then(dates::read);
    transcript.messages.push(Spoken { line, by_user: read.is_user == Some(true), versions, chosen, at });
    Ok(())
}

/// A text without what a database or a reader would stumble over.
fn clean(text: &str) -> Result<String, &'static str> {
    if text.len() > IMPORT_TEXT_BYTES {
        return Err(TOO_LONG);
    }
    let kept = text.replace("\r\n", "\n");
    let kept: String = kept.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    Ok(kept.trim().to_owned())
}

/// A message as SillyTavern reads it.
#[derive(Serialize)]
struct Written<'a> {
    name: &'a str,
    is_user: bool,
    is_system: bool,
    send_date: String,
    mes: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    swipes: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swipe_id: Option<usize>,
    extra: Map<String, Value>,
}

/// Writes a conversation so that SillyTavern, and [`read`], have the same again.
pub fn write(user: &str, character: &str, began: OffsetDateTime, messages: &[Spoken]) -> String {
    let began = began.format(&Rfc3339).unwrap_or_default();
    let mut file = serde_json::json!({
        "user_name": user, "character_name": character, "create_date": began, "chat_metadata": {}
    })
    .to_string();
    file.push('\n');
    for message in messages {
        let several = message.versions.len() > 1;
        let written = Written {
            name: if message.by_user { user } else { character },
            is_user: message.by_user,
            is_system: false,
            send_date: message.at.and_then(|at| at.format(&Rfc3339).ok()).unwrap_or_default(),
            mes: &message.versions[message.chosen],
            swipes: several.then_some(&message.versions),
            swipe_id: several.then_some(message.chosen),
            extra: Map::new(),
        };
        file.push_str(&serde_json::to_string(&written).unwrap_or_default());
        file.push('\n');
    }
    file
}

#[cfg(test)]
#[path = "jsonl_tests.rs"]
mod tests;
