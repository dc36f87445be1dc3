//! A classifier beside the rules, behind OpenAI's `/v1/moderations` or anything that speaks it.
//!
//! It adds to the rules and never takes away: a text passes when both let it pass. It fails closed: whoever
//! publishes or shows a picture treats [`Unavailable`] as "not yet".

use std::{collections::HashMap, sync::LazyLock, time::Duration};

use base64::Engine as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;

use crate::{Place, Rule, Verdict};

/// Bytes of an answer that are read at most; a real one has some 2,000.
const ANSWER_MAX: usize = 256 * 1024;

/// Where the classifier is; without an address there is none.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(id = "classifier")]
pub struct Settings {
    /// Server that speaks OpenAI's `/v1/moderations`, without that path; absent: the rules stand alone.
    #[arg(long, env = "MODERATION_BASE_URL")]
    pub moderation_base_url: Option<String>,
    #[arg(long, env = "MODERATION_API_KEY", hide_env_values = true)]
    pub moderation_api_key: Option<SecretString>,
    #[arg(long, env = "MODERATION_MODEL", default_value = "omni-moderation-latest")]
    pub moderation_model: String,
    /// Seconds after which it counts as away.
    #[arg(long, env = "MODERATION_TIMEOUT_S", default_value_t = 5)]
    pub moderation_timeout_s: u64,
}

/// The classifier did not say anything that could be relied on: away, slow, out of credit, malformed.
#[derive(Debug, Error)]
#[error("the classifier is unavailable: {0}")]
pub struct Unavailable(String);

/// The settings cannot be used.
#[derive(Debug, Error)]
#[error("MODERATION_BASE_URL: {0}")]
pub struct Unusable(String);

/// Asks the classifier. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Classifier {
    http: reqwest::Client,
    url: String,
    key: Option<SecretString>,
    model: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Category {
    name: String,
    rule: String,
    score: Option<f64>,
}

#[derive(Deserialize)]
struct Table {
    category: Vec<Category>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../rules/classifier.toml")).expect("a test reads rules/classifier.toml")
});

#[derive(Deserialize)]
struct Answer {
    results: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    /// A category that the model does not judge for this kind of input may be null.
    categories: HashMap<String, Option<bool>>,
    #[serde(default)]
    category_scores: HashMap<String, Option<f64>>,
}

impl Classifier {
    /// `None` when no address is configured.
    ///
    /// # Errors
    /// When the address is none.
    #[expect(clippy::disallowed_methods, reason = "kit is not known here; the same rules are kept")]
    pub fn new(settings: &Settings) -> Result<Option<Self>, Unusable> {
        let Some(base) = settings.moderation_base_url.as_deref().map(str::trim).filter(|b| !b.is_empty())
        else {
            return Ok(None);
        };
        let base = base.trim_end_matches('/').trim_end_matches("/v1");
        let url = [base, "/v1/moderations"].concat();
        reqwest::Url::parse(&url).map_err(|e| Unusable(e.to_string()))?;
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(settings.moderation_timeout_s.max(1)))
            // Texts go where the operator says, nowhere else.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| Unusable(e.to_string()))?;
        let key = settings.moderation_api_key.clone();
        Ok(Some(Self { http, url, key, model: settings.moderation_model.clone() }))
    }

    /// Judges a text by the rules of the place where it stands.
    ///
    /// # Errors
    /// When the classifier gives no answer in time.
    pub async fn text(&self, text: &str, place: Place) -> Result<Verdict, Unavailable> {
        if text.trim().is_empty() {
            return Ok(Verdict::Allow);
        }
        verdict(&self.ask(json!(text)).await?, Some(place))
    }

    /// Judges a picture (`image/png`, `image/jpeg`, `image/webp`), whose place is before everybody's eyes.
    ///
    /// # Errors
    /// When the classifier gives no answer in time.
    pub async fn image(&self, bytes: impl AsRef<[u8]>, mime: &str) -> Result<Verdict, Unavailable> {
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        let url = ["data:", mime, ";base64,", &data].concat();
        let input = json!([{ "type": "image_url", "image_url": { "url": url } }]);
        verdict(&self.ask(input).await?, None)
    }

    async fn ask(&self, input: serde_json::Value) -> Result<Vec<Judged>, Unavailable> {
        let mut request = self.http.post(&self.url).json(&json!({ "model": self.model, "input": input }));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        // An address may hold a key: errors are told without it.
        let away = |e: reqwest::Error| Unavailable(e.without_url().to_string());
        let mut response = request.send().await.map_err(away)?;
        if !response.status().is_success() {
            return Err(Unavailable(response.status().to_string()));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(away)? {
            body.extend_from_slice(&piece);
            if body.len() > ANSWER_MAX {
                return Err(Unavailable("the answer is too long".to_owned()));
            }
        }
        let answer: Answer = serde_json::from_slice(&body).map_err(|e| Unavailable(e.to_string()))?;
        if answer.results.is_empty() {
            return Err(Unavailable("the answer has no result".to_owned()));
        }
        Ok(answer.results)
    }
}

/// The gravest of what the categories say, and of equals the first of the table; without a place, all rules hold.
fn verdict(results: &[Judged], place: Option<Place>) -> Result<Verdict, Unavailable> {
    // Who knows none of our categories has judged something else.
    let knows = |judged: &Judged| TABLE.category.iter().any(|c| judged.categories.contains_key(&c.name));
    if !results.iter().all(knows) {
        return Err(Unavailable("the answer has no category that is known here".to_owned()));
    }
    let met = TABLE.category.iter().filter(|category| {
        results.iter().any(|judged| {
            let flagged = judged.categories.get(&category.name).copied().flatten().unwrap_or_default();
            let scored = judged.category_scores.get(&category.name).copied().flatten();
            match (category.score, scored) {
                (Some(from), Some(score)) => score >= from,
                _ => flagged,
            }
        })
    });
    let rules = met.filter_map(|category| Rule::named(&category.rule));
    let held = rules.filter(|rule| place.is_none_or(|place| rule.holds_in(place))).map(Rule::verdict);
    Ok(held.fold(Verdict::Allow, |gravest, v| if v.weight() > gravest.weight() { v } else { gravest }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_rules_that_there_are() {
        for category in &TABLE.category {
            assert!(Rule::named(&category.rule).is_some(), "{}", category.rule);
        }
    }

    #[test]
    fn the_first_of_equals_is_one_that_strikes() {
        let first = Rule::named(&TABLE.category[0].rule).expect("known");
        assert_eq!((first.as_str(), first.strikes()), ("minor.sexual", true));
    }
}
