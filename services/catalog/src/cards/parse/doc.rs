//! A JSON object as it was written: keys in their order, values untouched, so that what nobody changed goes out
//! byte for byte as it came in.

use std::{collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::limits;

#[derive(Debug, Clone, Default)]
pub struct Doc(Vec<(String, Box<RawValue>)>);

impl Doc {
    /// # Errors
    /// When the text is no JSON object.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The value of a key as it was written; of a repeated key the last one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// A value as this type; `None` when it is absent, null, or of another shape.
    #[must_use]
    pub fn read_as<T: for<'a> Deserialize<'a>>(&self, key: &str) -> Option<T> {
        self.get(key).and_then(|value| serde_json::from_str(value).ok())
    }

    /// An object within.
    #[must_use]
    pub fn object(&self, key: &str) -> Option<Self> {
        self.read_as(key)
    }

    /// Puts a value in the place of the old one, or at the end. What is no JSON is not taken.
    pub fn set(&mut self, key: &str, json: &str) {
        let Ok(value) = RawValue::from_string(json.to_owned()) else { return };
        match self.0.iter().position(|(name, _)| name == key) {
            None => self.0.push((key.to_owned(), value)),
            Some(at) => {
                self.0[at].1 = value;
                let mut seen = 0_usize;
                self.0.retain(|(name, _)| {
                    seen += usize::from(name == key);
                    name != key || seen == 1
                });
            }
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    /// Puts a text.
    pub fn set_text(&mut self, key: &str, text: &str) {
        self.set(key, &quoted(text));
    }

    /// As one line of JSON.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::from("{");
        for (at, (key, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&quoted(key));
            out.push(':');
            out.push_str(value.get());
        }
        out.push('}');
        out
    }
}

/// A text as JSON.
#[must_use]
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How deep arrays and objects stand in each other.
#[must_use]
pub fn depth(json: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0_usize);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                now += 1;
                most = most.max(now);
            }
            b'}' | b']' if !in_text => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The document with an empty text in place of those that this is true of; all else stays as it was written.
#[must_use]
pub fn without(json: &str, gone: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(from) = rest.find('"') {
        let mut escaped = false;
        let end = rest[from + 1..].bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let Some(end) = end.map(|at| from + 1 + at + 1) else { break };
        let text: String = serde_json::from_str(&rest[from..end]).unwrap_or_default();
        out.push_str(&rest[..from]);
        out.push_str(if gone(&text) { "\"\"" } else { &rest[from..end] });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// All that is written in a document: every text, and every key.
///
/// # Errors
/// When a part of it cannot be read, since nobody knows what that says, or when a key stands twice in one object:
/// one program reads the first, another the last.
pub fn texts(json: &str) -> serde_json::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    Texts(&mut found).deserialize(&mut reader)?;
    reader.end()?;
    Ok(found)
}

/// Collects what is written in a value.
struct Texts<'a>(&'a mut Vec<String>);

impl Texts<'_> {
    /// Each text costs many times its bytes, if it is short.
    fn push<E: serde::de::Error>(&mut self, text: String) -> Result<(), E> {
        if self.0.len() >= limits::CARD_WORDS_MAX {
            return Err(E::custom("too many texts and keys"));
        }
        self.0.push(text);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(mut self, text: &str) -> Result<(), E> {
        self.push(text.to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Texts(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            self.push(key.clone())?;
            map.next_value_seed(Texts(self.0))?;
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key “{twice}” stands twice in one object")));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Doc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Doc;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Doc, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if entries.len() >= 10_000 {
                        return Err(A::Error::custom("an object with too many keys"));
                    }
                    entries.push((key, map.next_value::<Box<RawValue>>()?));
                }
                Ok(Doc(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_changed_goes_out_as_it_came_in() {
        let text = r#"{"b":1.0,"a":1e3,"n":100000000000000000000000.10,"u":"é\u00e9","x":{ "z" : [ -0 ] }}"#;
        let mut doc = Doc::read(text).expect("an object");
        assert_eq!(doc.write(), text);
        doc.set_text("a", "new");
        assert_eq!(doc.write(), text.replace("1e3", "\"new\""));
    }

    #[test]
    fn of_a_repeated_key_the_last_counts_and_one_is_left_when_it_is_set() {
        let mut doc = Doc::read(r#"{"a":1,"b":2,"a":3}"#).expect("an object");
        assert_eq!(doc.get("a"), Some("3"));
        doc.set("a", "4");
        assert_eq!(doc.write(), r#"{"a":4,"b":2}"#);
    }

    #[test]
    fn a_text_can_be_left_out_and_the_rest_stays_as_it_was() {
        let json = r#"{"a" : "x\\\"","b":["data:x", 1.0,"\u0064ata:y"],"c":"é \\"}"#;
        let plain = without(json, |text| text.starts_with("data:"));
        assert_eq!(plain, r#"{"a" : "x\\\"","b":["", 1.0,""],"c":"é \\"}"#);
    }

    #[test]
    fn every_text_and_key_is_found_and_what_cannot_be_read_is_told() {
        let found = texts(r#"{"a":["b",{"c d":"e"}],"n":[1,1e3,-2.5,null,true],"":""}"#).expect("JSON");
        assert_eq!(found, ["a", "b", "c d", "e", "n", "", ""]);
        for bad in [r#"{"x":1e999}"#, r#"{"x":"\ud800"}"#, r#"{"x":1,"y":{"a":1,"a":2}}"#, "{} {}"] {
            texts(bad).expect_err(bad);
        }
    }

    #[test]
    fn brackets_in_texts_are_no_depth() {
        assert_eq!(depth(r#"{"a":"[[[\"[[","b":[[]]}"#), 3);
    }
}
