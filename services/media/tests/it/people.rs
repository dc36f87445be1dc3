//! What is stored about people, and its end.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use kit::testing::{eventually, publish, publish_as};
use media::engines::Playbill;
use proto::{
    events::v1::{CharacterChanged, ErasureDone, ImageEnded, UserErased, UserSuspended},
    media::v1::{JobState, Rendition},
};
use uuid::Uuid;

use crate::support::{Gated, House, house};

fn png(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = DynamicImage::new_rgb8(side, side);
    picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).expect("encoded");
    bytes
}

fn erased(user: Uuid, characters: &str) -> UserErased {
    let pseudonym = Uuid::new_v4().to_string();
    UserErased { user_id: user.to_string(), characters: characters.into(), pseudonym }
}

impl House {
    async fn shows(&self, owner: Uuid, asset: &str) -> Uuid {
        let character = Uuid::now_v7();
        self.told(character, 1, owner, asset, false).await;
        character
    }

    /// Waits until what catalog says of a character has arrived.
    async fn told(&self, character: Uuid, version: i64, owner: Uuid, asset: &str, deleted: bool) {
        let event = CharacterChanged {
            character_id: character.to_string(),
            version,
            owner_id: owner.to_string(),
            state: "live".into(),
            public: true,
            deleted,
            image_asset: asset.into(),
            ..CharacterChanged::default()
        };
        publish(&self.common, "catalog.character.changed", &event).await;
        eventually(|| async {
            let known: i64 = sqlx::query_scalar(
                "select count(*) from character_state where character_id = $1 and version = $2",
            )
            .bind(character)
            .bind(version)
            .fetch_one(&self.db.pool)
            .await
            .ok()?;
            (known == 1).then_some(())
        })
        .await;
    }

    /// Characters that are still known to be of this maker.
    async fn made_by(&self, maker: Uuid) -> i64 {
        sqlx::query_scalar("select count(*) from character_state where maker = $1")
            .bind(maker)
            .fetch_one(&self.db.pool)
            .await
            .expect("counted")
    }

    fn files(&self) -> usize {
        fn count(folder: &std::path::Path) -> usize {
            let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
            let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
            paths.map(|p| if p.is_dir() { count(&p) } else { 1 }).sum()
        }
        count(&self.files.media_dir)
    }
}

#[tokio::test]
async fn all_that_is_stored_about_a_person_is_one_object() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let (_, bo) = house.user("bo");
    let upload = house.upload(&ana, png(64), true).await.expect("taken");
    let job = house.create(&ana, "a lighthouse").await.expect("ordered");
    let all = house.exported(&ana).await;
    assert_eq!(all["pictures"][0]["id"], upload.asset);
    assert_eq!(
        (&all["jobs"][0]["id"], &all["jobs"][0]["options"]["prompt"]),
        (&job.id.into(), &"a lighthouse".into())
    );
    assert_eq!(house.exported(&bo).await, serde_json::json!({ "pictures": [], "jobs": [] }), "nobody else's");
}

#[tokio::test]
async fn who_is_erased_leaves_neither_rows_nor_files_and_their_coins_are_released() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let (_, bo) = house.user("bo");
    let seen = house.events().await;
    let theirs = house.upload(&ana, png(64), false).await.expect("taken").asset;
    house.shows(ana_id, &theirs).await;
    let kept = house.upload(&bo, png(80), false).await.expect("taken").asset;
    let queued = house.create_with_key(&ana, "a lighthouse", Some("once")).await.expect("ordered");

    let event = publish(&house.common, "auth.user.erased", &erased(ana_id, "remove")).await;
    publish_as(&house.common, event, "auth.user.erased", &erased(ana_id, "remove")).await;
    seen.wait::<ErasureDone>("media.user.erased", |e| e.user_id == ana_id.to_string()).await;
    let ended = seen.wait::<ImageEnded>("media.image.canceled", |e| e.job_id == queued.id).await;
    assert_eq!((ended.reason.as_str(), ended.cost), ("erased", 10));
    eventually(|| async { (house.files() == 3).then_some(()) }).await;
    house.fetch(&theirs, "", Rendition::Thumb).await.expect_err("gone");
    house.fetch(&kept, "", Rendition::Thumb).await.expect("bo's stays");
    assert_eq!(house.exported(&ana).await, serde_json::json!({ "pictures": [], "jobs": [] }));
    let answers: i64 = sqlx::query_scalar("select count(*) from idempotency where owner = $1")
        .bind(ana_id)
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert_eq!(answers, 0, "nor what was answered");
    assert_eq!(seen.all::<ErasureDone>("media.user.erased").len(), 1, "answered once");
}

#[tokio::test]
async fn portraits_of_characters_that_are_handed_over_stay_and_are_nobodys() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let (bo_id, _) = house.user("bo");
    let seen = house.events().await;
    let portrait = house.upload(&ana, png(64), false).await.expect("taken").asset;
    house.shows(ana_id, &portrait).await;
    let other = house.upload(&ana, png(80), false).await.expect("taken").asset;
    // A card of another that names the picture does not keep it.
    house.shows(bo_id, &other).await;

    publish(&house.common, "auth.user.erased", &erased(ana_id, "anonymise")).await;
    seen.wait::<ErasureDone>("media.user.erased", |e| e.user_id == ana_id.to_string()).await;
    house.fetch(&portrait, "", Rendition::Thumb).await.expect("the character keeps its face");
    house.fetch(&other, "", Rendition::Thumb).await.expect_err("gone");
    assert_eq!(house.exported(&ana).await["pictures"], serde_json::json!([]));
}

#[tokio::test]
async fn nothing_says_who_made_the_characters_of_the_erased() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let (bo_id, _) = house.user("bo");
    let seen = house.events().await;
    let portrait = house.upload(&ana, png(64), false).await.expect("taken").asset;
    let handed = house.shows(ana_id, &portrait).await;
    let removed = house.shows(ana_id, "").await;
    house.shows(bo_id, "").await;
    // Catalog may be ahead: the portrait stays all the same.
    let anonymous = Uuid::now_v7();
    house.told(handed, 2, anonymous, &portrait, false).await;
    publish(&house.common, "auth.user.erased", &erased(ana_id, "anonymise")).await;
    seen.wait::<ErasureDone>("media.user.erased", |e| e.user_id == ana_id.to_string()).await;
    house.fetch(&portrait, "", Rendition::Thumb).await.expect("the character keeps its face");
    assert_eq!(house.made_by(ana_id).await, 0);

    // Or behind: what comes late names nobody.
    house.told(removed, 2, ana_id, "", true).await;
    house.told(Uuid::now_v7(), 7, ana_id, "", true).await;
    assert_eq!(house.made_by(ana_id).await, 0);
    assert_eq!(house.made_by(bo_id).await, 1, "who stays is still known");
}

#[tokio::test]
async fn a_deleted_character_is_forgotten_once_nobody_can_bring_it_back() {
    let house = house().await;
    let (ana_id, _) = house.user("ana");
    let (gone, back, live) =
        (house.shows(ana_id, "").await, house.shows(ana_id, "").await, house.shows(ana_id, "").await);
    house.told(gone, 2, ana_id, "", true).await;
    house.told(back, 2, ana_id, "", true).await;
    sqlx::query("update character_state set gone_at = gone_at - interval '36 days'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    house.told(back, 3, ana_id, "", false).await;
    sqlx::query("update character_state set gone_at = gone_at - interval '2 days'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    eventually(|| async { (house.made_by(ana_id).await == 2).then_some(()) }).await;
    let left: Vec<Uuid> =
        sqlx::query_scalar("select character_id from character_state order by character_id")
            .fetch_all(&house.db.pool)
            .await
            .expect("asked");
    assert_eq!(left, [back, live]);
}

#[tokio::test]
async fn a_worker_that_still_draws_for_the_erased_leaves_nothing() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let seen = house.events().await;
    let gated = Gated::default();
    let _worker = house.worker(gated.clone()).await;
    let job = house.create(&ana, "a lighthouse").await.expect("ordered");
    eventually(|| async {
        let image = house.image(&ana, &job.id).await.ok()?;
        (image.state() == JobState::Running).then_some(())
    })
    .await;
    publish(&house.common, "auth.user.erased", &erased(ana_id, "remove")).await;
    seen.wait::<ImageEnded>("media.image.canceled", |e| e.job_id == job.id).await;
    gated.gate.notify_one();
    // The worker goes on with somebody else's.
    let (_, bo) = house.user("bo");
    let next = house.create(&bo, "a harbour").await.expect("ordered");
    eventually(|| async {
        gated.gate.notify_one();
        let image = house.image(&bo, &next.id).await.ok()?;
        (image.state() == JobState::Completed).then_some(())
    })
    .await;
    assert_eq!(house.files(), 3, "bo's alone");
    assert!(seen.all::<ImageEnded>("media.image.completed").iter().all(|e| e.job_id == next.id));
}

#[tokio::test]
async fn what_a_suspended_person_waits_for_is_canceled() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let seen = house.events().await;
    let job = house.create(&ana, "a lighthouse").await.expect("ordered");
    let event = UserSuspended { user_id: ana_id.to_string(), reason: "Rule 4".into(), version: 2 };
    publish(&house.common, "auth.user.suspended", &event).await;
    let ended = seen.wait::<ImageEnded>("media.image.canceled", |e| e.job_id == job.id).await;
    assert_eq!((ended.reason.as_str(), ended.user_id), ("suspended", ana_id.to_string()));
    assert_eq!(house.image(&ana, &job.id).await.expect("still theirs to see").state(), JobState::Canceled);
    let _worker = house.worker(Playbill).await;
    let (_, bo) = house.user("bo");
    let next = house.create(&bo, "a harbour").await.expect("ordered");
    seen.wait::<ImageEnded>("media.image.completed", |e| e.job_id == next.id).await;
    assert!(seen.all::<ImageEnded>("media.image.completed").iter().all(|e| e.job_id != job.id));
}
