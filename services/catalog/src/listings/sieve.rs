//! What a list asks of each rank. It is looked at in blocks, and only as far as a page reaches.

use std::borrow::Cow;

use super::bits::{BLOCK, Bits};

/// The ranks of some bits, without those that others leave out.
#[derive(Debug)]
pub struct Sieve<'a> {
    all: &'a Bits,
    kept: Vec<Cow<'a, Bits>>,
    left_out: Vec<Cow<'a, Bits>>,
}

/// So many ranks at once that a sum of them is made without a jump.
type Block = [u64; BLOCK];

impl<'a> Sieve<'a> {
    pub fn of(all: &'a Bits) -> Self {
        Self { all, kept: Vec::new(), left_out: Vec::new() }
    }

    /// Only what is set in these stays.
    pub fn keep(&mut self, bits: impl Into<Cow<'a, Bits>>) {
        self.kept.push(bits.into());
    }

    /// Nothing of what is set in these stays.
    pub fn leave_out(&mut self, bits: impl Into<Cow<'a, Bits>>) {
        self.left_out.push(bits.into());
    }

    /// At most `limit` ranks after the first `offset`. Whole blocks are skipped, so that a deep page costs about what
    /// the first costs.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<usize> {
        let (mut skip, mut page) = (offset, Vec::with_capacity(limit));
        for number in 0..self.blocks() {
            if page.len() >= limit {
                break;
            }
            let block = self.block(number);
            let ones = ones(&block);
            if skip >= ones {
                skip -= ones;
                continue;
            }
            let ranks = ranks(&block).skip(skip).take(limit - page.len());
            page.extend(ranks.map(|rank| number * BLOCK * 64 + rank));
            skip = 0;
        }
        page
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        (0..self.blocks()).map(|number| ones(&self.block(number))).sum()
    }

    /// All of them.
    pub fn bits(&self) -> Bits {
        let mut bits = self.all.clone();
        self.kept.iter().for_each(|kept| bits.and(kept));
        self.left_out.iter().for_each(|left_out| bits.and_not(left_out));
        bits
    }

    fn blocks(&self) -> usize {
        self.all.words().len().div_ceil(BLOCK)
    }

    /// The last one ends in zeros.
    fn block(&self, number: usize) -> Block {
        let words = self.all.words();
        let range = number * BLOCK..words.len().min((number + 1) * BLOCK);
        let mut block = [0; BLOCK];
        block[..range.len()].copy_from_slice(&words[range.clone()]);
        for kept in &self.kept {
            block.iter_mut().zip(&kept.words()[range.clone()]).for_each(|(a, b)| *a &= b);
        }
        for left_out in &self.left_out {
            block.iter_mut().zip(&left_out.words()[range.clone()]).for_each(|(a, b)| *a &= !b);
        }
        block
    }
}

fn ones(block: &Block) -> usize {
    block.iter().map(|word| word.count_ones() as usize).sum()
}

/// The set bits of a block.
fn ranks(block: &Block) -> impl Iterator<Item = usize> {
    block.iter().enumerate().flat_map(|(n, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(n * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// More than two blocks, the last of which is not full.
    const LEN: usize = 2 * BLOCK * 64 + 100;

    fn bits(set: &[usize]) -> Bits {
        let mut bits = Bits::new(LEN);
        set.iter().for_each(|rank| bits.set(*rank));
        bits
    }

    proptest! {
        #[test]
        fn a_page_is_a_part_of_what_is_in_all_and_in_none_of_the_others(
            mut all in proptest::collection::vec(0..LEN, 0..500),
            not_kept in proptest::collection::vec(0..LEN, 0..5_000),
            left_out in proptest::collection::vec(0..LEN, 0..5_000),
            offset in 0..300_usize,
            limit in 0..60_usize,
        ) {
            let mut kept = bits(&(0..LEN).collect::<Vec<_>>());
            not_kept.iter().for_each(|rank| kept.clear(*rank));
            let (base, out) = (bits(&all), bits(&left_out));
            let mut sieve = Sieve::of(&base);
            sieve.keep(&kept);
            sieve.leave_out(&out);

            all.sort_unstable();
            all.dedup();
            all.retain(|rank| !not_kept.contains(rank) && !left_out.contains(rank));
            let page: Vec<usize> = all.iter().copied().skip(offset).take(limit).collect();
            prop_assert_eq!(sieve.page(offset, limit), page);
            prop_assert_eq!(sieve.count(), all.len());
            prop_assert_eq!(sieve.bits().count_both(&bits(&all)), all.len());
        }
    }
}
