use futures::future::join_all;
use kit::testing::{as_user, eventually, publish};
use proto::{
    catalog::v1::{
        CardList, ListByCreatorRequest, ListByTagRequest, ListFollowedRequest, ListFromFollowedRequest,
        ReactRequest, Reaction, SearchRequest, Sort, ToggleCharacterFollowRequest, UpdateCharacterRequest,
        listings_client::ListingsClient, reactions_client::ReactionsClient,
    },
    common::v1::PageRequest,
    events::v1::FollowChanged,
};

use uuid::Uuid;

use crate::support::{House, draft, house, id};

async fn search(house: &House, token: Option<&str>, request: SearchRequest) -> CardList {
    let mut listings = ListingsClient::new(house.channel());
    let ask = listings.search(request);
    let answer = match token {
        Some(token) => as_user(token, ask).await,
        None => ask.await,
    };
    answer.expect("answered").into_inner().list.expect("a list")
}

fn names(list: &CardList) -> Vec<&str> {
    list.cards.iter().map(|c| c.name.as_str()).collect()
}

/// Waits until the listing index knows this many.
async fn listed(house: &House, total: u64) {
    eventually(|| async {
        let list = search(house, None, SearchRequest::default()).await;
        (list.page?.total == total).then_some(())
    })
    .await;
}

#[tokio::test]
async fn search_finds_by_words_tags_and_creator_and_sorts() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut liked = String::new();
    for (name, tags, words) in [
        ("Tess", vec!["female", "historical"], "Repairs clocks."),
        ("Otto", vec!["male", "historical"], "Bakes bread before dawn."),
        ("Vale", vec!["non-binary", "robot"], "Guards an empty museum."),
    ] {
        let mut d = draft(name);
        d.tags = tags.iter().map(|t| (*t).to_owned()).collect();
        d.description = words.into();
        let made = house.create(&ada, d).await.expect("created");
        if name == "Otto" {
            liked = id(&made);
        }
    }
    let like = ReactRequest { character_id: liked, reaction: Reaction::Like.into() };
    as_user(&bea, ReactionsClient::new(house.channel()).react(like)).await.expect("liked");
    listed(&house, 3).await;

    let by = |keywords: &str, tags: &[&str]| SearchRequest {
        keywords: keywords.into(),
        tags: tags.iter().map(|t| (*t).to_owned()).collect(),
        sort: Sort::New.into(),
        ..SearchRequest::default()
    };
    assert_eq!(names(&search(&house, None, by("", &["historical"])).await), ["Otto", "Tess"]);
    assert_eq!(names(&search(&house, None, by("", &["historical", "male"])).await), ["Otto"]);
    assert_eq!(names(&search(&house, None, by("guard", &[])).await), ["Vale"]);
    assert_eq!(
        names(&search(&house, None, by("clocks repaired", &[])).await),
        ["Tess"],
        "word forms are one"
    );
    assert_eq!(
        names(&search(&house, None, by("ada", &["robot"])).await),
        ["Vale"],
        "the creator's name is searched"
    );
    assert!(search(&house, None, by("", &["no-such-tag"])).await.cards.is_empty());
    assert!(search(&house, None, by("zebra", &[])).await.cards.is_empty());
    let first = eventually(|| async {
        let list = search(&house, None, SearchRequest::default()).await;
        (list.cards.first()?.name == "Otto").then_some(list)
    })
    .await;
    assert_eq!(first.cards.len(), 3, "the most liked is first");
}

/// Catalog remembers what a list has shown, and must not show it once it is no longer so.
#[tokio::test]
async fn a_list_shows_each_change_of_what_it_has_just_shown() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.create(&ada, draft("Otto")).await.expect("created");
    listed(&house, 2).await;
    let shown = || async {
        let list =
            search(&house, None, SearchRequest { sort: Sort::New.into(), ..SearchRequest::default() }).await;
        list.cards
            .into_iter()
            .map(|card| (card.name, card.counts.unwrap_or_default().likes))
            .collect::<Vec<_>>()
    };
    let two = |name: &str, likes| vec![("Otto".to_owned(), 0), (name.to_owned(), likes)];
    assert_eq!(shown().await, two("Tess", 0));
    assert_eq!(shown().await, two("Tess", 0), "what was remembered");

    house.like(&bea, &made).await;
    assert_eq!(shown().await, two("Tess", 1), "its counts");
    // Those who come at once are answered together.
    for likes in 2..5 {
        let (_, fan) = house.issuer.user(&format!("fan {likes}"));
        house.like(&fan, &made).await;
        let all = join_all((0..40).map(|_| shown())).await;
        assert!(all.iter().all(|list| *list == two("Tess", likes)), "{all:?}");
    }
    let renamed =
        UpdateCharacterRequest { id: made.clone(), draft: Some(draft("Tessa")), ..Default::default() };
    as_user(&ada, house.characters().update_character(renamed)).await.expect("changed");
    assert_eq!(shown().await, two("Tessa", 4), "its words");
    let run = async |sql: &'static str, id: Uuid| {
        sqlx::query(sql).bind(id).execute(&house.db.pool).await.expect("done");
    };
    let tess = Uuid::try_parse(&made).expect("an id");
    run("update character set state = 'quarantined' where id = $1", tess).await;
    assert_eq!(shown().await, [("Otto".to_owned(), 0)], "that it is gone, before the index knows");
    run("update character set state = 'live' where id = $1", tess).await;
    assert_eq!(shown().await, two("Tessa", 4));
    run("update creator set suspended = true where user_id = $1", ada_id).await;
    assert_eq!(shown().await, [], "what became of its creator");
    run("delete from creator where user_id = $1", ada_id).await;
    assert_eq!(shown().await, two("Tessa", 4), "that nobody knows its creator");
    assert_eq!(shown().await, two("Tessa", 4), "which was remembered");
    run("insert into creator (user_id, username, suspended) values ($1, 'ada', true)", ada_id).await;
    assert_eq!(shown().await, [], "who its creator is");
    // Rows move and keep who wrote them.
    run("update creator set suspended = false where user_id = $1", ada_id).await;
    assert_eq!(shown().await, two("Tessa", 4));
    for table in ["character", "character_stats", "creator"] {
        let sweep = sqlx::AssertSqlSafe(format!("vacuum full {table}"));
        sqlx::raw_sql(sweep).execute(&house.db.pool).await.expect("swept");
    }
    assert_eq!(shown().await, two("Tessa", 4), "wherever its rows are");
}

#[tokio::test]
async fn pages_hold_every_character_once_also_while_the_order_changes() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut ids = Vec::new();
    for n in 0..7 {
        ids.push(id(&house.create(&ada, draft(&format!("Nr {n}"))).await.expect("created")));
    }
    listed(&house, 7).await;
    let page = |page: u32| SearchRequest {
        page: Some(PageRequest { page, limit: 3 }),
        sort: Sort::MostLiked.into(),
        ..SearchRequest::default()
    };
    let mut seen: Vec<String> = Vec::new();
    let first = search(&house, Some(&bea), page(1)).await;
    assert_eq!(first.page.as_ref().map(|p| (p.total_pages, p.total, p.has_more)), Some((3, 7, true)));
    seen.extend(first.cards.iter().map(|c| c.id.clone()));

    // The last one becomes the first for everybody who begins now.
    let last = ids.iter().find(|i| !seen.contains(i)).expect("not all on page 1").clone();
    let like = ReactRequest { character_id: last.clone(), reaction: Reaction::Like.into() };
    as_user(&ada, ReactionsClient::new(house.channel()).react(like)).await.expect("liked");
    eventually(|| async { (search(&house, None, page(1)).await.cards.first()?.id == last).then_some(()) })
        .await;

    for n in [2, 3] {
        seen.extend(search(&house, Some(&bea), page(n)).await.cards.iter().map(|c| c.id.clone()));
    }
    seen.sort();
    ids.sort();
    assert_eq!(seen, ids);
    assert!(search(&house, None, page(9)).await.cards.is_empty(), "past the end is empty, not an error");
}

#[tokio::test]
async fn the_nsfw_tag_lists_by_the_flag_as_covers() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut dark = draft("Nocturne");
    dark.nsfw = true;
    house.create(&ada, dark).await.expect("created");
    house.create(&ada, draft("Tess")).await.expect("created");
    listed(&house, 2).await;
    let ask = ListByTagRequest { tag: "nsfw".into(), ..ListByTagRequest::default() };
    let list = as_user(&bea, ListingsClient::new(house.channel()).list_by_tag(ask)).await.expect("answered");
    let list = list.into_inner().list.expect("a list");
    assert_eq!(names(&list), ["Nocturne"]);
    assert!(list.cards[0].locked && list.cards[0].image_asset.is_empty());
}

#[tokio::test]
async fn one_s_own_list_holds_private_ones_and_others_see_the_public() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let mut private = draft("Secret");
    private.public = false;
    house.create(&ada, private).await.expect("created");
    house.create(&ada, draft("Tess")).await.expect("created");
    let mut listings = ListingsClient::new(house.channel());
    let own =
        as_user(&ada, listings.list_by_creator(ListByCreatorRequest::default())).await.expect("answered");
    assert_eq!(names(&own.into_inner().list.expect("a list")), ["Tess", "Secret"]);
    let ask = ListByCreatorRequest { creator_id: Some(owner.to_string()), page: None };
    let public = listings.list_by_creator(ask).await.expect("answered").into_inner().list.expect("a list");
    assert_eq!(names(&public), ["Tess"]);
    listings.list_by_creator(ListByCreatorRequest::default()).await.expect_err("a visitor has no own");
}

#[tokio::test]
async fn followed_characters_and_followed_creators_have_their_lists() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let (fan, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let follow = ToggleCharacterFollowRequest { character_id: made };
    as_user(&bea, ReactionsClient::new(house.channel()).toggle_character_follow(follow))
        .await
        .expect("followed");
    let mut listings = ListingsClient::new(house.channel());
    let list = as_user(&bea, listings.list_followed(ListFollowedRequest::default())).await.expect("answered");
    assert_eq!(names(&list.into_inner().list.expect("a list")), ["Tess"]);

    let event =
        FollowChanged { follower_id: fan.to_string(), followee_id: owner.to_string(), on: true, version: 1 };
    publish(&house.common, "auth.follow.changed", &event).await;
    eventually(|| async {
        let mut listings = ListingsClient::new(house.channel());
        let list =
            as_user(&bea, listings.list_from_followed(ListFromFollowedRequest::default())).await.ok()?;
        (names(&list.into_inner().list?) == ["Tess"]).then_some(())
    })
    .await;
}
