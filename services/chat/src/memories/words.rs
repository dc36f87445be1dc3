//! How close memories are to what was said last, by their words.

use std::collections::{HashMap, HashSet};

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

/// How often words of `said` come up in each memory, beside the one in which they do most, which has 1; those with none of
/// them are left out. It is what PostgreSQL's `ts_rank_cd` makes of these words joined by *or*, of which each that is found
/// is a cover by itself: there, 500 memories took 15 ms.
#[must_use]
pub fn similar(said: &str, memories: &[Memory]) -> HashMap<Uuid, f32> {
    let wanted: HashSet<String> = words(said).map(|word| lower(word).collect()).collect();
    let mut lowered = String::new();
    let mut found = Vec::new();
    for memory in memories.iter().filter(|memory| !memory.pinned) {
        let times = words(&memory.text)
            .filter(|word| {
                lowered.clear();
                lowered.extend(lower(word));
                wanted.contains(&lowered)
            })
            .count();
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
