//! Who may appeal, who decides it, and what a granted appeal does.

use kit::testing::{as_user, published};
use proto::{
    catalog::v1::{
        ContentState, DecideAppealRequest, DecideReportRequest, Decision, PutReviewRequest, Report,
        ReportState, SubjectKind, reviews_client::ReviewsClient,
    },
    events::v1::ReportDecided,
};
use tonic::Code;

use crate::{
    reports::{DECIDED, about, refused},
    support::{House, draft, house, id, reason},
};

/// Tess, as bea reports her, and with what it was decided.
async fn decided(house: &House, decision: Decision) -> (String, String, Report) {
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let filed = house.file(Some(&bea), about(SubjectKind::Character, &made)).await.expect("filed");
    house.decide(&filed.id, decision).await.expect("decided");
    (ada, made, filed)
}

#[tokio::test]
async fn each_side_appeals_once_whatever_the_other_does() {
    let house = house().await;
    let (ada, made, filed) = decided(&house, Decision::Limit).await;
    let number = house.statement(&ada, &filed.id).await;

    house.appeal(&filed.receipt).await.expect("the reporter's");
    let seen = house.stands(&number).await.expect("there");
    assert_eq!(
        (seen.state(), seen.appealed_at),
        (ReportState::Decided, None),
        "the other side's is not theirs"
    );
    let waits = house.appeal(&number).await.expect("the concerned person's");
    assert_eq!((waits.state(), waits.appeal.as_str()), (ReportState::Appealed, "You have read it wrong."));
    for again in [&filed.receipt, &number] {
        assert_eq!(refused(house.appeal(again).await).1, "appeal_used");
    }

    let next = house.decide_appeal(&filed.id, false).await.expect("the reporter's comes first");
    assert_eq!((next.state(), next.appeal_reasons.as_str()), (ReportState::Appealed, ""));
    let told = house.stands(&filed.receipt).await.expect("there");
    assert_eq!(told.appeal_reasons, "Seen by another person.");
    let closed = house.decide_appeal(&filed.id, true).await.expect("then the other");
    assert_eq!(closed.state(), ReportState::Closed);
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    assert_eq!(refused(house.decide_appeal(&filed.id, true).await).1, "report_decided");
    for again in [&filed.receipt, &number] {
        assert_eq!(refused(house.appeal(again).await).1, "appeal_used");
    }
}

#[tokio::test]
async fn an_appeal_comes_also_after_that_of_the_other_side_was_denied() {
    let house = house().await;
    let (ada, made, filed) = decided(&house, Decision::Remove).await;
    house.appeal(&filed.receipt).await.expect("the reporter's");
    let closed = house.decide_appeal(&filed.id, false).await.expect("denied");
    assert_eq!(closed.state(), ReportState::Closed);
    house.appeal(&house.statement(&ada, &filed.id).await).await.expect("the concerned person's");
    house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
}

#[tokio::test]
async fn the_reporters_granted_appeal_keeps_what_was_done_until_it_is_decided_anew() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (ada, made, filed) = decided(&house, Decision::Limit).await;
    house.appeal(&filed.receipt).await.expect("the reporter wants more");
    let open = house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!((open.state(), open.decision()), (ReportState::Open, Decision::Unspecified));
    assert_eq!(house.state(&ada, &made).await, ContentState::Limited);
    house.decide(&filed.id, Decision::None).await.expect("decided anew");
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "none").await;
    let all = seen.all::<ReportDecided>(DECIDED);
    assert!(all.iter().all(|d| d.undone.is_empty() && d.decision != "restore"), "nothing was undone before");
}

#[tokio::test]
async fn a_suspension_holds_until_it_is_decided_anew() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (_, _, filed) = decided(&house, Decision::Suspend).await;
    house.appeal(&filed.receipt).await.expect("appealed");
    house.decide_appeal(&filed.id, true).await.expect("granted");
    house.decide(&filed.id, Decision::Limit).await.expect("decided anew");
    let told = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "limit").await;
    assert_eq!(told.undone, "suspend", "the milder decision ends it");
}

#[tokio::test]
async fn a_review_taken_away_is_back_when_it_is_decided_anew() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let put = PutReviewRequest { character_id: made.clone(), rating: 1, comment: "Too quiet.".into() };
    as_user(&bea, ReviewsClient::new(house.channel()).put_review(put)).await.expect("taken");
    let reviews = async || house.see(None, &made).await.expect("there").character.expect("one").reviews;
    let review = reviews().await.remove(0);
    let filed = house.file(Some(&ada), about(SubjectKind::Review, &review.id)).await.expect("filed");
    house.decide(&filed.id, Decision::Remove).await.expect("decided");
    house.appeal(&filed.receipt).await.expect("appealed");
    house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!(reviews().await, []);
    house.decide(&filed.id, Decision::None).await.expect("decided anew");
    assert_eq!(reviews().await, [review]);
}

#[tokio::test]
async fn whoever_decided_does_not_decide_the_appeal() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let filed = house.file(Some(&ada), about(SubjectKind::Character, &made)).await.expect("filed");
    let (first, second) = (house.admin(), house.admin());
    let decide = DecideReportRequest {
        id: filed.id.clone(),
        decision: Decision::Limit.into(),
        reasons: "Rule 4: no advertising.".into(),
    };
    as_user(&first, house.reports().decide_report(decide)).await.expect("decided");
    house.appeal(&filed.receipt).await.expect("appealed");
    let ask = DecideAppealRequest { id: filed.id, granted: false, reasons: "As I said.".into() };
    let own = as_user(&first, house.reports().decide_appeal(ask.clone())).await.expect_err("their own");
    assert_eq!((own.code(), reason(&own).as_str()), (Code::PermissionDenied, "own_decision"));
    assert_eq!(own.message(), "Somebody else has to decide the appeal.");
    as_user(&second, house.reports().decide_appeal(ask)).await.expect("somebody else's");
    let known: bool = sqlx::query_scalar("select decided_by <> appeal_decided_by from report")
        .fetch_one(&house.db.pool)
        .await
        .expect("both are written down");
    assert!(known);
}
