//! The listing index: every list of characters, ranked in memory. Per sort a permutation, and per tag and
//! flag a bitset in rank order, so that a page is an AND of bitsets and a walk to its offset: page 500
//! costs what page 1 costs (architecture, rule 13 and measurement c).

use std::collections::HashMap;

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// What *Recent Hits* looks back on.
const RECENT: Duration = Duration::days(30);

/// A character as far as ranking goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub ord: i32,
    pub id: Uuid,
    pub creator: Uuid,
    pub tags: Vec<i32>,
    pub nsfw: bool,
    /// Public and live.
    pub listed: bool,
    pub likes: i64,
    pub chats: i64,
    pub trend: f64,
    pub published_at: OffsetDateTime,
}

/// The orders of a list (specification, section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    MostLiked,
    Popular,
    Trending,
    RecentHits,
    New,
}

impl Sort {
    /// Orders that are kept; *Recent Hits* is *Most Liked* among the recent.
    const KEPT: [Self; 4] = [Self::MostLiked, Self::Popular, Self::Trending, Self::New];

    fn kept(self) -> usize {
        match self {
            Self::MostLiked | Self::RecentHits => 0,
            Self::Popular => 1,
            Self::Trending => 2,
            Self::New => 3,
        }
    }

    fn compare(self, a: &Entry, b: &Entry) -> std::cmp::Ordering {
        let by = match self {
            Self::MostLiked | Self::RecentHits => b.likes.cmp(&a.likes),
            Self::Popular => b.chats.cmp(&a.chats),
            Self::Trending => b.trend.total_cmp(&a.trend),
            Self::New => b.published_at.cmp(&a.published_at),
        };
        // Newest first among equals, and one order for the same data.
        by.then_with(|| b.ord.cmp(&a.ord))
    }
}

/// What a list asks for.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// All must match.
    pub tags: &'a [i32],
    /// At least one must match, when there are any.
    pub any_tags: &'a [i32],
    pub only_nsfw: bool,
    /// Nothing else than these, when given.
    pub among: Option<&'a [i32]>,
    /// Ords that are not shown (disliked, blocked).
    pub without: &'a [i32],
    /// Only of these creators, when given.
    pub creators: Option<&'a [Uuid]>,
}

/// Bits in rank order.
#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn clear(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    fn and(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    fn or(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn count(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The positions of `limit` set bits after the first `offset`.
    fn page(&self, offset: usize, limit: usize) -> Vec<usize> {
        let mut skip = offset;
        let mut page = Vec::with_capacity(limit);
        for (n, word) in self.0.iter().enumerate() {
            let ones = word.count_ones() as usize;
            if skip >= ones {
                skip -= ones;
                continue;
            }
            let mut rest = *word;
            while rest != 0 && page.len() < limit {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if skip > 0 {
                    skip -= 1;
                } else {
                    page.push(n * 64 + bit);
                }
            }
            if page.len() == limit {
                break;
            }
        }
        page
    }
}

/// One order with its bitsets.
#[derive(Debug, Default)]
struct Ranked {
    /// Rank to entry.
    order: Vec<u32>,
    /// Entry to rank.
    rank: Vec<u32>,
    listed: Bits,
    nsfw: Bits,
    recent: Bits,
    tags: HashMap<i32, Bits>,
}

/// All entries, ranked. Built whole and then only read.
#[derive(Debug, Default)]
pub struct Index {
    entries: Vec<Entry>,
    by_ord: HashMap<i32, u32>,
    by_creator: HashMap<Uuid, Vec<u32>>,
    ranked: Vec<Ranked>,
}

impl Index {
    /// Ranks the entries; *recent* is as of `now`.
    #[must_use]
    pub fn build(entries: Vec<Entry>, now: OffsetDateTime) -> Self {
        let len = entries.len();
        let number = |n: usize| u32::try_from(n).expect("fewer than four billion characters");
        let by_ord = entries.iter().enumerate().map(|(n, e)| (e.ord, number(n))).collect();
        let mut by_creator: HashMap<Uuid, Vec<u32>> = HashMap::new();
        for (n, e) in entries.iter().enumerate() {
            by_creator.entry(e.creator).or_default().push(number(n));
        }
        let ranked = Sort::KEPT
            .iter()
            .map(|sort| {
                let mut order: Vec<u32> = (0..number(len)).collect();
                order.sort_unstable_by(|a, b| sort.compare(&entries[*a as usize], &entries[*b as usize]));
                let mut r = Ranked {
                    rank: vec![0; len],
                    listed: Bits::new(len),
                    nsfw: Bits::new(len),
                    recent: Bits::new(len),
                    ..Ranked::default()
                };
                for (rank, n) in order.iter().enumerate() {
                    let entry = &entries[*n as usize];
                    r.rank[*n as usize] = number(rank);
                    if entry.listed {
                        r.listed.set(rank);
                    }
                    if entry.nsfw {
                        r.nsfw.set(rank);
                    }
                    if entry.published_at > now - RECENT {
                        r.recent.set(rank);
                    }
                    for tag in &entry.tags {
                        r.tags.entry(*tag).or_insert_with(|| Bits::new(len)).set(rank);
                    }
                }
                r.order = order;
                r
            })
            .collect();
        Self { entries, by_ord, by_creator, ranked }
    }

    /// The ords of a page, best first, and how many there are in all.
    #[must_use]
    pub fn page(&self, query: &Query<'_>, sort: Sort, offset: usize, limit: usize) -> (Vec<i32>, usize) {
        let Some(ranked) = self.ranked.get(sort.kept()) else { return (Vec::new(), 0) };
        let mut bits = ranked.listed.clone();
        if sort == Sort::RecentHits {
            bits.and(&ranked.recent);
        }
        if query.only_nsfw {
            bits.and(&ranked.nsfw);
        }
        let nothing = Bits::new(self.entries.len());
        for tag in query.tags {
            bits.and(ranked.tags.get(tag).unwrap_or(&nothing));
        }
        if !query.any_tags.is_empty() {
            let mut any = nothing.clone();
            for tag in query.any_tags.iter().filter_map(|t| ranked.tags.get(t)) {
                any.or(tag);
            }
            bits.and(&any);
        }
        let rank_of = |ord: &i32| self.by_ord.get(ord).map(|n| ranked.rank[*n as usize] as usize);
        if let Some(among) = query.among {
            let mut only = nothing.clone();
            among.iter().filter_map(rank_of).for_each(|r| only.set(r));
            bits.and(&only);
        }
        if let Some(creators) = query.creators {
            let mut only = nothing;
            for n in creators.iter().filter_map(|c| self.by_creator.get(c)).flatten() {
                only.set(ranked.rank[*n as usize] as usize);
            }
            bits.and(&only);
        }
        query.without.iter().filter_map(rank_of).for_each(|r| bits.clear(r));
        let page = bits.page(offset, limit);
        let ords = page.into_iter().map(|rank| self.entries[ranked.order[rank] as usize].ord).collect();
        (ords, bits.count())
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let one = (
            0..6i64,
            0..6i64,
            -5.0..5.0f64,
            0..60i64,
            proptest::collection::vec(0..4i32, 0..3),
            any::<(bool, bool)>(),
            0..3u128,
        );
        proptest::collection::vec(one, 0..200).prop_map(|rows| {
            rows.into_iter()
                .enumerate()
                .map(|(n, (likes, chats, trend, days, tags, (nsfw, listed), creator))| Entry {
                    ord: i32::try_from(n).expect("small"),
                    id: Uuid::from_u128(n as u128),
                    creator: Uuid::from_u128(creator),
                    tags,
                    nsfw,
                    listed,
                    likes,
                    chats,
                    trend,
                    published_at: now() - Duration::days(days),
                })
                .collect()
        })
    }

    fn now() -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(1_800_000_000).expect("a time")
    }

    /// The same list by filtering and sorting everything.
    fn plainly(all: &[Entry], q: &Query<'_>, sort: Sort) -> Vec<i32> {
        let mut found: Vec<&Entry> = all
            .iter()
            .filter(|e| e.listed)
            .filter(|e| sort != Sort::RecentHits || e.published_at > now() - RECENT)
            .filter(|e| !q.only_nsfw || e.nsfw)
            .filter(|e| q.tags.iter().all(|t| e.tags.contains(t)))
            .filter(|e| q.any_tags.is_empty() || q.any_tags.iter().any(|t| e.tags.contains(t)))
            .filter(|e| q.among.is_none_or(|a| a.contains(&e.ord)))
            .filter(|e| q.creators.is_none_or(|c| c.contains(&e.creator)))
            .filter(|e| !q.without.contains(&e.ord))
            .collect();
        found.sort_by(|a, b| sort.compare(a, b));
        found.iter().map(|e| e.ord).collect()
    }

    proptest! {
        #[test]
        fn pages_are_what_sorting_everything_gives(
            all in entries(),
            tags in proptest::collection::vec(0..4i32, 0..2),
            any_tags in proptest::collection::vec(0..4i32, 0..2),
            without in proptest::collection::vec(0..200i32, 0..5),
            among in proptest::option::of(proptest::collection::vec(0..200i32, 0..60)),
            only_nsfw: bool,
            sort in prop_oneof![Just(Sort::MostLiked), Just(Sort::Popular), Just(Sort::Trending), Just(Sort::RecentHits), Just(Sort::New)],
            limit in 1..30usize,
        ) {
            let index = Index::build(all.clone(), now());
            let creators = [Uuid::from_u128(0), Uuid::from_u128(2)];
            for creators in [None, Some(creators.as_slice())] {
                let query = Query { tags: &tags, any_tags: &any_tags, only_nsfw, among: among.as_deref(), without: &without, creators };
                let expected = plainly(&all, &query, sort);
                let mut got = Vec::new();
                loop {
                    let (page, total) = index.page(&query, sort, got.len(), limit);
                    prop_assert_eq!(total, expected.len());
                    if page.is_empty() { break }
                    got.extend(page);
                }
                prop_assert_eq!(&got, &expected);
            }
        }
    }
}
