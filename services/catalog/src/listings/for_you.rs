//! *For You*: characters of followed creators, and those with tags of what the reader likes and follows;
//! never what they dislike, have blocked or have made. Each card says why it is there.

use kit::page::Page;
use proto::catalog::v1::{Because, CharacterCard, ListForYouResponse, because::Why};
use uuid::Uuid;

use super::{
    index::{Query, Sort},
    store::{self, Taste},
};
use crate::{App, error::Result, limits};

impl App {
    pub(super) async fn for_you(&self, user: Uuid, page: Page, sort: Sort) -> Result<ListForYouResponse> {
        let reader = self.reader(Some(user)).await?;
        let taste = store::taste(&self.db, user).await?;
        let tags: Vec<i32> = taste.tags.iter().map(|(id, ..)| *id).collect();
        let everybodys =
            Query { without: &taste.without, hidden: reader.hidden.as_ref(), ..Query::default() };
        let theirs = Query { any_tags: &tags, any_creators: &taste.creators, ..everybodys.clone() };
        // Tastes that nothing matches yet say nothing: then everybody's ranking.
        let matched = self.listing.get().await.page(&theirs, sort, 0, 1).1 > 0;
        let query = if matched { theirs } else { everybodys };
        let list = self.ranked(&reader, page, sort, &query, &[b"foryou"]).await?;
        let because =
            list.cards.iter().filter_map(|card| Some((card.id.clone(), because(card, &taste)?))).collect();
        Ok(ListForYouResponse { list: Some(list), because })
    }
}

/// The nearest reason: the creator is followed; much in common with a character that is liked; a tag.
fn because(card: &CharacterCard, taste: &Taste) -> Option<Because> {
    let creator = card.creator.as_ref()?;
    if taste.creators.iter().any(|id| id.to_string() == creator.id) {
        return Some(Because { why: Some(Why::Creator(creator.username.clone())) });
    }
    let shared = |tags: &[String]| tags.iter().filter(|t| card.tags.contains(t)).count();
    let like = taste
        .characters
        .iter()
        .filter(|(id, _, tags)| id.to_string() != card.id && shared(tags) >= limits::TASTE_SHARED)
        .max_by_key(|(_, _, tags)| shared(tags));
    let why = match like {
        Some((_, name, _)) => Why::Character(name.clone()),
        None => {
            let (_, _, label) = taste.tags.iter().find(|(_, slug, _)| card.tags.contains(slug))?;
            Why::Tag(label.clone())
        }
    };
    Some(Because { why: Some(why) })
}

#[cfg(test)]
mod tests {
    use proto::catalog::v1::Creator;

    use super::*;

    fn card(tags: &[&str], creator: Uuid) -> CharacterCard {
        CharacterCard {
            id: Uuid::from_u128(9).to_string(),
            tags: tags.iter().map(|t| (*t).to_owned()).collect(),
            creator: Some(Creator { id: creator.to_string(), username: "ada".into(), ..Creator::default() }),
            ..CharacterCard::default()
        }
    }

    #[test]
    fn the_nearest_reason_is_told() {
        let ada = Uuid::from_u128(1);
        let words = |tags: &[&str]| tags.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let taste = Taste {
            tags: vec![(4, "sci-fi".into(), "Sci-Fi".into()), (5, "robot".into(), "Robot".into())],
            creators: vec![ada],
            characters: vec![(Uuid::from_u128(3), "Vale".into(), words(&["robot", "male", "sci-fi"]))],
            without: Vec::new(),
        };
        let why = |tags: &[&str], by| because(&card(tags, by), &taste).and_then(|b| b.why);
        let other = Uuid::from_u128(2);
        assert_eq!(why(&["robot"], ada), Some(Why::Creator("ada".into())));
        assert_eq!(why(&["sci-fi", "robot", "male"], other), Some(Why::Character("Vale".into())));
        assert_eq!(why(&["robot", "male"], other), Some(Why::Tag("Robot".into())));
        assert_eq!(why(&["elf"], other), None);
    }
}
