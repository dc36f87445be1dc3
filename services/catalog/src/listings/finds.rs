//! What a search by words has found, remembered while somebody turns its pages: to find five thousand cards among a
//! million takes longer than all the rest of a page.

use std::sync::Arc;

use quick_cache::{Weighter, sync::Cache};
use tokio::time::Instant;

use super::text;
use crate::{App, error::Result, limits};

/// What matches, best or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    pub ords: Box<[i32]>,
    /// There are more than were looked at.
    pub capped: bool,
}

/// The words, and whether the reader sees NSFW texts; nothing else of a reader decides what is found.
type Key = (Vec<String>, bool);

/// What was found lately. Cheap to clone.
#[derive(Clone)]
pub struct Finds(Arc<Cache<Key, (Instant, Arc<Find>), Bytes>>);

/// What a find weighs.
#[derive(Clone)]
struct Bytes;

impl Weighter<Key, (Instant, Arc<Find>)> for Bytes {
    fn weight(&self, (words, _): &Key, (_, find): &(Instant, Arc<Find>)) -> u64 {
        let words: usize = words.iter().map(String::len).sum();
        (words + size_of_val(&find.ords[..])) as u64
    }
}

impl Default for Finds {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(limits::FINDS_EXPECTED, limits::FINDS_BYTES, Bytes)))
    }
}

impl Finds {
    /// Few matches are not kept: they take no time to find, and whoever has just created a character looks for it.
    fn keep(&self, key: Key, find: &Arc<Find>) {
        if find.ords.len() >= limits::FINDS_FROM {
            // What is old would hold the room of what is new, which goes first when all of it is taken.
            self.0.retain(|_, (at, _)| at.elapsed() < limits::FINDS_KEPT);
            self.0.insert(key, (Instant::now(), Arc::clone(find)));
        }
    }

    fn get(&self, key: &Key) -> Option<Arc<Find>> {
        let (at, find) = self.0.get(key)?;
        (at.elapsed() < limits::FINDS_KEPT).then_some(find)
    }
}

impl App {
    /// What has all the words; for a reader who does not see NSFW texts, nothing that only such a text has.
    pub(super) async fn found(&self, words: Vec<String>, nsfw: bool) -> Result<Arc<Find>> {
        let key = (words, nsfw);
        if let Some(find) = self.finds.get(&key) {
            return Ok(find);
        }
        let mut found = text::search(&self.words, key.0.clone(), &self.common, self.matches_max).await?;
        let capped = found.ords.len() > self.matches_max;
        found.ords.truncate(self.matches_max);
        if !nsfw {
            let locked = self.listing.get().await.nsfw_among(&found.ords);
            found.withhold(&self.words, &locked).await?;
        }
        let find = Arc::new(Find { ords: found.ords.into(), capped });
        self.finds.keep(key, &find);
        Ok(find)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(matches: usize) -> Arc<Find> {
        Arc::new(Find { ords: (0..).take(matches).collect(), capped: false })
    }

    fn kept(finds: &Finds, word: &str, matches: usize) -> Option<Arc<Find>> {
        let key = (vec![word.to_owned()], false);
        finds.keep(key.clone(), &find(matches));
        finds.get(&key)
    }

    #[test]
    fn what_took_long_to_find_is_remembered_and_nothing_else() {
        let finds = Finds::default();
        assert_eq!(kept(&finds, "many", limits::FINDS_FROM).map(|find| find.ords.len()), Some(100));
        assert_eq!(kept(&finds, "few", limits::FINDS_FROM - 1), None);
        let other = (vec!["many".to_owned()], true);
        assert_eq!(finds.get(&other), None, "who sees more is not told what others are");
    }

    #[test]
    fn no_number_of_words_takes_more_memory_than_it_may() {
        let finds = Finds::default();
        for n in 0..1_000 {
            kept(&finds, &format!("word{n}"), 5_000);
        }
        assert!(finds.0.weight() <= limits::FINDS_BYTES, "{}", finds.0.weight());
        assert!(finds.0.len() > 100);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_old_is_found_anew_and_takes_no_room_of_what_is_new() {
        let finds = Finds::default();
        let named = |prefix: &str, n: u32| format!("{prefix}{n}");
        for n in 0..1_000 {
            kept(&finds, &named("old", n), 5_000);
        }
        tokio::time::advance(limits::FINDS_KEPT).await;
        assert!((0..1_000).all(|n| finds.get(&(vec![named("old", n)], false)).is_none()));
        let new = 0..100;
        new.clone().for_each(|n| finds.keep((vec![named("new", n)], false), &find(5_000)));
        assert!(new.clone().all(|n| finds.get(&(vec![named("new", n)], false)).is_some()));
    }
}
