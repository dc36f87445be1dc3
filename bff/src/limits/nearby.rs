//! What this process knows of rates by itself. Whoever is far from a limit need not wait until Redis has counted each
//! request: it is let through, and counted a moment later together with others (decision 27).

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::Standing;

/// How long what Redis told of a key is believed.
const KNOWN_FOR: Duration = Duration::from_secs(1);
/// Keys that are known at most, some 200 bytes each; of others Redis is asked.
const KEYS_MAX: usize = 20_000;

/// A key and its limit: so many requests in so much time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    pub key: String,
    pub limit: u32,
    pub window: Duration,
}

/// Where a key stood when Redis told of it, and what was let through since.
struct Known {
    limit: u32,
    window: Duration,
    told: Standing,
    at: Instant,
    /// Requests that Redis is to be told of.
    owed: u32,
    /// Requests that it is being told of.
    on_the_way: u32,
}

impl Known {
    fn spent(&self) -> u32 {
        self.owed.saturating_add(self.on_the_way)
    }

    /// Half of the limit is kept for what other processes let through meanwhile.
    fn is_far(&self, now: Instant) -> bool {
        let fresh = now.saturating_duration_since(self.at) < KNOWN_FOR;
        fresh && self.told.allowed && self.told.remaining.saturating_sub(self.spent()) > self.limit / 2
    }
}

#[derive(Default)]
pub struct Nearby(HashMap<String, Known>);

impl Nearby {
    /// Lets a request through that is far from all its limits, and tells how it stands against each; `None` when Redis
    /// has to be asked.
    pub fn spend<const N: usize>(&mut self, counted: &[Counted; N], now: Instant) -> Option<[Standing; N]> {
        let far = |counted: &Counted| self.0.get(&counted.key).is_some_and(|known| known.is_far(now));
        if !counted.iter().all(far) {
            return None;
        }
        Some(counted.each_ref().map(|counted| {
            let known = self.0.get_mut(&counted.key).expect("just seen");
            known.owed += 1;
            let each = known.window / known.limit.max(1);
            let passed = now.saturating_duration_since(known.at);
            Standing {
                remaining: known.told.remaining.saturating_sub(known.spent()),
                reset: (known.told.reset + each * known.spent()).saturating_sub(passed),
                ..known.told
            }
        }))
    }

    /// What Redis is to be told of a key with the request that it is asked about.
    pub fn owed(&mut self, key: &str) -> u32 {
        let Some(known) = self.0.get_mut(key) else { return 0 };
        known.on_the_way = known.spent();
        std::mem::take(&mut known.owed)
    }

    /// What Redis is to be told of, at most `most` keys; and whether there are more. What is no longer known is forgotten.
    pub fn debts(&mut self, most: usize, now: Instant) -> (Vec<(Counted, u32)>, bool) {
        self.0.retain(|_, known| known.owed > 0 || now.saturating_duration_since(known.at) < KNOWN_FOR);
        let mut owing = self.0.iter_mut().filter(|(_, known)| known.owed > 0);
        let debts = owing
            .by_ref()
            .take(most)
            .map(|(key, known)| {
                known.on_the_way = known.spent();
                let counted = Counted { key: key.clone(), limit: known.limit, window: known.window };
                (counted, std::mem::take(&mut known.owed))
            })
            .collect();
        (debts, owing.next().is_some())
    }

    /// What Redis has told of a key.
    pub fn told(&mut self, counted: Counted, told: Standing, now: Instant) {
        let Counted { key, limit, window } = counted;
        if self.0.len() >= KEYS_MAX && !self.0.contains_key(&key) {
            return;
        }
        let known =
            self.0.entry(key).or_insert(Known { limit, window, told, at: now, owed: 0, on_the_way: 0 });
        (known.limit, known.window, known.told, known.at, known.on_the_way) = (limit, window, told, now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(60);

    fn counted(key: &str) -> Counted {
        Counted { key: key.to_owned(), limit: 60, window: WINDOW }
    }

    fn standing(remaining: u32) -> Standing {
        let reset = Duration::from_secs(u64::from(60 - remaining));
        Standing { allowed: true, limit: 60, remaining, reset, retry: Duration::ZERO }
    }

    #[test]
    fn who_is_far_from_a_limit_is_let_through_and_owed_until_half_of_it_is_left() {
        let now = Instant::now();
        let mut nearby = Nearby::default();
        assert_eq!(nearby.spend(&[counted("a")], now), None, "nothing is known");
        nearby.told(counted("a"), standing(33), now);
        for left in [32, 31, 30] {
            assert_eq!(nearby.spend(&[counted("a")], now), Some([standing(left)]));
        }
        assert_eq!(nearby.spend(&[counted("a")], now), None, "the other half is for other processes");
        assert_eq!(nearby.owed("a"), 3);
        assert_eq!((nearby.owed("a"), nearby.spend(&[counted("a")], now)), (0, None), "still on the way");
        nearby.told(counted("a"), standing(40), now);
        assert_eq!(nearby.spend(&[counted("a")], now), Some([standing(39)]));
    }

    #[test]
    fn a_request_is_let_through_by_all_its_limits_or_owed_to_none() {
        let now = Instant::now();
        let mut nearby = Nearby::default();
        nearby.told(counted("a"), standing(60), now);
        nearby.told(counted("b"), standing(30), now);
        assert_eq!(nearby.spend(&[counted("a"), counted("b")], now), None);
        assert!(nearby.debts(10, now).0.is_empty());
    }

    #[test]
    fn what_was_told_is_believed_for_a_second_and_debts_are_never_forgotten() {
        let now = Instant::now();
        let mut nearby = Nearby::default();
        nearby.told(counted("a"), standing(60), now);
        nearby.told(counted("b"), standing(60), now);
        nearby.spend(&[counted("a")], now).expect("let through");
        let later = now + KNOWN_FOR;
        assert_eq!(nearby.spend(&[counted("a")], later), None);
        assert_eq!(nearby.debts(10, later), (vec![(counted("a"), 1)], false));
        assert!(!nearby.0.contains_key("b"));
    }

    #[test]
    fn debts_are_told_in_parts() {
        let now = Instant::now();
        let mut nearby = Nearby::default();
        for key in ["a", "b", "c"] {
            nearby.told(counted(key), standing(60), now);
            nearby.spend(&[counted(key)], now).expect("let through");
        }
        let (first, more) = nearby.debts(2, now);
        assert_eq!((first.len(), more), (2, true));
        let (rest, more) = nearby.debts(2, now);
        assert_eq!((rest.len(), more), (1, false));
    }
}
