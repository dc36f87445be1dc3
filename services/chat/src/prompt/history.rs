//! Which messages of a path are in the prompt. When they no longer fit, the oldest go in one large step, so that
//! the prompts of many turns begin alike. Where the cut lies follows from the path alone: every turn, every
//! regeneration and every process finds the same one, and nothing has to be kept.

use crate::limits::{KEEP_ROOM, KEEP_SHARE, STRIDE};

/// Where the history begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// First message that is in.
    pub start: usize,
    /// Message with which it was cut there last; `None` while all fit.
    pub at: Option<usize>,
}

/// Walks the messages from the oldest. All stay while they fit `whole` tokens; after the first cut there are `room`
/// tokens. `first_depth` is the depth of the first message in the tree, from 1.
pub fn cut(costs: &[usize], first_depth: usize, whole: usize, room: usize) -> Cut {
    let begin = if first_depth <= 1 { 0 } else { (STRIDE - (first_depth - 1) % STRIDE) % STRIDE };
    let begin = if begin < costs.len() { begin } else { 0 };
    let mut cut = Cut { start: begin, at: (begin > 0).then_some(begin) };
    let (least, most) = KEEP_SHARE;
    let keep = room * (least + (most - least) * room.min(KEEP_ROOM) / KEEP_ROOM) / 100;
    let mut sum = 0;
    for (n, cost) in costs.iter().enumerate().skip(begin) {
        sum += cost;
        let limit = if cut.at.is_some() { room } else { whole };
        if sum <= limit {
            continue;
        }
        while cut.start < n && sum > keep {
            sum -= costs[cut.start];
            cut.start += 1;
        }
        cut.at = Some(n);
    }
    cut
}

/// The usual way, to be measured against: as many of the newest as fit.
pub fn newest_that_fit(costs: &[usize], room: usize) -> usize {
    let mut sum = 0;
    let fit = costs.iter().rev().take_while(|cost| {
        sum += **cost;
        sum <= room
    });
    costs.len() - fit.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_messages_stay_while_they_fit() {
        assert_eq!(cut(&[10; 10], 1, 100, 80), Cut { start: 0, at: None });
    }

    #[test]
    fn a_cut_makes_room_for_many_turns_and_stays_where_it_is_until_then() {
        let costs = [10; 40];
        let starts: Vec<usize> = (1..=40).map(|n| cut(&costs[..n], 1, 100, 100).start).collect();
        assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]), "{starts:?}");
        let moves = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!((3..=5).contains(&moves), "{starts:?}");
        for (n, start) in starts.iter().enumerate() {
            assert!(costs[*start..=n].iter().sum::<usize>() <= 100);
        }
    }

    #[test]
    fn the_newest_message_stays_however_long_it_is() {
        assert_eq!(cut(&[10, 10, 500], 1, 100, 100).start, 2);
    }

    #[test]
    fn a_path_that_is_read_from_its_middle_is_cut_in_the_same_place_each_turn() {
        let costs = vec![10; 3_000];
        let kept: Vec<usize> = (0..40)
            .map(|turn| {
                let from = 800 + turn;
                // Two thousand messages are read, one further each time.
                from + cut(&costs[from..from + 2_000], from + 1, 1_000, 1_000).start
            })
            .collect();
        assert!(kept.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 1, "{kept:?}");
    }
}
