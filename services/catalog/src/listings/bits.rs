//! Sets of ranks: what the listing index is made of.

/// Words of a block of bits that is counted together.
const BLOCK: usize = 64;

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

    /// The positions of `limit` set bits after the first `offset`, and how many are set in all. Blocks are
    /// counted once for both, so that a deep page skips whole blocks and costs what the first costs.
    pub fn page(&self, offset: usize, limit: usize) -> (Vec<usize>, usize) {
        let counts: Vec<usize> =
            self.0.chunks(BLOCK).map(|b| b.iter().map(|w| w.count_ones() as usize).sum()).collect();
        let mut skip = offset;
        let mut page = Vec::with_capacity(limit);
        for (block, ones) in counts.iter().enumerate() {
            if skip >= *ones {
                skip -= ones;
            } else if page.len() < limit {
                self.walk(block, &mut skip, limit, &mut page);
            } else {
                break;
            }
        }
        (page, counts.iter().sum())
    }

    /// Adds the set bits of a block, without those that are still to be skipped.
    fn walk(&self, block: usize, skip: &mut usize, limit: usize, page: &mut Vec<usize>) {
        for (n, word) in self.0.iter().enumerate().skip(block * BLOCK).take(BLOCK) {
            let ones = word.count_ones() as usize;
            if *skip >= ones {
                *skip -= ones;
                continue;
            }
            let mut rest = *word;
            while rest != 0 && page.len() < limit {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if *skip > 0 {
                    *skip -= 1;
                } else {
                    page.push(n * 64 + bit);
                }
            }
        }
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

impl Tagged<'_> {
    /// Whether so few of `len` take less room as numbers than as a bit for each of `len`.
    pub fn are_few(count: usize, len: usize) -> bool {
        count * 32 < len
    }

    fn ranks(places: &[u32], rank: &[u32]) -> impl Iterator<Item = usize> {
        places.iter().map(|place| rank[*place as usize] as usize)
    }

    pub fn keep_in(self, bits: &mut Bits) {
        match self {
            Self::Many(on_it) => bits.and(on_it),
            Self::Few(places, rank) => {
                let kept: Vec<usize> = Self::ranks(places, rank).filter(|rank| bits.has(*rank)).collect();
                bits.0.fill(0);
                kept.into_iter().for_each(|rank| bits.set(rank));
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
