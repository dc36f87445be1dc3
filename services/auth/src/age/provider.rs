//! A provider over HTTP: told a session that names nobody, it answers where to send the browser or,
//! with the proof that the browser brings back, that an adult was there.

use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use kit::{config::Secret, error::Failure};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{AgeAssurance, Answer, Asked, rules::trusted};
use crate::error::{Error, Result};

/// How long a provider may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of its answer.
const ANSWER_MAX: usize = 64 * 1024;

/// A provider at an address.
pub struct Provider {
    url: Url,
    secret: Secret,
    client: reqwest::Client,
}

#[derive(Serialize)]
struct Question<'a> {
    session: &'a str,
    return_url: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    proof: &'a str,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reply {
    assured: bool,
    redirect: String,
}

impl Provider {
    pub fn new(url: Url, secret: Secret) -> anyhow::Result<Self> {
        let client = kit::outbound::client(PATIENCE).context("AGE_RULES: the client of the provider")?;
        Ok(Self { url, secret, client })
    }

    async fn ask(&self, asked: &Asked) -> anyhow::Result<Reply> {
        let question =
            Question { session: &asked.session, return_url: &asked.return_url, proof: &asked.proof };
        let request = self.client.post(self.url.clone()).bearer_auth(self.secret.expose()).json(&question);
        let answer = request.send().await?.error_for_status()?;
        Ok(serde_json::from_slice(&kit::outbound::read(answer, ANSWER_MAX).await?)?)
    }
}

#[async_trait]
impl AgeAssurance for Provider {
    fn name(&self) -> &str {
        self.url.as_str()
    }

    async fn assure(&self, asked: &Asked) -> Result<Answer> {
        let reply = self.ask(asked).await.map_err(|error| {
            tracing::warn!(%error, provider = %self.url, "the age provider did not answer");
            Error::Refused(Failure::unavailable("the age provider"))
        })?;
        // Only a proof can assure: a first answer that says so would let anybody in.
        if reply.assured && !asked.proof.is_empty() {
            return Ok(Answer::Assured);
        }
        match Url::parse(&reply.redirect) {
            Ok(url) if trusted(&url) => Ok(Answer::Redirect(url.into())),
            _ => Ok(Answer::NotYet),
        }
    }
}
