//! How close memories are to what was said last, by their words.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet},
};

use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;

use super::Memory;

/// Words of up to so many letters say too little to count.
const SHORT: usize = 3;

/// Words that may matter. Marks belong to the letters they stand on, without which Hindi and Thai fall to pieces.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || is_combining_mark(c)))
        .filter(|word| word.chars().count() > SHORT)
}

/// A word as it is compared.
pub fn lower(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

/// Words to be found in texts.
struct Wanted {
    /// As they are compared.
    words: HashSet<String>,
    /// Which lengths of words begin with an ASCII letter or digit, a bit each: nearly all words of a text are passed by with
    /// a look at this.
    lengths: [u64; 128],
}

impl Wanted {
    fn of(said: &str) -> Self {
        let words: HashSet<String> = words(said).map(|word| lower(word).collect()).collect();
        let mut lengths = [0; 128];
        for word in &words {
            if let Some(lengths) = lengths.get_mut(usize::from(word.as_bytes()[0])) {
                *lengths |= Self::bit(word.len());
            }
        }
        Self { words, lengths }
    }

    fn bit(length: usize) -> u64 {
        1 << length.min(63)
    }

    /// How often they come up in a text; `lowered` is there to be written over.
    fn times(&self, text: &str, lowered: &mut String) -> usize {
        lowered.clear();
        if text.is_ascii() {
            lowered.push_str(text);
            lowered.make_ascii_lowercase();
            let words = lowered.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > SHORT);
            return words
                .filter(|word| self.lengths[usize::from(word.as_bytes()[0])] & Self::bit(word.len()) != 0)
                .filter(|word| self.words.contains(*word))
                .count();
        }
        words(text)
            .filter(|word| {
                lowered.clear();
                lowered.extend(lower(word));
                self.words.contains(lowered.as_str())
            })
            .count()
    }
}

/// How often words of `said` come up in each memory, beside the one in which they do most, which has 1; those with none of
/// them are left out. It is what PostgreSQL's `ts_rank_cd` makes of these words joined by *or*, of which each that is found
/// is a cover by itself: there, 500 memories took 15 ms.
#[must_use]
pub fn similar(said: &str, memories: &[impl Borrow<Memory>]) -> HashMap<Uuid, f32> {
    // Most chats remember nothing, and no word of theirs is wanted.
    if memories.iter().all(|memory| memory.borrow().pinned) {
        return HashMap::new();
    }
    let (wanted, mut lowered) = (Wanted::of(said), String::new());
    let mut found = Vec::new();
    for memory in memories.iter().map(Borrow::borrow).filter(|memory| !memory.pinned) {
        let times = wanted.times(&memory.text, &mut lowered);
        if times > 0 {
            found.push((memory.id, times));
        }
    }
    let most = found.iter().map(|(_, times)| *times).max().unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "a memory has a few hundred words")]
    let nearness = |times: usize| times as f32 / most as f32;
    found.into_iter().map(|(id, times)| (id, nearness(times))).collect()
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    fn memory(n: u128, text: &str) -> Memory {
        Memory {
            id: Uuid::from_u128(n),
            character_id: Uuid::nil(),
            chat_id: None,
            kind: "fact".into(),
            text: text.into(),
            importance: 3,
            pinned: n == 5,
            edited: false,
            sources: Vec::new(),
            since: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    /// How near each memory is to what was said.
    fn near(said: &str, memories: &[Memory]) -> Vec<Option<f32>> {
        let near = similar(said, memories);
        memories.iter().map(|memory| near.get(&memory.id).copied()).collect()
    }

    #[test]
    fn memories_are_as_close_as_words_of_theirs_were_said() {
        let memories = [
            memory(1, "The ÉMERAUDE ring lies under the floorboard, the floorboard of the lamp room."),
            memory(2, "A floorboard was loose."),
            memory(3, "You and I saw the sea."),
            memory(4, "Floorboards were bought."),
            memory(5, "The floorboard is pinned."),
        ];
        let near = near("And you? Émeraude, you said, under that *floorboard*.", &memories);
        assert_eq!(near, [Some(1.0), Some(0.25), None, None, None]);
        assert!(similar("", &memories).is_empty());
    }

    #[test]
    fn a_text_of_ascii_is_read_as_any_other() {
        let text = "The RING, the ring's box, rings; 1813: a lamp-room. Lamps? No: LAMP. Boxring ring_box";
        for said in ["ring lamp room 1813", "Ringe: no lamp", "boxes", "", "the box of 1813's RING"] {
            let wanted = Wanted::of(said);
            // A letter of another script makes it any other text.
            let times = [text.to_owned(), format!("{text} ü")].map(|t| wanted.times(&t, &mut String::new()));
            assert_eq!(times[0], times[1], "{said}");
        }
        assert_eq!(Wanted::of("ring lamp room 1813").times(text, &mut String::new()), 7);
    }

    #[test]
    fn words_of_every_script_are_compared_whole() {
        let hindi = [memory(1, "पुस्तक मेज़ पर है।"), memory(2, "पुरानी नाव डूब गई।")];
        assert_eq!(near("वह पुस्तक कहाँ है?", &hindi), [Some(1.0), None]);
        let marks = [memory(1, "The e\u{301}toile fell."), memory(2, "A toile was sewn.")];
        assert_eq!(
            near("That E\u{301}TOILE again.", &marks),
            [Some(1.0), None],
            "accents beside their letters"
        );
        let greek = [memory(1, "Ο ΟΔΥΣΣΕΥΣ γύρισε."), memory(2, "Η Πηνελόπη ύφαινε.")];
        assert_eq!(near("Πες μου για τον ΟΔΥΣΣΕΥΣ.", &greek), [Some(1.0), None]);
    }
}
