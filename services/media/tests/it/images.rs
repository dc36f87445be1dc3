use std::sync::atomic::Ordering;

use kit::testing::eventually;
use media::engines::Playbill;
use proto::{
    events::v1::ImageEnded,
    media::v1::{Image, JobState, Rendition},
};
use uuid::Uuid;

use crate::support::{House, house, reason};

async fn jobs(house: &House) -> i64 {
    sqlx::query_scalar("select count(*) from job").fetch_one(&house.db.pool).await.expect("counted")
}

pub async fn ended(house: &House, token: &str, id: &str) -> Image {
    eventually(async || {
        let image = house.image(token, id).await.expect("hers");
        matches!(image.state(), JobState::Completed | JobState::Failed).then_some(image)
    })
    .await
}

#[tokio::test]
async fn a_picture_is_ordered_drawn_and_hung_in_the_gallery() {
    let house = house().await;
    let events = house.events().await;
    let _worker = house.worker(Playbill).await;
    let (ana_id, ana) = house.user("ana");
    let ordered = house.create(&ana, "a pirate at sea").await.expect("queued");
    assert_eq!(ordered.state(), JobState::Queued);
    assert_eq!(ordered.cost, media::limits::IMAGE_COST);
    let reserved = house.billing.reserved.lock().expect("free").clone();
    assert_eq!(reserved, std::slice::from_ref(&ordered.id), "coins are held for it");

    let told: ImageEnded =
        events.wait("media.image.completed", |e: &ImageEnded| e.job_id == ordered.id).await;
    assert_eq!((told.user_id.as_str(), told.purpose.as_str()), (ana_id.to_string().as_str(), "gallery"));
    let (gallery, more) = house.gallery(&ana, 1, 20).await;
    let [hung] = gallery.as_slice() else { panic!("one picture: {gallery:?}") };
    assert!(!more);
    assert_eq!(hung.state(), JobState::Completed);
    assert_eq!((hung.width, hung.height), (832, 1216));
    assert_eq!((hung.label.as_str(), hung.prompt.as_str()), ("For the hall", "a pirate at sea"));
    assert!(!hung.public);
    assert!(house.fetch(&hung.asset, "", Rendition::Full).await.is_err(), "private without its signature");
    let full = house.fetch(&hung.asset, &hung.signature, Rendition::Full).await.expect("with it, open").data;
    assert!(full.windows(23).any(|w| w == b"trainedAlgorithmicMedia"), "says that it is AI-made");
}

#[tokio::test]
async fn without_a_plan_or_coins_nothing_is_queued() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    *house.billing.paid.lock().expect("free") = false;
    assert_eq!(reason(&house.create(&ana, "a poet").await.expect_err("no plan")), "upgrade_required");
    *house.billing.paid.lock().expect("free") = true;
    house.billing.purse.store(9, Ordering::Relaxed);
    assert_eq!(reason(&house.create(&ana, "a poet").await.expect_err("no coins")), "coins_short");
    assert_eq!(jobs(&house).await, 0);
    assert!(house.gallery(&ana, 1, 20).await.0.is_empty());
    let tickets: i64 =
        sqlx::query_scalar("select count(*) from outbox").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(tickets, 0);
}

#[tokio::test]
async fn a_prompt_against_the_rules_is_refused_before_anything_is_paid() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let refused = house.create(&ana, "sexual depiction of a 12 year old child").await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
    assert!(house.billing.reserved.lock().expect("free").is_empty());
}

#[tokio::test]
async fn the_same_key_orders_once() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let first = house.create_with_key(&ana, "a poet", Some("k-1")).await.expect("queued");
    let again = house.create_with_key(&ana, "a poet", Some("k-1")).await.expect("the same");
    assert_eq!(first.id, again.id);
    assert_eq!(jobs(&house).await, 1);
    let other = house.create_with_key(&ana, "a baker", Some("k-1")).await.expect_err("another wish");
    assert_eq!(reason(&other), "idempotency_mismatch");
}

#[tokio::test]
async fn a_portrait_is_ordered_once_per_version_and_told_to_catalog() {
    let house = house().await;
    let events = house.events().await;
    let _worker = house.worker(Playbill).await;
    let (_, ana) = house.user("ana");
    let character = Uuid::now_v7();
    let job = house.portrait(&ana, character, 1, false).await.expect("queued");
    assert_eq!(house.portrait(&ana, character, 1, false).await.expect("again"), job);
    assert_ne!(house.portrait(&ana, character, 2, true).await.expect("a new one"), job);

    let told: ImageEnded = events.wait("media.image.completed", |e: &ImageEnded| e.version == 1).await;
    assert_eq!((told.purpose.as_str(), told.character_id), ("portrait", character.to_string()));
    assert!(!told.gel.is_empty());
    house.fetch(&told.asset, "", Rendition::Card).await.expect("public like its character");
    let hidden: ImageEnded = events.wait("media.image.completed", |e: &ImageEnded| e.version == 2).await;
    assert!(house.fetch(&hidden.asset, "", Rendition::Card).await.is_err(), "private like its character");
    assert!(house.gallery(&ana, 1, 20).await.0.is_empty(), "portraits are not gallery pictures");
}

#[tokio::test]
async fn pictures_of_others_are_not_there() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let (_, ben) = house.user("ben");
    let hers = house.create(&ana, "a poet").await.expect("queued");
    assert_eq!(reason(&house.image(&ben, &hers.id).await.expect_err("not his")), "image_not_found");
    assert_eq!(reason(&house.image(&ben, "no id").await.expect_err("nothing")), "image_not_found");
    assert!(house.gallery(&ben, 1, 20).await.0.is_empty());
}

#[tokio::test]
async fn the_gallery_has_pages_newest_first() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let mut ids = Vec::new();
    for n in 0..3 {
        ids.insert(0, house.create(&ana, &format!("poet {n}")).await.expect("queued").id);
    }
    let ids_of = |images: Vec<Image>| images.into_iter().map(|i| i.id).collect::<Vec<_>>();
    let (first, more) = house.gallery(&ana, 1, 2).await;
    assert_eq!((ids_of(first), more), (ids[..2].to_vec(), true));
    let (last, more) = house.gallery(&ana, 2, 2).await;
    assert_eq!((ids_of(last), more), (ids[2..].to_vec(), false));
}
