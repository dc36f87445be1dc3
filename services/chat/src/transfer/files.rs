//! What the files hold.

use std::collections::HashMap;

use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use super::{
    jsonl::{self, Spoken},
    store::Row,
};
use crate::chats::Chat;

/// A chat with all its messages, and who speaks in it.
pub struct Told<'a> {
    pub chat: &'a Chat,
    pub rows: &'a [Row],
    pub user: &'a str,
}

impl Told<'_> {
    fn title(&self) -> String {
        match self.chat.title.as_str() {
            "" => format!("Chat with {}", self.chat.character_name),
            title => title.to_owned(),
        }
    }

    fn began(&self) -> OffsetDateTime {
        self.rows.first().map_or(OffsetDateTime::UNIX_EPOCH, |row| row.created_at)
    }

    /// The path that is shown, without replies that came to nothing.
    fn path(&self) -> Vec<&Row> {
        let by_id: HashMap<Uuid, &Row> = self.rows.iter().map(|row| (row.id, row)).collect();
        let leaf = self.chat.leaf_id.and_then(|id| by_id.get(&id).copied());
        let mut path: Vec<&Row> =
            std::iter::successors(leaf, |row| row.parent_id.and_then(|id| by_id.get(&id).copied())).collect();
        path.reverse();
        path.retain(|row| !row.content.trim().is_empty());
        path
    }

    /// The path, to be read.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title());
        for row in self.path() {
            let name = if row.sender == "user" { self.user } else { &self.chat.character_name };
            let at = row.created_at.format(&Rfc3339).unwrap_or_default();
            // The second, in UTC, is enough for people.
            let at = at.get(..16).unwrap_or(&at).replace('T', " ");
            text.push_str("\n**");
            text.push_str(name);
            text.push_str("** · ");
            text.push_str(&at);
            text.push_str(" UTC\n\n");
            text.push_str(&row.content);
            text.push('\n');
        }
        text
    }

    /// The whole tree.
    pub fn json(&self) -> String {
        let time = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
        let messages: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "_id": row.id, "parentId": row.parent_id, "senderType": row.sender,
                    "content": row.content, "state": row.state, "edited": row.edited,
                    "engine": row.engine, "createdAt": time(row.created_at),
                })
            })
            .collect();
        json!({
            "format": "troupe-chat", "version": 1, "chatId": self.chat.id, "title": self.title(),
            "characterId": self.chat.character_id, "characterName": self.chat.character_name,
            "userName": self.user, "createdAt": time(self.began()), "leafId": self.chat.leaf_id,
            "messages": messages,
        })
        .to_string()
    }

    /// The path for SillyTavern, with siblings as swipes.
    pub fn sillytavern(&self) -> String {
        let mut beside: HashMap<(Option<Uuid>, &str), Vec<&Row>> = HashMap::new();
        for row in self.rows.iter().filter(|row| !row.content.trim().is_empty()) {
            beside.entry((row.parent_id, &row.sender)).or_default().push(row);
        }
        let spoken: Vec<Spoken> = (2..)
            .zip(self.path())
            .map(|(line, row)| {
                let versions = beside.get(&(row.parent_id, row.sender.as_str()));
                let versions = versions.map_or(&[][..], Vec::as_slice);
                Spoken {
                    line,
                    by_user: row.sender == "user",
                    versions: versions.iter().map(|version| version.content.clone()).collect(),
                    chosen: versions.iter().position(|version| version.id == row.id).unwrap_or_default(),
                    at: Some(row.created_at),
                }
            })
            .collect();
        jsonl::write(self.user, &self.chat.character_name, self.began(), &spoken)
    }

    /// A name of plain letters.
    pub fn name(&self, ending: &str) -> String {
        let plain: String = self
            .title()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
            .collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let name = if words.is_empty() { "chat".to_owned() } else { words.join("-") };
        format!("{name}.{ending}")
    }
}
