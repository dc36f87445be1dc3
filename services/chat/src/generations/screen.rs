//! What an engine writes, looked at before it is shown.

use moderation::{Released, Rule, Said, StreamFilter};

use crate::engines::stops::{Stops, Trimmed};

/// What may be shown now, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub struct Heard {
    pub text: String,
    pub then: Then,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Then {
    On,
    /// The reply ends here; there is no rest.
    End,
    /// What was held back is dropped, and the rest is not asked for.
    Refused(Rule),
}

/// Between an engine and the readers of one reply: trims it where it is to end, holds it back until it is clear
/// where it leads.
pub struct Screen {
    stops: Stops,
    filter: StreamFilter,
    begun: bool,
}

impl Screen {
    /// Of a reply to `turn`, which is empty where nothing was said yet, and to what was said before it.
    #[must_use]
    pub fn new(stops: Vec<String>, turn: &str, before: impl IntoIterator<Item = Said>) -> Self {
        let filter = before.into_iter().fold(StreamFilter::after(turn), StreamFilter::remembering);
        Self { stops: Stops::new(stops), filter, begun: false }
    }

    pub fn push(&mut self, piece: &str) -> Heard {
        // Models like to begin with a line break; nobody wants to read it.
        let piece = if self.begun { piece } else { piece.trim_start() };
        self.begun |= !piece.is_empty();
        match self.stops.push(piece) {
            Trimmed::Text(text) => self.look(&text, false),
            Trimmed::End(text) => self.look(&text, true),
        }
    }

    /// The engine has ended: the rest.
    pub fn finish(&mut self) -> Heard {
        let rest = self.stops.finish();
        self.look(&rest, true)
    }

    fn look(&mut self, text: &str, last: bool) -> Heard {
        let mut shown = String::new();
        if !text.is_empty() {
            match self.filter.push(text) {
                Released::Text(text) => shown.push_str(&text),
                Released::Refused(rule) => return Heard { text: shown, then: Then::Refused(rule) },
            }
        }
        if !last {
            return Heard { text: shown, then: Then::On };
        }
        match self.filter.finish() {
            Released::Text(text) => Heard { text: shown + &text, then: Then::End },
            Released::Refused(rule) => Heard { text: shown, then: Then::Refused(rule) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heard, Screen, Then};

    fn run(pieces: &[&str]) -> (String, Then) {
        run_after("", pieces)
    }

    fn run_after(turn: &str, pieces: &[&str]) -> (String, Then) {
        let mut screen = Screen::new(vec!["\nRobin:".to_owned()], turn, []);
        let mut shown = String::new();
        for piece in pieces {
            let Heard { text, then } = screen.push(piece);
            shown.push_str(&text);
            if then != Then::On {
                return (shown, then);
            }
        }
        let Heard { text, then } = screen.finish();
        (shown + &text, then)
    }

    #[test]
    fn a_reply_comes_out_whole_up_to_where_it_ends() {
        assert_eq!(run(&["\n\n", " Good", " evening"]), ("Good evening".into(), Then::End));
        assert_eq!(run(&["I wait", "\nRob", "in: I go"]), ("I wait".into(), Then::End));
        assert_eq!(run(&["I wait", "\nRob"]), ("I wait\nRob".into(), Then::End));
        assert_eq!(run(&[]), (String::new(), Then::End));
    }

    #[test]
    fn a_reply_is_read_as_the_answer_that_it_is() {
        let (shown, then) = run_after("Are you 15?", &["*She smiles.* ", "Yes,", " I am."]);
        assert!(matches!(then, Then::Refused(rule) if rule.as_str() == "minor.confirmed"), "{then:?}");
        assert!(!shown.contains("Yes"), "{shown}");
        assert_eq!(run_after("Are you 35?", &["Yes, I am."]), ("Yes, I am.".into(), Then::End));
    }

    #[test]
    fn what_breaks_a_rule_is_not_shown_even_in_the_last_words() {
        let (shown, then) = run(&["A calm evening. ", "An underage person, and the scene turns", " erotic"]);
        assert!(matches!(then, Then::Refused(rule) if rule.as_str() == "minor.sexual"), "{then:?}");
        assert!(!shown.contains("erotic"), "{shown}");
    }
}
