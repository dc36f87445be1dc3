use std::time::Duration;

use futures::StreamExt as _;
use kit::{
    client::Channel,
    testing::{as_user, eventually, publish, publish_as, published},
};
use proto::{
    auth::v1::{
        ListNotificationsRequest, ListNotificationsResponse, MarkReadRequest, ToggleFollowRequest,
        UpdateProfileRequest, notifications_client::NotificationsClient, profiles_client::ProfilesClient,
    },
    common::v1::PageRequest,
    events::v1::{AssetJudged, EntitlementChanged, ImageEnded, ReportDecided, ReviewPosted, UserChanged},
};
use uuid::Uuid;

use crate::support::{House, house, reason};

fn notifications(house: &House) -> NotificationsClient<Channel> {
    NotificationsClient::new(house.channel())
}

async fn list(house: &House, token: &str) -> ListNotificationsResponse {
    let ask = ListNotificationsRequest { page: Some(PageRequest { page: 1, limit: 100 }) };
    as_user(token, notifications(house).list_notifications(ask)).await.expect("listed").into_inner()
}

async fn texts(house: &House, token: &str) -> Vec<String> {
    list(house, token).await.notifications.into_iter().map(|n| n.text).collect()
}

async fn follow(house: &House, token: &str, user: &str) {
    let ask = ToggleFollowRequest { user_id: user.into() };
    as_user(token, ProfilesClient::new(house.channel()).toggle_follow(ask)).await.expect("toggled");
}

#[tokio::test]
async fn an_avatar_that_was_refused_is_taken_off() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let (first, second) = ("0".repeat(32), "1".repeat(32));
    let hang = UpdateProfileRequest { avatar_asset: Some(second.clone()), ..UpdateProfileRequest::default() };
    as_user(&ada, ProfilesClient::new(house.channel()).update_profile(hang)).await.expect("hung");
    let told = published(&house.common, &["auth.user.updated"]).await;
    let judged = |asset: &str, passed| AssetJudged {
        asset: asset.into(),
        owner_id: id.clone(),
        passed,
        ..AssetJudged::default()
    };
    for event in [judged(&second, true), judged(&first, false), judged(&second, false)] {
        publish(&house.common, "media.asset.judged", &event).await;
    }
    // That it was hung may be told only now.
    let bare = |user: &UserChanged| user.user_id == id && user.avatar_asset.is_empty();
    told.wait::<UserChanged>("auth.user.updated", bare).await;
    assert_eq!(house.own(&ada).await.profile.expect("public").avatar_asset, "");
}

#[tokio::test]
async fn a_new_follower_is_told_once_a_day() {
    let house = house().await;
    let (ada, bea) = (house.member("ada").await, house.member("bea").await);
    let id = house.own(&ada).await.profile.expect("public").id;
    for _ in 0..3 {
        follow(&house, &bea, &id).await;
    }
    let told = list(&house, &ada).await;
    assert_eq!((told.notifications.len(), told.unread), (1, 1));
    let first = &told.notifications[0];
    assert_eq!(
        (first.kind.as_str(), first.text.as_str(), first.link.as_str(), first.read),
        ("follower", "bea follows you.", "/creator/bea", false)
    );
    assert!(list(&house, &bea).await.notifications.is_empty());
    assert_eq!(house.own(&ada).await.unread_notifications, 1);

    sqlx::query("update notification set created_at = now() - interval '25 hours'")
        .execute(&house.db.pool)
        .await
        .expect("a day passes");
    for _ in 0..2 {
        follow(&house, &bea, &id).await;
    }
    assert_eq!(list(&house, &ada).await.unread, 2);
}

#[tokio::test]
async fn notifications_are_read_one_by_one_or_all_and_by_their_owner_alone() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    for name in ["bea", "cleo", "dora"] {
        let fan = house.member(name).await;
        follow(&house, &fan, &id).await;
    }
    let told = list(&house, &ada).await;
    assert!(told.notifications[0].text.starts_with("dora"), "the newest first");
    let mark = async |token: &str, ids: Vec<String>| {
        as_user(token, notifications(&house).mark_read(MarkReadRequest { ids })).await
    };
    let first = told.notifications[0].id.clone();
    let other = house.member("eve").await;
    mark(&other, vec![first.clone()]).await.expect("nothing of hers");
    assert_eq!(list(&house, &ada).await.unread, 3);
    assert_eq!(mark(&ada, vec![first]).await.expect("read").into_inner().unread, 2);
    assert_eq!(reason(&mark(&ada, vec!["odd".into()]).await.expect_err("no id")), "invalid");
    assert_eq!(mark(&ada, vec![]).await.expect("all read").into_inner().unread, 0);

    let page = ListNotificationsRequest { page: Some(PageRequest { page: 2, limit: 2 }) };
    let second = as_user(&ada, notifications(&house).list_notifications(page)).await.expect("listed");
    let second = second.into_inner();
    assert_eq!((second.notifications.len(), second.page.expect("info").has_more), (1, false));
    let visitor = notifications(&house).list_notifications(ListNotificationsRequest { page: None }).await;
    assert_eq!(reason(&visitor.expect_err("nobody")), "unauthenticated");
}

#[tokio::test]
async fn what_happens_elsewhere_is_told() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let review = ReviewPosted {
        character_id: "c1".into(),
        character_name: "Marlow".into(),
        owner_id: id.clone(),
        reviewer_name: "bea".into(),
        rating: 5,
        ..Default::default()
    };
    let event = Uuid::now_v7();
    for _ in 0..2 {
        publish_as(&house.common, event, "catalog.review.posted", &review).await;
    }
    let portrait = ImageEnded { user_id: id.clone(), purpose: "portrait".into(), ..Default::default() };
    publish(&house.common, "media.image.completed", &portrait).await;
    let gallery = ImageEnded { purpose: "gallery".into(), ..portrait };
    publish(&house.common, "media.image.completed", &gallery).await;
    publish(&house.common, "media.image.failed", &gallery).await;
    for (decision, user) in [("none", id.as_str()), ("remove", id.as_str()), ("remove", "")] {
        let decided = ReportDecided {
            user_id: user.into(),
            decision: decision.into(),
            subject: "the character Marlow".into(),
            reasons: "A copy.".into(),
            statement: "TD-7".into(),
            ..Default::default()
        };
        publish(&house.common, "catalog.report.decided", &decided).await;
    }
    let mut told = eventually(|| async { Some(texts(&house, &ada).await).filter(|t| t.len() >= 4) }).await;
    told.sort();
    assert_eq!(
        told,
        [
            "The character Marlow was removed after a report. Reasons: A copy.",
            "Your image could not be made. It cost you nothing.",
            "Your image is ready.",
            "bea reviewed Marlow: 5 stars."
        ]
    );
    let decision = list(&house, &ada).await.notifications.into_iter().find(|n| n.kind == "decision");
    assert_eq!(decision.expect("the decision").link, "/reports/TD-7", "where it can be appealed");
}

#[tokio::test]
async fn a_plan_is_told_when_it_changes_and_not_otherwise() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let change = async |version: i64, plan: &str, status: &str| {
        let event = EntitlementChanged {
            user_id: id.clone(),
            version,
            plan: plan.into(),
            status: status.into(),
            until: None,
        };
        publish(&house.common, "billing.entitlement.changed", &event).await;
        eventually(|| async {
            let seen: Option<i64> = sqlx::query_scalar("select max(version) from told_plan")
                .fetch_one(&house.db.pool)
                .await
                .ok()?;
            (seen? >= version).then_some(())
        })
        .await;
    };
    change(1, "free", "inactive").await;
    change(3, "premium", "active").await;
    change(2, "deluxe", "active").await;
    change(4, "premium", "active").await;
    change(5, "premium", "canceled").await;
    assert_eq!(
        texts(&house, &ada).await,
        ["Premium is canceled. You keep it for the time that is paid.", "You are on Premium now."]
    );
}

#[tokio::test]
async fn at_most_five_hundred_are_kept() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    sqlx::query(
        "insert into notification (id, user_id, kind, text, link)
         select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'review', 'old', '/'
         from generate_series(1, 500) n",
    )
    .bind(Uuid::parse_str(&id).expect("an id"))
    .execute(&house.db.pool)
    .await
    .expect("many");
    let bea = house.member("bea").await;
    follow(&house, &bea, &id).await;
    let told = list(&house, &ada).await;
    assert_eq!(told.page.expect("info").total, 500);
    assert_eq!(told.notifications[0].text, "bea follows you.");
}

#[tokio::test]
async fn browsers_are_woken_for_what_is_new() {
    let house = house().await;
    let (ada, bea) = (house.member("ada").await, house.member("bea").await);
    let id = house.own(&ada).await.profile.expect("public").id;
    let client = redis::Client::open(house.common.redis_url.expose()).expect("an address");
    let mut heard = client.get_async_pubsub().await.expect("Redis");
    heard.psubscribe(format!("{}*notice*", house.common.prefix)).await.expect("subscribed");
    let mut heard = heard.into_on_message();

    follow(&house, &bea, &id).await;
    let image = ImageEnded { user_id: id.clone(), purpose: "gallery".into(), ..Default::default() };
    publish(&house.common, "media.image.completed", &image).await;
    let mut hints = Vec::new();
    while hints.len() < 2 {
        let next = tokio::time::timeout(Duration::from_secs(10), heard.next()).await;
        let message = next.expect("in time").expect("a notice").get_payload::<String>().expect("text");
        if message.contains(&id) && message.contains("notification") {
            hints.push(message);
        }
    }
    for told in list(&house, &ada).await.notifications {
        assert!(hints.iter().any(|hint| hint.contains(&told.id)), "{} in {hints:?}", told.id);
    }
}
