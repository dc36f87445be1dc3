//! Reports, complaints, removal requests and copyright notices.

use axum::{
    Json,
    extract::{Request, State as Shared},
};
use proto::{
    catalog::v1::{
        self as pb, AppealReportRequest, FileReportRequest, GetReportRequest, ListOwnReportsRequest,
        ReportKind as PbKind, ReportState as PbState, SubjectKind as PbSubject,
    },
    media::v1::FindCopiesRequest,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{PageArgs, Said, or_null, perhaps, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
    form,
};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    /// From a card's menu.
    Report,
    Complaint,
    Removal,
    Dmca,
    CounterNotice,
    /// Intimate images made without consent.
    IntimateImage,
}

impl From<PbKind> for ReportKind {
    fn from(kind: PbKind) -> Self {
        match kind {
            PbKind::Report | PbKind::Unspecified => Self::Report,
            PbKind::Complaint => Self::Complaint,
            PbKind::Removal => Self::Removal,
            PbKind::Dmca => Self::Dmca,
            PbKind::CounterNotice => Self::CounterNotice,
            PbKind::IntimateImage => Self::IntimateImage,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SubjectKind {
    Character,
    Review,
    User,
    Image,
    Other,
}

impl From<PbSubject> for SubjectKind {
    fn from(kind: PbSubject) -> Self {
        match kind {
            PbSubject::Character => Self::Character,
            PbSubject::Review => Self::Review,
            PbSubject::User => Self::User,
            PbSubject::Image => Self::Image,
            PbSubject::Other | PbSubject::Unspecified => Self::Other,
        }
    }
}

impl From<SubjectKind> for PbSubject {
    fn from(kind: SubjectKind) -> Self {
        match kind {
            SubjectKind::Character => Self::Character,
            SubjectKind::Review => Self::Review,
            SubjectKind::User => Self::User,
            SubjectKind::Image => Self::Image,
            SubjectKind::Other => Self::Other,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportState {
    Open,
    Decided,
    Appealed,
    Closed,
}

impl From<PbState> for ReportState {
    fn from(state: PbState) -> Self {
        match state {
            PbState::Open | PbState::Unspecified => Self::Open,
            PbState::Decided => Self::Decided,
            PbState::Appealed => Self::Appealed,
            PbState::Closed => Self::Closed,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    None,
    Limit,
    Quarantine,
    Remove,
    Restore,
    Suspend,
}

impl Decision {
    /// `None` while there is no decision.
    #[must_use]
    pub fn of(decision: pb::Decision) -> Option<Self> {
        Some(match decision {
            pb::Decision::Unspecified => return None,
            pb::Decision::None => Self::None,
            pb::Decision::Limit => Self::Limit,
            pb::Decision::Quarantine => Self::Quarantine,
            pb::Decision::Remove => Self::Remove,
            pb::Decision::Restore => Self::Restore,
            pb::Decision::Suspend => Self::Suspend,
        })
    }
}

/// Where a report stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Of the receipt, or of the statement of reasons; whoever has it may read and appeal.
    number: String,
    kind: ReportKind,
    subject_kind: SubjectKind,
    /// What people call it.
    subject: String,
    reason: String,
    /// What was reported; empty for the person concerned.
    text: String,
    state: ReportState,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// Decided by then.
    #[serde(with = "time::serde::rfc3339")]
    due_at: OffsetDateTime,
    #[schema(required)]
    decision: Option<Decision>,
    /// The statement of reasons.
    #[schema(required)]
    reasons: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    decided_at: Option<OffsetDateTime>,
    #[schema(required)]
    appeal: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    appealed_at: Option<OffsetDateTime>,
    /// What became of the appeal.
    #[schema(required)]
    appeal_reasons: Option<String>,
    /// The reader is the person concerned, not the reporter.
    concerns_reader: bool,
}

impl From<pb::Report> for Report {
    fn from(r: pb::Report) -> Self {
        Self {
            kind: r.kind().into(),
            subject_kind: r.subject_kind().into(),
            state: r.state().into(),
            decision: Decision::of(r.decision()),
            created_at: when(r.created_at.as_ref()),
            due_at: when(r.due_at.as_ref()),
            decided_at: perhaps(r.decided_at.as_ref()),
            appealed_at: perhaps(r.appealed_at.as_ref()),
            number: r.receipt,
            subject: r.subject_label,
            reason: r.reason,
            text: r.text,
            reasons: or_null(r.reasons),
            appeal: or_null(r.appeal),
            appeal_reasons: or_null(r.appeal_reasons),
            concerns_reader: r.concerns_reader,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ReportFiled {
    success: bool,
    #[serde(flatten)]
    said: Said,
    report: Report,
}

const RECEIVED: &str = "We have received it. The receipt is in your mail.";

/// The forms for people without an account ask for a `subject` in their own words.
fn in_own_words(status: tonic::Status) -> Problem {
    Problem::from(status).renaming(|field| (field == "subjectId").then(|| "subject".to_owned()))
}

async fn file(app: &State, request: FileReportRequest) -> Answer<Json<ReportFiled>> {
    let reported = request.kind() == PbKind::Report;
    let filed = app.clients.reports().file_report(request).await;
    let filed = filed.map_err(|status| if reported { status.into() } else { in_own_words(status) })?;
    let report = filed.into_inner().report;
    let report = report.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(ReportFiled { success: true, said: Said::new(RECEIVED), report: report.into() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportBody {
    subject_kind: SubjectKind,
    /// Its id.
    #[schema(max_length = 2000)]
    subject_id: String,
    /// `minor`, `hate`, `illegal`, `privacy`, `impersonation`, `copyright`, `spam` or `other`.
    #[schema(max_length = 40)]
    reason: String,
    /// At least 10 characters.
    #[schema(max_length = 5000)]
    text: String,
}

/// Reports a character, a review, a person or a picture.
#[utoipa::path(post, path = "/reports", tag = "reports", request_body = ReportBody, params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = ReportFiled)))]
pub async fn report(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<ReportBody>,
) -> Answer<Json<ReportFiled>> {
    let request = FileReportRequest {
        kind: PbKind::Report.into(),
        subject_kind: PbSubject::from(body.subject_kind).into(),
        subject_id: body.subject_id,
        reason: body.reason,
        text: body.text,
        ..FileReportRequest::default()
    };
    file(&app, request).await
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComplaintKind {
    /// Answered within 7 business days.
    Complaint,
    /// Answered within 7 business days.
    Removal,
    /// Preliminary action within 3 days.
    Dmca,
    /// Held for at most 14 days.
    CounterNotice,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComplaintBody {
    kind: ComplaintKind,
    #[schema(max_length = 120)]
    name: String,
    #[schema(max_length = 254)]
    email: String,
    /// Address of what it is about, or words for it.
    #[schema(max_length = 2000)]
    subject: String,
    /// `other` when absent.
    #[schema(max_length = 40)]
    reason: Option<String>,
    /// At least 10 characters.
    #[schema(max_length = 5000)]
    text: String,
    /// Copyright notices: in good faith, accurate, under penalty of perjury.
    #[serde(default)]
    sworn: bool,
}

/// What an address of ours is about; anything else is told as it is.
fn subject(text: &str) -> (PbSubject, String) {
    let path = text.trim().split(['?', '#']).next().unwrap_or_default();
    let mut parts = path.rsplit('/').filter(|part| !part.is_empty() && *part != "chat");
    match (parts.next(), parts.next()) {
        (Some(id), Some("character")) if uuid::Uuid::try_parse(id).is_ok() => {
            (PbSubject::Character, id.to_owned())
        }
        _ => (PbSubject::Other, text.trim().to_owned()),
    }
}

/// A complaint, a request to remove something, or a copyright notice; no account is needed.
#[utoipa::path(post, path = "/complaint", tag = "reports", request_body = ComplaintBody, params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = ReportFiled)))]
pub async fn complain(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<ComplaintBody>,
) -> Answer<Json<ReportFiled>> {
    let kind = match body.kind {
        ComplaintKind::Complaint => PbKind::Complaint,
        ComplaintKind::Removal => PbKind::Removal,
        ComplaintKind::Dmca => PbKind::Dmca,
        ComplaintKind::CounterNotice => PbKind::CounterNotice,
    };
    let (subject_kind, subject_id) = subject(&body.subject);
    let request = FileReportRequest {
        kind: kind.into(),
        subject_kind: subject_kind.into(),
        subject_id,
        reason: body.reason.unwrap_or_else(|| "other".into()),
        text: body.text,
        name: body.name,
        email: body.email,
        sworn: body.sworn,
        ..FileReportRequest::default()
    };
    file(&app, request).await
}

/// The form for intimate images made without consent.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form")]
pub struct IntimateImageForm {
    #[schema(max_length = 120)]
    name: String,
    #[schema(max_length = 254)]
    email: String,
    /// Address of the picture, or of where it is shown.
    #[schema(max_length = 2000)]
    subject: Option<String>,
    /// At least 10 characters.
    #[schema(max_length = 5000)]
    text: String,
    /// The picture itself finds its identical copies; it is not kept.
    #[schema(value_type = Option<String>, format = Binary)]
    image: Option<Vec<u8>>,
}

/// The asset of an address of ours (`/media/<asset>/…`).
fn asset_in(text: &str) -> Option<String> {
    let rest = text.split_once("/media/")?.1;
    let asset = rest.split(['/', '?']).next()?;
    (asset.len() == 32 && asset.bytes().all(|b| b.is_ascii_hexdigit())).then(|| asset.to_owned())
}

/// Intimate images made without consent: taken away at once when a picture is sent that is one of ours, or by who is
/// signed in; decided within 48 hours.
#[utoipa::path(post, path = "/complaint/intimate-image", tag = "reports", request_body(content = IntimateImageForm, content_type = "multipart/form-data"), params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = ReportFiled)))]
pub async fn intimate_image(Shared(app): Shared<State>, request: Request) -> Answer<Json<ReportFiled>> {
    let form = form::read(request, &app, &["image"]).await?;
    let told = form.text_or_empty("subject");
    let (mut hashes, mut assets) = (Vec::new(), Vec::new());
    if let Some(picture) = form.picture() {
        let request = FindCopiesRequest { data: picture.to_vec() };
        let found = app.clients.assets().find_copies(request).await?.into_inner();
        (hashes, assets) = (found.hashes, found.assets);
    }
    // A picture that is only named proves nothing, so it stays apart from those that were found by the hash.
    let (subject_kind, subject_id) = match asset_in(&told).or_else(|| assets.first().cloned()) {
        Some(asset) => (PbSubject::Image, asset),
        None => subject(&told),
    };
    let request = FileReportRequest {
        kind: PbKind::IntimateImage.into(),
        subject_kind: subject_kind.into(),
        subject_id,
        reason: "privacy".into(),
        text: form.text_or_empty("text"),
        name: form.text_or_empty("name"),
        email: form.text_or_empty("email"),
        hashes,
        assets,
        ..FileReportRequest::default()
    };
    file(&app, request).await
}

#[derive(Serialize, ToSchema)]
pub struct ReportPage {
    success: bool,
    report: Report,
}

/// Where a report stands; the number is the secret.
#[utoipa::path(get, path = "/reports/{number}", tag = "reports", params(("number" = String, Path)), responses((status = 200, body = ReportPage)))]
pub async fn show(Shared(app): Shared<State>, Segment(number): Segment<String>) -> Answer<Json<ReportPage>> {
    let report = app.clients.reports().get_report(GetReportRequest { number }).await?.into_inner().report;
    let report = report.ok_or_else(|| Problem::of("report_not_found"))?;
    Ok(Json(ReportPage { success: true, report: report.into() }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportList {
    success: bool,
    reports: Vec<Report>,
    has_more: bool,
}

/// What the reader filed, and the decisions about the reader.
#[utoipa::path(get, path = "/reports", tag = "reports", params(PageArgs), responses((status = 200, body = ReportList)))]
pub async fn own(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<ReportList>> {
    let request = ListOwnReportsRequest { page: args.page()? };
    let found = app.clients.reports().list_own_reports(request).await?.into_inner();
    Ok(Json(ReportList {
        success: true,
        reports: found.reports.into_iter().map(Into::into).collect(),
        has_more: found.page.is_some_and(|p| p.has_more),
    }))
}

#[derive(Deserialize, ToSchema)]
pub struct AppealBody {
    /// At least 10 characters.
    #[schema(max_length = 5000)]
    text: String,
}

/// The one appeal against a decision, by either number; no account is needed.
#[utoipa::path(post, path = "/reports/{number}/appeal", tag = "reports", params(("number" = String, Path)), request_body = AppealBody, responses((status = 200, body = ReportPage)))]
pub async fn appeal(
    Shared(app): Shared<State>,
    Segment(number): Segment<String>,
    JsonBody(body): JsonBody<AppealBody>,
) -> Answer<Json<ReportPage>> {
    let request = AppealReportRequest { number, text: body.text };
    let report = app.clients.reports().appeal_report(request).await?.into_inner().report;
    let report = report.ok_or_else(|| Problem::of("report_not_found"))?;
    Ok(Json(ReportPage { success: true, report: report.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ours_names_its_subject() {
        let id = "019a9f2e-0000-7000-8000-000000000001";
        let at = |text: &str| subject(text);
        assert_eq!(
            at(&format!("https://troupe.example/character/{id}/chat?x")),
            (PbSubject::Character, id.into())
        );
        assert_eq!(
            at("https://elsewhere.example/x"),
            (PbSubject::Other, "https://elsewhere.example/x".into())
        );
        let asset = "0123456789abcdef0123456789abcdef";
        assert_eq!(asset_in(&format!("/media/{asset}/full.webp?exp=1")), Some(asset.into()));
        assert_eq!(asset_in("/media/x/full.webp"), None);
    }
}
