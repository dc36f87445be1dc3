//! Which page stands at a path, and what there is to say of it.

use std::{borrow::Cow, sync::Arc};

use axum::http::StatusCode;
use proto::{
    auth::v1::{GetProfileRequest, get_profile_response::View},
    catalog::v1::{Character, ContentState, GetCharacterRequest, ListCategoriesRequest},
};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use tonic::{Code, Status};
use uuid::Uuid;

use super::{Head, Page, head::data};
use crate::{
    State,
    api::{characters::CharacterPage, perhaps},
    media::{Size, address},
};

/// Public pages whose words do not change: path, title, description.
const FIXED: &[(&str, &str, &str)] = &[
    ("", "", ""),
    ("about", "About", "What the house is, who it is for, and how its characters come to speak."),
    ("legal", "Legal", "The rules of the house, and what it does with what you tell it."),
    ("legal/guidelines", "Community Guidelines", "What may be created and said here, and what never may."),
    ("legal/terms", "Terms of Use", "What you and the house agree to."),
    ("legal/privacy", "Privacy Policy", "What is kept of you, why, how long, and how to have it back."),
    ("legal/underage", "Underage Policy", "Everybody here is an adult, characters too."),
    ("legal/content-removal", "Content Removal Policy", "How something about you is taken away."),
    ("legal/blocked-content", "Blocked Content Policy", "What is not allowed here, whatever the plan."),
    ("legal/dmca", "DMCA Policy", "How to give notice of what infringes your rights."),
    ("legal/2257", "18 U.S.C. 2257 Exemption", "Why no records of performers are kept: there are none."),
    ("complaint", "Complaint Policy", "How to complain, and by when you are answered."),
    ("search", "Search", "Find AI characters by name, tag and what people like."),
    ("categories", "Categories", "All tags of AI characters, from A to Z."),
    ("top-creators", "Top Creators", "Whose characters people talk with most."),
    ("membership", "Membership", "Plans, what they hold, and what they cost."),
];

/// First segments of pages that are nobody else's business, or lead nowhere without an account.
const PRIVATE: &[&str] = &[
    "signup",
    "verify",
    "login",
    "forgot",
    "reset",
    "favorites",
    "my-characters",
    "my-images",
    "following",
    "for-you",
    "image",
    "chats",
    "personas",
    "account",
    "notifications",
    "reports",
    "admin",
    "legal",
];

/// Bytes of what a page carries for the app, above which the app asks by itself.
const ANSWER_MAX: usize = 24 * 1024;

/// Who or what a page is about.
#[derive(Debug, PartialEq, Eq)]
pub enum Subject {
    Character(Uuid),
    Creator(String),
    Tag(String),
}

/// What is known without asking.
#[derive(Debug, PartialEq)]
pub enum Fixed {
    Known(Head),
    Ask(Subject),
    Nothing,
}

/// What stands at a path; `has_query`: with something to search for.
pub fn fixed(path: &str, has_query: bool) -> Fixed {
    let path = if path == "home" || path == "index.html" { "" } else { path };
    if let Some((_, title, description)) = FIXED.iter().find(|(at, _, _)| *at == path) {
        let head = match path {
            // What was searched for is no page of its own.
            "search" if has_query => Head { title: (*title).to_owned(), ..Head::hidden() },
            "" => Head { about: Some(house()), ..Head::public(title, description, "/") },
            path => Head::public(title, description, &["/", path].concat()),
        };
        return Fixed::Known(head);
    }
    let text =
        |part: &str| percent_encoding::percent_decode_str(part).decode_utf8().ok().map(Cow::into_owned);
    let hidden = || Fixed::Known(Head::hidden());
    match path.split('/').collect::<Vec<_>>()[..] {
        ["character", "create" | "edit"] => hidden(),
        ["character", id] => match Uuid::try_parse(id) {
            Ok(id) => Fixed::Ask(Subject::Character(id)),
            Err(_) => Fixed::Nothing,
        },
        ["creator", name] => text(name).map_or(Fixed::Nothing, |name| Fixed::Ask(Subject::Creator(name))),
        ["tag", tag] => text(tag).map_or(Fixed::Nothing, |tag| Fixed::Ask(Subject::Tag(tag))),
        ["character" | "creator" | "tag", ..] => hidden(),
        [first, ..] if PRIVATE.contains(&first) => hidden(),
        _ => Fixed::Nothing,
    }
}

/// The site, and how to search it; its name is added with its address.
fn house() -> Value {
    json!({
        "@type": "WebSite",
        "url": "/",
        "potentialAction": {
            "@type": "SearchAction",
            "target": { "@type": "EntryPoint", "urlTemplate": "/search?keywords={search_term_string}" },
            "query-input": "required name=search_term_string",
        },
    })
}

/// # Errors
/// When whoever knows cannot be asked.
pub async fn ask(app: &State, subject: Subject) -> Result<Page, Status> {
    let found = match subject {
        Subject::Character(id) => character(app, id).await,
        Subject::Creator(name) => creator(app, name).await,
        Subject::Tag(tag) => return Ok(known(self::tag(app, &tag).await?)),
    };
    match found {
        Ok(head) => Ok(known(head)),
        Err(status) if matches!(status.code(), Code::NotFound | Code::InvalidArgument) => {
            Ok(Page { status: StatusCode::NOT_FOUND, head: Arc::new(Head::hidden()) })
        }
        Err(status) => Err(status),
    }
}

fn known(head: Head) -> Page {
    Page { status: StatusCode::OK, head: Arc::new(head) }
}

async fn character(app: &State, id: Uuid) -> Result<Head, Status> {
    let request = GetCharacterRequest { id: id.to_string() };
    let found = app.clients.characters().get_character(request).await?.into_inner();
    let character = found.character.ok_or_else(|| Status::not_found("no character"))?;
    let head = about_character(&character);
    let answer = if head.indexed { answer(app, character).await } else { None };
    Ok(Head { answer: answer.unwrap_or_default(), ..head })
}

/// What `/api/character/{id}` answers a visitor. `None` when it is long, or names a picture that it shows for a while only.
async fn answer(app: &State, character: Character) -> Option<String> {
    if character.card.as_ref().is_some_and(|card| card.image_signed) {
        return None;
    }
    let page = CharacterPage::of_visitors(app, character).await.ok()?;
    let answer = data(&serde_json::to_value(page).ok()?);
    (answer.len() <= ANSWER_MAX).then_some(answer)
}

/// Only what is open to everybody and stands in lists says anything of itself.
fn about_character(character: &Character) -> Head {
    let Some(card) = &character.card else { return Head::hidden() };
    let open = card.public && !card.nsfw && !card.locked && character.state() == ContentState::Live;
    if !open {
        return Head::hidden();
    }
    let canonical = ["/character/", &card.id].concat();
    let picture = if card.image_signed { None } else { address(&card.image_asset, Size::Full, "") };
    let creator = card.creator.clone().unwrap_or_default();
    let counts = card.counts.unwrap_or_default();
    let day = |stamp: Option<&prost_types::Timestamp>| perhaps(stamp).and_then(|at| at.format(&Rfc3339).ok());
    let mut about = json!({
        "@type": "CreativeWork",
        "genre": "AI character",
        "name": card.name,
        "description": card.description,
        "url": canonical,
        "keywords": card.tags,
        "dateCreated": day(card.created_at.as_ref()),
        "dateModified": day(card.updated_at.as_ref()),
        "creator": { "@type": "Person", "name": creator.username, "url": creator_path(&creator.username) },
        "isAccessibleForFree": true,
    });
    if let Some(picture) = &picture {
        about["image"] = json!(picture);
    }
    // Counts of samples are the house's own, and ratings of a few mean little: neither is told as if it were people's.
    if !card.sample {
        about["interactionStatistic"] = json!({
            "@type": "InteractionCounter",
            "interactionType": { "@type": "LikeAction" },
            "userInteractionCount": counts.likes,
        });
        if let Some(mean) = character.average_rating.filter(|_| counts.reviews > 0) {
            about["aggregateRating"] = json!({
                "@type": "AggregateRating", "ratingValue": mean, "ratingCount": counts.reviews,
            });
        }
    }
    Head {
        poster: picture.as_ref().map(|_| card.image_asset.clone()).unwrap_or_default(),
        picture,
        kind: "profile",
        about: Some(about),
        ..Head::public(&card.name, &card.description, &canonical)
    }
}

async fn creator(app: &State, username: String) -> Result<Head, Status> {
    let request = GetProfileRequest { username };
    let found = app.clients.profiles().get_profile(request).await?.into_inner();
    let Some(View::Public(profile)) = found.view else { return Err(Status::not_found("no such person")) };
    let canonical = creator_path(&profile.username);
    let picture = address(&profile.avatar_asset, Size::Full, "");
    let mut person = json!({
        "@type": "Person",
        "name": profile.username,
        "description": profile.bio,
        "url": canonical,
    });
    if let Some(picture) = &picture {
        person["image"] = json!(picture);
    }
    let description = match profile.bio.trim() {
        "" => format!("AI characters by {}.", profile.username),
        bio => bio.to_owned(),
    };
    let about = Some(json!({ "@type": "ProfilePage", "url": canonical, "mainEntity": person }));
    Ok(Head { picture, kind: "profile", about, ..Head::public(&profile.username, &description, &canonical) })
}

/// A tag without a character that everybody may see is a page for nobody's index.
async fn tag(app: &State, tag: &str) -> Result<Head, Status> {
    let groups = app.clients.listings().list_categories(ListCategoriesRequest {}).await?.into_inner();
    let tags = groups.categories.into_iter().flat_map(|group| group.tags);
    let Some(known) = tags.into_iter().find(|known| known.slug == tag && known.characters > 0) else {
        return Ok(Head::hidden());
    };
    let canonical = tag_path(&known.slug);
    let title = format!("{} AI Characters for Roleplay Chat", known.label);
    let description = format!("AI characters tagged {}, to chat and play scenes with.", known.label);
    let about = Some(json!({ "@type": "CollectionPage", "name": title, "url": canonical }));
    Ok(Head { about, ..Head::public(&title, &description, &canonical) })
}

/// Where a creator is known.
pub fn creator_path(username: &str) -> String {
    ["/creator/", &encoded(username)].concat()
}

/// Where a tag is known.
pub fn tag_path(slug: &str) -> String {
    ["/tag/", &encoded(slug)].concat()
}

fn encoded(segment: &str) -> String {
    const SET: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    percent_encoding::utf8_percent_encode(segment, SET).to_string()
}

/// Paths of the fixed pages, for the map of the site.
pub fn paths() -> impl Iterator<Item = String> {
    FIXED.iter().map(|(path, _, _)| ["/", path].concat())
}

#[cfg(test)]
mod tests {
    use proto::catalog::v1::CharacterCard;

    use super::*;

    #[test]
    fn every_path_of_the_app_is_public_private_or_asked_about() {
        let indexed = |path: &str| match fixed(path, false) {
            Fixed::Known(head) => Some(head.indexed),
            Fixed::Ask(_) => None,
            Fixed::Nothing => panic!("{path}"),
        };
        for path in ["", "home", "about", "legal/2257", "search", "membership"] {
            assert_eq!(indexed(path), Some(true), "{path}");
        }
        for path in [
            "chats",
            "login",
            "account",
            "my-characters",
            "character/create",
            "character/x/chat",
            "image/create",
        ] {
            assert_eq!(indexed(path), Some(false), "{path}");
        }
        assert_eq!(fixed("creator/an%20a", false), Fixed::Ask(Subject::Creator("an a".into())));
        assert_eq!(fixed("character/none", false), Fixed::Nothing);
        assert_eq!(fixed("no-such-page", false), Fixed::Nothing);
    }

    #[test]
    fn only_what_everybody_may_see_and_lists_show_tells_of_itself() {
        let card = CharacterCard {
            id: "c1".into(),
            name: "Isolde".into(),
            public: true,
            image_asset: "a1".into(),
            ..CharacterCard::default()
        };
        let of = |card: CharacterCard, state: ContentState| {
            about_character(&Character { card: Some(card), state: state.into(), ..Character::default() })
        };
        let open = of(card.clone(), ContentState::Live);
        assert_eq!((open.title.as_str(), open.indexed), ("Isolde", true));
        assert_eq!(open.picture.as_deref(), Some("/media/a1/full.webp"));
        for hidden in [
            of(CharacterCard { nsfw: true, ..card.clone() }, ContentState::Live),
            of(CharacterCard { locked: true, ..card.clone() }, ContentState::Live),
            of(CharacterCard { public: false, ..card.clone() }, ContentState::Live),
            of(card.clone(), ContentState::Limited),
            of(card, ContentState::Pending),
        ] {
            assert_eq!(hidden, Head::hidden());
        }
    }
}
