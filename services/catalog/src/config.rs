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
    #[command(flatten)]
    pub moderation: moderation::classifier::Settings,
    /// Undecided reports of a user, or of an e-mail address, within a day; a hundred times as many with TROUPE_ENV=dev.
    #[arg(long, env = "REPORTS_A_DAY", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub reports_a_day: u32,
    /// Seconds between two reckonings of the rankings of creators.
    #[arg(long, env = "RANK_CREATORS_S", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub rank_creators_s: u32,
    /// Matches of keywords that are looked at; how many there are in all is told up to there.
    #[arg(long, env = "SEARCH_MATCHES_MAX", default_value_t = crate::limits::MATCHES_MAX, value_parser = clap::value_parser!(u16).range(1..))]
    pub search_matches_max: u16,
}
