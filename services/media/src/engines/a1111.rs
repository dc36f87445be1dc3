//! AUTOMATIC1111 and Forge: `POST /sdapi/v1/txt2img` answers when the picture is there; meanwhile
//! `/sdapi/v1/progress` tells how far it is, and `/sdapi/v1/interrupt` ends it.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{
    DrawRequest, Drawing, EngineError, ImageEngine, Poses, Watch,
    http::{self, Server},
    prompts::{self, Voice},
};
use crate::limits;

/// Steps, and how closely the prompt is followed: what the usual models are made for.
const STEPS: u32 = 28;
const CFG: f32 = 6.5;

pub struct A1111 {
    server: Server,
    /// Checkpoint; empty for the one that is loaded.
    model: String,
    poses: Arc<Poses>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    images: Vec<String>,
}

#[derive(Deserialize)]
struct Progress {
    #[serde(default)]
    progress: f32,
    /// What it is drawing; servers before 1.6 do not say.
    #[serde(default)]
    current_task: Option<String>,
}

impl A1111 {
    pub(super) const fn new(server: Server, model: String, poses: Arc<Poses>) -> Self {
        Self { server, model, poses }
    }

    fn body(&self, request: &DrawRequest, task: &str) -> Value {
        let pose = self.poses.find(&request.options.pose);
        let prompt = prompts::write(&request.options, pose, &request.tags, Voice::Tags);
        let (width, height) = request.format.size();
        let mut body = json!({
            "prompt": prompt.positive,
            "negative_prompt": prompt.negative,
            "steps": STEPS,
            "cfg_scale": CFG,
            "width": width,
            "height": height,
            // It keeps seeds in 32 bits.
            "seed": request.seed & u64::from(u32::MAX),
            "batch_size": 1,
            "n_iter": 1,
            "save_images": false,
            "force_task_id": task,
        });
        if !self.model.is_empty() {
            body["override_settings"] = json!({ "sd_model_checkpoint": self.model });
            body["override_settings_restore_afterwards"] = false.into();
        }
        body
    }

    async fn ask(&self, request: &DrawRequest, task: &str) -> Result<Drawing, EngineError> {
        let url = self.server.url("sdapi/v1/txt2img")?;
        let question = self.server.post_patiently(url).json(&self.body(request, task));
        let answer: Answer = http::json(question, http::PICTURE_ANSWER_MAX).await?;
        let first = answer.images.first();
        let first = first.ok_or_else(|| EngineError::Refused("the answer holds no picture".into()))?;
        http::drawing(http::base64(first)?).await
    }

    /// What it is doing, where that is ours.
    async fn progress(&self, task: &str) -> Result<Option<f32>, EngineError> {
        let url = self.server.url("sdapi/v1/progress?skip_current_image=true")?;
        let now: Progress = http::short(self.server.get(url)).await?;
        let ours = now.current_task.as_deref().is_none_or(|current| current.is_empty() || current == task);
        Ok(ours.then_some(now.progress))
    }

    /// Tells how far it is until it is dropped. A server that does not say is no reason to give up.
    async fn follow(&self, task: &str, watch: &Watch) -> EngineError {
        loop {
            sleep(limits::ENGINE_POLL).await;
            if let Ok(Some(progress)) = self.progress(task).await {
                watch.tell(progress);
            }
        }
    }

    /// Ends the drawing, unless the server is busy with another's.
    async fn interrupt(&self, task: &str) -> Result<(), EngineError> {
        if self.progress(task).await?.is_some() {
            http::done(self.server.post(self.server.url("sdapi/v1/interrupt")?)).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl ImageEngine for A1111 {
    fn name(&self) -> &'static str {
        "a1111"
    }

    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        let task = Uuid::new_v4().to_string();
        let ended = tokio::select! {
            drawn = timeout(self.server.total, self.ask(request, &task)) => match drawn {
                Ok(drawn) => return drawn,
                Err(_) => EngineError::Unavailable("no picture in time".into()),
            },
            never = self.follow(&task, watch) => never,
            () = watch.stopped() => EngineError::Stopped,
        };
        if let Err(error) = self.interrupt(&task).await {
            tracing::warn!(%error, "the engine was not interrupted");
        }
        Err(ended)
    }
}
