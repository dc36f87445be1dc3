//! `ComfyUI`: `POST /prompt` queues a workflow, `/queue` says where it stands, `/history/{id}` what came of it,
//! `/view` is the picture; `/queue` and `/interrupt` end it. Its websocket tells its steps; where that is closed, its
//! queue alone tells how far it is.

mod steps;
mod workflow;

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use self::workflow::{Filling, Workflow};
use super::{
    DrawRequest, Drawing, EngineError, ImageEngine, Poses, Watch,
    http::{self, Server},
    prompts::{self, Voice},
};
use crate::limits;

/// What is told of a workflow that runs, and of one whose picture is there.
const RUNS: f32 = 0.1;
const DRAWN: f32 = 0.9;
/// It is neither queued nor done for so many looks: the server has forgotten it.
const LOST: u32 = 6;

pub struct Comfy {
    server: Server,
    workflow: Workflow,
    model: String,
    poses: Arc<Poses>,
}

#[derive(Deserialize)]
struct Queued {
    prompt_id: String,
}

/// Each entry is a list: number, id, graph, …
#[derive(Deserialize)]
struct Queue {
    #[serde(default)]
    queue_running: Vec<Vec<Value>>,
    #[serde(default)]
    queue_pending: Vec<Vec<Value>>,
}

#[derive(Deserialize)]
struct Done {
    #[serde(default)]
    outputs: Map<String, Value>,
    status: Option<Status>,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    status_str: String,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    #[serde(default)]
    subfolder: String,
    #[serde(default, rename = "type")]
    kind: String,
}

/// Where a workflow stands in the queue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Waits,
    Runs,
    Nowhere,
}

impl Comfy {
    pub(super) fn new(
        server: Server,
        model: String,
        workflow: Option<&Path>,
        poses: Arc<Poses>,
    ) -> anyhow::Result<Self> {
        let workflow = Workflow::open(workflow)?;
        let missing = workflow.wants_model() && model.is_empty();
        anyhow::ensure!(!missing, "IMAGE_MODEL is empty, and the workflow asks for %model%");
        Ok(Self { server, workflow, model, poses })
    }

    /// Under the name of this client its websocket tells of the workflow.
    async fn queue(&self, request: &DrawRequest, client: &str) -> Result<String, EngineError> {
        let pose = self.poses.find(&request.options.pose);
        let prompt = prompts::write(&request.options, pose, &request.tags, Voice::Tags);
        let (width, height) = request.format.size();
        let graph = self.workflow.filled(&Filling {
            prompt: &prompt.positive,
            negative: &prompt.negative,
            model: &self.model,
            seed: request.seed,
            width,
            height,
        });
        let body = json!({ "prompt": graph, "client_id": client });
        let queued: Queued = http::short(self.server.post(self.server.url("prompt")?).json(&body)).await?;
        // It becomes part of addresses.
        let plain = queued.prompt_id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if plain { Ok(queued.prompt_id) } else { Err(EngineError::Refused("its id is none".into())) }
    }

    async fn place(&self, id: &str) -> Result<Place, EngineError> {
        let queue: Queue =
            http::json(self.server.get(self.server.url("queue")?), http::PICTURE_ANSWER_MAX).await?;
        let holds = |list: &[Vec<Value>]| {
            list.iter().any(|entry| entry.get(1).and_then(Value::as_str).is_some_and(|e| e == id))
        };
        Ok(match () {
            () if holds(&queue.queue_running) => Place::Runs,
            () if holds(&queue.queue_pending) => Place::Waits,
            () => Place::Nowhere,
        })
    }

    async fn history(&self, id: &str) -> Result<Option<Done>, EngineError> {
        let url = self.server.url(&["history/", id].concat())?;
        let mut history: Map<String, Value> =
            http::json(self.server.get(url), http::PICTURE_ANSWER_MAX).await?;
        let Some(done) = history.remove(id) else { return Ok(None) };
        serde_json::from_value(done).map(Some).map_err(|e| EngineError::Refused(e.to_string()))
    }

    /// Waits until the workflow has ended. What cannot be asked once is asked again.
    async fn follow(&self, id: &str, watch: &Watch) -> Result<Done, EngineError> {
        let mut unseen = 0;
        loop {
            sleep(limits::ENGINE_POLL).await;
            // The place first: what leaves the queue in between is in the history by then.
            let place = self.place(id).await;
            if let Ok(Some(done)) = self.history(id).await {
                return Ok(done);
            }
            match place {
                Ok(Place::Runs) => watch.tell(RUNS),
                Ok(Place::Waits) => {}
                Ok(Place::Nowhere) | Err(_) => {
                    unseen += 1;
                    if unseen > LOST {
                        return Err(EngineError::Unavailable("the server has lost it".into()));
                    }
                    continue;
                }
            }
            unseen = 0;
        }
    }

    async fn picture(&self, done: Done) -> Result<Drawing, EngineError> {
        if done.status.is_some_and(|s| s.status_str == "error") {
            return Err(EngineError::Refused("the workflow failed; its server says why".into()));
        }
        let file = done.outputs.into_iter().find_map(|(_, output)| {
            let images = output.get("images")?.as_array()?.clone();
            // Previews are "temp".
            images
                .into_iter()
                .filter_map(|image| serde_json::from_value::<File>(image).ok())
                .find(|file| file.kind != "temp")
        });
        let file = file.ok_or_else(|| EngineError::Refused("the workflow saves no picture".into()))?;
        let mut url = self.server.url("view")?;
        url.query_pairs_mut()
            .append_pair("filename", &file.filename)
            .append_pair("subfolder", &file.subfolder)
            .append_pair("type", &file.kind);
        http::drawing(http::body(self.server.get(url), limits::UPLOAD_BYTES).await?).await
    }

    async fn ask(&self, id: &str, watch: &Watch) -> Result<Drawing, EngineError> {
        let done = self.follow(id, watch).await?;
        watch.tell(DRAWN);
        self.picture(done).await
    }

    /// Takes it out of the queue; interrupts what runs only while that is ours.
    async fn interrupt(&self, id: &str) -> Result<(), EngineError> {
        match self.place(id).await? {
            Place::Nowhere => Ok(()),
            Place::Waits => {
                http::done(self.server.post(self.server.url("queue")?).json(&json!({ "delete": [id] }))).await
            }
            Place::Runs => {
                let body = json!({ "prompt_id": id });
                http::done(self.server.post(self.server.url("interrupt")?).json(&body)).await
            }
        }
    }

    /// Nobody wants it any more.
    async fn end(&self, id: &str) {
        if let Err(error) = self.interrupt(id).await {
            tracing::warn!(%error, "the engine was not interrupted");
        }
    }
}

#[async_trait]
impl ImageEngine for Comfy {
    fn name(&self) -> &'static str {
        "comfy"
    }

    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        if watch.is_stopped() {
            return Err(EngineError::Stopped);
        }
        let client = Uuid::new_v4().to_string();
        // Before it is queued, so that no step is missed.
        let socket = tokio::select! {
            socket = steps::listen(&self.server, &client) => socket,
            () = watch.stopped() => return Err(EngineError::Stopped),
        };
        let mut queue = std::pin::pin!(self.queue(request, &client));
        let id = tokio::select! {
            id = &mut queue => id?,
            () = watch.stopped() => {
                // It may be queued by now: only the answer tells under which name it can be ended.
                if let Ok(Ok(id)) = timeout(limits::ENGINE_FAREWELL, queue).await {
                    self.end(&id).await;
                }
                return Err(EngineError::Stopped);
            }
        };
        let ended = tokio::select! {
            drawn = timeout(self.server.total, self.ask(&id, watch)) => match drawn {
                Ok(drawn) => return drawn,
                Err(_) => EngineError::Unavailable("no picture in time".into()),
            },
            never = steps::follow(socket, &id, |share| watch.tell(RUNS + (DRAWN - RUNS) * share)) => match never {},
            () = watch.stopped() => EngineError::Stopped,
        };
        self.end(&id).await;
        Err(ended)
    }
}
