//! What lists are made of, by column: a character takes 80 bytes and some for its tags, where an object each with what
//! it owns took 300. A million of them are held by every replica.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use time::OffsetDateTime;
use uuid::Uuid;

/// No place.
const NONE: u32 = u32::MAX;

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

/// What only changes when characters come and go, so that an index shares it with the table it was ranked from. A
/// character's place is its number in all columns.
#[derive(Debug, Default, Clone)]
pub(super) struct Places {
    ords: Vec<i32>,
    ids: Vec<Uuid>,
    /// Ord to place; ords are numbers of a sequence, so there are hardly more of them than of places.
    by_ord: Vec<u32>,
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.ords.len()
    }

    pub fn of(&self, ord: i32) -> Option<usize> {
        let place = *self.by_ord.get(usize::try_from(ord).ok()?)?;
        (place != NONE).then_some(place as usize)
    }

    pub fn ord(&self, place: usize) -> i32 {
        self.ords[place]
    }

    pub fn id(&self, place: usize) -> Uuid {
        self.ids[place]
    }

    fn put(&mut self, ord: i32, place: u32) {
        // Ords begin with 1 (an identity of PostgreSQL).
        let Ok(at) = usize::try_from(ord) else { return };
        if self.by_ord.len() <= at {
            self.by_ord.resize(at + 1, NONE);
        }
        self.by_ord[at] = place;
    }
}

/// Values that many have, each kept once and known by a number.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new() }
    }
}

impl<T: Eq + Hash + Clone> Numbered<T> {
    fn number(&mut self, value: &T) -> u32 {
        let next = number(self.numbers.len());
        *self.numbers.entry(value.clone()).or_insert(next)
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn all(&self) -> impl Iterator<Item = (&T, u32)> {
        self.numbers.iter().map(|(value, number)| (value, *number))
    }
}

/// A short list for each place, all in one.
#[derive(Debug, Default)]
struct Lists {
    /// Where each begins, and how long it is.
    at: Vec<(u32, u32)>,
    all: Vec<u32>,
    /// Of `all`, what no list has any more.
    left: usize,
}

impl Lists {
    fn of(&self, place: usize) -> &[u32] {
        let (begin, len) = self.at[place];
        &self.all[begin as usize..][..len as usize]
    }

    fn push(&mut self, list: &[u32]) {
        self.at.push((number(self.all.len()), number(list.len())));
        self.all.extend_from_slice(list);
    }

    fn set(&mut self, place: usize, list: &[u32]) {
        self.left += self.at[place].1 as usize;
        self.at[place] = (number(self.all.len()), number(list.len()));
        self.all.extend_from_slice(list);
        self.tidy();
    }

    fn swap_remove(&mut self, place: usize) {
        self.left += self.at.swap_remove(place).1 as usize;
        self.tidy();
    }

    fn tidy(&mut self) {
        if self.left * 2 > self.all.len() {
            let lists: Vec<u32> = (0..self.at.len()).flat_map(|place| self.of(place)).copied().collect();
            let mut begin = 0;
            for at in &mut self.at {
                at.0 = begin;
                begin += at.1;
            }
            (self.all, self.left) = (lists, 0);
        }
    }
}

/// Places and the like are counted with 32 bits.
pub(super) fn number(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than four billion")
}

/// All characters of the lists, as they are now.
#[derive(Debug, Default)]
pub struct Table {
    pub(super) places: Arc<Places>,
    pub(super) creators: Numbered<Uuid>,
    pub(super) tags: Numbered<i32>,
    pub(super) creator: Vec<u32>,
    on: Lists,
    pub(super) nsfw: Vec<bool>,
    pub(super) listed: Vec<bool>,
    pub(super) likes: Vec<i64>,
    pub(super) chats: Vec<i64>,
    pub(super) trend: Vec<f64>,
    /// Microseconds since 1970, as exact as PostgreSQL has them.
    pub(super) published: Vec<i64>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The tags of a place, by their numbers.
    pub(super) fn tags_of(&self, place: usize) -> &[u32] {
        self.on.of(place)
    }

    /// Puts a character in, or what has become of it; whether that says anything new.
    pub fn learn(&mut self, entry: &Entry) -> bool {
        let creator = self.creators.number(&entry.creator);
        let mut tags: Vec<u32> = entry.tags.iter().map(|tag| self.tags.number(tag)).collect();
        tags.sort_unstable();
        tags.dedup();
        let published = micros(entry.published_at);
        let Some(place) = self.places.of(entry.ord) else {
            let place = number(self.len());
            let places = Arc::make_mut(&mut self.places);
            places.ords.push(entry.ord);
            places.ids.push(entry.id);
            places.put(entry.ord, place);
            self.creator.push(creator);
            self.on.push(&tags);
            self.nsfw.push(entry.nsfw);
            self.listed.push(entry.listed);
            self.likes.push(entry.likes);
            self.chats.push(entry.chats);
            self.trend.push(entry.trend);
            self.published.push(published);
            return true;
        };
        let mut news = false;
        if self.places.id(place) != entry.id {
            Arc::make_mut(&mut self.places).ids[place] = entry.id;
            news = true;
        }
        if self.on.of(place) != tags {
            self.on.set(place, &tags);
            news = true;
        }
        news |= changed(&mut self.creator[place], creator);
        news |= changed(&mut self.nsfw[place], entry.nsfw);
        news |= changed(&mut self.listed[place], entry.listed);
        news |= changed(&mut self.likes[place], entry.likes);
        news |= changed(&mut self.chats[place], entry.chats);
        news |= changed(&mut self.trend[place], entry.trend);
        news | changed(&mut self.published[place], published)
    }

    /// Takes a character out; whether it was there.
    pub fn forget(&mut self, ord: i32) -> bool {
        let Some(place) = self.places.of(ord) else { return false };
        let places = Arc::make_mut(&mut self.places);
        places.ords.swap_remove(place);
        places.ids.swap_remove(place);
        places.put(ord, NONE);
        // The last has moved to where this one was.
        if let Some(moved) = places.ords.get(place).copied() {
            places.put(moved, number(place));
        }
        self.creator.swap_remove(place);
        self.on.swap_remove(place);
        self.nsfw.swap_remove(place);
        self.listed.swap_remove(place);
        self.likes.swap_remove(place);
        self.chats.swap_remove(place);
        self.trend.swap_remove(place);
        self.published.swap_remove(place);
        true
    }

    /// Gives back what growing left over.
    pub fn shrink(&mut self) {
        let places = Arc::make_mut(&mut self.places);
        places.ords.shrink_to_fit();
        places.ids.shrink_to_fit();
        places.by_ord.shrink_to_fit();
        self.creator.shrink_to_fit();
        self.on.at.shrink_to_fit();
        self.on.all.shrink_to_fit();
        self.nsfw.shrink_to_fit();
        self.listed.shrink_to_fit();
        self.likes.shrink_to_fit();
        self.chats.shrink_to_fit();
        self.trend.shrink_to_fit();
        self.published.shrink_to_fit();
    }
}

/// Microseconds since 1970.
pub(super) fn micros(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX)
}

fn changed<T: PartialEq>(have: &mut T, now: T) -> bool {
    let news = *have != now;
    *have = now;
    news
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ord: i32, tags: &[i32]) -> Entry {
        Entry {
            ord,
            id: Uuid::from_u128(ord.unsigned_abs().into()),
            creator: Uuid::from_u128(7),
            tags: tags.to_vec(),
            nsfw: false,
            listed: true,
            likes: 0,
            chats: 0,
            trend: 0.0,
            published_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn only_what_is_new_is_news() {
        let mut table = Table::default();
        assert!(table.learn(&entry(3, &[1, 2])));
        assert!(!table.learn(&entry(3, &[1, 2])));
        assert!(table.learn(&Entry { likes: 1, ..entry(3, &[1, 2]) }));
        assert!(table.learn(&Entry { likes: 1, ..entry(3, &[2]) }));
        assert!(table.forget(3));
        assert!(!table.forget(3));
        assert!(!table.forget(-1));
        assert_eq!(table.len(), 0);
    }

    #[test]
    fn tags_that_nobody_has_any_more_leave() {
        let mut table = Table::default();
        for ord in 1..=10 {
            table.learn(&entry(ord, &[ord, ord + 1]));
        }
        for round in 0..100 {
            table.learn(&entry(4, &[round, round + 1, round + 2]));
        }
        assert!(table.on.all.len() < 60, "{} tags are held", table.on.all.len());
        for ord in 1..=8 {
            assert!(table.forget(ord));
        }
        assert!(table.on.all.len() <= 8);
        for ord in [9, 10] {
            let place = table.places.of(ord).expect("still there");
            assert_eq!(table.places.id(place), Uuid::from_u128(ord.unsigned_abs().into()));
            let own: Vec<u32> = [ord, ord + 1].iter().map(|tag| table.tags.numbers[tag]).collect();
            assert_eq!(table.tags_of(place), own);
        }
    }
}
