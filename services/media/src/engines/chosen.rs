//! Which engine draws, by configuration.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::Context as _;
use kit::config::Secret;

use super::{
    ImageEngine, Playbill, PoseSettings, Poses,
    a1111::A1111,
    comfy::Comfy,
    http::Server,
    openai::{self, OpenAi},
};

/// The engines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Our own; needs no server and no key.
    #[default]
    Playbill,
    /// OpenAI's images, or what speaks the same.
    Openai,
    /// AUTOMATIC1111 or Forge.
    A1111,
    /// ComfyUI.
    Comfy,
}

impl Kind {
    /// As people read it; the engine's own name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Playbill => "playbill",
            Self::Openai => "openai",
            Self::A1111 => "a1111",
            Self::Comfy => "comfy",
        }
    }
}

/// What draws, and where it is.
#[derive(Debug, Clone, clap::Args)]
#[group(id = "image-engine")]
pub struct Settings {
    /// What draws the pictures.
    #[arg(long, env = "IMAGE_ENGINE", value_enum, default_value_t = Kind::Playbill)]
    pub image_engine: Kind,
    /// Its server, such as <http://127.0.0.1:7860>; for `openai` without the `/v1`.
    #[arg(long, env = "IMAGE_BASE_URL")]
    pub image_base_url: Option<String>,
    /// Its key; "name:password" where the server wants these.
    #[arg(long, env = "IMAGE_API_KEY", hide_env_values = true)]
    pub image_api_key: Option<Secret>,
    /// Model, or checkpoint; empty for the one that the server has loaded.
    #[arg(long, env = "IMAGE_MODEL")]
    pub image_model: Option<String>,
    /// Seconds for one picture, from the question to the last byte.
    #[arg(long, env = "IMAGE_TIMEOUT_S", default_value_t = 180)]
    pub image_timeout_s: u64,
    /// `comfy`: the workflow in API format, with its places; without one that which is shipped.
    #[arg(long, env = "IMAGE_WORKFLOW_FILE")]
    pub image_workflow_file: Option<PathBuf>,
    #[command(flatten)]
    pub poses: PoseSettings,
}

impl Settings {
    /// Our own engine, as without any configuration.
    #[must_use]
    pub fn playbill() -> Self {
        Self {
            image_engine: Kind::Playbill,
            image_base_url: None,
            image_api_key: None,
            image_model: None,
            image_timeout_s: 180,
            image_workflow_file: None,
            poses: PoseSettings::default(),
        }
    }

    /// # Errors
    /// What is wrong, and with which key.
    pub fn open(&self) -> anyhow::Result<Arc<dyn ImageEngine>> {
        let poses = Arc::new(Poses::open(&self.poses)?);
        let model = self.image_model.clone().unwrap_or_default();
        Ok(match self.image_engine {
            Kind::Playbill => Arc::new(Playbill),
            Kind::Openai => {
                let model = if model.is_empty() { openai::MODEL.to_owned() } else { model };
                Arc::new(OpenAi::new(self.server(Some("https://api.openai.com"))?, model, poses))
            }
            Kind::A1111 => Arc::new(A1111::new(self.server(None)?, model, poses)),
            Kind::Comfy => {
                let workflow = self.image_workflow_file.as_deref();
                Arc::new(Comfy::new(self.server(None)?, model, workflow, poses)?)
            }
        })
    }

    fn server(&self, usual: Option<&str>) -> anyhow::Result<Server> {
        anyhow::ensure!(self.image_timeout_s > 0, "IMAGE_TIMEOUT_S is 0: nothing could be drawn");
        let configured = self.image_base_url.as_deref().map(str::trim).filter(|b| !b.is_empty());
        let base = configured.or(usual).context("IMAGE_BASE_URL is empty: where is the engine?")?;
        let base = base.trim_end_matches('/').trim_end_matches("/v1");
        Server::new(base, self.image_api_key.clone(), Duration::from_secs(self.image_timeout_s))
    }
}
