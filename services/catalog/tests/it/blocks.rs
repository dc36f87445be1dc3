use std::sync::Arc;

use kit::testing::{as_user, publish};
use proto::{
    catalog::v1::{
        BlockKind, CardList, GetCardsRequest, ListBlocksRequest, ListByCreatorRequest, ListByTagRequest,
        ListFollowedRequest, ListForYouRequest, ListFromFollowedRequest, ListShelfRequest,
        OpenCharacterRequest, SearchRequest, SetBlockRequest, Shelf, ToggleCharacterFollowRequest,
        blocks_client::BlocksClient, listings_client::ListingsClient, reactions_client::ReactionsClient,
    },
    events::v1::FollowChanged,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::support::{House, draft, house, id, reason};

async fn set(house: &House, token: &str, kind: BlockKind, target: &str, on: bool) -> Vec<(String, String)> {
    let request = SetBlockRequest { kind: kind.into(), target: target.into(), on };
    let answer = as_user(token, BlocksClient::new(house.channel()).set_block(request)).await.expect("set");
    answer.into_inner().blocks.into_iter().map(|b| (b.target, b.label)).collect()
}

/// Names of every list that somebody has, and the totals they claim.
async fn everywhere(house: &House, token: &str, creator: Uuid, ids: &[String]) -> Vec<(Vec<String>, u64)> {
    let mut listings = ListingsClient::new(house.channel());
    let told = |list: Option<CardList>| {
        let list = list.expect("a list");
        let names = list.cards.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        (names, list.page.expect("a page").total)
    };
    as_user(token, async {
        let words = SearchRequest { keywords: "clocks".into(), ..SearchRequest::default() };
        let tag = ListByTagRequest { tag: "fictional".into(), ..ListByTagRequest::default() };
        let by = ListByCreatorRequest { creator_id: Some(creator.to_string()), page: None };
        let shelf = listings.list_shelf(ListShelfRequest { shelf: Shelf::Discover.into() }).await;
        let shelf = shelf.expect("answered").into_inner().cards;
        let cards = house.characters().get_cards(GetCardsRequest { ids: ids.to_vec() }).await;
        let cards = cards.expect("answered").into_inner().cards;
        vec![
            told(listings.search(SearchRequest::default()).await.expect("answered").into_inner().list),
            told(listings.search(words).await.expect("answered").into_inner().list),
            told(listings.list_by_tag(tag).await.expect("answered").into_inner().list),
            told(
                listings
                    .list_for_you(ListForYouRequest::default())
                    .await
                    .expect("answered")
                    .into_inner()
                    .list,
            ),
            told(
                listings
                    .list_followed(ListFollowedRequest::default())
                    .await
                    .expect("answered")
                    .into_inner()
                    .list,
            ),
            told(
                listings
                    .list_from_followed(ListFromFollowedRequest::default())
                    .await
                    .expect("answered")
                    .into_inner()
                    .list,
            ),
            told(listings.list_by_creator(by).await.expect("answered").into_inner().list),
            (shelf.iter().map(|c| c.name.clone()).collect(), shelf.len() as u64),
            (cards.iter().map(|c| c.name.clone()).collect(), cards.len() as u64),
        ]
    })
    .await
}

#[tokio::test]
async fn what_is_blocked_is_in_no_list_and_its_owner_can_bring_it_back() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (bea_id, bea) = house.creator("bea").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut tagged = draft("Vale");
    tagged.tags.push("robot".into());
    let robot = id(&house.create(&ada, tagged.clone()).await.expect("created"));
    for id in [&made, &robot] {
        let follow = ToggleCharacterFollowRequest { character_id: id.clone() };
        let mut reactions = ReactionsClient::new(house.channel());
        as_user(&bea, reactions.toggle_character_follow(follow)).await.expect("followed");
    }
    let follow = FollowChanged {
        follower_id: bea_id.to_string(),
        followee_id: ada_id.to_string(),
        on: true,
        version: 1,
    };
    publish(&house.common, "auth.follow.changed", &follow).await;
    house.listed(Some(&bea), 2).await;
    let ids = [made.clone(), robot.clone()];
    kit::testing::eventually(|| async {
        let lists = everywhere(&house, &bea, ada_id, &ids).await;
        lists.iter().all(|(names, total)| names.len() == 2 && *total == 2).then_some(())
    })
    .await;

    let open = |id: &str| OpenCharacterRequest { id: id.to_owned() };
    for (kind, target, label, left) in [
        (BlockKind::Tag, "Robot".to_owned(), "Robot", vec!["Tess"]),
        (BlockKind::Character, made.clone(), "Tess", vec!["Vale"]),
        (BlockKind::Creator, ada_id.to_string(), "ada", vec![]),
    ] {
        let blocks = set(&house, &bea, kind, &target, true).await;
        assert_eq!(blocks.iter().map(|(_, l)| l.as_str()).collect::<Vec<_>>(), [label]);
        for (n, (names, total)) in everywhere(&house, &bea, ada_id, &ids).await.into_iter().enumerate() {
            assert_eq!(
                (names.as_slice(), total),
                (left.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>().as_slice(), left.len() as u64),
                "list {n}, {label}"
            );
        }
        for (id, name) in [(&made, "Tess"), (&robot, "Vale")] {
            let open_to_her = left.contains(&name);
            assert_eq!(house.see(Some(&bea), id).await.is_ok(), open_to_her, "{label}");
            let chats = as_user(&bea, house.characters().open_character(open(id))).await.is_ok();
            assert_eq!(chats, open_to_her, "{label}");
            assert!(house.see(None, id).await.is_ok(), "others are not concerned");
        }
        assert!(set(&house, &bea, kind, &target, false).await.is_empty());
        let lists = everywhere(&house, &bea, ada_id, &ids).await;
        assert!(lists.iter().all(|(names, _)| names.len() == 2), "all is back");
    }

    // One's own are never hidden by one's own blocks.
    set(&house, &ada, BlockKind::Tag, "robot", true).await;
    house.see(Some(&ada), &robot).await.expect("hers");
    house.listed(Some(&ada), 2).await;
}

#[tokio::test]
async fn blocks_that_cannot_be_are_refused() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (bea_id, bea) = house.issuer.user("bea");
    let mut private = draft("Tess");
    private.public = false;
    let made = id(&house.create(&ada, private).await.expect("created"));
    for (kind, target, told) in [
        (BlockKind::Unspecified, "x".to_owned(), "invalid"),
        (BlockKind::Tag, "!!".to_owned(), "invalid"),
        (BlockKind::Creator, bea_id.to_string(), "invalid"),
        (BlockKind::Creator, Uuid::now_v7().to_string(), "user_not_found"),
        (BlockKind::Creator, "x".to_owned(), "user_not_found"),
        (BlockKind::Character, made, "character_not_found"),
        (BlockKind::Character, ada_id.to_string(), "character_not_found"),
    ] {
        let request = SetBlockRequest { kind: kind.into(), target, on: true };
        let refused = as_user(&bea, BlocksClient::new(house.channel()).set_block(request)).await;
        assert_eq!(reason(&refused.expect_err("refused")), told, "{kind:?}");
    }
    BlocksClient::new(house.channel())
        .list_blocks(ListBlocksRequest {})
        .await
        .expect_err("a visitor has none");
}

#[tokio::test]
async fn at_most_five_hundred_of_a_kind_also_when_many_come_at_once() {
    let house = Arc::new(house().await);
    let (bea_id, bea) = house.issuer.user("bea");
    sqlx::query(
        "insert into block (user_id, kind, target) select $1, 'tag', 't' || n from generate_series(1, 495) n",
    )
    .bind(bea_id)
    .execute(&house.db.pool)
    .await
    .expect("495");
    let mut asked = JoinSet::new();
    for n in 0..20 {
        let (house, bea) = (house.clone(), bea.clone());
        asked.spawn(async move {
            let request =
                SetBlockRequest { kind: BlockKind::Tag.into(), target: format!("more-{n}"), on: true };
            as_user(&bea, BlocksClient::new(house.channel()).set_block(request)).await.map_err(|e| reason(&e))
        });
    }
    let answers = asked.join_all().await;
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 5);
    assert!(answers.iter().flat_map(|a| a.as_ref().err()).all(|r| r == "too_many_blocks"));
}
