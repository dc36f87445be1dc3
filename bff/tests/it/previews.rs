//! What link previews and crawlers read, who run no script.

use kit::error::Failure;
use proto::{
    auth::v1::{GetProfileRequest, GetProfileResponse, Profile, get_profile_response::View},
    catalog::v1::{
        CardList, Category, CategoryTag, Character, CharacterCard, ContentState, Creator,
        GetCharacterResponse, ListCategoriesResponse, SearchRequest, SearchResponse,
    },
    common::v1::PageInfo,
};
use serde_json::Value;
use tonic::Status;

use crate::support::{House, header, house, house_with};

const ID: &str = "0192aaaa-0000-7000-8000-000000000001";
const HOSTILE: &str = "</title><script>alert(1)</script>";

fn card(name: &str) -> CharacterCard {
    CharacterCard {
        id: ID.into(),
        name: name.into(),
        description: "She keeps the \"lamp\" & waits.".into(),
        public: true,
        image_asset: "a1".into(),
        creator: Some(Creator { id: "u1".into(), username: "ada".into(), ..Creator::default() }),
        tags: vec!["elf".into()],
        updated_at: Some(prost_types::Timestamp { seconds: 1_790_000_000, nanos: 0 }),
        ..CharacterCard::default()
    }
}

fn shows(house: &House, card: CharacterCard, state: ContentState) {
    let character = Character { card: Some(card), state: state.into(), ..Character::default() };
    let answer = GetCharacterResponse { character: Some(character), ..GetCharacterResponse::default() };
    house.stage.says("catalog.v1.Characters/GetCharacter", answer);
}

async fn read(house: &House, path: &str) -> (u16, String) {
    let answer = house.get(path).send().await.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("a page"))
}

fn data(page: &str) -> Value {
    let json = page.split("<script type=\"application/ld+json\">").nth(1).expect("data");
    serde_json::from_str(json.split("</script>").next().expect("an end")).expect("JSON")
}

#[tokio::test]
async fn a_page_names_its_own_files_in_its_head() {
    let house = house().await;
    let (_, search) = read(&house, "/search?keywords=elf").await;
    let head = search.split("</head>").next().expect("a head");
    assert!(
        head.contains("<link rel=\"modulepreload\" crossorigin href=\"/assets/Search-1a2b3c4d.js\" />"),
        "{search}"
    );
    let (_, home) = read(&house, "/").await;
    assert!(!home.contains("modulepreload"), "{home}");
}

#[tokio::test]
async fn a_public_character_is_told_of_in_the_page_itself() {
    let house = house_with(|config| config.public_url = "https://troupe.example".into()).await;
    shows(&house, card("Isolde"), ContentState::Live);
    let (status, page) = read(&house, &format!("/character/{ID}?utm_source=x")).await;
    assert_eq!(status, 200);
    for told in [
        "<title>Isolde · Troupe</title>",
        "<meta property=\"og:title\" content=\"Isolde\" />",
        "<meta name=\"description\" content=\"She keeps the &quot;lamp&quot; &amp; waits.\" />",
        "<meta property=\"og:image\" content=\"https://troupe.example/media/a1/full.webp\" />",
        "<link rel=\"canonical\" href=\"https://troupe.example/character/0192aaaa-0000-7000-8000-000000000001\" />",
        "<link rel=\"preload\" as=\"image\" imagesrcset=\"/media/a1/card.webp 480w, /media/a1/full.webp 832w\"",
        "<div id=\"root\">",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    assert!(!page.contains("noindex"), "{page}");
    let about = data(&page);
    assert_eq!(about["creator"]["url"], "https://troupe.example/creator/ada");
    assert_eq!(
        (about["name"].as_str(), about["dateModified"].as_str()),
        (Some("Isolde"), Some("2026-09-21T14:13:20Z"))
    );

    // Crawlers do not load the catalog.
    read(&house, &format!("/character/{ID}")).await;
    assert_eq!(house.stage.calls("catalog.v1.Characters/GetCharacter").len(), 1);
}

/// What the page brings for the app.
fn answer(page: &str) -> Option<Value> {
    let json = page.split("<script id=\"answer\" type=\"application/json\">").nth(1)?;
    Some(serde_json::from_str(json.split("</script>").next().expect("an end")).expect("JSON"))
}

#[tokio::test]
async fn a_public_character_comes_with_its_page_as_visitors_have_it() {
    let house = house().await;
    shows(&house, card("Isolde"), ContentState::Live);
    let (_, page) = read(&house, &format!("/character/{ID}")).await;
    let asked = house.get(&format!("/api/character/{ID}")).send().await.expect("an answer");
    let asked: Value = asked.json().await.expect("JSON");
    assert_eq!(asked["character"]["name"], "Isolde");
    assert_eq!(answer(&page), Some(asked));
    assert_eq!(answer(&read(&house, "/search").await.1), None);
}

#[tokio::test]
async fn a_long_definition_and_a_picture_that_is_signed_are_asked_for() {
    let long = Character { personality: "x".repeat(30_000), ..Character::default() };
    let signed = CharacterCard { image_signed: true, ..card("Isolde") };
    for (card, rest) in [(card("Isolde"), long), (signed, Character::default())] {
        let house = house().await;
        let character = Character { card: Some(card), state: ContentState::Live.into(), ..rest };
        let answer_of =
            GetCharacterResponse { character: Some(character), ..GetCharacterResponse::default() };
        house.stage.says("catalog.v1.Characters/GetCharacter", answer_of);
        let (_, page) = read(&house, &format!("/character/{ID}")).await;
        assert!(page.contains("Isolde") && answer(&page).is_none(), "{page}");
    }
}

#[tokio::test]
async fn a_hostile_name_stays_a_name() {
    let house = house().await;
    shows(&house, card(HOSTILE), ContentState::Live);
    let (_, page) = read(&house, &format!("/character/{ID}")).await;
    assert!(!page.contains("<script>") && page.matches("</title>").count() == 1, "{page}");
    assert_eq!(data(&page)["name"], HOSTILE);
    assert_eq!(answer(&page).expect("for the app")["character"]["name"], HOSTILE);
}

#[tokio::test]
async fn what_is_not_for_everybody_says_nothing_and_is_in_no_index() {
    for (card, state) in [
        (CharacterCard { nsfw: true, locked: true, ..card("Isolde") }, ContentState::Live),
        (CharacterCard { nsfw: true, ..card("Isolde") }, ContentState::Live),
        (card("Isolde"), ContentState::Limited),
    ] {
        let house = house().await;
        shows(&house, card, state);
        let (status, page) = read(&house, &format!("/character/{ID}")).await;
        assert_eq!(status, 200);
        assert!(page.contains("noindex") && !page.contains("Isolde") && !page.contains("/media/"), "{page}");
    }
    let house = house().await;
    for path in ["/chats", "/login", "/account", "/character/create", "/search?keywords=elf"] {
        let (status, page) = read(&house, path).await;
        assert!(status == 200 && page.contains("noindex") && !page.contains("canonical"), "{path}: {page}");
    }
    let (_, page) = read(&house, "/about").await;
    assert!(page.contains("<title>About · Troupe</title>") && !page.contains("noindex"), "{page}");
}

#[tokio::test]
async fn who_is_not_there_is_404_and_a_house_in_trouble_still_opens() {
    let house = house().await;
    house.stage.refuses("catalog.v1.Characters/GetCharacter", Failure::not_found("character_not_found"));
    house.stage.refuses("auth.v1.Profiles/GetProfile", Failure::not_found("user_not_found"));
    let nobody = format!("/character/{ID}");
    for path in [nobody.as_str(), "/character/none", "/creator/nobody", "/no-such-page"] {
        let (status, page) = read(&house, path).await;
        assert_eq!(status, 404, "{path}");
        assert!(page.contains("root") && page.contains("noindex"), "{path}: {page}");
    }
    house.stage.refuses("catalog.v1.Listings/ListCategories", Status::unavailable("x"));
    let (status, page) = read(&house, "/tag/elf").await;
    assert!(status == 200 && page.contains("root") && page.contains("noindex"), "{page}");
    house.stage.says("catalog.v1.Listings/ListCategories", categories());
    let (_, page) = read(&house, "/tag/elf").await;
    assert!(
        page.contains("<title>Elf AI Characters for Roleplay Chat · Troupe</title>"),
        "trouble is not remembered: {page}"
    );
    let (status, page) = read(&house, "/tag/nothing").await;
    assert!(status == 200 && page.contains("noindex"), "{page}");
}

fn categories() -> ListCategoriesResponse {
    let tag = |slug: &str, characters| CategoryTag { slug: slug.into(), label: "Elf".into(), characters };
    let group = Category { tags: vec![tag("elf", 3), tag("empty", 0)], ..Category::default() };
    ListCategoriesResponse { categories: vec![group] }
}

#[tokio::test]
async fn a_creator_is_told_of_by_name() {
    let house = house().await;
    house.stage.on("auth.v1.Profiles/GetProfile", |asked: GetProfileRequest| {
        let profile =
            Profile { username: asked.username, bio: "Writes \"elves\".".into(), ..Profile::default() };
        Ok(GetProfileResponse { view: Some(View::Public(profile)) })
    });
    let (status, page) = read(&house, "/creator/a.da").await;
    assert_eq!(status, 200);
    assert!(page.contains("<title>a.da · Troupe</title>"), "{page}");
    assert!(page.contains("content=\"Writes &quot;elves&quot;.\""), "{page}");
    assert_eq!(data(&page)["mainEntity"]["name"], "a.da");
}

#[tokio::test]
async fn the_map_of_the_site_has_what_visitors_may_see_in_parts() {
    let house = house_with(|config| config.public_url = "https://troupe.example/".into()).await;
    house.stage.says("catalog.v1.Listings/ListCategories", categories());
    house.stage.on("catalog.v1.Listings/Search", |asked: SearchRequest| {
        let page = asked.page.expect("a page");
        let cards = match page.page {
            1 => vec![card("Isolde"), CharacterCard { id: "n1".into(), nsfw: true, ..card("Mara") }],
            _ => vec![CharacterCard { id: format!("p{}", page.page), ..card("Tess") }],
        };
        let info =
            PageInfo { page: page.page, total: 1_001, has_more: page.page < 11, ..PageInfo::default() };
        Ok(SearchResponse { list: Some(CardList { cards, page: Some(info) }) })
    });
    let robots = house.get("/robots.txt").send().await.expect("an answer");
    assert!(header(&robots, "content-type").starts_with("text/plain"));
    let robots = robots.text().await.expect("text");
    assert_eq!(robots, "User-agent: *\n\nSitemap: https://troupe.example/sitemap.xml\n");

    let index = house.get("/sitemap.xml").send().await.expect("an answer");
    assert_eq!(header(&index, "content-type"), "application/xml; charset=utf-8");
    assert_eq!(header(&index, "cache-control"), "public, max-age=3600");
    let index = index.text().await.expect("text");
    for part in ["pages", "tags", "characters-1", "creators-1", "characters-2", "creators-2"] {
        assert!(index.contains(&format!("<loc>https://troupe.example/sitemap-{part}.xml</loc>")), "{index}");
    }
    assert!(!index.contains("characters-3"), "{index}");

    let (_, first) = read(&house, "/sitemap-characters-1.xml").await;
    let isolde =
        format!("<loc>https://troupe.example/character/{ID}</loc><lastmod>2026-09-21T14:13:20Z</lastmod>");
    assert!(first.contains(&isolde) && first.contains("/character/p10<") && !first.contains("n1"), "{first}");
    let (_, second) = read(&house, "/sitemap-characters-2.xml").await;
    assert!(second.contains("/character/p11<") && !second.contains("/character/p10<"), "{second}");
    assert!(read(&house, "/sitemap-creators-1.xml").await.1.contains("/creator/ada</loc>"));
    let (_, tags) = read(&house, "/sitemap-tags.xml").await;
    assert!(tags.contains("/tag/elf<") && !tags.contains("empty"), "{tags}");
    assert!(read(&house, "/sitemap-pages.xml").await.1.contains("https://troupe.example/legal/2257<"));
    assert_eq!(house.stage.calls("catalog.v1.Listings/Search").len(), 11, "each part is read once");
    for nothing in ["/sitemap-characters-0.xml", "/sitemap-others.xml", "/sitemap-creators-x.xml"] {
        assert_eq!(read(&house, nothing).await.0, 404, "{nothing}");
    }
    house.stage.refuses("catalog.v1.Listings/Search", Status::unavailable("x"));
    assert_eq!(read(&house, "/sitemap-characters-7.xml").await.0, 503);
}
