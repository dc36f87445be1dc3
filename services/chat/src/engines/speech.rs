//! What a model says, apart from what it thinks: reasoning is never shown, stored or told to it again.

/// How models mark what they think at the beginning of a reply.
const MARKS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

#[derive(Debug, Clone)]
enum At {
    /// Nothing but what may become a mark.
    Beginning,
    /// After the opening mark; the closing one.
    Thinking(&'static str),
    Speaking,
}

/// Takes the content of one reply piece by piece.
#[derive(Debug, Clone)]
pub struct Speech {
    at: At,
    /// What is not decided yet.
    held: String,
    thought: bool,
    spoke: bool,
}

impl Default for Speech {
    fn default() -> Self {
        Self { at: At::Beginning, held: String::new(), thought: false, spoke: false }
    }
}

impl Speech {
    /// For a reply that begins inside a thought, which the model's template has opened.
    #[must_use]
    pub fn within_a_thought() -> Self {
        Self { at: At::Thinking(MARKS[0].1), thought: true, ..Self::default() }
    }

    /// Reasoning came in a field of its own, so what comes in the other one is said.
    pub fn thinks(&mut self) {
        self.thought = true;
        if self.held.is_empty() && !self.spoke {
            self.at = At::Beginning;
        }
    }

    /// Whether all that came so far was thought.
    pub fn only_thought(&self) -> bool {
        self.thought && !self.spoke
    }

    /// Whether nothing was said.
    pub fn silent(&self) -> bool {
        !self.spoke
    }

    /// What of the piece is said; empty while it is not clear.
    pub fn push(&mut self, piece: &str) -> String {
        if matches!(self.at, At::Speaking) {
            return self.said(piece.to_owned());
        }
        self.held.push_str(piece);
        if let At::Beginning = self.at {
            let begun = self.held.trim_start();
            if let Some((open, close)) = MARKS.iter().find(|(open, _)| begun.starts_with(open)) {
                self.thought = true;
                self.at = At::Thinking(close);
                self.held = begun[open.len()..].to_owned();
            } else if MARKS.iter().any(|(open, _)| open.starts_with(begun)) {
                return String::new();
            } else {
                self.at = At::Speaking;
                let text = self.released();
                return self.said(text);
            }
        }
        let At::Thinking(close) = self.at else { return String::new() };
        if let Some(at) = self.held.find(close) {
            let after = self.held[at + close.len()..].trim_start().to_owned();
            self.held.clear();
            self.at = At::Beginning;
            // There may be another thought after the first.
            return self.push(&after);
        }
        // Only as much is kept as may be the beginning of the mark.
        let keep = self.held.floor_char_boundary(self.held.len().saturating_sub(close.len()));
        self.held.drain(..keep);
        String::new()
    }

    /// The reply has ended: what was held back, unless it was thought.
    pub fn finish(&mut self) -> String {
        let held = self.released();
        if matches!(self.at, At::Beginning) { self.said(held) } else { String::new() }
    }

    /// What was held back, without the blanks between a thought and what is said.
    fn released(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if self.thought { held.trim_start().to_owned() } else { held }
    }

    fn said(&mut self, text: String) -> String {
        self.spoke |= !text.trim().is_empty();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Speech;

    fn heard(text: &str, size: usize) -> (String, bool) {
        hear(Speech::default(), text, size)
    }

    fn hear(mut speech: Speech, text: &str, size: usize) -> (String, bool) {
        let chars: Vec<char> = text.chars().collect();
        let mut said: String =
            chars.chunks(size).map(|piece| speech.push(&piece.iter().collect::<String>())).collect();
        said.push_str(&speech.finish());
        (said, speech.only_thought())
    }

    #[test]
    fn thoughts_are_not_said_wherever_the_pieces_end() {
        for size in 1..12 {
            for (text, said, only) in [
                ("<think>I should greet, é.</think>\n\nGood evening.", "Good evening.", false),
                ("\n<think></think>Hi.", "Hi.", false),
                ("<think>a</think><think>b</think> Hi.", "Hi.", false),
                ("<think>and on and on", "", true),
                ("<thinking>so</thinking>Yes.", "Yes.", false),
                ("<thin ice> she says", "<thin ice> she says", false),
                ("She says <think>hm</think>.", "She says <think>hm</think>.", false),
                ("<", "<", false),
            ] {
                assert_eq!(heard(text, size), (said.to_owned(), only), "{text} by {size}");
            }
        }
    }

    #[test]
    fn a_thought_that_the_template_has_opened_is_not_said() {
        for size in 1..12 {
            for (text, said, only) in [
                ("I should greet.</think>\n\nGood evening.", "Good evening.", false),
                ("<think>I should greet.</think>Good evening.", "Good evening.", false),
                ("and on and on", "", true),
            ] {
                let told = hear(Speech::within_a_thought(), text, size);
                assert_eq!(told, (said.to_owned(), only), "{text} by {size}");
            }
        }
    }

    #[test]
    fn where_the_server_tells_the_thought_apart_the_rest_is_said() {
        let mut speech = Speech::within_a_thought();
        speech.thinks();
        assert_eq!(speech.push("Good evening."), "Good evening.");
    }
}
