//! Vectors of texts from a server that speaks OpenAI's `/v1/embeddings`. They say how close a memory is to what
//! was said last also where no word is the same. Nothing depends on them: where there are none, words are compared.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::Context as _;
use kit::config::Secret;
use reqwest::{Client, Url};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;
use tokio::time::Instant;

use crate::{
    config::EmbeddingsConfig,
    limits::{EMBEDDING_BYTES, EMBEDDING_MAX, EMBEDDING_PAUSE, NEAR_FROM},
};

/// No vectors were given: away, slow, refused, malformed. Callers go on without.
#[derive(Debug, Error)]
#[error("the embeddings are unavailable: {0}")]
pub struct Away(String);

/// Asks for vectors. Cheap to clone.
#[derive(Clone)]
pub struct Embedder {
    client: Client,
    url: Url,
    key: Secret,
    model: String,
    /// After a failure nobody waits for it again until then.
    away_until: Arc<Mutex<Option<Instant>>>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Given>,
}

#[derive(Deserialize)]
struct Given {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// `None` when no address is configured.
    ///
    /// # Errors
    /// One sentence that names the variable.
    pub fn new(config: &EmbeddingsConfig) -> anyhow::Result<Option<Self>> {
        let base = config.embeddings_base_url.trim().trim_end_matches('/').trim_end_matches("/v1");
        if base.is_empty() {
            return Ok(None);
        }
        let url = Url::parse(&[base, "/v1/embeddings"].concat())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .context("EMBEDDINGS_BASE_URL must be an http(s) address, such as http://127.0.0.1:11434")?;
        let model = config.embeddings_model.trim().to_owned();
        anyhow::ensure!(!model.is_empty(), "EMBEDDINGS_MODEL must name the model of EMBEDDINGS_BASE_URL");
        let timeout = Duration::try_from_secs_f64(config.embeddings_timeout_s)
            .ok()
            .filter(|timeout| !timeout.is_zero())
            .context("EMBEDDINGS_TIMEOUT_S must be more than 0")?;
        let client = kit::outbound::client(timeout).context("the HTTP client cannot be made")?;
        let key = config.embeddings_api_key.clone();
        Ok(Some(Self { client, url, key, model, away_until: Arc::default() }))
    }

    /// Vectors of different models cannot be compared.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// A vector for each text, all of one length.
    ///
    /// # Errors
    /// When there are none in time, or there were none a moment ago.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Away> {
        if self.away_until().is_some_and(|until| Instant::now() < until) {
            return Err(Away("it was away a moment ago".to_owned()));
        }
        let given = self.ask(texts).await;
        let until = given.is_err().then(|| Instant::now() + EMBEDDING_PAUSE);
        *self.away_until.lock().expect("no holder panics") = until;
        let end = if given.is_ok() { "given" } else { "away" };
        metrics::counter!("chat_embeddings_total", "end" => end).increment(1);
        given
    }

    fn away_until(&self) -> Option<Instant> {
        *self.away_until.lock().expect("no holder panics")
    }

    async fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Away> {
        // An address may hold a key: errors are told without it.
        let away = |error: reqwest::Error| Away(error.without_url().to_string());
        let mut request =
            self.client.post(self.url.clone()).json(&json!({ "model": self.model, "input": texts }));
        if !self.key.expose().is_empty() {
            request = request.bearer_auth(self.key.expose());
        }
        let response = request.send().await.map_err(away)?;
        if !response.status().is_success() {
            return Err(Away(response.status().to_string()));
        }
        let body = kit::outbound::read(response, EMBEDDING_BYTES)
            .await
            .map_err(|unread| Away(unread.to_string()))?;
        let mut answer: Answer = serde_json::from_slice(&body).map_err(|e| Away(e.to_string()))?;
        answer.data.sort_by_key(|given| given.index);
        let length = answer.data.first().map_or(0, |given| given.embedding.len());
        let whole = answer.data.len() == texts.len()
            && (1..=EMBEDDING_MAX).contains(&length)
            && answer.data.iter().enumerate().all(|(at, given)| {
                given.index == at
                    && given.embedding.len() == length
                    && given.embedding.iter().all(|n| n.is_finite())
            });
        if !whole {
            return Err(Away("the answer is not a vector for each text".to_owned()));
        }
        Ok(answer.data.into_iter().map(|given| given.embedding).collect())
    }
}

/// How close two vectors are, from 0 to 1; most of what has nothing to do with each other is 0. `None` for those
/// that cannot be compared.
pub fn nearness(a: &[f32], b: &[f32]) -> Option<f32> {
    if a.len() != b.len() {
        return None;
    }
    let (mut dot, mut aa, mut bb) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in a.iter().zip(b).map(|(a, b)| (f64::from(*a), f64::from(*b))) {
        dot += a * b;
        aa += a * a;
        bb += b * b;
    }
    let cosine = dot / (aa.sqrt() * bb.sqrt());
    #[expect(clippy::cast_possible_truncation, reason = "a number between -1 and 1")]
    let cosine = cosine.is_finite().then_some(cosine as f32)?;
    Some(if cosine < NEAR_FROM { 0.0 } else { cosine.min(1.0) })
}

#[cfg(test)]
mod tests {
    use wiremock::{
        Mock, MockServer, ResponseTemplate,
        matchers::{body_json, header, method, path},
    };

    use super::*;

    fn embedder(base: &str) -> Embedder {
        let config = EmbeddingsConfig {
            embeddings_base_url: base.into(),
            embeddings_model: "near".into(),
            embeddings_api_key: Secret::new("the tests' key"),
            embeddings_timeout_s: 0.5,
        };
        Embedder::new(&config).expect("usable").expect("configured")
    }

    #[test]
    fn vectors_are_near_by_their_direction() {
        assert_eq!(nearness(&[1.0, 0.0], &[5.0, 0.0]), Some(1.0));
        assert!((nearness(&[1.0, 1.0], &[1.0, 0.0]).expect("comparable") - 0.707).abs() < 0.001);
        assert_eq!(nearness(&[1.0, 0.0], &[0.0, 1.0]), Some(0.0));
        assert_eq!(nearness(&[1.0, 0.0], &[-1.0, 0.0]), Some(0.0));
        assert_eq!(nearness(&[1.0, 0.0], &[0.1, 1.0]), Some(0.0), "hardly near is not near");
        for (a, b) in [(&[1.0][..], &[1.0, 0.0][..]), (&[0.0, 0.0], &[1.0, 0.0]), (&[], &[])] {
            assert_eq!(nearness(a, b), None, "words are compared instead");
        }
    }

    #[tokio::test]
    async fn each_text_has_its_own_vector_however_they_are_ordered() {
        let server = MockServer::start().await;
        let answer = json!({ "data": [
            { "index": 1, "embedding": [0.0, 1.0] }, { "index": 0, "embedding": [1.0, 0.0] },
        ] });
        Mock::given(method("POST"))
            .and(path("/v1/embeddings"))
            .and(header("authorization", "Bearer the tests' key"))
            .and(body_json(json!({ "model": "near", "input": ["a", "b"] })))
            .respond_with(ResponseTemplate::new(200).set_body_json(answer))
            .mount(&server)
            .await;
        for base in [server.uri(), server.uri() + "/v1/"] {
            let given = embedder(&base).embed(&["a", "b"]).await.expect("given");
            assert_eq!(given, [[1.0, 0.0], [0.0, 1.0]]);
        }
    }

    #[tokio::test]
    async fn what_is_no_vector_for_each_text_is_none_and_nobody_waits_for_the_next() {
        let one = json!({ "data": [{ "index": 0, "embedding": [1.0] }] });
        let elsewhere = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(200).set_body_json(&one))
            .expect(0)
            .mount(&elsewhere)
            .await;
        for answer in [
            ResponseTemplate::new(500),
            ResponseTemplate::new(307).insert_header("location", elsewhere.uri().as_str()),
            ResponseTemplate::new(200).set_body_string("{"),
            ResponseTemplate::new(200).set_body_json(json!({ "data": [] })),
            ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "index": 0, "embedding": [] }] })),
            ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "index": 1, "embedding": [1.0] }] })),
            ResponseTemplate::new(200).set_body_string(" ".repeat(EMBEDDING_BYTES + 1)),
            ResponseTemplate::new(200).set_body_json(&one).set_delay(Duration::from_secs(20)),
        ] {
            let server = MockServer::start().await;
            Mock::given(method("POST")).respond_with(answer).expect(1).mount(&server).await;
            let embedder = embedder(&server.uri());
            embedder.embed(&["a"]).await.expect_err("none");
            embedder.embed(&["a"]).await.expect_err("not asked again at once");
        }
    }
}
