//! Copies of pictures, and what becomes of those that are reported.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use kit::testing::{eventually, publish};
use media::{HashConfig, engines::Playbill, rehash};
use proto::{
    events::v1::ReportDecided,
    media::v1::{JobState, Rendition},
};
use tonic::Code;
use uuid::Uuid;

use crate::support::{House, house, reason};

fn picture(shade: u8) -> DynamicImage {
    let tone = |v: u32| u8::try_from(v % 256).unwrap_or(0);
    RgbImage::from_fn(120, 90, |x, y| Rgb([tone(x), tone(y), shade])).into()
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).expect("encoded");
    bytes
}

impl House {
    /// As catalog tells of it.
    async fn decided(&self, report: Uuid, decision: &str, undone: &str, assets: &[&str], hashes: &[String]) {
        let event = ReportDecided {
            report_id: report.to_string(),
            decision: decision.into(),
            undone: undone.into(),
            assets: assets.iter().map(|a| (*a).to_owned()).collect(),
            hashes: hashes.to_vec(),
            ..ReportDecided::default()
        };
        publish(&self.common, "catalog.report.decided", &event).await;
    }

    /// Waits until the picture can be seen, or cannot, by its address and with a signature.
    async fn seen(&self, asset: &str, expected: bool) {
        eventually(|| async {
            let query = self.sign(asset).await.unwrap_or_default();
            (self.fetch(asset, &query, Rendition::Full).await.is_ok() == expected).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_copy_is_found_as_it_was_sent_repacked_and_as_we_serve_it() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let sent = encoded(&picture(7), ImageFormat::Png);
    let asset = house.upload(&ana, sent.clone(), true).await.expect("taken").asset;

    let same = house.copies(sent).await.expect("looked for");
    assert_eq!((same.assets, same.hashes.len()), (vec![asset.clone()], 2));
    let repacked = encoded(&picture(7), ImageFormat::WebP);
    assert_eq!(house.copies(repacked).await.expect("looked for").assets, std::slice::from_ref(&asset));
    let query = house.sign(&asset).await.expect("signed");
    let served = house.fetch(&asset, &query, Rendition::Full).await.expect("open").data;
    assert_eq!(house.copies(served.clone()).await.expect("looked for").assets, std::slice::from_ref(&asset));
    let shown = image::load_from_memory_with_format(&served, ImageFormat::WebP).expect("a picture");
    let saved = encoded(&shown, ImageFormat::Png);
    assert_eq!(house.copies(saved).await.expect("looked for").assets, [asset]);

    let other = house.copies(encoded(&picture(8), ImageFormat::Png)).await.expect("looked for");
    assert_eq!((other.assets.len(), other.hashes.len()), (0, 2), "nothing of ours");
    let nonsense = house.copies(b"no picture".to_vec()).await.expect_err("refused");
    assert_eq!(reason(&nonsense), "unsupported_media");
}

#[tokio::test]
async fn pictures_from_before_there_were_hashes_become_known() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let old = house.upload(&ana, encoded(&picture(15), ImageFormat::Png), false).await.expect("taken").asset;
    let away = house.upload(&ana, encoded(&picture(16), ImageFormat::Png), false).await.expect("taken").asset;
    let lost = house.upload(&ana, encoded(&picture(17), ImageFormat::Png), false).await.expect("taken").asset;
    let (of_old, of_away) = (
        house.fetch(&old, "", Rendition::Full).await.expect("public").data,
        house.fetch(&away, "", Rendition::Card).await.expect("public").data,
    );
    sqlx::query("delete from asset_hash").execute(&house.db.pool).await.expect("as it was before");
    let folder = house.files.media_dir.join("assets").join(&lost[..2]).join(&lost);
    std::fs::remove_dir_all(folder).expect("deleted");
    assert_eq!(house.copies(of_old.clone()).await.expect("looked for").assets.len(), 0);
    let banned = house.copies(of_away).await.expect("looked for").hashes;
    let report = Uuid::now_v7();
    house.decided(report, "quarantine", "", &[], &banned).await;
    eventually(|| async {
        let watched: i64 =
            sqlx::query_scalar("select count(*) from watched_hash").fetch_one(&house.db.pool).await.ok()?;
        (watched > 0).then_some(())
    })
    .await;

    let config = HashConfig { database: house.db.target(), files: house.files.clone() };
    assert_eq!(rehash::run(config.clone()).await.expect("done"), 2, "all whose files are there");
    assert_eq!(house.copies(of_old.clone()).await.expect("looked for").assets, std::slice::from_ref(&old));
    let shown = image::load_from_memory_with_format(&of_old, ImageFormat::WebP).expect("a picture");
    assert_eq!(house.copies(encoded(&shown, ImageFormat::Png)).await.expect("looked for").assets, [old]);
    house.fetch(&away, "", Rendition::Full).await.expect_err("what is away holds for it as well");
    assert_eq!(rehash::run(config).await.expect("again"), 0, "nothing is left to do");
}

#[tokio::test]
async fn copies_of_what_was_drawn_are_found() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let _worker = house.worker(Playbill).await;
    let ordered = house.create(&ana, "a lighthouse").await.expect("ordered");
    let drawn = eventually(|| async {
        let image = house.image(&ana, &ordered.id).await.ok()?;
        (image.state() == JobState::Completed).then_some(image)
    })
    .await;
    let file = house.fetch(&drawn.asset, &drawn.signature, Rendition::Card).await.expect("open").data;
    assert_eq!(house.copies(file).await.expect("looked for").assets, [drawn.asset]);
}

#[tokio::test]
async fn a_quarantined_picture_is_away_until_it_is_given_back() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let public =
        house.upload(&ana, encoded(&picture(1), ImageFormat::Png), false).await.expect("taken").asset;
    let private =
        house.upload(&ana, encoded(&picture(2), ImageFormat::Png), true).await.expect("taken").asset;
    let query = house.sign(&private).await.expect("signed before");
    let assets = [public.as_str(), private.as_str()];
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());

    house.decided(first, "quarantine", "", &assets, &[]).await;
    house.seen(&public, false).await;
    house.seen(&private, false).await;
    let old = house.fetch(&private, &query, Rendition::Thumb).await.expect_err("an address from before");
    assert_eq!((old.code(), reason(&old).as_str()), (Code::NotFound, "not_found"));
    let copy = house.upload(&ana, encoded(&picture(1), ImageFormat::Png), false).await;
    let copy = copy.expect("not forbidden yet").asset;
    house.fetch(&copy, "", Rendition::Full).await.expect_err("as little shown as what it is a copy of");

    // Another report of one of them: each holds it for itself.
    house.decided(second, "quarantine", "", &assets[..1], &[]).await;
    house.decided(first, "none", "", &assets, &[]).await;
    house.seen(&private, true).await;
    house.seen(&public, false).await;
    house.decided(second, "none", "", &assets[..1], &[]).await;
    house.seen(&public, true).await;
    house.seen(&copy, true).await;
}

#[tokio::test]
async fn a_decision_holds_for_copies_that_came_after_the_report() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let (_, bo) = house.user("bo");
    let reported = encoded(&picture(11), ImageFormat::Png);
    let known = house.copies(reported.clone()).await.expect("looked for").hashes;
    // Nothing was there when the report was filed; it names the hashes alone.
    let early = house.upload(&bo, reported.clone(), false).await.expect("taken").asset;
    let repacked =
        house.upload(&ana, encoded(&picture(11), ImageFormat::WebP), false).await.expect("taken").asset;
    let other =
        house.upload(&ana, encoded(&picture(12), ImageFormat::Png), false).await.expect("taken").asset;

    let report = Uuid::now_v7();
    house.decided(report, "quarantine", "", &[], &known).await;
    house.seen(&early, false).await;
    house.seen(&repacked, false).await;
    let late = house.upload(&bo, reported.clone(), false).await.expect("kept").asset;
    house.fetch(&late, "", Rendition::Full).await.expect_err("not shown");
    house.fetch(&other, "", Rendition::Full).await.expect("another picture");
    house.decided(report, "none", "", &[], &[]).await;
    for asset in [&early, &repacked, &late] {
        house.seen(asset, true).await;
    }
    let later = house.upload(&bo, reported, false).await.expect("taken").asset;
    house.fetch(&later, "", Rendition::Full).await.expect("nothing holds it any more");

    // Of a picture that is told by its name the copies go as well.
    house.decided(report, "remove", "", &[&early], &[]).await;
    for asset in [&early, &repacked, &late, &later] {
        house.seen(asset, false).await;
    }
    house.fetch(&other, "", Rendition::Full).await.expect("another picture");
    house.decided(Uuid::now_v7(), "restore", "", &[&late], &[]).await;
    for asset in [&early, &repacked, &late, &later] {
        house.seen(asset, true).await;
    }
}

#[tokio::test]
async fn uploads_that_race_with_a_decision_are_never_left_on_show() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let sent = encoded(&picture(13), ImageFormat::Png);
    let known = house.copies(sent.clone()).await.expect("looked for").hashes;
    let uploads = futures::future::join_all((0..6).map(|_| house.upload(&ana, sent.clone(), false)));
    let (uploads, ()) = tokio::join!(uploads, house.decided(Uuid::now_v7(), "remove", "", &[], &known));
    // Those before the decision went with it, those after it were refused.
    eventually(|| async { house.upload(&ana, sent.clone(), false).await.is_err().then_some(()) }).await;
    for asset in house.copies(sent).await.expect("looked for").assets {
        house.fetch(&asset, "", Rendition::Full).await.expect_err("away");
    }
    for refused in uploads.into_iter().filter_map(Result::err) {
        assert_eq!(reason(&refused), "moderated");
    }
}

#[tokio::test]
async fn of_very_many_copies_the_newest_are_told() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let sent = encoded(&picture(14), ImageFormat::Png);
    let hash = house.copies(sent.clone()).await.expect("looked for").hashes.remove(0);
    sqlx::query(
        "with many as (
             insert into asset (id, private, origin, width, height, bytes, created_at)
             select lpad(to_hex(n), 32, '0'), false, 'upload', 1, 1, 1, now() - make_interval(hours => n)
             from generate_series(1, 10500) n returning id)
         insert into asset_hash (hash, asset) select $1, id from many",
    )
    .bind(hash)
    .execute(&house.db.pool)
    .await
    .expect("there");
    let newest = house.upload(&ana, sent.clone(), false).await.expect("taken").asset;
    let told = house.copies(sent).await.expect("looked for").assets;
    assert_eq!(told.len(), 10_000);
    assert_eq!((&told[0], told[1].trim_start_matches('0')), (&newest, "1"));
}

#[tokio::test]
async fn a_removed_picture_may_not_come_back_unless_an_appeal_says_so() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let (_, bo) = house.user("bo");
    let sent = encoded(&picture(3), ImageFormat::Png);
    let asset = house.upload(&ana, sent.clone(), false).await.expect("taken").asset;
    let served = house.fetch(&asset, "", Rendition::Full).await.expect("public").data;
    let elsewhere = encoded(&picture(4), ImageFormat::Png);
    let known = house.copies(elsewhere.clone()).await.expect("looked for").hashes;

    let report = Uuid::now_v7();
    house.decided(report, "remove", "", &[&asset], &known).await;
    house.seen(&asset, false).await;
    // The file that was sent, the one that we served, and the one that came with the report.
    for copy in [sent.clone(), served, elsewhere.clone()] {
        let refused = house.upload(&bo, copy, true).await.expect_err("refused");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "moderated"));
        let failure = kit::error::Failure::from_status(&refused);
        assert_eq!(failure.fields[0].0, "image");
    }
    house.upload(&bo, encoded(&picture(5), ImageFormat::Png), true).await.expect("another picture");
    assert_eq!(
        house.copies(sent.clone()).await.expect("looked for").assets,
        std::slice::from_ref(&asset),
        "still known"
    );

    house.decided(report, "restore", "remove", &[&asset], &[]).await;
    house.seen(&asset, true).await;
    house.upload(&bo, elsewhere, true).await.expect("allowed again");

    // A counter-notice brings it back whatever report it was.
    house.decided(report, "remove", "", &[&asset], &[]).await;
    house.seen(&asset, false).await;
    house.decided(Uuid::now_v7(), "restore", "", &[&asset], &[]).await;
    house.seen(&asset, true).await;
    house.upload(&bo, sent, true).await.expect("allowed again");
}
