//! How many tokens a text is: counted by the model's own tokenizer where that is known, else estimated.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, LazyLock, Mutex},
};

use tiktoken_rs::CoreBPE;

use crate::limits::TOKEN_CHARS;

/// Texts whose count is remembered; at more, all are counted anew.
const REMEMBERED: usize = 50_000;
/// Bytes that are counted in one go: the tokenizer takes more than linear time for one long word.
const CHUNK: usize = 8 * 1024;

/// Which tokenizer a model reads with; `models.toml` says of which models it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// `o200k_base`
    O200k,
    /// `cl100k_base`
    Cl100k,
    /// Nobody knows: tokens are estimated.
    #[default]
    #[serde(skip)]
    Unknown,
}

/// Counts tokens.
pub trait Count: Send + Sync + 'static {
    /// Tokens of a text by itself.
    fn count(&self, text: &str) -> usize;
    /// False for an estimate.
    fn exact(&self) -> bool;
    /// Characters that a token stands for at most, on the average of a whole prompt.
    fn widest(&self) -> u32 {
        TOKEN_CHARS
    }
    /// Whether counting the text again costs next to nothing.
    fn knows(&self, text: &str) -> bool;
}

/// Four ASCII characters a token, which is a little high for English, and each other one a token: so it is for most
/// of Chinese, Japanese and Korean, and little else is made of them.
struct Estimate;

/// ASCII characters of a token in the estimate.
const ESTIMATED_CHARS: u32 = 4;

impl Count for Estimate {
    fn count(&self, text: &str) -> usize {
        let plain = text.bytes().filter(u8::is_ascii).count();
        let wide = text.chars().count() - plain;
        plain.div_ceil(ESTIMATED_CHARS as usize) + wide
    }

    fn widest(&self) -> u32 {
        ESTIMATED_CHARS
    }

    fn exact(&self) -> bool {
        false
    }

    fn knows(&self, _: &str) -> bool {
        true
    }
}

/// A tokenizer that remembers what it has counted: most of a prompt is what was in the one before.
struct Counted {
    bpe: fn() -> &'static CoreBPE,
    hasher: RandomState,
    /// By hash and length of the text.
    known: Mutex<HashMap<(u64, usize), usize>>,
}

impl Counted {
    fn new(bpe: fn() -> &'static CoreBPE) -> Self {
        Self { bpe, hasher: RandomState::new(), known: Mutex::default() }
    }

    fn key(&self, text: &str) -> (u64, usize) {
        (self.hasher.hash_one(text), text.len())
    }
}

impl Count for Counted {
    fn count(&self, text: &str) -> usize {
        let key = self.key(text);
        if let Some(count) = self.known.lock().expect("no holder panics").get(&key) {
            return *count;
        }
        let bpe = (self.bpe)();
        let (mut count, mut rest) = (0, text);
        while !rest.is_empty() {
            let (chunk, more) = rest.split_at(chunk_end(rest));
            count += bpe.encode_ordinary(chunk).len();
            rest = more;
        }
        let mut known = self.known.lock().expect("no holder panics");
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, count);
        count
    }

    fn exact(&self) -> bool {
        true
    }

    fn knows(&self, text: &str) -> bool {
        self.known.lock().expect("no holder panics").contains_key(&self.key(text))
    }
}

/// At most [`CHUNK`] bytes, up to a blank where there is one.
fn chunk_end(text: &str) -> usize {
    if text.len() <= CHUNK {
        return text.len();
    }
    let end = text.floor_char_boundary(CHUNK);
    text[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end)
}

fn o200k() -> &'static CoreBPE {
    static BPE: LazyLock<CoreBPE> =
        LazyLock::new(|| tiktoken_rs::o200k_base().expect("its data is built in"));
    &BPE
}

fn cl100k() -> &'static CoreBPE {
    static BPE: LazyLock<CoreBPE> =
        LazyLock::new(|| tiktoken_rs::cl100k_base().expect("its data is built in"));
    &BPE
}

/// The counter of a tokenizer; the same one whenever it is asked for. Its data is loaded at the first text,
/// which takes a moment.
#[must_use]
pub fn counter(tokenizer: Tokenizer) -> Arc<dyn Count> {
    static O200K: LazyLock<Arc<Counted>> = LazyLock::new(|| Arc::new(Counted::new(o200k)));
    static CL100K: LazyLock<Arc<Counted>> = LazyLock::new(|| Arc::new(Counted::new(cl100k)));
    match tokenizer {
        Tokenizer::O200k => O200K.clone(),
        Tokenizer::Cl100k => CL100K.clone(),
        Tokenizer::Unknown => Arc::new(Estimate),
    }
}

/// Counts texts away from the threads that serve, so that counting them there costs nothing.
pub async fn warm(counter: &Arc<dyn Count>, texts: impl IntoIterator<Item = &str>) {
    let new: Vec<String> = texts.into_iter().filter(|text| !counter.knows(text)).map(str::to_owned).collect();
    if new.is_empty() {
        return;
    }
    let counter = counter.clone();
    let counted = tokio::task::spawn_blocking(move || {
        for text in &new {
            counter.count(text);
        }
    });
    if let Err(error) = counted.await {
        tracing::error!(%error, "tokens could not be counted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_tokenizer_counts_as_the_model_would_and_another_is_an_estimate() {
        let o200k = counter(Tokenizer::O200k);
        assert_eq!((o200k.count("Hello world"), o200k.exact()), (2, true));
        assert!(o200k.knows("Hello world") && !o200k.knows("Not counted yet"));
        assert_eq!(counter(Tokenizer::Cl100k).count("tiktoken is great!"), 6);
        let estimate = counter(Tokenizer::Unknown);
        assert_eq!((estimate.count("Hello world"), estimate.exact()), (3, false));
        assert_eq!(estimate.count("灯台の夜は静かだ"), 8);
        assert_eq!(estimate.count("été"), 3);
    }

    #[test]
    fn one_endless_word_is_counted_in_no_time() {
        let begun = std::time::Instant::now();
        assert!(counter(Tokenizer::O200k).count(&"a".repeat(40_000)) > 1_000);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }
}
