//! The engine that is built in: no model, no network. It reads the character from its card (`voice`),
//! works out what was said (`hear`), and composes a turn (`compose`) from the card's own words and a bank
//! of lines (`bank`). The same scene with the same seed gives the same reply.

mod bank;
mod compose;
mod hear;
mod noun;
mod random;
mod sentences;
mod voice;

use std::time::Duration;

use futures::{StreamExt as _, stream};

pub use self::compose::reply;
use super::{Engine, Job, Piece, Pieces};

/// Shown beside what it wrote.
pub const NAME: &str = "improv";

pub struct Improv {
    /// Between two words.
    pace: Duration,
}

impl Improv {
    #[must_use]
    pub fn new(pace: Duration) -> Self {
        Self { pace }
    }
}

impl Engine for Improv {
    fn name(&self) -> &str {
        NAME
    }

    fn takes(&self, _: &str) -> bool {
        false
    }

    fn offline(&self) -> bool {
        true
    }

    fn write(&self, job: Job) -> Pieces {
        let text = reply(&job.scene);
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        let pace = self.pace;
        stream::iter(words)
            .then(move |word| async move {
                if !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
                Ok(Piece::Text(word))
            })
            .boxed()
    }
}

#[cfg(test)]
mod tests;
