//! The listing index: every list of characters, ranked in memory. Per sort a permutation, and per tag and
//! flag a bitset in rank order, so that a page is an AND of bitsets and a walk to its offset: page 500
//! costs what page 1 costs (architecture, rule 13 and measurement c).

use std::{collections::HashMap, sync::Arc};

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{
    bits::{Bits, Tagged},
    openings::{Everybodys, Opening, Openings},
    ranking::{Many, On, Ranked, by_creator},
    sieve::Sieve,
    table::{Places, Table, micros},
};
use crate::limits;

/// What *Recent Hits* looks back on.
const RECENT: Duration = Duration::days(30);

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
}

/// What a list asks for.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// All must match.
    pub tags: &'a [i32],
    /// At least one of these tags or creators must match, when there are any.
    pub any_tags: &'a [i32],
    pub any_creators: &'a [Uuid],
    pub only_nsfw: bool,
    pub without_nsfw: bool,
    /// Nothing else than these, when given.
    pub among: Option<&'a [i32]>,
    /// Ords that are not shown (disliked, one's own).
    pub without: &'a [i32],
    /// What the reader has blocked.
    pub hidden: Option<&'a Hidden>,
    /// Only of these creators, when given.
    pub creators: Option<&'a [Uuid]>,
}

/// What a reader has blocked, as far as ranking goes. One's own are never hidden by it.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    pub reader: Uuid,
    pub tags: Vec<i32>,
    pub nsfw: bool,
    pub creators: Vec<Uuid>,
    pub ords: Vec<i32>,
}

/// All characters, ranked. Built whole and then only read.
#[derive(Debug, Default)]
pub struct Index {
    places: Arc<Places>,
    tags: HashMap<i32, On>,
    creators: HashMap<Uuid, Vec<u32>>,
    ranked: Vec<Ranked>,
    /// In the order of *Most Liked*, of which *Recent Hits* is a part.
    recent: Bits,
    openings: Openings,
}

impl Index {
    /// Ranks what the table holds; *recent* is as of `now`.
    #[must_use]
    pub fn rank(table: &Table, now: OffsetDateTime) -> Self {
        let many = Many::of(table);
        let ranked: Vec<Ranked> = Sort::KEPT.iter().map(|sort| Ranked::by(*sort, table, &many)).collect();
        let mut recent = Bits::new(table.len());
        let since = micros(now - RECENT);
        for (place, rank) in ranked[Sort::MostLiked.kept()].rank.iter().enumerate() {
            if table.published[place] > since {
                recent.set(*rank as usize);
            }
        }
        Self {
            places: table.places.clone(),
            tags: many.tags(table),
            creators: by_creator(table),
            ranked,
            recent,
            openings: Openings::default(),
        }
    }

    /// The ords of a page, best first, and how many there are in all.
    #[must_use]
    pub fn page(&self, query: &Query<'_>, sort: Sort, offset: usize, limit: usize) -> (Vec<i32>, usize) {
        let Some(ranked) = self.ranked.get(sort.kept()) else { return (Vec::new(), 0) };
        let ord = |rank: usize| self.places.ord(ranked.order[rank] as usize);
        let ords = |sieve: &Sieve<'_>, offset, limit| -> Vec<i32> {
            sieve.page(offset, limit).into_iter().map(ord).collect()
        };
        // To count is to look at all ranks; a page is mostly found among the first.
        let found = |offset, limit| {
            let sieve = self.matching(ranked, query, sort);
            sieve.map_or_else(Default::default, |sieve| (ords(&sieve, offset, limit), sieve.count()))
        };
        let Some(list) = Everybodys::of(query, sort) else { return found(offset, limit) };
        let opening = self.openings.of(&list, || Opening::from(found(0, limits::OPENING_ROWS)));
        let page = opening.page(offset, limit).map(<[i32]>::to_vec);
        let deep = || self.matching(ranked, query, sort).map(|sieve| ords(&sieve, offset, limit));
        (page.or_else(deep).unwrap_or_default(), opening.total)
    }

    /// Whose ords these are, in their order; `None` when one of them is not known here (yet, or any more).
    #[must_use]
    pub fn ids(&self, ords: &[i32]) -> Option<Vec<Uuid>> {
        ords.iter().map(|ord| Some(self.places.id(self.places.of(*ord)?))).collect()
    }

    /// How many of what the query matches has each of these tags.
    #[must_use]
    pub fn count_by_tag(&self, query: &Query<'_>, tags: &[i32]) -> Vec<usize> {
        let Some(ranked) = self.ranked.first() else { return vec![0; tags.len()] };
        let Some(sieve) = self.matching(ranked, query, Sort::MostLiked) else { return vec![0; tags.len()] };
        let bits = sieve.bits();
        tags.iter().map(|tag| self.on(ranked, *tag).map_or(0, |on_it| on_it.count_in(&bits))).collect()
    }

    /// Those of the ords that are NSFW.
    #[must_use]
    pub fn nsfw_among(&self, ords: &[i32]) -> Vec<i32> {
        let ranked = self.ranked.first();
        let nsfw = |ord: &i32| {
            // One that is not in the index yet: as if it were, until it is known.
            ranked.and_then(|r| Some(r.nsfw.has(self.rank_of(r, *ord)?))).unwrap_or(true)
        };
        ords.iter().copied().filter(nsfw).collect()
    }

    /// What a query asks of each rank; `None` when one of its tags is on no card.
    fn matching<'a>(&'a self, ranked: &'a Ranked, query: &Query<'_>, sort: Sort) -> Option<Sieve<'a>> {
        let mut sieve = Sieve::of(&ranked.listed);
        if sort == Sort::RecentHits {
            sieve.keep(&self.recent);
        }
        if query.only_nsfw {
            sieve.keep(&ranked.nsfw);
        }
        if query.without_nsfw {
            sieve.leave_out(&ranked.nsfw);
        }
        for tag in query.tags {
            sieve.keep(self.on(ranked, *tag)?.bits(self.len()));
        }
        if !query.any_tags.is_empty() || !query.any_creators.is_empty() {
            let mut any = self.of_creators(ranked, query.any_creators);
            query
                .any_tags
                .iter()
                .filter_map(|t| self.on(ranked, *t))
                .for_each(|on_it| on_it.add_to(&mut any));
            sieve.keep(any);
        }
        if let Some(among) = query.among {
            sieve.keep(self.of_ords(ranked, among));
        }
        if let Some(creators) = query.creators {
            sieve.keep(self.of_creators(ranked, creators));
        }
        if let Some(hidden) = query.hidden {
            sieve.leave_out(self.hidden(ranked, hidden));
        }
        if !query.without.is_empty() {
            sieve.leave_out(self.of_ords(ranked, query.without));
        }
        Some(sieve)
    }

    fn hidden(&self, ranked: &Ranked, hidden: &Hidden) -> Bits {
        let mut bits = self.of_creators(ranked, &hidden.creators);
        hidden.tags.iter().filter_map(|t| self.on(ranked, *t)).for_each(|on_it| on_it.add_to(&mut bits));
        if hidden.nsfw {
            bits.or(&ranked.nsfw);
        }
        hidden.ords.iter().filter_map(|ord| self.rank_of(ranked, *ord)).for_each(|r| bits.set(r));
        for place in self.creators.get(&hidden.reader).into_iter().flatten() {
            bits.clear(ranked.rank[*place as usize] as usize);
        }
        bits
    }

    fn of_creators(&self, ranked: &Ranked, creators: &[Uuid]) -> Bits {
        let mut bits = Bits::new(self.len());
        for place in creators.iter().filter_map(|c| self.creators.get(c)).flatten() {
            bits.set(ranked.rank[*place as usize] as usize);
        }
        bits
    }

    fn of_ords(&self, ranked: &Ranked, ords: &[i32]) -> Bits {
        let mut bits = Bits::new(self.len());
        ords.iter().filter_map(|ord| self.rank_of(ranked, *ord)).for_each(|rank| bits.set(rank));
        bits
    }

    fn rank_of(&self, ranked: &Ranked, ord: i32) -> Option<usize> {
        self.places.of(ord).map(|place| ranked.rank[place] as usize)
    }

    fn on<'a>(&'a self, ranked: &'a Ranked, tag: i32) -> Option<Tagged<'a>> {
        Some(match self.tags.get(&tag)? {
            On::Many(number) => Tagged::Many(&ranked.many[*number]),
            On::Few(places) => Tagged::Few(places, &ranked.rank),
        })
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::listings::table::Entry;

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let one = (
            0..6i64,
            0..6i64,
            -5.0..5.0f64,
            0..60i64,
            // Tags of many, and tags of few.
            proptest::collection::vec(prop_oneof![0..3i32, 3..80i32], 0..3),
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

    fn table(all: &[Entry]) -> Table {
        let mut table = Table::default();
        all.iter().for_each(|entry| assert!(table.learn(entry)));
        table
    }

    /// Best first, and the newest among equals.
    fn compare(sort: Sort, a: &Entry, b: &Entry) -> std::cmp::Ordering {
        let by = match sort {
            Sort::MostLiked | Sort::RecentHits => b.likes.cmp(&a.likes),
            Sort::Popular => b.chats.cmp(&a.chats),
            Sort::Trending => b.trend.total_cmp(&a.trend),
            Sort::New => b.published_at.cmp(&a.published_at),
        };
        by.then_with(|| b.ord.cmp(&a.ord))
    }

    /// The same list by filtering and sorting everything.
    fn plainly(all: &[Entry], q: &Query<'_>, sort: Sort) -> Vec<i32> {
        let mut found: Vec<&Entry> = all
            .iter()
            .filter(|e| e.listed)
            .filter(|e| sort != Sort::RecentHits || e.published_at > now() - RECENT)
            .filter(|e| !q.only_nsfw || e.nsfw)
            .filter(|e| q.tags.iter().all(|t| e.tags.contains(t)))
            .filter(|e| !q.without_nsfw || !e.nsfw)
            .filter(|e| {
                q.any_tags.is_empty() && q.any_creators.is_empty()
                    || q.any_tags.iter().any(|t| e.tags.contains(t))
                    || q.any_creators.contains(&e.creator)
            })
            .filter(|e| q.among.is_none_or(|a| a.contains(&e.ord)))
            .filter(|e| q.creators.is_none_or(|c| c.contains(&e.creator)))
            .filter(|e| !q.without.contains(&e.ord))
            .filter(|e| {
                q.hidden.is_none_or(|h| {
                    let theirs = e.creator != h.reader;
                    let blocked = h.creators.contains(&e.creator)
                        || h.ords.contains(&e.ord)
                        || h.nsfw && e.nsfw
                        || h.tags.iter().any(|t| e.tags.contains(t));
                    !(theirs && blocked)
                })
            })
            .collect();
        found.sort_by(|a, b| compare(sort, a, b));
        found.iter().map(|e| e.ord).collect()
    }

    proptest! {
        #[test]
        fn pages_are_what_sorting_everything_gives(
            before in entries(),
            all in entries(),
            tags in proptest::collection::vec(0..6i32, 0..2),
            any_tags in proptest::collection::vec(0..6i32, 0..2),
            without in proptest::collection::vec(0..200i32, 0..5),
            among in proptest::option::of(proptest::collection::vec(0..200i32, 0..60)),
            only_nsfw: bool,
            without_nsfw: bool,
            hidden in proptest::option::of((0..6i32, any::<bool>(), 0..200i32)),
            sort in prop_oneof![Just(Sort::MostLiked), Just(Sort::Popular), Just(Sort::Trending), Just(Sort::RecentHits), Just(Sort::New)],
            limit in 1..30usize,
        ) {
            // What was there before has changed, or has gone.
            let mut table = table(&before);
            all.iter().for_each(|entry| { table.learn(entry); });
            before.iter().skip(all.len()).for_each(|entry| assert!(table.forget(entry.ord)));
            let index = Index::rank(&table, now());
            let creators = [Uuid::from_u128(0), Uuid::from_u128(2)];
            let hidden = hidden.map(|(tag, nsfw, ord)| Hidden {
                reader: Uuid::from_u128(0),
                tags: vec![tag],
                nsfw,
                creators: vec![Uuid::from_u128(1)],
                ords: vec![ord],
            });
            for creators in [None, Some(creators.as_slice())] {
                let any_creators = if only_nsfw { &[][..] } else { &[Uuid::from_u128(1)][..] };
                let query = Query {
                    tags: &tags,
                    any_tags: &any_tags,
                    any_creators,
                    only_nsfw,
                    without_nsfw,
                    among: among.as_deref(),
                    without: &without,
                    hidden: hidden.as_ref(),
                    creators,
                };
                let tagged: Vec<usize> = (0..6)
                    .map(|t| plainly(&all, &query, Sort::New).into_iter().filter(|o| all[*o as usize].tags.contains(&t)).count())
                    .collect();
                // What is everybody's is found once for all pages.
                for query in [query.clone(), Query { tags: &tags, only_nsfw, without_nsfw, ..Query::default() }] {
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
                prop_assert_eq!(index.count_by_tag(&query, &[0, 1, 2, 3, 4, 5]), tagged);
            }
        }
    }

    /// The 500th page is the rows 9,981 to 10,000 of the whole order.
    #[test]
    fn page_500_is_where_it_should_be() {
        let all: Vec<Entry> = (0..12_000)
            .map(|n: i32| Entry {
                ord: n,
                id: Uuid::from_u128(n.unsigned_abs().into()),
                creator: Uuid::from_u128(7),
                tags: vec![n % 2],
                nsfw: false,
                listed: true,
                likes: i64::from(n) * 7_919 % 10_007,
                chats: i64::from(n) * 104_729 % 9_973,
                trend: f64::from(n * 31 % 1_009),
                published_at: now() - Duration::minutes(i64::from(n)),
            })
            .collect();
        let index = Index::rank(&table(&all), now());
        for sort in Sort::KEPT {
            let whole = plainly(&all, &Query::default(), sort);
            // The last ones of what is kept, across its end, and far behind it.
            let kept = limits::OPENING_ROWS;
            for offset in [0, kept - 20, kept - 10, kept, 9_980] {
                let (page, total) = index.page(&Query::default(), sort, offset, 20);
                assert_eq!((page.as_slice(), total), (&whole[offset..offset + 20], 12_000), "{sort:?}");
            }
        }
    }
}
