//! What a search by words has found, remembered while somebody turns its pages: to find five thousand cards among a
//! million takes longer than all the rest of a page, and so does asking the best of a list one by one.

use std::sync::Arc;

use quick_cache::{Weighter, sync::Cache};
use tokio::time::Instant;

use super::{
    index::Index,
    text::{self, Found},
};
use crate::{App, error::Result, limits};

/// What matches, best or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    pub ords: Box<[i32]>,
    /// There are more than were looked at.
    pub capped: bool,
}

/// What decides what is found; nothing else of a reader does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    words: Vec<String>,
    /// Whether the reader sees NSFW texts.
    nsfw: bool,
    /// The cards that are asked; `None` for all there are. What has come to the list since is no part of it.
    among: Option<Box<[i32]>>,
}

/// What was found lately. Cheap to clone.
#[derive(Clone)]
pub struct Finds(Arc<Cache<Key, (Instant, Arc<Find>), Bytes>>);

/// What a find weighs.
#[derive(Clone)]
struct Bytes;

impl Weighter<Key, (Instant, Arc<Find>)> for Bytes {
    fn weight(&self, key: &Key, (_, find): &(Instant, Arc<Find>)) -> u64 {
        let words: usize = key.words.iter().map(String::len).sum();
        (words + key.among.as_deref().map_or(0, size_of_val) + size_of_val(&find.ords[..])) as u64
    }
}

impl Default for Finds {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(limits::FINDS_EXPECTED, limits::FINDS_BYTES, Bytes)))
    }
}

impl Finds {
    /// Few matches of all cards are not kept: they take no time to find, and whoever has just created a character looks for
    /// it. Of cards that are named, as many are asked, however few match.
    fn keep(&self, key: Key, find: &Arc<Find>) {
        let looked_at = key.among.as_ref().map_or(find.ords.len(), |among| among.len());
        if looked_at >= limits::FINDS_FROM {
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
        let key = Key { words, nsfw, among: None };
        if let Some(find) = self.finds.get(&key) {
            return Ok(find);
        }
        let mut found = text::search(&self.words, key.words.clone(), &self.common, self.matches_max).await?;
        let capped = found.ords.len() > self.matches_max;
        found.ords.truncate(self.matches_max);
        let index = self.listing.get().await;
        self.remembered(found, capped, key, &index).await
    }

    /// Which of these cards have all the words, in the same way.
    pub(super) async fn found_among(
        &self,
        words: &[String],
        nsfw: bool,
        among: &[i32],
        index: &Index,
    ) -> Result<Arc<Find>> {
        let key = Key { words: words.to_vec(), nsfw, among: Some(among.into()) };
        if let Some(find) = self.finds.get(&key) {
            return Ok(find);
        }
        let found = Found::among(&self.words, words, among).await?;
        self.remembered(found, false, key, index).await
    }

    /// What of it the reader may know of, remembered.
    async fn remembered(&self, mut found: Found, capped: bool, key: Key, index: &Index) -> Result<Arc<Find>> {
        if !key.nsfw {
            found.withhold(&self.words, &index.nsfw_among(&found.ords)).await?;
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

    fn of(word: &str, nsfw: bool) -> Key {
        Key { words: vec![word.to_owned()], nsfw, among: None }
    }

    fn kept(finds: &Finds, word: &str, matches: usize) -> Option<Arc<Find>> {
        finds.keep(of(word, false), &find(matches));
        finds.get(&of(word, false))
    }

    #[test]
    fn what_took_long_to_find_is_remembered_and_nothing_else() {
        let finds = Finds::default();
        assert_eq!(kept(&finds, "many", limits::FINDS_FROM).map(|find| find.ords.len()), Some(100));
        assert_eq!(kept(&finds, "few", limits::FINDS_FROM - 1), None);
        assert_eq!(finds.get(&of("many", true)), None, "who sees more is not told what others are");
    }

    #[test]
    fn what_was_asked_of_cards_is_remembered_of_these_cards_however_few_match() {
        let finds = Finds::default();
        let best =
            |from: i32| Key { among: Some((from..).take(limits::FINDS_FROM).collect()), ..of("few", false) };
        finds.keep(best(0), &find(1));
        assert_eq!(finds.get(&best(0)).map(|find| find.ords.len()), Some(1));
        assert_eq!(finds.get(&best(1)), None, "a list that has changed is asked anew");
        assert_eq!(finds.get(&of("few", false)), None);
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
        let named = |prefix: &str, n: u32| of(&format!("{prefix}{n}"), false);
        for n in 0..1_000 {
            finds.keep(named("old", n), &find(5_000));
        }
        tokio::time::advance(limits::FINDS_KEPT).await;
        assert!((0..1_000).all(|n| finds.get(&named("old", n)).is_none()));
        let new = 0..100;
        new.clone().for_each(|n| finds.keep(named("new", n), &find(5_000)));
        assert!(new.clone().all(|n| finds.get(&named("new", n)).is_some()));
    }
}
