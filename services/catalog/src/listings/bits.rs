//! Sets of ranks: what the listing index is made of.

use std::borrow::Cow;

/// Words of a block of bits that is looked at together.
pub const BLOCK: usize = 64;

/// Bits in rank order.
#[derive(Debug, Clone, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    pub fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub fn has(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }

    pub fn clear(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    pub fn and(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub fn or(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn and_not(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// How many are set in both.
    pub fn count_both(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// 64 ranks each, the lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

impl From<Bits> for Cow<'_, Bits> {
    fn from(bits: Bits) -> Self {
        Self::Owned(bits)
    }
}

impl<'a> From<&'a Bits> for Cow<'a, Bits> {
    fn from(bits: &'a Bits) -> Self {
        Self::Borrowed(bits)
    }
}

/// Who has a tag, in an order. Most tags are on a few cards only: a bitset of all cards for each of thousands of tags
/// would be most of the index, and so would the ranks of those few in each order.
#[derive(Debug, Clone, Copy)]
pub enum Tagged<'a> {
    Many(&'a Bits),
    /// Their places, and the rank of each place.
    Few(&'a [u32], &'a [u32]),
}

impl<'a> Tagged<'a> {
    /// Whether so few of `len` take less room as numbers than as a bit for each of `len`.
    pub fn are_few(count: usize, len: usize) -> bool {
        count * 32 < len
    }

    fn ranks(places: &[u32], rank: &[u32]) -> impl Iterator<Item = usize> {
        places.iter().map(|place| rank[*place as usize] as usize)
    }

    /// A bit for each rank of `len` in all.
    pub fn bits(self, len: usize) -> Cow<'a, Bits> {
        match self {
            Self::Many(on_it) => on_it.into(),
            Self::Few(..) => {
                let mut bits = Bits::new(len);
                self.add_to(&mut bits);
                bits.into()
            }
        }
    }

    pub fn add_to(self, bits: &mut Bits) {
        match self {
            Self::Many(on_it) => bits.or(on_it),
            Self::Few(places, rank) => Self::ranks(places, rank).for_each(|rank| bits.set(rank)),
        }
    }

    pub fn count_in(self, bits: &Bits) -> usize {
        match self {
            Self::Many(on_it) => bits.count_both(on_it),
            Self::Few(places, rank) => Self::ranks(places, rank).filter(|rank| bits.has(*rank)).count(),
        }
    }
}
