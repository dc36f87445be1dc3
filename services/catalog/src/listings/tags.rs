//! The numbers of tags by their slugs. A tag keeps its number for good, so whoever has asked once knows it.

use std::sync::Arc;

use kit::db::Db;
use quick_cache::sync::Cache;

use super::store;
use crate::{error::Result, limits};

/// Tags that were asked for. Cheap to clone.
#[derive(Clone)]
pub struct Tags(Arc<Cache<String, i32>>);

impl Default for Tags {
    fn default() -> Self {
        Self(Arc::new(Cache::new(limits::TAGS_KNOWN)))
    }
}

impl Tags {
    /// Ids of tags by slug; one that does not exist is left out, and asked for again the next time.
    pub async fn ids(&self, db: &Db, slugs: &[String]) -> Result<Vec<i32>> {
        let (known, unknown): (Vec<_>, Vec<_>) =
            slugs.iter().map(|slug| (slug, self.0.get(slug.as_str()))).partition(|(_, id)| id.is_some());
        let mut ids: Vec<i32> = known.into_iter().filter_map(|(_, id)| id).collect();
        if !unknown.is_empty() {
            let slugs: Vec<String> = unknown.into_iter().map(|(slug, _)| slug.clone()).collect();
            for (slug, id) in store::tags(db, &slugs).await? {
                self.0.insert(slug, id);
                ids.push(id);
            }
        }
        Ok(ids)
    }
}
