//! Creators by their real figures.

mod grpc;
pub mod store;

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use proto::catalog::v1::Ranking;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::limits;

/// What is known of a creator's public characters together.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub id: Uuid,
    pub username: String,
    pub avatar_asset: String,
    pub followers: i64,
    pub characters: i64,
    pub chats: i64,
    pub messages: i64,
    pub likes: i64,
    /// Log of the decayed sum of activity of all their characters.
    pub trend: f64,
}

impl Figures {
    /// Messages per chat, as if twenty more chats had ended at once: who had one long chat is not first.
    fn engagement(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let (messages, chats) = (self.messages as f64, self.chats as f64);
        messages / (chats + limits::ENGAGING_DISCOUNT)
    }
}

/// The best by a ranking, without those that the reader has blocked.
fn best<'a>(all: &'a [Figures], by: Ranking, blocked: &HashSet<Uuid>) -> Vec<&'a Figures> {
    let mut found: Vec<&Figures> = all.iter().filter(|f| !blocked.contains(&f.id)).collect();
    found.sort_by(|a, b| {
        let first = match by {
            Ranking::MostEngaging | Ranking::Unspecified => b.engagement().total_cmp(&a.engagement()),
            Ranking::Trending => b.trend.total_cmp(&a.trend),
            Ranking::MostFollowers => b.followers.cmp(&a.followers),
        };
        first.then_with(|| b.followers.cmp(&a.followers)).then_with(|| a.id.cmp(&b.id))
    });
    found.truncate(limits::TOP_CREATORS);
    found
}

/// Figures of everybody, reckoned again at intervals that grow with what they cost.
#[derive(Debug, Clone, Default)]
pub struct Figured(Arc<Mutex<Option<Known>>>);

#[derive(Debug)]
struct Known {
    until: Instant,
    figures: Arc<Vec<Figures>>,
}

impl Known {
    fn new(figures: Vec<Figures>, cost: Duration) -> Self {
        let fresh = limits::REFRESH_MIN.max(cost * limits::REFRESH_FACTOR);
        Self { until: Instant::now() + fresh, figures: Arc::new(figures) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(n: u128, messages: i64, chats: i64, trend: f64, followers: i64) -> Figures {
        Figures {
            id: Uuid::from_u128(n),
            username: String::new(),
            avatar_asset: String::new(),
            followers,
            characters: 1,
            chats,
            messages,
            likes: 0,
            trend,
        }
    }

    #[test]
    fn one_long_chat_is_not_the_most_engaging() {
        let all = [figures(1, 90, 1, 1.0, 5), figures(2, 4_000, 200, 0.5, 9), figures(3, 10, 10, 7.0, 1)];
        let ids = |by, blocked: &[u128]| {
            let blocked = blocked.iter().map(|n| Uuid::from_u128(*n)).collect();
            best(&all, by, &blocked).iter().map(|f| f.id.as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(ids(Ranking::MostEngaging, &[]), [2, 1, 3]);
        assert_eq!(ids(Ranking::Trending, &[]), [3, 1, 2]);
        assert_eq!(ids(Ranking::MostFollowers, &[]), [2, 1, 3]);
        assert_eq!(ids(Ranking::MostFollowers, &[2]), [1, 3], "who is blocked leaves no gap");
    }
}
