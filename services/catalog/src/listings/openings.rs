//! How lists begin that are the same for every reader. A ranking is never changed, so whoever has found the first rows of a
//! list, and how many there are in all, has found them for everybody until the next ranking.

use std::{convert::Infallible, sync::Arc};

use quick_cache::sync::Cache;

use super::index::{Query, Sort};
use crate::limits;

/// Which list, when it is not one reader's own, nor that of one search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Everybodys {
    tags: Vec<i32>,
    only_nsfw: bool,
    without_nsfw: bool,
    sort: Sort,
}

impl Everybodys {
    pub(super) fn of(query: &Query<'_>, sort: Sort) -> Option<Self> {
        let own = query.hidden.is_some() || !query.without.is_empty() || query.creators.is_some();
        let any = !query.any_tags.is_empty() || !query.any_creators.is_empty();
        if own || any || query.among.is_some() {
            return None;
        }
        let mut tags = query.tags.to_vec();
        tags.sort_unstable();
        Some(Self { tags, only_nsfw: query.only_nsfw, without_nsfw: query.without_nsfw, sort })
    }
}

/// The first rows of a list.
#[derive(Debug)]
pub(super) struct Opening {
    /// At most [`limits::OPENING_ROWS`] ords, best first.
    pub(super) ords: Box<[i32]>,
    /// Rows of the whole list.
    pub(super) total: usize,
}

impl From<(Vec<i32>, usize)> for Opening {
    fn from((ords, total): (Vec<i32>, usize)) -> Self {
        Self { ords: ords.into(), total }
    }
}

impl Opening {
    /// The ords of a page, unless it reaches beyond what is kept.
    pub(super) fn page(&self, offset: usize, limit: usize) -> Option<&[i32]> {
        let kept = self.ords.len();
        let whole = kept == self.total;
        let end = offset.saturating_add(limit);
        (whole || end <= kept).then(|| &self.ords[offset.min(kept)..end.min(kept)])
    }
}

/// Those that are asked for most.
#[derive(Debug)]
pub(super) struct Openings(Cache<Everybodys, Arc<Opening>>);

impl Default for Openings {
    fn default() -> Self {
        Self(Cache::new(limits::OPENINGS_KEPT))
    }
}

impl Openings {
    /// Of those who ask for the same one at once the first finds it.
    pub(super) fn of(&self, list: &Everybodys, find: impl FnOnce() -> Opening) -> Arc<Opening> {
        let Ok(opening) = self.0.get_or_insert_with(list, || Ok::<_, Infallible>(Arc::new(find())));
        opening
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_reaches_beyond_what_is_kept_is_not_cut() {
        let of = |total| Opening { ords: (0..50).collect(), total };
        assert_eq!(of(90).page(20, 30), Some(&(20..50).collect::<Vec<i32>>()[..]));
        assert_eq!(of(90).page(20, 31), None);
        assert_eq!(of(90).page(60, 20), None);
        assert_eq!(of(50).page(40, 20), Some(&(40..50).collect::<Vec<i32>>()[..]));
        assert_eq!(of(50).page(60, 20), Some(&[][..]));
        assert_eq!(of(50).page(usize::MAX, 20), Some(&[][..]));
    }
}
