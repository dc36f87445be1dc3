use std::{collections::BTreeSet, path::PathBuf};

use catalog::seed::Seed;
use kit::testing::{as_user, eventually};
use proto::{
    catalog::v1::{ListShelfRequest, SearchRequest, Shelf, Sort, listings_client::ListingsClient},
    common::v1::PageRequest,
};
use serde::Deserialize;

use crate::support::house;

fn seeds() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

#[tokio::test]
async fn the_first_cast_passes_every_rule_and_loading_it_twice_is_as_once() {
    let house = house().await;
    Seed::new(house.db.target(), seeds(), 0).run().await.expect("the seeds pass the rules of real input");
    Seed::new(house.db.target(), seeds(), 0).run().await.expect("again");
    let mut listings = ListingsClient::new(house.channel());
    let total = eventually(|| async {
        let list = listings.clone().search(SearchRequest::default()).await.ok()?.into_inner().list?;
        // The index follows the seeds by a second or so.
        (list.page?.total >= 50).then_some(list.page?.total)
    })
    .await;
    assert!((50..100).contains(&total), "about 60 characters, not {total}");

    for shelf in [Shelf::Discover, Shelf::Trending] {
        let cards = listings
            .list_shelf(ListShelfRequest { shelf: shelf.into() })
            .await
            .expect("answered")
            .into_inner()
            .cards;
        assert_eq!(cards.len(), 9, "{shelf:?}");
        assert!(cards.iter().all(|c| c.sample && c.age.is_none_or(|age| age >= 18)));
    }
    let (_, ada) = house.issuer.user("ada");
    let ask = SearchRequest { page: Some(PageRequest { page: 1, limit: 100 }), ..SearchRequest::default() };
    let all =
        as_user(&ada, listings.search(ask)).await.expect("answered").into_inner().list.expect("a list").cards;
    let nsfw = all.iter().filter(|c| c.nsfw).count();
    assert!((1..10).contains(&nsfw), "a few for their theme, not {nsfw}");
}

#[tokio::test]
async fn invented_characters_are_listed_and_found_and_a_greater_number_adds_the_difference() {
    let house = house().await;
    let mut listings = ListingsClient::new(house.channel());
    let mut before = 0;
    for (wanted, there) in [(300, 300), (300, 300), (450, 450)] {
        Seed::new(house.db.target(), seeds(), wanted).run().await.expect("loaded");
        let total = eventually(|| async {
            let list = listings.clone().search(SearchRequest::default()).await.ok()?.into_inner().list?;
            let total = list.page?.total;
            (total >= there + 50).then_some(total)
        })
        .await;
        assert!((there + 50..there + 100).contains(&total), "{wanted} and the first cast, not {total}");
        assert!(total >= before, "none is lost");
        before = total;
    }

    let first = PageRequest { page: 1, limit: 100 };
    let ask = SearchRequest { page: Some(first), sort: Sort::New.into(), ..SearchRequest::default() };
    let cards = listings.search(ask).await.expect("answered").into_inner().list.expect("a list").cards;
    // A name that is of the invented alone.
    let card = cards.iter().find(|c| !c.nsfw && c.name.contains(" the ")).expect("someone has such a name");
    let by = |keywords: &str, tags: &[String]| SearchRequest {
        keywords: keywords.into(),
        tags: tags.to_vec(),
        ..SearchRequest::default()
    };
    let creator = &card.creator.as_ref().expect("whose it is").username;
    for ask in [by(&card.name, &[]), by("", &card.tags), by(creator, &[])] {
        let found = listings.search(ask).await.expect("answered").into_inner().list.expect("a list").cards;
        assert!(found.iter().any(|c| c.id == card.id), "{} {:?} {}", card.name, card.tags, creator);
    }
}

#[tokio::test]
async fn what_a_moderator_would_have_to_look_at_is_not_loaded() {
    let house = house().await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("characters")).expect("a folder");
    for file in ["tags.toml", "creators.toml", "people.toml"] {
        std::fs::copy(seeds().join(file), folder.path().join(file)).expect("copied");
    }
    let first = std::fs::read_dir(seeds().join("characters")).expect("characters").next().expect("one");
    let cast = std::fs::read_to_string(first.expect("an entry").path()).expect("readable");
    let name = cast.lines().find(|line| line.starts_with("name = ")).expect("a name");
    let held = cast.replacen(name, "name = \"Taylor Swift\"", 1);
    std::fs::write(folder.path().join("characters/cast.toml"), held).expect("written");
    let refused = Seed::new(house.db.target(), folder.path().to_owned(), 0).run().await.expect_err("held");
    assert!(format!("{refused:#}").contains("real.person"), "{refused:#}");
}

#[derive(Deserialize)]
struct Cast {
    character: Vec<Character>,
}

#[derive(Deserialize)]
struct Character {
    name: String,
    tags: Vec<String>,
    first_message: String,
    example_conversation: String,
}

#[derive(Deserialize)]
struct Tags {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    slug: String,
}

#[test]
fn greetings_examples_and_tags_are_as_asked() {
    let tags: Tags =
        toml::from_str(&std::fs::read_to_string(seeds().join("tags.toml")).expect("tags")).expect("TOML");
    let mut used: BTreeSet<String> = BTreeSet::new();
    for entry in std::fs::read_dir(seeds().join("characters")).expect("characters") {
        let path = entry.expect("an entry").path();
        let cast: Cast = toml::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("TOML");
        for c in cast.character {
            let words = c.first_message.split_whitespace().count();
            assert!((60..=150).contains(&words), "{}: a greeting of {words} words", c.name);
            assert_eq!(c.example_conversation.matches("<START>").count(), 3, "{}", c.name);
            assert!((3..=5).contains(&c.tags.len()), "{}", c.name);
            used.extend(c.tags);
        }
    }
    for group in tags.group {
        assert!(group.tags.iter().any(|t| used.contains(&t.slug)), "nobody stands for {}", group.name);
    }
}
