//! Every key of the environment that media reads, with its default.

use std::path::PathBuf;

use kit::{
    config::{Common, Secret},
    db::Target,
};

use crate::engines;

/// Shortest signing key, in bytes.
const KEY_MIN: usize = 16;

/// `media-api serve`
#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: Target,
    #[command(flatten)]
    pub files: Files,
    /// Key of the signatures that open private pictures, at least 16 bytes. All replicas share it.
    #[arg(long, env = "MEDIA_SIGNING_KEY", hide_env_values = true)]
    pub signing_key: Secret,
    /// `billing`, over gRPC: entitlements and coins.
    #[arg(long, env = "BILLING_GRPC_URL", default_value = "http://127.0.0.1:7105")]
    pub billing_grpc_url: String,
    /// Uploads that are decoded at a time; each may take 256 MiB.
    #[arg(long, env = "UPLOAD_CONCURRENCY", default_value_t = 2)]
    pub upload_concurrency: usize,
    /// What the workers draw with, as the form tells it.
    #[arg(long, env = "IMAGE_ENGINE", value_enum, default_value_t = engines::Kind::Playbill)]
    pub image_engine: engines::Kind,
    #[command(flatten)]
    pub poses: engines::PoseSettings,
    #[command(flatten)]
    pub moderation: moderation::classifier::Settings,
}

impl Config {
    /// # Errors
    /// What is wrong, and with which key.
    pub fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.signing_key.expose().len() >= KEY_MIN,
            "MEDIA_SIGNING_KEY is shorter than {KEY_MIN} bytes"
        );
        anyhow::ensure!(self.upload_concurrency > 0, "UPLOAD_CONCURRENCY is 0: nothing could be uploaded");
        Ok(())
    }
}

/// `media-worker serve`
#[derive(Debug, Clone, clap::Args)]
pub struct WorkerConfig {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: Target,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub moderation: moderation::classifier::Settings,
    #[command(flatten)]
    pub engine: engines::Settings,
    /// Pictures drawn at a time.
    #[arg(long, env = "DRAW_CONCURRENCY", default_value_t = 1)]
    pub draw_concurrency: u16,
    /// Seconds after which a picture whose worker went silent is taken up by another. Renewed while it
    /// is drawn.
    #[arg(long, env = "JOB_LEASE_S", default_value_t = 30)]
    pub job_lease_s: u32,
    /// Milliseconds before the second attempt; doubled for each further one.
    #[arg(long, env = "JOB_RETRY_MS", default_value_t = 2_000)]
    pub job_retry_ms: u32,
}

/// `media-api seed`
#[derive(Debug, Clone, clap::Args)]
pub struct SeedConfig {
    #[command(flatten)]
    pub database: Target,
    #[command(flatten)]
    pub files: Files,
    /// Folder of the seeds: its `characters/*.toml` say what portraits there are.
    #[arg(long)]
    pub seeds: PathBuf,
}

/// `media-api fill`
#[derive(Debug, Clone, clap::Args)]
pub struct FillConfig {
    #[command(flatten)]
    pub database: Target,
    #[command(flatten)]
    pub files: Files,
    /// Whose gallery it is.
    #[arg(long)]
    pub user: uuid::Uuid,
    /// Pictures that it has then, at least.
    #[arg(long)]
    pub images: u32,
}

/// `media-api hash`
#[derive(Debug, Clone, clap::Args)]
pub struct HashConfig {
    #[command(flatten)]
    pub database: Target,
    #[command(flatten)]
    pub files: Files,
}

/// `media-api requeue`
#[derive(Debug, Clone, clap::Args)]
pub struct RequeueConfig {
    #[command(flatten)]
    pub database: Target,
}

/// Where pictures are kept.
#[derive(Debug, Clone, clap::Args)]
pub struct Files {
    /// Folder of the pictures; made when it is missing. `media-api` and `media-worker` share it.
    #[arg(long, env = "MEDIA_DIR", default_value = ".run/media")]
    pub media_dir: PathBuf,
}
