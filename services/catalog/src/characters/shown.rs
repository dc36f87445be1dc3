//! Cards that lists have shown lately. A page asks PostgreSQL which of them still are what they were, and reads only the
//! others: most pages show what somebody else was just shown, and to read twenty cards took most of a page's time.

use std::sync::Arc;

use kit::db::Db;
use moka::sync::Cache;
use uuid::Uuid;

use super::store::{self, Row};
use crate::{error::Result, limits};

/// Cheap to clone; clones share what is kept.
#[derive(Clone)]
pub struct Shown(Cache<Uuid, Arc<Row>>);

impl Default for Shown {
    fn default() -> Self {
        let bytes = |_: &Uuid, row: &Arc<Row>| u32::try_from(row.card_bytes()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(bytes).max_capacity(limits::SHOWN_BYTES).build())
    }
}

impl Shown {
    /// Rows of these ids as they are now, as far as a card of a list goes, in their order; unknown ids are left out.
    pub async fn read(&self, db: &Db, ids: &[Uuid]) -> Result<Vec<Arc<Row>>> {
        let kept: Vec<Arc<Row>> = ids.iter().filter_map(|id| self.0.get(id)).collect();
        let mut rows: Vec<Arc<Row>> = Vec::with_capacity(ids.len());
        if !kept.is_empty() {
            let (asked, marks): (Vec<Uuid>, Vec<&str>) =
                kept.iter().map(|row| (row.id, row.mark.as_str())).unzip();
            let standing = store::standing(db, &asked, &marks).await?;
            rows.extend(kept.into_iter().filter(|row| standing.contains(&row.id)));
        }
        let missing: Vec<Uuid> =
            ids.iter().copied().filter(|id| !rows.iter().any(|row| row.id == *id)).collect();
        if !missing.is_empty() {
            for row in store::cards(db, &missing).await? {
                let row = Arc::new(row);
                if row.holds.is_empty() {
                    self.0.insert(row.id, Arc::clone(&row));
                }
                rows.push(row);
            }
        }
        let of = |id: &Uuid| rows.iter().find(|row| row.id == *id).cloned();
        Ok(ids.iter().filter_map(of).collect())
    }
}
