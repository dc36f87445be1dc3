//! Reports from filing to the end of the appeal.

use kit::testing::{Recorder, as_user, as_user_with_key, eventually, publish, published};
use proto::{
    catalog::v1::{
        AppealReportRequest, ContentState, DecideAppealRequest, DecideReportRequest, Decision,
        ExportAccountDataRequest, FileReportRequest, GetReportRequest, ListOwnReportsRequest,
        ListQueueRequest, PutReviewRequest, Report, ReportKind, ReportState, SearchRequest, SubjectKind,
        account_data_client::AccountDataClient, listings_client::ListingsClient,
        reports_client::ReportsClient, reviews_client::ReviewsClient,
    },
    common::v1::PageRequest,
    events::v1::{
        CharacterChanged, ErasureDone, MailRequested, ReportDecided, UserErased, mail_requested::To,
    },
};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::support::{House, draft, house, id, reason};

const MAIL: &str = "catalog.mail.requested";
pub const DECIDED: &str = "catalog.report.decided";
/// What every character of these tests shows.
pub const PICTURE: &str = "0123456789abcdef0123456789abcdef";

pub fn about(kind: SubjectKind, subject: &str) -> FileReportRequest {
    FileReportRequest {
        kind: ReportKind::Report.into(),
        subject_kind: kind.into(),
        subject_id: subject.into(),
        reason: "spam".into(),
        text: "This is an advertisement for watches.".into(),
        ..FileReportRequest::default()
    }
}

/// As somebody without an account would file it.
pub fn signed(mut ask: FileReportRequest, email: &str) -> FileReportRequest {
    ask.name = "Vera Visitor".into();
    ask.email = email.into();
    ask
}

impl House {
    pub fn reports(&self) -> ReportsClient<kit::client::Channel> {
        ReportsClient::new(self.channel())
    }

    pub fn admin(&self) -> String {
        self.issuer.token_with(Uuid::now_v7(), "mod", &["admin"])
    }

    pub async fn file(&self, token: Option<&str>, ask: FileReportRequest) -> Result<Report, Status> {
        let mut client = self.reports();
        let answer = match token {
            Some(token) => as_user(token, client.file_report(ask)).await?,
            None => client.file_report(ask).await?,
        };
        Ok(answer.into_inner().report.expect("the report"))
    }

    pub async fn stands(&self, number: &str) -> Result<Report, Status> {
        let ask = GetReportRequest { number: number.into() };
        Ok(self.reports().get_report(ask).await?.into_inner().report.expect("the report"))
    }

    pub async fn decide(&self, report: &str, decision: Decision) -> Result<Report, Status> {
        let ask = DecideReportRequest {
            id: report.into(),
            decision: decision.into(),
            reasons: "Rule 4: no advertising.".into(),
        };
        let answer = as_user(&self.admin(), self.reports().decide_report(ask)).await?;
        Ok(answer.into_inner().report.expect("the report"))
    }

    /// The number of the statement of reasons, as the person concerned finds it.
    pub async fn statement(&self, token: &str, report: &str) -> String {
        let ask = ListOwnReportsRequest { page: None };
        let own = as_user(token, self.reports().list_own_reports(ask)).await.expect("listed").into_inner();
        let told = own.reports.into_iter().find(|r| r.id == report && r.concerns_reader);
        told.expect("a decision about them").receipt
    }

    pub async fn appeal(&self, number: &str) -> Result<Report, Status> {
        let ask = AppealReportRequest { number: number.into(), text: "You have read it wrong.".into() };
        Ok(self.reports().appeal_report(ask).await?.into_inner().report.expect("the report"))
    }

    pub async fn decide_appeal(&self, report: &str, granted: bool) -> Result<Report, Status> {
        let ask =
            DecideAppealRequest { id: report.into(), granted, reasons: "Seen by another person.".into() };
        let answer = as_user(&self.admin(), self.reports().decide_appeal(ask)).await?;
        Ok(answer.into_inner().report.expect("the report"))
    }

    pub async fn state(&self, owner: &str, character: &str) -> ContentState {
        match self.see(Some(owner), character).await {
            Ok(seen) => seen.character.expect("one").state(),
            Err(_) => ContentState::Removed,
        }
    }

    /// How many characters a search of everything finds, once that is `expected`.
    pub async fn lists(&self, expected: u64) {
        eventually(|| async {
            let found = ListingsClient::new(self.channel()).search(SearchRequest::default()).await.ok()?;
            let total = found.into_inner().list?.page?.total;
            (total == expected).then_some(())
        })
        .await;
    }
}

pub async fn mail(seen: &Recorder, template: &str, to: &To) -> MailRequested {
    seen.wait::<MailRequested>(MAIL, |m| m.template == template && m.to.as_ref() == Some(to)).await
}

pub fn user(id: Uuid) -> To {
    To::UserId(id.to_string())
}

pub fn refused(outcome: Result<Report, Status>) -> (Code, String) {
    let status = outcome.expect_err("refused");
    (status.code(), reason(&status))
}

pub fn fields(outcome: Result<Report, Status>) -> Vec<String> {
    let failure = kit::error::Failure::from_status(&outcome.expect_err("refused"));
    failure.fields.into_iter().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn a_visitor_files_with_name_and_address_and_gets_a_receipt_by_mail() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let seen = published(&house.common, &["catalog.#"]).await;

    assert_eq!(fields(house.file(None, about(SubjectKind::Character, &made)).await), ["name", "email"]);
    let filed = house.file(None, signed(about(SubjectKind::Character, &made), "vera@example.com")).await;
    let filed = filed.expect("filed");
    assert!(filed.receipt.starts_with("TR-") && filed.receipt.len() == 19, "{}", filed.receipt);
    assert_eq!((filed.subject_label.as_str(), filed.state()), ("the character Tess", ReportState::Open));
    let sent = mail(&seen, "report_received", &To::Address("vera@example.com".into())).await;
    assert_eq!(sent.params["number"], filed.receipt);
    assert_eq!(sent.params["subject"], "the character Tess");
    assert!(sent.params["due"].ends_with(" UTC"));

    let read = house.stands(&format!(" {} ", filed.receipt.to_lowercase())).await.expect("by its number");
    assert_eq!((read.text.as_str(), read.concerns_reader), ("This is an advertisement for watches.", false));
    assert_eq!((read.reporter_email.as_str(), read.concerned_id.as_str()), ("", ""));
    for wrong in ["", "TR-0000000000000000", &filed.id] {
        let missed = house.stands(wrong).await.map(|_| Report::default());
        assert_eq!(refused(missed), (Code::NotFound, "report_not_found".into()));
    }
}

#[tokio::test]
async fn each_kind_has_its_own_time() {
    let house = house().await;
    let days = async |kind: ReportKind| {
        let mut ask = signed(about(SubjectKind::Other, "https://example.com/page"), "vera@example.com");
        (ask.kind, ask.sworn) = (kind.into(), true);
        let filed = house.file(None, ask).await.expect("filed");
        let at = |t: Option<_>| kit::time::from_proto(&t.expect("a time")).expect("a time");
        (at(filed.due_at) - at(filed.created_at)).whole_hours()
    };
    assert_eq!(days(ReportKind::IntimateImage).await, 48);
    assert_eq!(days(ReportKind::Dmca).await, 3 * 24);
    assert_eq!(days(ReportKind::CounterNotice).await, 14 * 24);
    for kind in [ReportKind::Report, ReportKind::Complaint, ReportKind::Removal] {
        // Seven working days hold one week-end, or two.
        assert!([9 * 24, 10 * 24, 11 * 24].contains(&days(kind).await));
    }
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused_field_by_field() {
    let house = house().await;
    let (_, bea) = house.issuer.user("bea");
    let bad = FileReportRequest {
        reason: "boredom".into(),
        text: "short".into(),
        email: "nowhere".into(),
        name: "x".repeat(121),
        ..FileReportRequest::default()
    };
    assert_eq!(
        fields(house.file(Some(&bea), bad).await),
        ["kind", "subjectKind", "subjectId", "reason", "text", "name", "email"]
    );
    let mut notice = signed(about(SubjectKind::Other, "https://example.com"), "vera@example.com");
    notice.kind = ReportKind::Dmca.into();
    assert_eq!(fields(house.file(None, notice.clone()).await), ["sworn"]);
    notice.sworn = true;
    notice.text = "é".repeat(5_001);
    assert_eq!(fields(house.file(None, notice).await), ["text"]);
    // Everything but a report needs a name, of those who are signed in as well.
    let mut removal = about(SubjectKind::Other, "https://example.com");
    removal.kind = ReportKind::Removal.into();
    assert_eq!(fields(house.file(Some(&bea), removal).await), ["name", "email"]);
    let picture = about(SubjectKind::Image, "../../etc/passwd");
    assert_eq!(fields(house.file(Some(&bea), picture).await), ["subjectId"]);
}

#[tokio::test]
async fn nobody_reports_what_is_not_theirs_to_see() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut private = draft("Tess");
    private.public = false;
    let private = id(&house.create(&ada, private).await.expect("created"));
    let nothing = Uuid::now_v7().to_string();
    for (kind, subject, why) in [
        (SubjectKind::Character, private.as_str(), "character_not_found"),
        (SubjectKind::Character, nothing.as_str(), "character_not_found"),
        (SubjectKind::Review, nothing.as_str(), "review_not_found"),
        (SubjectKind::Review, "no id", "review_not_found"),
        (SubjectKind::User, nothing.as_str(), "user_not_found"),
    ] {
        assert_eq!(refused(house.file(Some(&bea), about(kind, subject)).await), (Code::NotFound, why.into()));
    }
    let leaked = house.file(Some(&bea), about(SubjectKind::Image, PICTURE)).await.expect("a leaked picture");
    assert_eq!(leaked.subject_label, "a picture", "the name is not told");
    house.file(Some(&ada), about(SubjectKind::Character, &private)).await.expect("their own");
}

#[tokio::test]
async fn the_same_key_files_once_and_twenty_a_day_are_enough() {
    let house = house().await;
    let (_, bea) = house.issuer.user("bea");
    let ask = about(SubjectKind::Other, "https://example.com/page");
    let file = async || {
        let mut client = house.reports();
        let answer = as_user_with_key(&bea, "again", client.file_report(ask.clone())).await.expect("filed");
        answer.into_inner().report.expect("the report").receipt
    };
    assert_eq!(file().await, file().await);

    let rest = futures_of(19, || house.file(Some(&bea), ask.clone())).await;
    assert!(rest.iter().all(Result::is_ok));
    let more = house.file(Some(&bea), ask.clone()).await.expect_err("too many");
    assert_eq!((more.code(), reason(&more).as_str()), (Code::ResourceExhausted, "rate_limited"));
    assert!(kit::error::Failure::from_status(&more).retry_after.is_some());

    // The address counts whatever its case; at once they count as well.
    let both = ["vera@example.com", "Vera@Example.com"];
    let many = futures_of(24, || house.file(None, signed(ask.clone(), both[0]))).await;
    assert_eq!(many.iter().filter(|o| o.is_ok()).count(), 20);
    house.file(None, signed(ask.clone(), both[1])).await.expect_err("the same address");
    house.file(None, signed(ask, "other@example.com")).await.expect("another address");
}

async fn futures_of<F: Future>(count: usize, one: impl Fn() -> F) -> Vec<F::Output> {
    futures::future::join_all((0..count).map(|_| one())).await
}

#[tokio::test]
async fn only_moderators_see_the_queue_and_decide_the_most_urgent_first() {
    let house = house().await;
    let (_, bea) = house.issuer.user("bea");
    let ask = signed(about(SubjectKind::Other, "https://example.com"), "vera@example.com");
    let slow = house.file(None, ask.clone()).await.expect("filed");
    let mut urgent = ask;
    urgent.kind = ReportKind::IntimateImage.into();
    let urgent = house.file(None, urgent).await.expect("filed");

    let queue = |state: ReportState, kind: ReportKind| ListQueueRequest {
        state: state.into(),
        kind: kind.into(),
        page: Some(PageRequest { page: 1, limit: 1 }),
    };
    let all = queue(ReportState::Unspecified, ReportKind::Unspecified);
    let visitor = house.reports().list_queue(all).await.expect_err("a visitor");
    assert_eq!(visitor.code(), Code::Unauthenticated);
    let denied = as_user(&bea, house.reports().list_queue(all)).await.expect_err("not a moderator");
    assert_eq!((denied.code(), reason(&denied).as_str()), (Code::PermissionDenied, "forbidden"));
    let decide = DecideReportRequest { id: slow.id.clone(), decision: 1, reasons: "Mine.".into() };
    as_user(&bea, house.reports().decide_report(decide)).await.expect_err("not a moderator");

    let admin = house.admin();
    let first = as_user(&admin, house.reports().list_queue(all)).await.expect("the queue").into_inner();
    assert_eq!(first.reports[0].id, urgent.id);
    assert_eq!(first.reports[0].reporter_email, "vera@example.com");
    assert_eq!(first.page.expect("a page").total, 2);
    let only = queue(ReportState::Open, ReportKind::Report);
    let only = as_user(&admin, house.reports().list_queue(only)).await.expect("the queue").into_inner();
    assert_eq!((only.reports[0].id.as_str(), only.reports.len()), (slow.id.as_str(), 1));

    house.decide(&slow.id, Decision::None).await.expect("decided");
    let left = as_user(&admin, house.reports().list_queue(all)).await.expect("the queue").into_inner();
    assert_eq!(left.page.expect("a page").total, 1);
    assert_eq!(refused(house.decide("no id", Decision::None).await).1, "report_not_found");
}

#[tokio::test]
async fn a_removed_character_is_gone_with_a_statement_of_reasons_and_comes_back_on_appeal() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let (reporter, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.lists(1).await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let filed = house.file(Some(&bea), about(SubjectKind::Character, &made)).await.expect("filed");
    mail(&seen, "report_received", &user(reporter)).await;
    assert_eq!(refused(house.appeal(&filed.receipt).await).1, "report_undecided");

    let decided = house.decide(&filed.id, Decision::Remove).await.expect("decided");
    assert_eq!((decided.state(), decided.concerned_id), (ReportState::Decided, owner.to_string()));
    assert_eq!(refused(house.decide(&filed.id, Decision::None).await).1, "report_decided");
    house.see(None, &made).await.expect_err("gone");
    house.lists(0).await;
    seen.wait::<CharacterChanged>("catalog.character.changed", |c| c.state == "removed").await;
    let told = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "remove").await;
    assert_eq!((told.user_id, told.subject.as_str()), (owner.to_string(), "the character Tess"));
    let outcome = mail(&seen, "report_decided", &user(reporter)).await;
    assert_eq!(outcome.params["number"], filed.receipt);
    let statement = mail(&seen, "statement_of_reasons", &user(owner)).await;
    let number = &statement.params["number"];
    assert!(number.starts_with("TD-"), "a number of its own");
    assert_eq!(&told.statement, number);
    assert_eq!(statement.params["reasons"], "Rule 4: no advertising.");

    let about_ada = house.stands(number).await.expect("by the statement's number");
    assert_eq!((about_ada.concerns_reader, about_ada.text.as_str()), (true, ""));
    assert_eq!((about_ada.receipt.as_str(), about_ada.decision()), (number.as_str(), Decision::Remove));
    for (token, concerned) in [(&ada, true), (&bea, false)] {
        let mut client = house.reports();
        let own = as_user(token, client.list_own_reports(ListOwnReportsRequest { page: None })).await;
        let own = own.expect("listed").into_inner().reports;
        assert_eq!((own.len(), own[0].concerns_reader, own[0].text.is_empty()), (1, concerned, concerned));
    }

    let appealed = house.appeal(number).await.expect("appealed");
    assert_eq!(
        (appealed.state(), appealed.appeal.as_str()),
        (ReportState::Appealed, "You have read it wrong.")
    );
    assert_eq!(house.stands(&filed.receipt).await.expect("there").appeal, "", "theirs, not the reporter's");
    assert_eq!(refused(house.appeal(number).await).1, "appeal_used");

    let closed = house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!(closed.state(), ReportState::Closed);
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    house.lists(1).await;
    let undone = seen.wait::<ReportDecided>(DECIDED, |d| d.undone == "remove").await;
    assert_eq!(undone.decision, "restore");
    mail(&seen, "appeal_decided", &user(owner)).await;
    mail(&seen, "appeal_decided", &user(reporter)).await;
    assert_eq!(refused(house.decide_appeal(&filed.id, true).await).1, "report_decided");
}

#[tokio::test]
async fn limited_is_seen_by_address_and_quarantined_by_its_owner() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.lists(1).await;
    let file = async || house.file(Some(&bea), about(SubjectKind::Character, &made)).await.expect("filed");
    let (first, second) = (file().await, file().await);

    house.decide(&first.id, Decision::Limit).await.expect("decided");
    house.see(None, &made).await.expect("by its address");
    house.lists(0).await;
    house.decide(&second.id, Decision::Quarantine).await.expect("decided");
    house.see(None, &made).await.expect_err("not any more");
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);

    // Undone in another order than it was done: what is left holds.
    house.appeal(&house.statement(&ada, &first.id).await).await.expect("appealed");
    house.decide_appeal(&first.id, true).await.expect("granted");
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);
    house.appeal(&house.statement(&ada, &second.id).await).await.expect("appealed");
    let denied = house.decide_appeal(&second.id, false).await.expect("denied");
    assert_eq!(
        (denied.state(), denied.appeal_reasons.as_str()),
        (ReportState::Closed, "Seen by another person.")
    );
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);

    // A counter-notice brings it back to where it was before all of them.
    let mut counter = signed(about(SubjectKind::Character, &made), "ada@example.com");
    (counter.kind, counter.sworn) = (ReportKind::CounterNotice.into(), true);
    let counter = house.file(Some(&ada), counter).await.expect("filed");
    house.decide(&counter.id, Decision::Restore).await.expect("decided");
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    house.lists(1).await;
}

#[tokio::test]
async fn a_removed_review_takes_its_stars_along_and_comes_back_as_it_was() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let (_, bea) = house.issuer.user("bea");
    let (_, cleo) = house.issuer.user("cleo");
    for (name, token, rating) in [("bea", &bea, 1), ("cleo", &cleo, 5)] {
        let put = PutReviewRequest { character_id: made.clone(), rating, comment: format!("By {name}.") };
        as_user(token, ReviewsClient::new(house.channel()).put_review(put)).await.expect("taken");
    }
    let reviews = async || house.see(None, &made).await.expect("there").character.expect("one");
    let worst = reviews().await.reviews.into_iter().find(|r| r.rating == 1).expect("bea's");

    let filed = house.file(Some(&ada), about(SubjectKind::Review, &worst.id)).await.expect("filed");
    assert_eq!(filed.subject_label, "a review of Tess");
    let unfit = house.decide(&filed.id, Decision::Limit).await;
    assert_eq!(fields(unfit), ["decision"]);
    house.decide(&filed.id, Decision::Remove).await.expect("decided");
    let left = reviews().await;
    assert_eq!((left.reviews.len(), left.average_rating), (1, Some(5.0)));
    assert_eq!(left.card.expect("a card").counts.expect("counts").reviews, 1);

    // Whoever reported it wants another decision: until then it stays away.
    house.appeal(&filed.receipt).await.expect("appealed");
    house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!(reviews().await.reviews.len(), 1);
    house.decide(&filed.id, Decision::Remove).await.expect("decided again");
    house.appeal(&house.statement(&bea, &filed.id).await).await.expect("appealed");
    house.decide_appeal(&filed.id, true).await.expect("granted");
    let back = reviews().await;
    assert_eq!((back.reviews.len(), back.average_rating), (2, Some(3.0)));
    assert!(back.reviews.iter().any(|r| r == &worst), "as it was");
}

#[tokio::test]
async fn a_suspension_is_told_and_needs_somebody_to_suspend() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    house.create(&ada, draft("Tess")).await.expect("created");
    let (_, bea) = house.issuer.user("bea");
    let seen = published(&house.common, &["catalog.#"]).await;
    let filed = house.file(Some(&bea), about(SubjectKind::User, &owner.to_string())).await.expect("filed");
    assert_eq!(filed.subject_label, "the user ada");
    assert_eq!(fields(house.decide(&filed.id, Decision::Remove).await), ["decision"]);
    house.decide(&filed.id, Decision::Suspend).await.expect("decided");
    let told = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "suspend").await;
    assert_eq!((told.user_id, told.reasons.as_str()), (owner.to_string(), "Rule 4: no advertising."));

    let nobody =
        house.file(Some(&bea), about(SubjectKind::Other, "https://example.com")).await.expect("filed");
    assert_eq!(fields(house.decide(&nobody.id, Decision::Suspend).await), ["decision"]);
}

#[tokio::test]
async fn an_intimate_image_goes_away_at_once_and_comes_back_only_by_a_decision() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    house.lists(1).await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let hash = "ab".repeat(32);
    let file = async || {
        let mut ask = signed(about(SubjectKind::Other, "the picture attached"), "vera@example.com");
        (ask.kind, ask.reason) = (ReportKind::IntimateImage.into(), "privacy".into());
        (ask.hashes, ask.assets) = (vec![hash.clone()], vec![PICTURE.into()]);
        house.file(None, ask).await.expect("filed")
    };
    let filed = file().await;
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);
    house.lists(0).await;
    let away = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "quarantine").await;
    assert_eq!((away.user_id, away.assets), (owner.to_string(), vec![PICTURE.to_owned()]));
    assert_eq!(away.hashes, std::slice::from_ref(&hash), "copies go as well");

    house.decide(&filed.id, Decision::None).await.expect("decided");
    assert_eq!(house.state(&ada, &made).await, ContentState::Live);
    let back = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "none").await;
    assert_eq!(back.assets, [PICTURE]);
    mail(&seen, "statement_of_reasons", &user(owner)).await;

    // What was left undone is looked into again when the appeal is granted.
    house.appeal(&filed.receipt).await.expect("appealed");
    let again = house.decide_appeal(&filed.id, true).await.expect("granted");
    assert_eq!((again.state(), again.decision()), (ReportState::Open, Decision::Unspecified));
    assert_eq!(house.state(&ada, &made).await, ContentState::Quarantined);
    house.decide(&filed.id, Decision::Remove).await.expect("decided");
    assert_eq!(house.state(&ada, &made).await, ContentState::Removed);
    let gone = seen.wait::<ReportDecided>(DECIDED, |d| d.decision == "remove").await;
    assert_eq!((gone.assets, gone.hashes), (vec![PICTURE.to_owned()], vec![hash.clone()]));

    // Its owner may object, and by the number of the statement.
    let mut counter = signed(about(SubjectKind::Character, &made), "ada@example.com");
    (counter.kind, counter.sworn) = (ReportKind::CounterNotice.into(), true);
    house.file(Some(&ada), counter).await.expect("about what is theirs");
    house.appeal(&filed.receipt).await.expect("the new decision can be appealed");
    // Another report of the same picture does not bring it back when it comes to nothing.
    let second = file().await;
    house.decide(&second.id, Decision::None).await.expect("decided");
    assert_eq!(house.state(&ada, &made).await, ContentState::Removed);
}

#[tokio::test]
async fn two_moderators_at_once_make_one_decision() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let filed = house.file(Some(&ada), about(SubjectKind::Character, &made)).await.expect("filed");
    let outcomes = futures_of(8, || house.decide(&filed.id, Decision::Limit)).await;
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
    let appeals = futures_of(8, || house.appeal(&filed.receipt)).await;
    assert_eq!(appeals.iter().filter(|o| o.is_ok()).count(), 1);
}

#[tokio::test]
async fn who_is_forgotten_leaves_decisions_under_a_pseudonym_for_six_years() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let (reporter, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut ask = signed(about(SubjectKind::Character, &made), "bea@example.com");
    ask.kind = ReportKind::Complaint.into();
    let filed = house.file(Some(&bea), ask).await.expect("filed");
    house.decide(&filed.id, Decision::Remove).await.expect("decided");

    let db = &house.db.pool;
    let exported = async |token: &str| {
        let mut client = AccountDataClient::new(house.channel());
        let answer = as_user(token, client.export_account_data(ExportAccountDataRequest {})).await;
        let json = answer.expect("exported").into_inner().json;
        serde_json::from_str::<serde_json::Value>(&json).expect("one object")["reports"].clone()
    };
    let hers = exported(&bea).await;
    assert_eq!(hers["filed"][0]["email"], "bea@example.com");
    assert_eq!(hers["decisions"].as_array().map(Vec::len), Some(0));
    let about_ada = exported(&ada).await;
    assert_eq!(about_ada["decisions"][0]["decision"], "remove");
    assert!(!about_ada.to_string().contains("bea@"), "who reported stays unknown");

    let pseudonym = Uuid::new_v4();
    let seen = published(&house.common, &["catalog.user.erased"]).await;
    for (user, token) in [(reporter, &bea), (owner, &ada)] {
        let event = UserErased {
            user_id: user.to_string(),
            characters: "remove".into(),
            pseudonym: pseudonym.to_string(),
        };
        publish(&house.common, "auth.user.erased", &event).await;
        seen.wait::<ErasureDone>("catalog.user.erased", |e| e.user_id == user.to_string()).await;
        assert_eq!(exported(token).await, serde_json::json!({ "filed": [], "decisions": [] }));
    }
    let kept = house.stands(&filed.receipt).await.expect("the decision stands");
    assert_eq!((kept.decision(), kept.reasons.as_str()), (Decision::Remove, "Rule 4: no advertising."));
    let left: (String, Uuid, bool) = sqlx::query_as(
        "select name || email, concerned, kept_until between now() + interval '2190 days' and now() + interval '2193 days'
         from report",
    )
    .fetch_one(db)
    .await
    .expect("kept");
    assert_eq!(left, (String::new(), pseudonym, true));

    assert_eq!(catalog::reports::store::sweep(db).await.expect("swept"), 0);
    sqlx::query("update report set kept_until = now() - interval '1 second'")
        .execute(db)
        .await
        .expect("aged");
    assert_eq!(catalog::reports::store::sweep(db).await.expect("swept"), 1);
}
