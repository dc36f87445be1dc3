//! Lists of cards.

use axum::{Json, extract::State as Shared};
use proto::{
    catalog::v1::{
        Because as PbBecause, CardList, CharacterCard as PbCard, ListByCreatorRequest, ListByTagRequest,
        ListCategoriesRequest, ListFollowedRequest, ListForYouRequest, ListFromFollowedRequest,
        ListShelfRequest, SearchRequest, Shelf, Sort, because::Why,
    },
    common::v1::PageInfo,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{LongJson, PageArgs, characters::CharacterCard, page_of};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{QueryArgs, Segment, Viewer},
    media::Signatures,
};

/// A page that knows whether there is more.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterList {
    success: bool,
    characters: Vec<CharacterCard>,
    has_more: bool,
}

/// A page of a search.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    success: bool,
    characters: Vec<CharacterCard>,
    current_page: u32,
    /// One ahead of the page while a capped search has more.
    total_pages: u32,
    total: u64,
    has_more: bool,
    /// True when `total` is a lower bound.
    total_capped: bool,
}

/// A shelf of the home page.
#[derive(Serialize, ToSchema)]
pub struct CharacterShelf {
    success: bool,
    characters: Vec<CharacterCard>,
}

/// Which page, in which order.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListArgs {
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `mostLiked`, `popular`, `trending`, `recentHits` or `new`, in any spelling.
    sort: Option<String>,
}

/// What is looked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchArgs {
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `mostLiked`, `popular`, `trending`, `recentHits` or `new`, in any spelling.
    sort: Option<String>,
    /// At most 10 slugs, joined by commas; all must match.
    tags: Option<String>,
    /// Looked for in name, description, tags and creator.
    #[param(max_length = 200)]
    keywords: Option<String>,
}

/// Whose characters.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CreatorArgs {
    /// Id of the creator; one's own when absent.
    creator: Option<String>,
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

/// Every spelling of the specification: `mostLiked`, `mostliked`, `most-liked`, `Most Liked`.
fn sort(text: Option<&str>) -> Answer<Sort> {
    let plain: String = text
        .unwrap_or_default()
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | '+'))
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "" | "mostliked" => Ok(Sort::MostLiked),
        "popular" => Ok(Sort::Popular),
        "trending" => Ok(Sort::Trending),
        "recenthits" => Ok(Sort::RecentHits),
        "new" => Ok(Sort::New),
        _ => Err(Problem::field("sort", "One of mostLiked, popular, trending, recentHits, new.")),
    }
}

async fn cards(app: &State, cards: Vec<PbCard>) -> Vec<CharacterCard> {
    let signed = Signatures::of(app, &cards).await;
    cards.into_iter().map(|card| CharacterCard::new(card, &signed)).collect()
}

async fn list(app: &State, list: Option<CardList>) -> CharacterList {
    let list = list.unwrap_or_default();
    let has_more = list.page.is_some_and(|p| p.has_more);
    CharacterList { success: true, characters: cards(app, list.cards).await, has_more }
}

/// Searches characters.
#[utoipa::path(get, path = "/search", tag = "lists", params(SearchArgs), responses((status = 200, body = SearchPage)))]
pub async fn search(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<SearchArgs>,
) -> Answer<LongJson<SearchPage>> {
    let tags = args.tags.unwrap_or_default();
    let mut tags: Vec<String> =
        tags.split(',').map(|t| t.trim().to_lowercase()).filter(|t| !t.is_empty()).collect();
    tags.sort_unstable();
    tags.dedup();
    let request = SearchRequest {
        page: page_of(args.page, args.limit)?,
        sort: sort(args.sort.as_deref())?.into(),
        tags,
        keywords: args.keywords.unwrap_or_default(),
    };
    let found = app.clients.listings().search(request).await?.into_inner().list.unwrap_or_default();
    let PageInfo { page, total_pages, total, has_more, total_capped } = found.page.unwrap_or_default();
    let ahead = if total_capped && has_more { total_pages.max(page + 1) } else { total_pages };
    Ok(LongJson(SearchPage {
        success: true,
        characters: cards(&app, found.cards).await,
        current_page: page,
        total_pages: ahead,
        total,
        has_more,
        total_capped,
    }))
}

/// Characters with a tag; an unknown tag is an empty list.
#[utoipa::path(get, path = "/characters/tag/{tag}", tag = "lists", params(("tag" = String, Path), ListArgs), responses((status = 200, body = CharacterList)))]
pub async fn by_tag(
    Shared(app): Shared<State>,
    Segment(tag): Segment<String>,
    QueryArgs(args): QueryArgs<ListArgs>,
) -> Answer<LongJson<CharacterList>> {
    let request = ListByTagRequest {
        tag: tag.to_lowercase(),
        page: page_of(args.page, args.limit)?,
        sort: sort(args.sort.as_deref())?.into(),
    };
    let found = app.clients.listings().list_by_tag(request).await?.into_inner().list;
    Ok(LongJson(list(&app, found).await))
}

/// A creator's public characters; all of one's own.
#[utoipa::path(get, path = "/characters/tag/me", tag = "lists", params(CreatorArgs), responses((status = 200, body = CharacterList)))]
pub async fn by_creator(
    Shared(app): Shared<State>,
    Viewer(viewer): Viewer,
    QueryArgs(args): QueryArgs<CreatorArgs>,
) -> Answer<LongJson<CharacterList>> {
    let creator_id = args.creator.filter(|c| !c.is_empty());
    if creator_id.is_none() && viewer.is_none() {
        return Err(Problem::of("unauthenticated"));
    }
    let request = ListByCreatorRequest { creator_id, page: page_of(args.page, args.limit)? };
    let found = app.clients.listings().list_by_creator(request).await?.into_inner().list;
    Ok(LongJson(list(&app, found).await))
}

async fn shelf(app: &State, shelf: Shelf) -> Answer<LongJson<CharacterShelf>> {
    let found =
        app.clients.listings().list_shelf(ListShelfRequest { shelf: shelf.into() }).await?.into_inner();
    Ok(LongJson(CharacterShelf { success: true, characters: cards(app, found.cards).await }))
}

/// The discover shelf of the home page.
#[utoipa::path(get, path = "/characters/featured", tag = "lists", responses((status = 200, body = CharacterShelf)))]
pub async fn featured(Shared(app): Shared<State>) -> Answer<LongJson<CharacterShelf>> {
    shelf(&app, Shelf::Discover).await
}

/// The trending shelf of the home page.
#[utoipa::path(get, path = "/characters/trending", tag = "lists", responses((status = 200, body = CharacterShelf)))]
pub async fn trending(Shared(app): Shared<State>) -> Answer<LongJson<CharacterShelf>> {
    shelf(&app, Shelf::Trending).await
}

/// What speaks for a character.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BecauseOf {
    /// A tag that the reader likes.
    Tag,
    /// A creator whom the reader follows.
    Creator,
    /// A character that the reader follows or likes.
    Character,
}

/// Why a character is in For You.
#[derive(Debug, Serialize, ToSchema)]
pub struct Because {
    kind: BecauseOf,
    /// The tag, or a name.
    name: String,
}

impl From<Why> for Because {
    fn from(why: Why) -> Self {
        let (kind, name) = match why {
            Why::Tag(name) => (BecauseOf::Tag, name),
            Why::Creator(name) => (BecauseOf::Creator, name),
            Why::Character(name) => (BecauseOf::Character, name),
        };
        Self { kind, name }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recommended {
    #[serde(flatten)]
    card: CharacterCard,
    /// Null when it is only popular.
    #[schema(required)]
    because: Option<Because>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecommendedList {
    success: bool,
    characters: Vec<Recommended>,
    has_more: bool,
}

/// Characters for the reader.
#[utoipa::path(get, path = "/characters/foryou", tag = "lists", params(ListArgs), responses((status = 200, body = RecommendedList)))]
pub async fn for_you(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<ListArgs>,
) -> Answer<LongJson<RecommendedList>> {
    let request =
        ListForYouRequest { page: page_of(args.page, args.limit)?, sort: sort(args.sort.as_deref())?.into() };
    let found = app.clients.listings().list_for_you(request).await?.into_inner();
    let mut because = found.because;
    let list = found.list.unwrap_or_default();
    let mut why = |id: &str| because.remove(id).and_then(|PbBecause { why }| why).map(Because::from);
    let reasons: Vec<Option<Because>> = list.cards.iter().map(|card| why(&card.id)).collect();
    let cards = cards(&app, list.cards).await;
    let characters =
        cards.into_iter().zip(reasons).map(|(card, because)| Recommended { card, because }).collect();
    Ok(LongJson(RecommendedList {
        success: true,
        characters,
        has_more: list.page.is_some_and(|p| p.has_more),
    }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedPage {
    success: bool,
    characters: Vec<CharacterCard>,
    has_next_page: bool,
}

/// Characters of the creators whom the reader follows.
#[utoipa::path(get, path = "/characters/random-from-followed", tag = "lists", params(ListArgs), responses((status = 200, body = FeedPage)))]
pub async fn from_followed(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<ListArgs>,
) -> Answer<LongJson<FeedPage>> {
    let request = ListFromFollowedRequest {
        page: page_of(args.page, args.limit)?,
        sort: sort(args.sort.as_deref())?.into(),
    };
    let found = app.clients.listings().list_from_followed(request).await?.into_inner().list;
    let found = found.unwrap_or_default();
    let has_next_page = found.page.is_some_and(|p| p.has_more);
    Ok(LongJson(FeedPage { success: true, characters: cards(&app, found.cards).await, has_next_page }))
}

#[derive(Serialize, ToSchema)]
pub struct CategoryTag {
    slug: String,
    label: String,
    /// Characters that the reader may see.
    characters: u64,
}

#[derive(Serialize, ToSchema)]
pub struct Category {
    name: String,
    emoji: String,
    tags: Vec<CategoryTag>,
}

#[derive(Serialize, ToSchema)]
pub struct CategoryList {
    success: bool,
    categories: Vec<Category>,
}

/// The tags in their groups.
#[utoipa::path(get, path = "/categories", tag = "lists", responses((status = 200, body = CategoryList)))]
pub async fn categories(Shared(app): Shared<State>) -> Answer<Json<CategoryList>> {
    let found = app.clients.listings().list_categories(ListCategoriesRequest {}).await?.into_inner();
    let categories = found.categories.into_iter().map(|category| Category {
        name: category.name,
        emoji: category.emoji,
        tags: category
            .tags
            .into_iter()
            .map(|t| CategoryTag { slug: t.slug, label: t.label, characters: t.characters })
            .collect(),
    });
    Ok(Json(CategoryList { success: true, categories: categories.collect() }))
}

/// Characters that the reader follows, the newest follow first.
#[utoipa::path(get, path = "/characters/followed", tag = "lists", params(PageArgs), responses((status = 200, body = CharacterList)))]
pub async fn followed(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<LongJson<CharacterList>> {
    let request = ListFollowedRequest { page: args.page()? };
    let found = app.clients.listings().list_followed(request).await?.into_inner().list;
    Ok(LongJson(list(&app, found).await))
}
