//! Answers that are believed for a short while.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex},
};

use tokio::time::Instant;

use crate::limits::{CACHE_LIFE, CACHE_MAX};

/// Cheap to clone; clones share it.
pub struct Cache<K, V>(Arc<Mutex<HashMap<K, (Instant, V)>>>);

impl<K, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub fn get(&self, key: &K) -> Option<V> {
        let held = self.0.lock().expect("no holder panics");
        held.get(key).filter(|(at, _)| at.elapsed() < CACHE_LIFE).map(|(_, value)| value.clone())
    }

    pub fn put(&self, key: K, value: V) {
        let mut held = self.0.lock().expect("no holder panics");
        if held.len() >= CACHE_MAX {
            held.retain(|_, (at, _)| at.elapsed() < CACHE_LIFE);
            if held.len() >= CACHE_MAX {
                held.clear();
            }
        }
        held.insert(key, (Instant::now(), value));
    }

    pub fn drop_where(&self, gone: impl Fn(&K) -> bool) {
        self.0.lock().expect("no holder panics").retain(|key, _| !gone(key));
    }
}
