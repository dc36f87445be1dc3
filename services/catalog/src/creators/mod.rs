//! Creators by their real figures.

mod grpc;
pub mod store;

use std::{cmp::Ordering, collections::HashSet, sync::Arc, time::Duration};

use kit::{aside, db::Db, shutdown::Shutdown};
use proto::catalog::v1::Ranking;
use tokio::sync::watch;
use uuid::Uuid;

use crate::{error::Result, limits};

/// What is known of a creator's public characters together.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub id: Uuid,
    pub username: String,
    pub avatar_asset: String,
    /// On a paid plan.
    pub badge: bool,
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

/// Everybody, by each ranking.
#[derive(Debug, Default)]
pub struct Rankings {
    all: Vec<Figures>,
    /// Places in `all`.
    engaging: Vec<usize>,
    trending: Vec<usize>,
    followed: Vec<usize>,
}

impl Rankings {
    fn new(all: Vec<Figures>) -> Self {
        let sorted = |first: &dyn Fn(&Figures, &Figures) -> Ordering| {
            let mut places: Vec<usize> = (0..all.len()).collect();
            places.sort_unstable_by(|a, b| {
                let (a, b) = (&all[*a], &all[*b]);
                first(a, b).then_with(|| b.followers.cmp(&a.followers)).then_with(|| a.id.cmp(&b.id))
            });
            places
        };
        let engaging = sorted(&|a, b| b.engagement().total_cmp(&a.engagement()));
        let trending = sorted(&|a, b| b.trend.total_cmp(&a.trend));
        let followed = sorted(&|a, b| b.followers.cmp(&a.followers));
        Self { all, engaging, trending, followed }
    }

    /// The best by a ranking, without those that the reader has blocked.
    fn best(&self, by: Ranking, blocked: &HashSet<Uuid>) -> Vec<&Figures> {
        let places = match by {
            Ranking::MostEngaging | Ranking::Unspecified => &self.engaging,
            Ranking::Trending => &self.trending,
            Ranking::MostFollowers => &self.followed,
        };
        let best = places.iter().map(|place| &self.all[*place]).filter(|f| !blocked.contains(&f.id));
        best.take(limits::TOP_CREATORS).collect()
    }
}

/// The rankings that are read now. Cheap to clone.
#[derive(Clone)]
pub struct Figured {
    now: watch::Sender<Arc<Rankings>>,
    known: watch::Sender<bool>,
}

impl Default for Figured {
    fn default() -> Self {
        Self { now: watch::Sender::new(Arc::default()), known: watch::Sender::new(false) }
    }
}

impl Figured {
    /// Waits for the first ones: until then every ranking would be empty, and say so as if it were true.
    async fn get(&self) -> Arc<Rankings> {
        let _ = self.known().wait_for(|known| *known).await;
        self.now.borrow().clone()
    }

    /// True once they were reckoned.
    pub fn known(&self) -> watch::Receiver<bool> {
        self.known.subscribe()
    }

    /// Reckons until shutdown. With many characters it takes longer than any request may wait, and PostgreSQL a core: the
    /// more there are, the seldomer.
    pub async fn keep(self, db: Db, every: Duration, shutdown: Shutdown) {
        loop {
            // What cannot be reckoned at start is wanted soon; later, what is known serves.
            let pause = match self.reckon(&db).await {
                Err(error) => {
                    tracing::warn!(%error, "creators not ranked");
                    if *self.known.borrow() { every } else { limits::REFRESH_MIN }
                }
                Ok(characters) => pause(every, characters),
            };
            tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
        }
    }

    /// Of how many characters.
    async fn reckon(&self, db: &Db) -> Result<i64> {
        let all = store::figures(db).await?;
        let characters = all.iter().map(|creator| creator.characters).sum();
        if let Some(rankings) = aside::run("creators", || Rankings::new(all)).await {
            self.now.send_replace(Arc::new(rankings));
            self.known.send_replace(true);
        }
        Ok(characters)
    }
}

/// Between a reckoning of so many characters and the next. By their number and not by what it took: on a busy machine a few
/// take long, too.
fn pause(every: Duration, characters: i64) -> Duration {
    let characters = u32::try_from(characters).unwrap_or(u32::MAX);
    every.max((limits::RANK_EACH * characters).min(limits::RANK_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_there_are_the_seldomer_they_are_ranked() {
        let minute = Duration::from_secs(60);
        assert_eq!(pause(minute, 0), minute);
        assert_eq!(pause(minute, 20_000), minute);
        assert_eq!(pause(minute, 1_000_000), Duration::from_secs(500));
        assert_eq!(pause(minute, i64::MAX), limits::RANK_MAX);
        assert_eq!(
            pause(limits::RANK_MAX * 2, 1_000_000),
            limits::RANK_MAX * 2,
            "no more often than is asked for"
        );
    }

    fn figures(n: u128, messages: i64, chats: i64, trend: f64, followers: i64) -> Figures {
        Figures {
            id: Uuid::from_u128(n),
            username: String::new(),
            avatar_asset: String::new(),
            badge: false,
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
        let all = vec![figures(1, 90, 1, 1.0, 5), figures(2, 4_000, 200, 0.5, 9), figures(3, 10, 10, 7.0, 1)];
        let all = Rankings::new(all);
        let ids = |by, blocked: &[u128]| {
            let blocked = blocked.iter().map(|n| Uuid::from_u128(*n)).collect();
            all.best(by, &blocked).iter().map(|f| f.id.as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(ids(Ranking::MostEngaging, &[]), [2, 1, 3]);
        assert_eq!(ids(Ranking::Trending, &[]), [3, 1, 2]);
        assert_eq!(ids(Ranking::MostFollowers, &[]), [2, 1, 3]);
        assert_eq!(ids(Ranking::MostFollowers, &[2]), [1, 3], "who is blocked leaves no gap");
    }
}
