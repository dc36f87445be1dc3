//! Answers that are believed for a short while.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex},
};

use tokio::time::Instant;

use crate::limits::{CACHE_LIFE, CACHE_MAX};

/// Cheap to clone; clones share it.
pub struct Cache<K, V>(Arc<Mutex<Held<K, V>>>);

struct Held<K, V> {
    /// Counts the changes that were heard of.
    age: Age,
    answers: HashMap<K, (Instant, V)>,
    /// When those that are believed no longer were last let go.
    swept: Instant,
}

/// How much a cache had heard of when a question was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Age(u64);

impl<K, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Held {
            age: Age::default(),
            answers: HashMap::new(),
            swept: Instant::now(),
        })))
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub fn get(&self, key: &K) -> Option<V> {
        let held = self.0.lock().expect("no holder panics");
        held.answers.get(key).filter(|(at, _)| at.elapsed() < CACHE_LIFE).map(|(_, value)| value.clone())
    }

    /// To be read before the question is asked whose answer is put here.
    pub fn age(&self) -> Age {
        self.0.lock().expect("no holder panics").age
    }

    /// Keeps an answer, unless anything was dropped since it was asked for: it may be from before that change,
    /// and no notice would come again to drop it.
    pub fn put(&self, asked: Age, key: K, value: V) {
        let mut held = self.0.lock().expect("no holder panics");
        if held.age != asked {
            return;
        }
        let is_full = held.answers.len() >= CACHE_MAX;
        if is_full || held.swept.elapsed() >= CACHE_LIFE {
            held.answers.retain(|_, (at, _)| at.elapsed() < CACHE_LIFE);
            held.swept = Instant::now();
        }
        if held.answers.len() >= CACHE_MAX {
            held.answers.clear();
        }
        held.answers.insert(key, (Instant::now(), value));
    }

    pub fn drop_where(&self, gone: impl Fn(&K) -> bool) {
        let mut held = self.0.lock().expect("no holder panics");
        held.age.0 += 1;
        held.answers.retain(|key, _| !gone(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_believed_no_longer_is_let_go() {
        let cache = Cache::default();
        cache.put(cache.age(), 1, "a card");
        tokio::time::advance(CACHE_LIFE).await;
        cache.put(cache.age(), 2, "another");
        let kept: Vec<i32> = cache.0.lock().expect("no holder panics").answers.keys().copied().collect();
        assert_eq!(kept, [2]);
    }

    #[test]
    fn an_answer_that_was_asked_for_before_a_change_is_not_believed() {
        let cache = Cache::default();
        let asked = cache.age();
        cache.drop_where(|key| *key == 1);
        cache.put(asked, 1, "from before");
        assert_eq!(cache.get(&1), None);
        cache.put(cache.age(), 1, "from after");
        assert_eq!(cache.get(&1), Some("from after"));
        cache.put(cache.age(), 2, "another");
        cache.drop_where(|key| *key == 1);
        assert_eq!((cache.get(&1), cache.get(&2)), (None, Some("another")));
    }
}
