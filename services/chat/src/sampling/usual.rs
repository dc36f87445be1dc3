//! Which preset of the house holds where nothing is set: one for each plan.

use proto::billing::v1::Plan;
use serde::Deserialize;

use super::{BOOK, preset, presets};

/// Ids of presets of the house, by plan.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usual {
    free: String,
    premium: String,
    deluxe: String,
}

impl Usual {
    /// The book's, changed by `text`: one id for every plan (`creative`), or pairs (`free=brief, deluxe=novel`).
    ///
    /// # Errors
    /// A sentence, when a plan or a preset is not known.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut usual = BOOK.usual.clone();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (plan, id) =
                part.split_once('=').map_or((None, part), |(plan, id)| (Some(plan.trim()), id.trim()));
            if preset(id).is_none() {
                let known: Vec<&str> = presets().iter().map(|preset| preset.id.as_str()).collect();
                return Err(format!("{id:?} is not one of the presets {}", known.join(", ")));
            }
            let plans: Vec<&mut String> = match plan {
                None => vec![&mut usual.free, &mut usual.premium, &mut usual.deluxe],
                Some("free") => vec![&mut usual.free],
                Some("premium") => vec![&mut usual.premium],
                Some("deluxe") => vec![&mut usual.deluxe],
                Some(other) => {
                    return Err(format!("{other:?} is not one of the plans free, premium, deluxe"));
                }
            };
            for plan in plans {
                id.clone_into(plan);
            }
        }
        Ok(usual)
    }

    /// The preset of who has `plan`.
    #[must_use]
    pub fn of(&self, plan: Plan) -> &str {
        match plan {
            Plan::Unspecified | Plan::Free => &self.free,
            Plan::Premium => &self.premium,
            Plan::Deluxe => &self.deluxe,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plan_has_its_own_and_unknown_words_end_the_start() {
        let book = Usual::read("").expect("the book's");
        assert!(
            [Plan::Free, Plan::Premium, Plan::Deluxe].iter().all(|plan| preset(book.of(*plan)).is_some())
        );

        let all = Usual::read("creative").expect("known");
        assert_eq!((all.of(Plan::Free), all.of(Plan::Deluxe)), ("creative", "creative"));

        let some = Usual::read("free = brief, deluxe=novel").expect("known");
        assert_eq!(some.of(Plan::Free), "brief");
        assert_eq!(some.of(Plan::Premium), book.of(Plan::Premium));
        assert_eq!(some.of(Plan::Deluxe), "novel");

        for (wrong, said) in [("shouting", "shouting"), ("gold=brief", "gold"), ("free=loud", "loud")] {
            assert!(Usual::read(wrong).expect_err("unknown").contains(said), "{wrong}");
        }
    }
}
