use kit::{
    notice::{Notice, NoticeEvent},
    testing::{as_user, eventually, publish, publish_as, published},
};
use proto::{
    catalog::v1::{
        BlockKind, DescribeCreatorRequest, DescribeCreatorResponse, ExportAccountDataRequest,
        ListReviewsRequest, ListTopCreatorsRequest, PutReviewRequest, RankedCreator, Ranking, Review,
        SetBlockRequest, ToggleCharacterFollowRequest, account_data_client::AccountDataClient,
        blocks_client::BlocksClient, creators_client::CreatorsClient, reactions_client::ReactionsClient,
        reviews_client::ReviewsClient, viewers_client::ViewersClient,
    },
    events::v1::{
        ActivityRecorded, CharacterActivity, CharacterChanged, EntitlementChanged, ErasureDone,
        FollowChanged, UserChanged, UserErased, UserSuspended,
    },
};
use uuid::Uuid;

use crate::support::{House, draft, house, id};

async fn suspend(house: &House, topic: &str, user: Uuid, version: i64) {
    let event = UserSuspended { user_id: user.to_string(), reason: "spam".into(), version };
    publish(&house.common, topic, &event).await;
}

async fn top(house: &House, token: Option<&str>, by: Ranking) -> Vec<RankedCreator> {
    let mut creators = CreatorsClient::new(house.channel());
    let ask = creators.list_top_creators(ListTopCreatorsRequest { by: by.into() });
    let answer = match token {
        Some(token) => as_user(token, ask).await,
        None => ask.await,
    };
    answer.expect("answered").into_inner().creators
}

fn names(creators: &[RankedCreator]) -> Vec<&str> {
    creators.iter().map(|c| c.creator.as_ref().expect("a creator").username.as_str()).collect()
}

#[tokio::test]
async fn the_characters_of_the_suspended_leave_the_stage_and_come_back() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (ada_id, ada) = house.creator("ada").await;
    let (_, bea) = house.creator("bea").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.create(&bea, draft("Otto")).await.expect("created");
    house.listed(None, 2).await;

    suspend(&house, "auth.user.suspended", ada_id, 5).await;
    house.listed(None, 1).await;
    house.see(Some(&bea), &made).await.expect_err("nobody else sees it");
    house.see(Some(&ada), &made).await.expect("its owner does");
    seen.wait::<CharacterChanged>("catalog.character.changed", |c| c.character_id == made && !c.public).await;

    suspend(&house, "auth.user.reinstated", ada_id, 4).await;
    suspend(&house, "auth.user.reinstated", ada_id, 6).await;
    suspend(&house, "auth.user.suspended", ada_id, 5).await;
    house.listed(None, 2).await;
    house.see(Some(&bea), &made).await.expect("back");
}

/// Two creators, and a fan who does everything that leaves a row.
async fn fan(house: &House) -> (Uuid, String, Uuid, String, String) {
    let (ada_id, ada) = house.creator("ada").await;
    let (bea_id, bea) = house.creator("bea").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.like(&bea, &made).await;
    house.turn_nsfw_on(&bea).await;
    let follow = ToggleCharacterFollowRequest { character_id: made.clone() };
    as_user(&bea, ReactionsClient::new(house.channel()).toggle_character_follow(follow))
        .await
        .expect("followed");
    let review = PutReviewRequest { character_id: made.clone(), rating: 4, comment: "A fine clock.".into() };
    as_user(&bea, ReviewsClient::new(house.channel()).put_review(review)).await.expect("reviewed");
    let block = SetBlockRequest { kind: BlockKind::Tag.into(), target: "bully".into(), on: true };
    as_user(&bea, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    let follow = FollowChanged {
        follower_id: bea_id.to_string(),
        followee_id: ada_id.to_string(),
        on: true,
        version: 1,
    };
    publish(&house.common, "auth.follow.changed", &follow).await;
    eventually(|| async {
        let rows: i64 =
            sqlx::query_scalar("select count(*) from creator_follow").fetch_one(&house.db.pool).await.ok()?;
        (rows == 1).then_some(())
    })
    .await;
    (ada_id, ada, bea_id, bea, made)
}

async fn rows_about(house: &House, user: Uuid) -> i64 {
    sqlx::query_scalar(
        "select (select count(*) from reaction where user_id = $1) + (select count(*) from character_follow where user_id = $1)
              + (select count(*) from review where user_id = $1) + (select count(*) from block where user_id = $1)
              + (select count(*) from viewer where user_id = $1) + (select count(*) from creator where user_id = $1)
              + (select count(*) from creator_follow where $1 in (follower, followee))
              + (select count(*) from entitlement where user_id = $1) + (select count(*) from idempotency where owner = $1)
              + (select count(*) from character where owner = $1)",
    )
    .bind(user)
    .fetch_one(&house.db.pool)
    .await
    .expect("a count")
}

#[tokio::test]
async fn who_is_erased_leaves_no_row_and_no_part_of_a_count() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (_, _, bea_id, bea, made) = fan(&house).await;
    house.create(&bea, draft("Otto")).await.expect("created");
    house.listed(None, 2).await;
    let erased =
        UserErased { user_id: bea_id.to_string(), characters: "remove".into(), ..UserErased::default() };
    let event = publish(&house.common, "auth.user.erased", &erased).await;
    publish_as(&house.common, event, "auth.user.erased", &erased).await;
    seen.wait::<ErasureDone>("catalog.user.erased", |e| e.user_id == bea_id.to_string()).await;
    house.listed(None, 1).await;
    assert_eq!(rows_about(&house, bea_id).await, 0);
    let card = house.see(None, &made).await.expect("stays").character.expect("one");
    assert_eq!(card.average_rating, None);
    let counts = card.card.expect("a card").counts.expect("counts");
    assert_eq!((counts.likes, counts.follows, counts.reviews), (0, 0, 0));

    // What was told before and comes late is not taken in.
    let late = UserChanged {
        user_id: bea_id.to_string(),
        username: "bea".into(),
        version: 9,
        ..UserChanged::default()
    };
    publish(&house.common, "auth.user.updated", &late).await;
    let marker = UserChanged {
        user_id: Uuid::now_v7().to_string(),
        username: "last".into(),
        version: 1,
        ..UserChanged::default()
    };
    publish(&house.common, "auth.user.updated", &marker).await;
    eventually(|| async {
        let told: bool = sqlx::query_scalar("select exists(select 1 from creator where username = 'last')")
            .fetch_one(&house.db.pool)
            .await
            .ok()?;
        told.then_some(())
    })
    .await;
    assert_eq!(rows_about(&house, bea_id).await, 0);
}

#[tokio::test]
async fn characters_may_stay_with_the_anonymous_owner() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (ada_id, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut private = draft("Secret");
    private.public = false;
    house.create(&ada, private).await.expect("created");
    let erased =
        UserErased { user_id: ada_id.to_string(), characters: "anonymise".into(), ..UserErased::default() };
    publish(&house.common, "auth.user.erased", &erased).await;
    seen.wait::<ErasureDone>("catalog.user.erased", |e| e.user_id == ada_id.to_string()).await;
    assert_eq!(rows_about(&house, ada_id).await, 0);
    let card = house.see(None, &made).await.expect("stays").character.expect("one").card.expect("a card");
    let creator = card.creator.expect("a creator");
    assert_eq!(creator.username, "anonymous");
    assert_ne!(creator.id, ada_id.to_string());
    let left: i64 = sqlx::query_scalar("select count(*) from character")
        .fetch_one(&house.db.pool)
        .await
        .expect("a count");
    assert_eq!(left, 1, "what nobody else saw is gone");
}

#[tokio::test]
async fn the_export_holds_all_that_is_stored() {
    let house = house().await;
    let (ada_id, ada, _, bea, made) = fan(&house).await;
    let export = async |token: &str| -> serde_json::Value {
        let mut client = AccountDataClient::new(house.channel());
        let answer = as_user(token, client.export_account_data(ExportAccountDataRequest {})).await;
        serde_json::from_str(&answer.expect("answered").into_inner().json).expect("JSON")
    };
    let hers = export(&bea).await;
    for list in ["reactions", "followedCharacters", "reviews"] {
        assert_eq!(hers[list][0]["character_id"], made.as_str(), "{list}");
    }
    assert_eq!(hers["followedCreators"][0]["followee"], ada_id.to_string());
    assert_eq!(hers["blocks"][0]["target"], "bully");
    assert_eq!(hers["viewer"]["nsfw_on"], true);
    assert_eq!(hers["plan"]["plan"], "premium");
    let theirs = export(&ada).await;
    assert_eq!(theirs["characters"][0]["personality"], "Patient, curious, a little sharp.");
    assert_eq!(theirs["characters"][0]["counts"]["likes"], 1);
    assert!(theirs["reactions"].as_array().expect("a list").is_empty());
}

#[tokio::test]
async fn whoever_pays_bears_the_creator_badge() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    house.create(&ada, draft("Tess")).await.expect("created");
    let describe = async || {
        let request = DescribeCreatorRequest { creator_id: ada_id.to_string() };
        let mut viewers = ViewersClient::new(house.channel());
        as_user(&bea, viewers.describe_creator(request)).await.expect("described").into_inner()
    };
    assert_eq!(describe().await, DescribeCreatorResponse { characters: 1, badge: true });
    let top = eventually(|| async { top(&house, None, Ranking::Trending).await.pop() }).await;
    assert!(top.badge);

    let lapsed = EntitlementChanged {
        user_id: ada_id.to_string(),
        version: 2,
        plan: "free".into(),
        status: "inactive".into(),
        until: None,
    };
    publish(&house.common, "billing.entitlement.changed", &lapsed).await;
    eventually(|| async { (!describe().await.badge).then_some(()) }).await;
}

#[tokio::test]
async fn top_creators_are_ranked_by_what_happens() {
    let house = house().await;
    let (ada_id, ada) = house.creator("ada").await;
    let (bea_id, bea) = house.creator("bea").await;
    let (_, cyd) = house.creator("cyd").await;
    let (eve_id, eve) = house.creator("eve").await;
    let tess = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut dark = draft("Nocturne");
    dark.nsfw = true;
    let dark = id(&house.create(&bea, dark).await.expect("created"));
    let mut private = draft("Secret");
    private.public = false;
    house.create(&cyd, private).await.expect("created");
    house.create(&eve, draft("Idle")).await.expect("created");
    // Tess: many short chats. Nocturne: a few long ones.
    let activity = ActivityRecorded {
        characters: vec![
            CharacterActivity { character_id: tess.clone(), messages: 300, chats: 100 },
            CharacterActivity { character_id: dark, messages: 600, chats: 30 },
        ],
    };
    publish(&house.common, "chat.activity.recorded", &activity).await;
    for n in 0..2 {
        let follow = FollowChanged {
            follower_id: Uuid::now_v7().to_string(),
            followee_id: [ada_id, eve_id][n].to_string(),
            on: true,
            version: 1,
        };
        publish(&house.common, "auth.follow.changed", &follow).await;
    }
    sqlx::query("update creator set seeded_followers = 5 where user_id = $1")
        .bind(ada_id)
        .execute(&house.db.pool)
        .await
        .expect("seeded");
    let engaging = eventually(|| async {
        let all = top(&house, None, Ranking::MostEngaging).await;
        let told =
            all.len() == 3 && all[0].messages == 600 && all.iter().map(|c| c.followers).sum::<u64>() == 7;
        told.then_some(all)
    })
    .await;
    assert_eq!(names(&engaging), ["bea", "ada", "eve"], "a private cast is no cast");
    assert_eq!((engaging[0].rank, engaging[0].chats, engaging[2].rank), (1, 30, 3));
    let followed = top(&house, None, Ranking::MostFollowers).await;
    assert_eq!((names(&followed), followed[0].followers), (vec!["ada", "eve", "bea"], 6));
    assert_eq!(names(&top(&house, None, Ranking::Trending).await), ["ada", "bea", "eve"]);

    let block = SetBlockRequest { kind: BlockKind::Creator.into(), target: bea_id.to_string(), on: true };
    as_user(&eve, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    let hers = top(&house, Some(&eve), Ranking::MostEngaging).await;
    assert_eq!((names(&hers), hers[1].rank), (vec!["ada", "eve"], 2));

    suspend(&house, "auth.user.suspended", ada_id, 1).await;
    eventually(|| async {
        (names(&top(&house, None, Ranking::Trending).await) == ["bea", "eve"]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn characters_of_the_suspended_do_not_come_back_by_an_erasure() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (ada_id, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    suspend(&house, "auth.user.suspended", ada_id, 1).await;
    seen.wait::<CharacterChanged>("catalog.character.changed", |c| c.version > 1).await;
    let erased =
        UserErased { user_id: ada_id.to_string(), characters: "anonymise".into(), ..UserErased::default() };
    publish(&house.common, "auth.user.erased", &erased).await;
    seen.wait::<ErasureDone>("catalog.user.erased", |e| e.user_id == ada_id.to_string()).await;
    house.see(None, &made).await.expect_err("gone");
    assert_eq!(rows_about(&house, ada_id).await, 0);
}

#[tokio::test]
async fn what_a_reader_may_see_is_told_when_it_changes() {
    let house = house().await;
    let (bea_id, bea) = house.issuer.user("bea");
    let other = kit::house::House::open_without_broker(&house.common, kit::shutdown::Shutdown::new());
    let notices = other.await.expect("Redis").notices;
    let mut heard = notices.subscribe();
    let told = Notice::Hint {
        user: bea_id,
        what: "viewer.changed".into(),
        id: bea_id.to_string(),
        traceparent: None,
    };
    let mut next = async || loop {
        if let NoticeEvent::Notice(notice) = heard.recv().await.expect("the channel lives") {
            break notice;
        }
    };
    house.turn_nsfw_on(&bea).await;
    assert_eq!(next().await, told);
    let block = SetBlockRequest { kind: BlockKind::Tag.into(), target: "bully".into(), on: true };
    as_user(&bea, BlocksClient::new(house.channel()).set_block(block.clone())).await.expect("blocked");
    assert_eq!(next().await, told);
    let unblock = SetBlockRequest { on: false, ..block };
    as_user(&bea, BlocksClient::new(house.channel()).set_block(unblock)).await.expect("no more");
    assert_eq!(next().await, told);
}

#[tokio::test]
async fn reviews_of_the_suspended_and_of_the_blocked_are_not_shown() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut writers = Vec::new();
    for name in ["bea", "cyd", "eve"] {
        let (writer, token) = house.issuer.user(name);
        let put = PutReviewRequest { character_id: made.clone(), rating: 4, comment: format!("By {name}.") };
        as_user(&token, ReviewsClient::new(house.channel()).put_review(put)).await.expect("taken");
        writers.push(writer);
    }
    // Newest first, by the list and with the character; and the count, which stays.
    let shown = async |token: &str| {
        let ask = ListReviewsRequest { character_id: made.clone(), page: None };
        let list = as_user(token, ReviewsClient::new(house.channel()).list_reviews(ask)).await;
        let list = list.expect("listed").into_inner();
        let with = house.see(Some(token), &made).await.expect("there").character.expect("one").reviews;
        let names = |reviews: Vec<Review>| reviews.into_iter().map(|r| r.username).collect::<Vec<_>>();
        (names(list.reviews), names(with), list.page.expect("a page").total)
    };
    let both = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        (names.clone(), names, 3)
    };
    let (_, fay) = house.issuer.user("fay");
    assert_eq!(shown(&fay).await, both(&["eve", "cyd", "bea"]));
    let block = SetBlockRequest { kind: BlockKind::Creator.into(), target: writers[1].to_string(), on: true };
    as_user(&fay, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    assert_eq!(shown(&fay).await, both(&["eve", "bea"]));
    suspend(&house, "auth.user.suspended", writers[0], 1).await;
    eventually(|| async { (shown(&fay).await == both(&["eve"])).then_some(()) }).await;
    assert_eq!(shown(&ada).await, both(&["eve", "cyd"]), "a block is its reader's");
}
