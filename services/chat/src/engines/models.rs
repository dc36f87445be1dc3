//! What is known of servers and models (`models.toml`): what they take, and how much they can read.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

use super::speech::Speech;
use crate::{limits::THOUGHT_TOKENS, sampling::Values, tokens::Tokenizer};

const KNOWN: &str = include_str!("../../models.toml");

/// What a server takes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Parts of an address that give it away.
    #[serde(default)]
    pub guess: Vec<String>,
    /// Stop strings of one request.
    pub stop_max: usize,
    /// What the length of a reply is called there.
    pub max_tokens: String,
    /// Whether usage may be asked for in a stream.
    pub stream_options: bool,
    /// Our parameter, and what it is called there.
    pub takes: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

/// What a model is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Beginning of its name, without the vendor, in lower case.
    pub name: String,
    /// Tokens that it can read and write together.
    pub context: Option<u32>,
    /// Absent: nobody knows, tokens are estimated.
    #[serde(default)]
    pub tokenizer: Tokenizer,
    #[serde(default)]
    pub vision: bool,
    /// It thinks before it speaks.
    #[serde(default)]
    pub reasoning: bool,
    /// Its template opens the thought itself: the reply begins inside of it, only `</think>` is seen.
    #[serde(default)]
    pub opens_thought: bool,
    /// Whether sampling parameters are taken at all.
    #[serde(default = "yes")]
    pub sampling: bool,
    /// Whether it has a system role.
    #[serde(default = "yes")]
    pub system: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    #[serde(default)]
    servers: BTreeMap<String, Server>,
    #[serde(default)]
    models: Vec<Model>,
}

/// A model at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Kind of the server (`ollama`).
    pub kind: String,
    pub server: Server,
    pub model: Model,
}

impl Record {
    /// What a parameter is called there; `None` where it is not taken.
    #[must_use]
    pub fn wire(&self, parameter: &str) -> Option<&str> {
        let taken = self.server.takes.get(parameter).map(String::as_str);
        taken.filter(|_| self.model.sampling)
    }

    /// What the length of a reply of so many tokens is set to: what a model thinks counts as well.
    #[must_use]
    pub fn length(&self, reply: u32) -> u32 {
        if self.model.reasoning { reply.saturating_add(THOUGHT_TOKENS) } else { reply }
    }

    /// Listens to one reply.
    #[must_use]
    pub fn speech(&self) -> Speech {
        if self.model.opens_thought { Speech::within_a_thought() } else { Speech::default() }
    }

    /// What of `values` is taken, by the names that the server knows; the length of a reply apart.
    pub fn sampling(&self, values: &Values) -> impl Iterator<Item = (String, Value)> {
        let taken = self.server.takes.iter().filter(|_| self.model.sampling);
        taken.filter_map(|(parameter, name)| Some((name.clone(), values.json(parameter)?)))
    }

    /// All that is known, for a server at `base`: of the kind that is named, or that the address gives away.
    ///
    /// # Errors
    /// When the kind is not known, or the operator's file cannot be read.
    pub fn find(kind: &str, base: &str, model: &str, file: Option<&Path>) -> anyhow::Result<Self> {
        let mut book = read(KNOWN).context("models.toml")?;
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("LLM_MODELS_FILE: {} cannot be read", path.display()))?;
            let over = read(&text).with_context(|| format!("LLM_MODELS_FILE: {}", path.display()))?;
            book.servers.extend(over.servers);
            book.models.splice(0..0, over.models);
        }
        let kind = match kind.trim() {
            "" => guess(&book, base),
            kind => kind.to_ascii_lowercase(),
        };
        let kinds = || book.servers.keys().cloned().collect::<Vec<_>>().join(", ");
        let server = book.servers.get(&kind);
        let server = server.with_context(|| format!("LLM_PROVIDER: {kind} is none of {}", kinds()))?.clone();
        let known = {
            let plain = model.to_ascii_lowercase();
            let plain = plain.rsplit('/').next().unwrap_or_default();
            book.models.into_iter().find(|known| plain.starts_with(&known.name))
        };
        let model = known.unwrap_or_else(|| Model {
            name: model.to_owned(),
            context: None,
            tokenizer: Tokenizer::Unknown,
            vision: false,
            reasoning: false,
            opens_thought: false,
            sampling: true,
            system: true,
        });
        Ok(Self { kind, server, model })
    }
}

fn read(text: &str) -> anyhow::Result<Book> {
    toml::from_str(text).map_err(|error| anyhow::anyhow!("{}", error.message()))
}

fn guess(book: &Book, base: &str) -> String {
    let base = base.to_ascii_lowercase();
    let fits = |server: &Server| server.guess.iter().any(|part| base.contains(part));
    let found = book.servers.iter().find(|(_, server)| fits(server));
    found.map_or_else(|| "generic".to_owned(), |(kind, _)| kind.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(kind: &str, base: &str, model: &str) -> Record {
        Record::find(kind, base, model, None).expect("known")
    }

    #[test]
    fn a_server_is_known_by_its_address_unless_it_is_named() {
        for (base, kind) in [
            ("http://127.0.0.1:11434/v1", "ollama"),
            ("https://openrouter.ai/api/v1", "openrouter"),
            ("https://api.openai.com/v1", "openai"),
            ("http://gpu-3:5001/v1", "koboldcpp"),
            ("http://vllm.models.svc:8000/v1", "vllm"),
            ("http://10.0.0.7:8080/v1", "generic"),
        ] {
            assert_eq!(find("", base, "m").kind, kind, "{base}");
        }
        assert_eq!(find("llamacpp", "http://10.0.0.7:8080/v1", "m").kind, "llamacpp");
        let wrong = Record::find("chatgpt", "http://x", "m", None).expect_err("refused").to_string();
        assert!(wrong.contains("LLM_PROVIDER") && wrong.contains("koboldcpp"), "{wrong}");
    }

    #[test]
    fn only_what_is_taken_has_a_name() {
        let openai = find("openai", "", "gpt-4o-mini");
        assert_eq!((openai.wire("min_p"), openai.wire("top_p")), (None, Some("top_p")));
        assert_eq!(openai.model.tokenizer, Tokenizer::O200k);
        assert_eq!(find("llamacpp", "", "x").wire("repetition_penalty"), Some("repeat_penalty"));
        let thinks = find("openai", "", "gpt-5-mini");
        assert_eq!((thinks.wire("temperature"), thinks.model.reasoning), (None, true));
        assert_eq!(
            (thinks.length(400), openai.length(400)),
            (400 + THOUGHT_TOKENS, 400),
            "room for thoughts"
        );
        assert!(!find("", "", "google/gemma-2-9b-it").model.system);
    }

    #[test]
    fn an_operators_file_goes_before_ours() {
        let path = std::env::temp_dir().join(format!("models-{}.toml", uuid::Uuid::now_v7()));
        let text = "[servers.mine]\nguess=[\"my-box\"]\nstop_max=2\nmax_tokens=\"n\"\nstream_options=false\n\
            takes={temperature=\"heat\"}\n[[models]]\nname=\"gpt-4o\"\ncontext=77\n";
        std::fs::write(&path, text).expect("written");
        let record = Record::find("", "http://my-box/v1", "gpt-4o", Some(&path)).expect("known");
        assert_eq!((record.kind.as_str(), record.wire("temperature")), ("mine", Some("heat")));
        assert_eq!(record.model.context, Some(77));
        std::fs::write(&path, "servers = 3").expect("written");
        let wrong = Record::find("", "", "m", Some(&path)).expect_err("refused");
        assert!(format!("{wrong:#}").contains("LLM_MODELS_FILE"), "{wrong:#}");
        std::fs::remove_file(&path).expect("removed");
    }
}
