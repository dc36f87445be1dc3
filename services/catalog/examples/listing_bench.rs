//! How long a page takes in the listing index, the first and the 500th: the goal is that the latter costs
//! at most twice the former.
//!
//! `cargo run --release -p catalog --example listing_bench -- [characters]`

use std::{hint::black_box, time::Instant};

use catalog::{
    listing_index::{Hidden, Index, Query, Sort},
    listing_table::{Entry, Table},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const CHARACTERS: i32 = 1_000_000;
const CREATORS: u64 = 20_000;
const TAGS: u64 = 90;
const LIMIT: usize = 20;
/// Looks per page, of which p50 and p99 are told.
const LOOKS: usize = 300;

/// Numbers that look like chance and are the same each time (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    /// Small numbers are the most frequent, as with tags and likes.
    fn skewed(&mut self, n: u64) -> u64 {
        let top = self.below(n) + 1;
        self.below(top)
    }

    fn small(&mut self, n: u64) -> i32 {
        i32::try_from(self.skewed(n)).unwrap_or(i32::MAX)
    }
}

fn entry(ord: i32, chance: &mut Chance, now: OffsetDateTime) -> Entry {
    Entry {
        ord,
        id: Uuid::from_u128(ord.unsigned_abs().into()),
        creator: Uuid::from_u128(chance.skewed(CREATORS).into()),
        tags: (0..5).map(|_| chance.small(TAGS)).collect(),
        nsfw: chance.below(5) == 0,
        listed: chance.below(20) > 0,
        likes: i64::from(chance.small(100_000)),
        chats: i64::from(chance.small(1_000_000)),
        trend: f64::from(chance.small(1_000_000)) / 1_000.0,
        published_at: now - Duration::minutes(i64::from(chance.small(1_000_000))),
    }
}

/// Microseconds of one look, p50 and p99.
fn measure(index: &Index, query: &Query<'_>, sort: Sort, page: usize) -> (u128, u128) {
    let mut took: Vec<u128> = (0..LOOKS)
        .map(|_| {
            let began = Instant::now();
            black_box(index.page(black_box(query), sort, (page - 1) * LIMIT, LIMIT));
            began.elapsed().as_micros()
        })
        .collect();
    took.sort_unstable();
    (took[LOOKS / 2], took[LOOKS * 99 / 100])
}

fn main() {
    let characters = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(CHARACTERS);
    let now = OffsetDateTime::now_utc();
    let mut chance = Chance(7);
    let mut table = Table::default();
    (1..=characters).for_each(|ord| _ = table.learn(&entry(ord, &mut chance, now)));
    let began = Instant::now();
    let index = Index::rank(&table, now);
    println!("{characters} characters, built in {} ms", began.elapsed().as_millis());

    let hidden = Hidden {
        reader: Uuid::max(),
        tags: vec![3, 30],
        nsfw: true,
        creators: (0..500).map(Uuid::from_u128).collect(),
        ords: (0..500).collect(),
    };
    let all = Query::default();
    let queries = [
        ("no tag", all.clone()),
        ("one tag", Query { tags: &[0], ..all.clone() }),
        ("three tags", Query { tags: &[0, 1, 2], ..all.clone() }),
        ("no tag, many blocks", Query { hidden: Some(&hidden), ..all }),
    ];
    println!(
        "{:<20} {:<11} {:>10} {:>10} {:>10} {:>10} {:>7}",
        "µs", "sort", "1: p50", "p99", "500: p50", "p99", "ratio"
    );
    for (name, query) in &queries {
        for sort in [Sort::MostLiked, Sort::Popular, Sort::Trending, Sort::RecentHits, Sort::New] {
            let (first, first99) = measure(&index, query, sort, 1);
            let (deep, deep99) = measure(&index, query, sort, 500);
            #[expect(clippy::cast_precision_loss, reason = "a ratio of times")]
            let ratio = deep as f64 / first.max(1) as f64;
            let sort = format!("{sort:?}");
            println!("{name:<20} {sort:<11} {first:>10} {first99:>10} {deep:>10} {deep99:>10} {ratio:>7.2}");
        }
    }
}
