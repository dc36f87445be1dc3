//! Playbill: an inked bust over a generated stage, lit through a gel. Composed as SVG from data files
//! (`data/playbill/`), drawn with resvg; needs no network and no key.

mod choose;
mod compose;
mod data;
mod figure;
#[cfg(test)]
mod tests;

use async_trait::async_trait;

use super::{DrawRequest, Drawing, EngineError, ImageEngine, Watch};
pub use choose::recipe;
pub use data::{Cloth, Recipe};

/// The engine that is always there.
#[derive(Debug, Default, Clone, Copy)]
pub struct Playbill;

impl Playbill {
    /// Draws on the calling thread, about a tenth of a second of one core.
    ///
    /// # Errors
    /// When `cast` names no recipe.
    pub fn draw_now(request: &DrawRequest) -> Result<Drawing, EngineError> {
        let recipe = match &request.cast {
            Some(key) => data::cast(key)
                .cloned()
                .ok_or_else(|| EngineError::Refused(format!("no recipe is called {key}")))?,
            None => choose::recipe(&request.options, &request.tags, request.seed),
        };
        compose::draw(&recipe, request.format)
    }

    /// Keys of the finished recipes.
    pub fn cast() -> impl Iterator<Item = &'static str> {
        data::data().cast.iter().map(|r| r.id.as_str())
    }
}

#[async_trait]
impl ImageEngine for Playbill {
    fn name(&self) -> &'static str {
        "playbill"
    }

    async fn draw(&self, request: &DrawRequest, _: &Watch) -> Result<Drawing, EngineError> {
        let request = request.clone();
        tokio::task::spawn_blocking(move || Self::draw_now(&request))
            .await
            .map_err(|error| EngineError::Unavailable(error.to_string()))?
    }
}
