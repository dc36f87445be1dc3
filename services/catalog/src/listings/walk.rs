//! A search for a word that very many cards have: the list is walked from its best on, and each card is asked whether it
//! has the word. The first page of such a search is then the best of all, and not of the first that were found.

use std::collections::HashSet;

use kit::page::Page;
use proto::catalog::v1::CardList;

use super::{
    index::{Query, Sort},
    lists::Ask,
    reader::Reader,
    text,
};
use crate::{App, error::Result, limits};

/// How far a walk has come.
#[derive(Debug, Default)]
struct Walk {
    /// Matches that are wanted: what the page ends with.
    wanted: usize,
    /// Cards that were asked.
    asked: usize,
    /// Those that have the word, best first.
    found: Vec<i32>,
    /// Cards of the list.
    all: usize,
}

impl Walk {
    fn over(all: usize, wanted: usize) -> Self {
        Self { wanted: wanted.max(limits::WALK_ENOUGH), all, ..Self::default() }
    }

    /// Every card of the list was asked.
    fn whole(&self) -> bool {
        self.asked >= self.all
    }

    /// How many cards are asked next; `None` at the end. Most pages are found by the first few.
    fn next(&self) -> Option<usize> {
        let enough = self.found.len() >= self.wanted || self.is_rare();
        if self.whole() || enough || self.asked >= limits::WALK_MAX {
            return None;
        }
        let steps = limits::WALK_STEPS;
        let mut before = 0;
        let step = steps.iter().find(|step| {
            before += **step;
            self.asked < before
        });
        step.or(steps.last()).copied()
    }

    /// What became of the next: how many there were, and which of them have the word.
    fn add(&mut self, there: usize, found: impl IntoIterator<Item = i32>) {
        self.asked += there;
        self.found.extend(found);
    }

    /// So few have the word that whoever finds by words is faster.
    fn is_rare(&self) -> bool {
        !self.whole() && self.asked >= limits::WALK_FIRST && self.found.len() < limits::WALK_ENOUGH
    }
}

impl App {
    /// The page, when it is found so; `None` when words find it better.
    pub(super) async fn walked(
        &self,
        reader: &Reader,
        ask: &Ask,
        query: &Query<'_>,
        words: &[String],
    ) -> Result<Option<CardList>> {
        let Some(fewest) = self.common.fewest(words) else { return Ok(None) };
        let index = self.listing.get().await;
        let all = index.page(query, ask.sort, 0, 0).1;
        // How many match is only known of a list that is asked as a whole, and of one word in all cards: more than
        // anybody looks at.
        let short = all <= limits::WALK_FIRST;
        // To ask two thousand cards in vain takes as long as the search after it.
        if !short && walks_in_vain(fewest, all) {
            return Ok(None);
        }
        let plain =
            words.len() == 1 && query.tags.is_empty() && !query.only_nsfw && ask.sort != Sort::RecentHits;
        if !short && !plain {
            return Ok(None);
        }
        let mut walk = Walk::over(all, if short { usize::MAX } else { end(ask.page) });
        while let Some(step) = walk.next() {
            let (ords, _) = index.page(query, ask.sort, walk.asked, step);
            let find = self.found_among(words, reader.gate.nsfw, &ords, &index).await?;
            let found: HashSet<i32> = find.ords.iter().copied().collect();
            walk.add(ords.len(), ords.iter().copied().filter(|ord| found.contains(ord)));
        }
        if walk.is_rare() {
            return Ok(None);
        }
        let begin = usize::try_from(ask.page.offset()).unwrap_or(usize::MAX);
        let page = walk.found.iter().skip(begin).take(ask.page.limit as usize).copied();
        let ids = self.ids(&index, &page.collect::<Vec<i32>>()).await?;
        let cards = self.hydrate(&reader.gate, &ids).await?;
        // A walk that ended before it was asked to ends the list.
        let ended = walk.found.len() < end(ask.page);
        let total = if walk.whole() || ended { walk.found.len() } else { self.matches_max };
        let mut info = ask.page.info(total as u64);
        if !walk.whole() {
            text::cap(ask.page, &mut info);
        }
        Ok(Some(CardList { cards, page: Some(info) }))
    }
}

/// Whether too few are to be expected among the first, when so many of all cards have the word.
fn walks_in_vain(cards: usize, all: usize) -> bool {
    cards.saturating_mul(limits::WALK_FIRST) < all.saturating_mul(limits::WALK_ENOUGH)
}

/// Rows up to the end of the page.
fn end(page: Page) -> usize {
    usize::try_from(page.offset()).unwrap_or(usize::MAX).saturating_add(page.limit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks over so many cards, of which each `nth` has the word.
    fn walk(cards: usize, nth: usize, wanted: usize) -> Walk {
        let mut walk = Walk::over(cards, wanted);
        while let Some(step) = walk.next() {
            let there: Vec<usize> = (walk.asked..cards).take(step).collect();
            let has = there.iter().filter(|card| *card % nth == 0);
            walk.add(there.len(), has.map(|card| i32::try_from(*card).expect("small")));
        }
        walk
    }

    #[test]
    fn a_page_of_a_word_that_all_have_asks_a_few() {
        let first = walk(1_000_000, 1, 20);
        assert_eq!((first.asked, first.found[..3].to_vec()), (100, vec![0, 1, 2]));
        let fifth = walk(1_000_000, 3, 100);
        assert!(fifth.asked == 500 && fifth.found[99] == 297);
    }

    #[test]
    fn what_few_have_is_left_to_the_words() {
        let rare = walk(1_000_000, 150, 20);
        assert!(rare.is_rare() && rare.asked == limits::WALK_FIRST);
        // Also when a page deep down is asked for: all pages are of one list.
        assert!(walk(1_000_000, 150, 400).is_rare());
        assert!(!walk(1_000_000, 90, 400).is_rare());
    }

    #[test]
    fn nobody_walks_for_a_word_that_hardly_more_have_than_a_search_looks_at() {
        assert!(walks_in_vain(5_108, 1_000_000) && !walks_in_vain(12_000, 1_000_000));
        assert!(!walks_in_vain(5_108, 20_000));
    }

    #[test]
    fn a_short_list_is_asked_as_a_whole() {
        let short = walk(1_500, 700, usize::MAX);
        assert!(short.whole() && !short.is_rare());
        assert_eq!(short.found, [0, 700, 1_400]);
    }

    #[test]
    fn nobody_walks_for_ever() {
        let deep = walk(1_000_000, 90, 20_000);
        assert!(!deep.is_rare() && deep.asked < limits::WALK_MAX + 4_000 && deep.found.len() > 500);
    }
}
