//! The one door from a stored character to what somebody sees (architecture, rule 14). A row's fields
//! are private to this folder, so no other code can make a card of one.

use kit::time::to_proto;
use proto::catalog::v1::{
    Character, CharacterCard, ContentState, Counts, Creator, HeldCharacter, HeldText, OpenCharacterResponse,
};
use uuid::Uuid;

use super::{
    extras::Extras,
    rows::{Row, Whole},
};
use crate::{
    blocks::Blocks,
    error::Error,
    held::{self, store::Queued},
};

/// Where a reader stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    pub user: Option<Uuid>,
    /// Signed in, age confirmed, NSFW on.
    pub nsfw: bool,
    /// What they do not want to see of others.
    pub blocks: Blocks,
}

impl Gate {
    /// For what somebody does with their own.
    pub fn of(owner: Uuid) -> Self {
        Self { user: Some(owner), ..Self::default() }
    }

    /// The card as this reader may see it; `None` when it is not theirs to see at all.
    pub fn card(&self, row: &Row) -> Option<CharacterCard> {
        self.sees(row).then(|| self.shown(row))
    }

    /// The card as this reader may see it in a list: what is limited is seen by address only.
    pub fn listed(&self, row: &Row) -> Option<CharacterCard> {
        let listed = self.sees(row) && (row.state == "live" || self.owns(row));
        listed.then(|| self.shown(row))
    }

    /// The card of what this reader sees.
    fn shown(&self, row: &Row) -> CharacterCard {
        let (owned, locked) = (self.owns(row), self.locked(row));
        let open = |text: &str| if locked { String::new() } else { text.to_owned() };
        let count = |real: i64, seeded: i64| (real + seeded).max(0).unsigned_abs();
        CharacterCard {
            id: row.id.to_string(),
            age: row.age.and_then(|age| u32::try_from(age).ok()),
            image_signed: row.nsfw
                || !row.public
                || row.creator_suspended
                || !matches!(row.state.as_str(), "live" | "limited"),
            nsfw: row.nsfw,
            public: row.public,
            deluxe: row.deluxe,
            is_ai_buddy: row.is_ai_buddy,
            counts: Some(Counts {
                likes: count(row.likes, row.seeded_likes),
                dislikes: count(row.dislikes, row.seeded_dislikes),
                messages: count(row.messages, row.seeded_messages),
                chats: count(row.chats, row.seeded_chats),
                follows: count(row.follows, row.seeded_follows),
                reviews: count(row.reviews, 0),
            }),
            created_at: Some(to_proto(row.created_at)),
            updated_at: Some(to_proto(row.updated_at)),
            locked,
            sample: row.sample,
            held_because: if owned { held::because(&row.holds) } else { String::new() },
            creator: Some(creator(row.owner, row.creator_name.clone(), row.creator_avatar.clone())),
            name: row.name.clone(),
            tags: row.tags.clone(),
            description: open(&row.description),
            image_asset: open(&row.image_asset),
            gel: row.gel.clone(),
        }
    }

    /// The card of a character that its owner has deleted, for its owner.
    pub fn deleted(&self, row: &Row) -> Option<CharacterCard> {
        row.deleted_at?;
        let theirs = Row { deleted_at: None, ..row.clone() };
        self.card(&theirs).filter(|_| self.owns(row))
    }

    /// The whole character as this reader may see it.
    pub fn full(&self, Whole { row, extras, reviews }: Whole) -> Option<Character> {
        let card = self.card(&row)?;
        let (owner, locked) = (self.owns(&row), card.locked);
        // What makes the character is its owner's, unless the owner lets the card be taken along.
        let written = owner || row.exportable && !locked;
        let own = |text: &str| if written { text.to_owned() } else { String::new() };
        let blocked = &self.blocks.creators;
        let reviews = reviews.into_iter().filter(|review| !locked && !blocked.contains(&review.user_id));
        let rated = row.reviews > 0;
        #[expect(clippy::cast_precision_loss, reason = "a mean of ratings")]
        let mean = || row.rating_sum as f64 / row.reviews as f64;
        Some(Character {
            personality: own(&row.personality),
            first_message: if locked { String::new() } else { row.first_message.clone() },
            scenario: own(&row.scenario),
            example_conversation: own(&row.example_conversation),
            kinks: if written { row.kinks.clone() } else { Vec::new() },
            outfit: own(&row.outfit),
            prompt: own(&row.prompt),
            average_rating: rated.then(mean),
            reviews: reviews.map(Into::into).collect(),
            state: state(&row.state).into(),
            portrait_pending: owner && row.portrait_pending,
            exportable: row.exportable,
            extras: written.then(|| extras.into()),
            card: Some(card),
        })
    }

    /// Whether this reader sees the whole of it.
    pub fn opens(&self, row: &Row) -> bool {
        self.sees(row) && !self.locked(row)
    }

    /// The whole card for a chat; `None` when this reader may not chat with it.
    pub fn open(&self, Whole { row, extras, .. }: Whole) -> Option<OpenCharacterResponse> {
        let card = self.card(&row).filter(|card| !card.locked)?;
        Some(OpenCharacterResponse {
            card: Some(card),
            personality: row.personality,
            first_message: row.first_message,
            scenario: row.scenario,
            example_conversation: row.example_conversation,
            outfit: row.outfit,
            version: row.version,
            extras: Some(extras.into()),
        })
    }

    /// Whether this reader may take the card along.
    ///
    /// # Errors
    /// `CharacterNotFound` for what is not theirs to see (a cover neither), `NotExportable`.
    pub fn export(&self, row: &Row) -> Result<(), Error> {
        if !self.opens(row) {
            return Err(Error::CharacterNotFound);
        }
        if self.owns(row) || row.exportable { Ok(()) } else { Err(Error::NotExportable) }
    }

    /// Whether it is this reader's own.
    pub fn owns(&self, row: &Row) -> bool {
        self.user == Some(row.owner)
    }

    fn sees(&self, row: &Row) -> bool {
        let state = row.state.as_str();
        if row.deleted_at.is_some() || state == "removed" {
            return false;
        }
        let open = row.public && !row.creator_suspended && matches!(state, "live" | "limited");
        self.owns(row) || open && !self.blocks.hide(row.id, row.owner, &row.tags, row.nsfw)
    }

    fn locked(&self, row: &Row) -> bool {
        row.nsfw && !self.nsfw && !self.owns(row)
    }
}

/// A character as moderators see it who decide about what holds it.
pub fn held(row: &Row, (extras, hidden): (&Extras, &[String]), queued: &Queued) -> HeldCharacter {
    let texts = row.words(extras, hidden).all().into_iter();
    HeldCharacter {
        id: row.id.to_string(),
        name: row.name.clone(),
        creator: Some(creator(row.owner, row.creator_name.clone(), row.creator_avatar.clone())),
        rule: queued.about.clone(),
        because: held::because(&["rule:".to_owned() + &queued.about]),
        since: Some(to_proto(queued.since)),
        texts: texts.map(|(field, _, text)| HeldText { field: field.into(), text }).collect(),
        image_asset: row.image_asset.clone(),
        nsfw: row.nsfw,
        public: row.public,
        digest: hex::encode(&queued.digest),
    }
}

fn creator(id: Uuid, username: String, avatar_asset: String) -> Creator {
    Creator { id: id.to_string(), username, avatar_asset }
}

fn state(text: &str) -> ContentState {
    match text {
        "live" => ContentState::Live,
        "pending" => ContentState::Pending,
        "limited" => ContentState::Limited,
        "quarantined" => ContentState::Quarantined,
        _ => ContentState::Removed,
    }
}
