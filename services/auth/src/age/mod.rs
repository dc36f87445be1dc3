//! Whether a person is taken to be an adult: by their own word, by a provider, or not at all, as the
//! rule of their country says.

mod grpc;
mod provider;
mod rules;
mod store;

use async_trait::async_trait;

pub use self::rules::{Rules, is_zone};
use crate::error::{Error, Result};

/// What is known of somebody who wants to be taken for an adult.
#[derive(Debug, Clone)]
pub struct Asked {
    /// They say so.
    pub declared: bool,
    /// What a provider knows this session by; it names nobody.
    pub session: String,
    /// What a provider has handed back; may be empty.
    pub proof: String,
    /// Where a provider sends the browser afterwards.
    pub return_url: String,
}

/// What a rule answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Assured,
    /// There is more to do, at this address.
    Redirect(String),
    NotYet,
}

/// A way to tell adults.
#[async_trait]
pub trait AgeAssurance: Send + Sync {
    /// As the account remembers it.
    fn name(&self) -> &str;

    /// Whether there is any way to be let in.
    fn open(&self) -> bool {
        true
    }

    async fn assure(&self, asked: &Asked) -> Result<Answer>;
}

/// A person's word.
pub struct SelfDeclaration;

#[async_trait]
impl AgeAssurance for SelfDeclaration {
    fn name(&self) -> &'static str {
        "self"
    }

    async fn assure(&self, asked: &Asked) -> Result<Answer> {
        Ok(if asked.declared { Answer::Assured } else { Answer::NotYet })
    }
}

/// A country where the product is not offered.
pub struct Closed;

#[async_trait]
impl AgeAssurance for Closed {
    fn name(&self) -> &'static str {
        "closed"
    }

    fn open(&self) -> bool {
        false
    }

    async fn assure(&self, _: &Asked) -> Result<Answer> {
        Err(Error::CountryClosed)
    }
}
