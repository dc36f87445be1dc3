//! Strings at which a reply ends. Servers are told of them as far as they take them, and differ in whether
//! they return them: here they are always trimmed, wherever the pieces end.

/// Trims one reply.
#[derive(Debug, Default)]
pub struct Stops {
    stops: Vec<String>,
    /// The bytes that they begin with: most pieces have none of them, and are looked at no further.
    begins: Vec<u8>,
    /// May be the beginning of one.
    held: String,
}

/// What may be shown of a piece.
#[derive(Debug, PartialEq, Eq)]
pub enum Trimmed {
    Text(String),
    /// The last text: the reply ends here.
    End(String),
}

impl Stops {
    #[must_use]
    pub fn new(stops: Vec<String>) -> Self {
        let stops: Vec<_> = stops.into_iter().filter(|stop| !stop.is_empty()).collect();
        let mut begins: Vec<_> = stops.iter().map(|stop| stop.as_bytes()[0]).collect();
        begins.sort_unstable();
        begins.dedup();
        Self { stops, begins, held: String::new() }
    }

    pub fn push(&mut self, piece: &str) -> Trimmed {
        if self.held.is_empty() && !piece.bytes().any(|byte| self.begins.contains(&byte)) {
            return Trimmed::Text(piece.to_owned());
        }
        self.held.push_str(piece);
        // The one that is complete first; of those that end together, the longest.
        let found = self.stops.iter().filter_map(|stop| self.held.find(stop).map(|at| (at + stop.len(), at)));
        if let Some((_, at)) = found.min() {
            self.held.truncate(at);
            return Trimmed::End(std::mem::take(&mut self.held));
        }
        let longest = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - longest);
        Trimmed::Text(std::mem::replace(&mut self.held, rest))
    }

    /// The reply has ended by itself: what was held back.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Bytes at the end of `text` with which `stop` begins.
fn overlap(text: &str, stop: &str) -> usize {
    let ends = stop.char_indices().map(|(at, _)| at).skip(1);
    ends.filter(|end| text.ends_with(&stop[..*end])).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Stops, Trimmed};

    fn run(stops: &[String], pieces: &[String]) -> (String, bool) {
        let mut trim = Stops::new(stops.to_vec());
        let mut shown = String::new();
        for piece in pieces {
            match trim.push(piece) {
                Trimmed::Text(text) => shown.push_str(&text),
                Trimmed::End(text) => return (shown + &text, true),
            }
        }
        shown.push_str(&trim.finish());
        (shown, false)
    }

    /// Letter by letter, as one would by hand.
    fn by_hand(stops: &[String], text: &str) -> (String, bool) {
        for (end, _) in text.char_indices().skip(1).chain([(text.len(), ' ')]) {
            let met = stops.iter().filter(|stop| !stop.is_empty() && text[..end].ends_with(*stop));
            if let Some(stop) = met.max_by_key(|stop| stop.len()) {
                return (text[..end - stop.len()].to_owned(), true);
            }
        }
        (text.to_owned(), false)
    }

    #[test]
    fn a_reply_does_not_speak_for_the_user() {
        let stops = ["\nRobin:".to_owned()];
        let pieces = ["I wait.\nRo", "bin", ": I go."].map(str::to_owned);
        assert_eq!(run(&stops, &pieces), ("I wait.".to_owned(), true));
        let pieces = ["I wait.\nRo", "berta came."].map(str::to_owned);
        assert_eq!(run(&stops, &pieces), ("I wait.\nRoberta came.".to_owned(), false));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            stops in prop::collection::vec("[ab\né]{0,4}", 0..4),
            pieces in prop::collection::vec("[ab\né]{0,5}", 0..12),
        ) {
            prop_assert_eq!(run(&stops, &pieces), by_hand(&stops, &pieces.concat()));
        }
    }
}
