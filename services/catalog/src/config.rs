//! What catalog is told by its environment.

use kit::config::Common;

#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: kit::db::Target,
    /// `media`, over gRPC, for portraits.
    #[arg(long, env = "MEDIA_GRPC_URL", default_value = "http://127.0.0.1:7104")]
    pub media_grpc_url: String,
}
