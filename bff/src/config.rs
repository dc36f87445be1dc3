//! Every key of the BFF, with its default and what it does.

use std::{net::SocketAddr, path::PathBuf};

use kit::config::Common;

use crate::limits::Rates;

/// `bff serve --help` prints these.
#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    /// Where the site is served.
    #[arg(long, env = "HTTP_ADDR", default_value = "127.0.0.1:8080")]
    pub http_addr: SocketAddr,
    /// `catalog`, over gRPC.
    #[arg(long, env = "CATALOG_GRPC_URL", default_value = "http://127.0.0.1:7102")]
    pub catalog_grpc_url: String,
    /// `chat`, over gRPC.
    #[arg(long, env = "CHAT_GRPC_URL", default_value = "http://127.0.0.1:7103")]
    pub chat_grpc_url: String,
    /// `media`, over gRPC.
    #[arg(long, env = "MEDIA_GRPC_URL", default_value = "http://127.0.0.1:7104")]
    pub media_grpc_url: String,
    /// `billing`, over gRPC.
    #[arg(long, env = "BILLING_GRPC_URL", default_value = "http://127.0.0.1:7105")]
    pub billing_grpc_url: String,
    /// Folder of the built web app.
    #[arg(long, env = "WEB_DIR", default_value = "web/dist")]
    pub web_dir: PathBuf,
    /// Where people reach the site: link previews, canonical addresses and the site's map name it.
    #[arg(long, env = "PUBLIC_URL", default_value = "http://127.0.0.1:8080")]
    pub public_url: String,
    /// Name of the product in titles and previews.
    #[arg(long, env = "BRAND_NAME", default_value = "Troupe")]
    pub brand_name: String,
    /// Proxies in front of the BFF whose `X-Forwarded-For` is believed; 0 takes the peer's address.
    #[arg(long, env = "FORWARDED_HOPS", default_value_t = 0)]
    pub forwarded_hops: usize,
    /// Header in which the edge tells the client's country (ISO 3166-1 alpha-2); without one, rules that
    /// depend on it go by the time zone. Only for an edge that overwrites what clients send.
    #[arg(long, env = "COUNTRY_HEADER")]
    pub country_header: Option<String>,
    /// Name of the image engine that `media` runs, for the page that says which one drew.
    #[arg(long, env = "IMAGE_ENGINE", default_value = "playbill")]
    pub image_engine: String,
    #[command(flatten)]
    pub rates: Rates,
}
