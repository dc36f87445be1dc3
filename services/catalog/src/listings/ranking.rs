//! How an index is made of the table: an order for each sort, and in it a bit for each flag and each common tag.

use std::collections::HashMap;

use uuid::Uuid;

use super::{
    bits::{Bits, Tagged},
    index::Sort,
    table::{Table, number},
};

impl Sort {
    /// A number for the place: the smaller, the earlier in the list. Newest first among equals, and one order for the
    /// same data. The lowest 32 bits are the place itself.
    fn key(self, table: &Table, place: u32) -> u128 {
        let at = place as usize;
        let value = match self {
            Self::MostLiked | Self::RecentHits => table.likes[at],
            Self::Popular => table.chats[at],
            Self::Trending => in_total_order(table.trend[at]),
            Self::New => table.published[at],
        };
        let first = u128::from(!ascending(value));
        let then = u128::from(!table.places.ord(at).cast_unsigned());
        first << 64 | then << 32 | u128::from(place)
    }
}

/// The same order without a sign.
fn ascending(value: i64) -> u64 {
    value.cast_unsigned() ^ (1 << 63)
}

/// A number that is ordered as `f64::total_cmp` orders.
fn in_total_order(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// One order with its bitsets.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    /// Rank to place.
    pub(super) order: Vec<u32>,
    /// Place to rank.
    pub(super) rank: Vec<u32>,
    pub(super) listed: Bits,
    pub(super) nsfw: Bits,
    /// By the number of the tag among those of many.
    pub(super) many: Vec<Bits>,
}

/// Who has a tag, in no order yet.
#[derive(Debug)]
pub(super) enum On {
    Many(usize),
    Few(Vec<u32>),
}

impl Ranked {
    pub(super) fn by(sort: Sort, table: &Table, many: &Many) -> Self {
        let len = table.len();
        // By one number each: to look every comparison up in the columns took three times as long.
        let mut keys: Vec<u128> = (0..len).map(|place| sort.key(table, number(place))).collect();
        keys.sort_unstable();
        #[expect(clippy::cast_possible_truncation, reason = "the lowest bits are the place")]
        let order: Vec<u32> = keys.into_iter().map(|key| key as u32).collect();
        let mut ranked = Self {
            rank: vec![0; len],
            listed: Bits::new(len),
            nsfw: Bits::new(len),
            many: vec![Bits::new(len); many.count],
            order: Vec::new(),
        };
        for (rank, place) in order.iter().enumerate() {
            let place = *place as usize;
            ranked.rank[place] = number(rank);
            if table.listed[place] {
                ranked.listed.set(rank);
            }
            if table.nsfw[place] {
                ranked.nsfw.set(rank);
            }
            for tag in table.tags_of(place) {
                if let Some(number) = many.numbers[*tag as usize] {
                    ranked.many[number].set(rank);
                }
            }
        }
        ranked.order = order;
        ranked
    }
}

/// Which tags are on so many cards that they are bits.
pub(super) struct Many {
    /// How many cards have each tag of the table.
    on: Vec<usize>,
    /// The number among those of many of each tag of the table, when it is one of them.
    numbers: Vec<Option<usize>>,
    count: usize,
}

impl Many {
    pub(super) fn of(table: &Table) -> Self {
        let mut on = vec![0_usize; table.tags.len()];
        for place in 0..table.len() {
            table.tags_of(place).iter().for_each(|tag| on[*tag as usize] += 1);
        }
        let mut count = 0;
        let numbers = on.iter().map(|on| {
            (!Tagged::are_few(*on, table.len())).then(|| {
                count += 1;
                count - 1
            })
        });
        let numbers = numbers.collect();
        Self { on, numbers, count }
    }

    /// Who has each tag that anybody has.
    pub(super) fn tags(&self, table: &Table) -> HashMap<i32, On> {
        let few = |number: usize| if self.numbers[number].is_some() { 0 } else { self.on[number] };
        let mut places: Vec<Vec<u32>> =
            (0..self.on.len()).map(|number| Vec::with_capacity(few(number))).collect();
        for place in 0..table.len() {
            for tag in table.tags_of(place) {
                if self.numbers[*tag as usize].is_none() {
                    places[*tag as usize].push(number(place));
                }
            }
        }
        let on = |number: usize| match self.numbers[number] {
            Some(many) => On::Many(many),
            None => On::Few(std::mem::take(&mut places[number])),
        };
        let mut on = on;
        let held = table.tags.all().map(|(tag, number)| (*tag, number as usize));
        held.filter(|(_, number)| self.on[*number] > 0).map(|(tag, number)| (tag, on(number))).collect()
    }
}

/// The places of each creator.
pub(super) fn by_creator(table: &Table) -> HashMap<Uuid, Vec<u32>> {
    let mut counts = vec![0; table.creators.len()];
    table.creator.iter().for_each(|creator| counts[*creator as usize] += 1);
    let mut places: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
    for (place, creator) in table.creator.iter().enumerate() {
        places[*creator as usize].push(number(place));
    }
    let mut of = |number: u32| std::mem::take(&mut places[number as usize]);
    table.creators.all().map(|(creator, number)| (*creator, of(number))).collect()
}
