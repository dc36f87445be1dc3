//! Intimate images made without consent: what goes away before anybody decides, and what waits.

use kit::testing::{as_user, published};
use proto::{
    catalog::v1::{ContentState, Decision, FileReportRequest, ListQueueRequest, ReportKind, SubjectKind},
    events::v1::ReportDecided,
};

use crate::{
    reports::{DECIDED, PICTURE, about, fields, signed},
    support::{draft, house, id},
};

fn of(kind: SubjectKind, subject: &str) -> FileReportRequest {
    let mut ask = signed(about(kind, subject), "vera@example.com");
    (ask.kind, ask.reason) = (ReportKind::IntimateImage.into(), "privacy".into());
    ask
}

#[tokio::test]
async fn a_visitors_word_takes_nothing_away_but_stands_first_in_the_queue() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let old = house.file(Some(&bea), about(SubjectKind::Character, &made)).await.expect("filed");
    sqlx::query("update report set due_at = now() - interval '1 day'")
        .execute(&house.db.pool)
        .await
        .expect("overdue");

    let named = house.file(None, of(SubjectKind::Character, &made)).await.expect("filed");
    house.file(None, of(SubjectKind::Image, PICTURE)).await.expect("filed");
    // A picture was sent, and another is meant: only what was found is proven.
    let mut other = of(SubjectKind::Image, PICTURE);
    (other.hashes, other.assets) = (vec!["ab".repeat(32)], vec!["c".repeat(32)]);
    house.file(None, other).await.expect("filed");
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    let queue = as_user(&house.admin(), house.reports().list_queue(ListQueueRequest::default())).await;
    let queue = queue.expect("the queue").into_inner().reports;
    assert_eq!((&queue[0].id, &queue[3].id), (&named.id, &old.id));

    house.file(Some(&bea), of(SubjectKind::Character, &made)).await.expect("filed");
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined, "who is signed in is believed");
}

#[tokio::test]
async fn every_copy_that_was_found_goes_however_many() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut ask = of(SubjectKind::Image, PICTURE);
    ask.hashes = vec!["ab".repeat(32)];
    ask.assets = (0..200).map(|n| format!("{:032x}", n % 100)).collect();
    ask.assets.push(PICTURE.into());
    let seen = published(&house.common, &["catalog.#"]).await;
    let filed = house.file(None, ask.clone()).await.expect("filed");
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);
    let away = seen.wait::<ReportDecided>(DECIDED, |d| d.report_id == filed.id).await;
    assert_eq!((away.assets.len(), away.hashes.len()), (101, 1), "each once");
    ask.assets = vec![PICTURE.into(); 10_001];
    assert_eq!(fields(house.file(None, ask).await), ["assets"]);
}

#[tokio::test]
async fn a_picture_that_is_not_ours_yet_is_kept_out_by_its_hashes() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let mut ask = of(SubjectKind::Other, "");
    assert_eq!(fields(house.file(None, ask.clone()).await), ["subjectId"]);
    ask.hashes = vec!["ab".repeat(32)];
    let filed = house.file(None, ask).await.expect("filed");
    assert_eq!(filed.subject_label, "the picture that was sent");
    house.decide(&filed.id, Decision::Remove).await.expect("decided");
    let told = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "remove").await;
    assert_eq!((told.assets.len(), told.hashes), (0, vec!["ab".repeat(32)]));
}
