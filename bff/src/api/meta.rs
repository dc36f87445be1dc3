//! What the page needs to know of the house.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use axum::{Json, extract::State as Shared};
use proto::chat::v1::GetEngineRequest;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{State, errors::Answer, limits::UPLOAD_BYTES};

/// Between two questions to `chat`.
const FRESH: Duration = Duration::from_secs(30);

/// Lengths and counts that forms tell people in advance; the services enforce them.
const LIMITS: &[(&str, u64)] = &[
    ("ageMin", 18),
    ("codeChars", 6),
    ("freeChatMessages", 20),
    ("pageSize", 20),
    ("passwordMaxChars", 128),
    ("passwordMinChars", 8),
    ("personasMax", 50),
    ("ratingMax", 5),
    ("tagsMax", 5),
    ("uploadBytes", UPLOAD_BYTES as u64),
];

#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TextEngine {
    name: String,
    /// True for the engine that is built in.
    offline: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ImageEngine {
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Engines {
    text: TextEngine,
    image: ImageEngine,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Meta {
    engines: Engines,
    limits: BTreeMap<String, u64>,
    /// Development: the mailbox page is there.
    dev: bool,
}

/// The engine as it was named last, and when.
#[derive(Default)]
pub struct EngineMemory(Mutex<Option<(TextEngine, Instant)>>);

impl EngineMemory {
    fn known(&self) -> Option<(TextEngine, Instant)> {
        self.0.lock().expect("no holder panics").clone()
    }

    fn keep(&self, engine: &TextEngine) {
        *self.0.lock().expect("no holder panics") = Some((engine.clone(), Instant::now()));
    }
}

/// Asked at most every [`FRESH`]; what was known serves while `chat` is away, and no name when nothing was.
async fn text_engine(app: &State) -> TextEngine {
    let known = app.engine.known();
    if let Some((engine, at)) = &known
        && at.elapsed() < FRESH
    {
        return engine.clone();
    }
    match app.clients.generations().get_engine(GetEngineRequest {}).await {
        Ok(answer) => {
            let answer = answer.into_inner();
            let engine = TextEngine { name: answer.name, offline: answer.offline };
            app.engine.keep(&engine);
            engine
        }
        Err(status) => {
            tracing::warn!(code = ?status.code(), "the text engine is not known");
            let nobody = TextEngine { name: String::new(), offline: false };
            known.map_or(nobody, |(engine, _)| engine)
        }
    }
}

/// Engines, limits, and whether this is development.
#[utoipa::path(get, path = "/meta", tag = "meta", responses((status = 200, body = Meta)))]
pub async fn show(Shared(app): Shared<State>) -> Answer<Json<Meta>> {
    let text = text_engine(&app).await;
    let image = ImageEngine { name: app.config.image_engine.clone() };
    Ok(Json(Meta {
        engines: Engines { text, image },
        limits: LIMITS.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        dev: app.config.common.dev,
    }))
}
