use proto::{
    catalog::v1::{
        Because, CardList, Category, CategoryTag, CharacterCard, Counts, Creator, ListByCreatorResponse,
        ListByTagRequest, ListByTagResponse, ListCategoriesResponse, ListForYouResponse,
        ListFromFollowedResponse, ListTopCreatorsRequest, ListTopCreatorsResponse, RankedCreator, Ranking,
        SearchRequest, SearchResponse, Sort, because::Why,
    },
    common::v1::{PageInfo, PageRequest},
    media::v1::{SignUrlsRequest, SignUrlsResponse},
};
use serde_json::json;

use crate::support::{house, json, ok};

pub fn card(id: &str) -> CharacterCard {
    CharacterCard {
        id: id.into(),
        name: "Isolde".into(),
        age: Some(34),
        tags: vec!["royalty".into()],
        creator: Some(Creator { id: "u1".into(), username: "bob".into(), avatar_asset: "face".into() }),
        description: "A queen without a country.".into(),
        image_asset: format!("img-{id}"),
        public: true,
        counts: Some(Counts { likes: 5, chats: 2, ..Counts::default() }),
        ..CharacterCard::default()
    }
}

fn list(cards: Vec<CharacterCard>) -> Option<CardList> {
    let page = PageInfo { page: 2, total_pages: 9, total: 171, has_more: true, total_capped: false };
    Some(CardList { cards, page: Some(page) })
}

#[tokio::test]
async fn a_search_is_understood_and_answered_with_its_page() {
    let house = house().await;
    house.stage.says("catalog.v1.Listings/Search", SearchResponse { list: list(vec![card("1")]) });
    let found =
        ok(house.get("/api/search?page=2&limit=20&sort=recent%20hits&tags=Royalty,elf,,elf&keywords=queen"))
            .await;
    assert_eq!(
        (found["currentPage"].as_u64(), found["totalPages"].as_u64(), found["total"].as_u64()),
        (Some(2), Some(9), Some(171))
    );
    assert_eq!((found["hasMore"].as_bool(), found["totalCapped"].as_bool()), (Some(true), Some(false)));
    let isolde = &found["characters"][0];
    assert_eq!(isolde["imageUrl"], "/media/img-1/card.webp");
    assert_eq!(isolde["creator"], json!({ "_id": "u1", "username": "bob", "pfp": "/media/face/thumb.webp" }));
    assert_eq!(
        (isolde["likes"].as_u64(), isolde["isAiBuddy"].as_bool(), isolde["age"].as_u64()),
        (Some(5), Some(false), Some(34))
    );
    let asked: SearchRequest = house.stage.call("catalog.v1.Listings/Search").read();
    assert_eq!(asked.page, Some(PageRequest { page: 2, limit: 20 }));
    assert_eq!((asked.sort(), asked.keywords.as_str()), (Sort::RecentHits, "queen"));
    assert_eq!(asked.tags, ["elf", "royalty"]);
    assert!(house.stage.calls("media.v1.Assets/SignUrls").is_empty(), "nothing needs a signature");
}

#[tokio::test]
async fn every_spelling_of_a_sort_is_taken_and_an_unknown_one_is_not() {
    let house = house().await;
    house.stage.says("catalog.v1.Listings/ListByTag", ListByTagResponse::default());
    for (text, sort) in [
        ("mostLiked", Sort::MostLiked),
        ("most-liked", Sort::MostLiked),
        ("recenthits", Sort::RecentHits),
        ("recent-hits", Sort::RecentHits),
        ("NEW", Sort::New),
        ("popular", Sort::Popular),
        ("trending", Sort::Trending),
    ] {
        ok(house.get(&format!("/api/characters/tag/Elf?sort={text}"))).await;
        let calls = house.stage.calls("catalog.v1.Listings/ListByTag");
        let asked: ListByTagRequest = calls.last().expect("a call").read();
        assert_eq!((asked.sort(), asked.tag.as_str()), (sort, "elf"), "{text}");
    }
    let (status, body) = json(house.get("/api/characters/tag/elf?sort=best")).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["sort"].is_string());
}

#[tokio::test]
async fn a_page_out_of_range_is_told_by_field() {
    let house = house().await;
    for (query, field) in [
        ("page=0", "page"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("page=-1", "page"),
        ("page=two", "page"),
    ] {
        let (status, body) = json(house.get(&format!("/api/search?{query}"))).await;
        assert_eq!(status, 400, "{query}");
        assert!(body["fields"][field].is_string(), "{query}: {body}");
    }
}

#[tokio::test]
async fn pictures_that_need_it_are_signed_in_one_call_and_locked_ones_have_none() {
    let house = house().await;
    let private = CharacterCard { image_signed: true, public: false, ..card("1") };
    let nsfw = CharacterCard { image_signed: true, nsfw: true, ..card("2") };
    let locked = CharacterCard { locked: true, nsfw: true, ..card("3") };
    house.stage.says(
        "catalog.v1.Listings/ListByCreator",
        ListByCreatorResponse { list: list(vec![private, nsfw, locked, card("4")]) },
    );
    house.stage.on("media.v1.Assets/SignUrls", |asked: SignUrlsRequest| {
        Ok(SignUrlsResponse {
            queries: asked.assets.into_iter().map(|a| (a, "exp=9&sig=x".to_owned())).collect(),
        })
    });
    let found = ok(house.get("/api/characters/tag/me?creator=u1")).await;
    let urls: Vec<&serde_json::Value> =
        found["characters"].as_array().expect("cards").iter().map(|c| &c["imageUrl"]).collect();
    assert_eq!(
        urls,
        [
            &json!("/media/img-1/card.webp?exp=9&sig=x"),
            &json!("/media/img-2/card.webp?exp=9&sig=x"),
            &json!(null),
            &json!("/media/img-4/card.webp")
        ]
    );
    assert_eq!(found["characters"][2]["description"], "");
    let asked: SignUrlsRequest = house.stage.call("media.v1.Assets/SignUrls").read();
    assert_eq!(asked.assets, ["img-1", "img-2"]);

    // Without media the list still stands.
    house.stage.refuses("media.v1.Assets/SignUrls", tonic::Status::unavailable("x"));
    let found = ok(house.get("/api/characters/tag/me?creator=u1")).await;
    assert_eq!(
        (found["characters"][0]["imageUrl"].as_str(), found["characters"][3]["imageUrl"].as_str()),
        (None, Some("/media/img-4/card.webp"))
    );
}

#[tokio::test]
async fn for_you_says_why() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let because = Because { why: Some(Why::Creator("bob".into())) };
    let answer = ListForYouResponse {
        list: list(vec![card("1"), card("2")]),
        because: [("1".to_owned(), because)].into(),
    };
    house.stage.says("catalog.v1.Listings/ListForYou", answer);
    let found = ok(house.get("/api/characters/foryou").bearer_auth(&ada.token)).await;
    assert_eq!(found["characters"][0]["because"], json!({ "kind": "creator", "name": "bob" }));
    assert_eq!(found["characters"][0]["name"], "Isolde");
    assert!(found["characters"][1]["because"].is_null(), "only popular");
}

#[tokio::test]
async fn the_feed_of_followed_creators_knows_its_next_page() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let answer = ListFromFollowedResponse { list: list(vec![card("1")]) };
    house.stage.says("catalog.v1.Listings/ListFromFollowed", answer);
    let feed = ok(house.get("/api/characters/random-from-followed?sort=recent-hits").bearer_auth(&ada.token));
    let feed = feed.await;
    assert_eq!(
        (feed["hasNextPage"].as_bool(), feed["characters"][0]["_id"].as_str()),
        (Some(true), Some("1"))
    );
}

#[tokio::test]
async fn categories_and_top_creators_are_open_to_visitors() {
    let house = house().await;
    let tag = CategoryTag { slug: "elf".into(), label: "Elf".into(), characters: 7 };
    let category = Category { name: "Fantasy".into(), emoji: "🧝".into(), tags: vec![tag] };
    let answer = ListCategoriesResponse { categories: vec![category] };
    house.stage.says("catalog.v1.Listings/ListCategories", answer);
    let found = ok(house.get("/api/categories")).await;
    let elf = json!({ "slug": "elf", "label": "Elf", "characters": 7 });
    assert_eq!(found["categories"][0], json!({ "name": "Fantasy", "emoji": "🧝", "tags": [elf] }));

    house.stage.on("catalog.v1.Creators/ListTopCreators", |asked: ListTopCreatorsRequest| {
        assert_eq!(asked.by(), Ranking::MostFollowers);
        let creator = Some(Creator { id: "u1".into(), username: "bob".into(), avatar_asset: String::new() });
        let row = RankedCreator { creator, rank: 1, followers: 9, ..RankedCreator::default() };
        Ok(ListTopCreatorsResponse { creators: vec![row] })
    });
    let top = ok(house.get("/api/creators/top?by=followers")).await;
    assert_eq!((&top["creators"][0]["followers"], &top["creators"][0]["rank"]), (&json!(9), &json!(1)));
    let (status, body) = json(house.get("/api/creators/top?by=fame")).await;
    assert_eq!((status, body["fields"]["by"].is_string()), (400, true));
}
