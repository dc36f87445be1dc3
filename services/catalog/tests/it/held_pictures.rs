//! A picture that waits to be looked at, and one that stays private.

use std::sync::atomic::Ordering;

use kit::testing::{as_user, eventually, publish, published};
use proto::{
    catalog::v1::{ContentState, SetPortraitRequest, UpdateCharacterRequest},
    events::v1::{AssetJudged, ReportDecided},
    media::v1::Standing,
};

use crate::support::{draft, house, id, reason};

/// The picture that `create` names.
const PICTURE: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn a_picture_that_waits_holds_what_others_would_see() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    house.portraits.stand(PICTURE, Standing::Waiting);
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    assert_eq!(made.state(), ContentState::Pending);
    let mut private = draft("Una");
    private.public = false;
    let unseen = house.create(&ada, private.clone()).await.expect("stored");
    assert_eq!(unseen.state(), ContentState::Live, "nobody else sees it");
    private.public = true;
    let publish_it = UpdateCharacterRequest { id: id(&unseen), draft: Some(private), portrait: None };
    as_user(&ada, house.characters().update_character(publish_it)).await.expect("changed");
    assert_eq!(house.state(&ada, &id(&unseen)).await, ContentState::Pending, "now they would");

    let judged = |passed| AssetJudged { asset: PICTURE.into(), passed, ..AssetJudged::default() };
    publish(&house.common, "media.asset.judged", &judged(true)).await;
    house.becomes(&ada, &id(&made), ContentState::Live).await;
    house.becomes(&ada, &id(&unseen), ContentState::Live).await;

    let told = published(&house.common, &["catalog.report.#"]).await;
    publish(&house.common, "media.asset.judged", &judged(false)).await;
    let gone =
        told.wait::<ReportDecided>("catalog.report.decided", |d| d.subject == "the picture of Tess").await;
    assert_eq!(gone.decision, "remove");
    let card = house.see(None, &id(&made)).await.expect("still there").character.expect("one").card;
    assert_eq!(card.expect("a card").image_asset, "");
    house.portraits.stand(PICTURE, Standing::Refused);
    let refused = house.create(&ada, draft("Vera")).await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
}

#[tokio::test]
async fn a_picture_is_released_by_its_own_look_alone() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    let second = "fedcba9876543210fedcba9876543210";
    house.portraits.stand(second, Standing::Waiting);
    // While the texts are saved, another picture is hung: the first was asked about.
    let slow = house.portraits.slow.clone();
    slow.on.store(true, Ordering::Relaxed);
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(draft("Tess")), portrait: None };
    let (mut characters, token) = (house.characters(), ada.clone());
    let saving = tokio::spawn(async move { as_user(&token, characters.update_character(change)).await });
    eventually(|| async { (slow.begun.load(Ordering::Relaxed) == 1).then_some(()) }).await;
    slow.on.store(false, Ordering::Relaxed);
    let hang = SetPortraitRequest { id: id(&made), image_asset: second.into() };
    as_user(&ada, house.characters().set_portrait(hang)).await.expect("hung");
    slow.gate.notify_one();
    saving.await.expect("no panic").expect("saved");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending, "the second waits still");

    let judged = AssetJudged { asset: PICTURE.into(), passed: true, ..AssetJudged::default() };
    publish(&house.common, "media.asset.judged", &judged).await;
    eventually(|| async {
        let heard: i64 =
            sqlx::query_scalar("select count(*) from inbox").fetch_one(&house.db.pool).await.ok()?;
        (heard == 2).then_some(())
    })
    .await;
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending, "the first says nothing of it");
}

#[tokio::test]
async fn a_picture_that_stays_private_is_no_portrait_of_what_everybody_sees() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let open = house.create(&ada, draft("Tess")).await.expect("stored");
    let mut private = draft("Una");
    private.public = false;
    let hidden = house.create(&ada, private.clone()).await.expect("stored");
    house.portraits.private_only.lock().expect("free").push(PICTURE.into());
    let refused = house.create(&ada, draft("Vera")).await.expect_err("everybody would see it");
    assert_eq!(reason(&refused), "image_private");
    let hang = |id: String| SetPortraitRequest { id, image_asset: PICTURE.into() };
    let refused = as_user(&ada, house.characters().set_portrait(hang(id(&open)))).await;
    assert_eq!(reason(&refused.expect_err("everybody would see it")), "image_private");
    as_user(&ada, house.characters().set_portrait(hang(id(&hidden)))).await.expect("hers alone");
    private.public = true;
    let publish_it = UpdateCharacterRequest { id: id(&hidden), draft: Some(private.clone()), portrait: None };
    let refused = as_user(&ada, house.characters().update_character(publish_it)).await;
    assert_eq!(reason(&refused.expect_err("now they would")), "image_private");
    private.nsfw = true;
    let covered = UpdateCharacterRequest { id: id(&hidden), draft: Some(private), portrait: None };
    as_user(&ada, house.characters().update_character(covered)).await.expect("behind its cover");
}

#[tokio::test]
async fn a_picture_that_was_judged_unheard_is_asked_about_again() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    house.portraits.stand(PICTURE, Standing::Waiting);
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    house.portraits.stand(PICTURE, Standing::Passed);
    house.becomes(&ada, &id(&made), ContentState::Live).await;
}
