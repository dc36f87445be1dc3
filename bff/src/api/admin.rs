//! The moderators' queue; the services answer it to the role `admin` alone.

use axum::{Json, extract::State as Shared};
use proto::{
    auth::v1::{ReinstateUserRequest, SuspendUserRequest},
    catalog::v1::{
        self as pb, DecideAppealRequest, DecideReportRequest, ListQueueRequest, ReportKind as PbKind,
        ReportState as PbState,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{
    Done, Said, page_of,
    reports::{Decision, Report, ReportKind, ReportState},
    when,
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
};

/// A report as moderators see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    #[serde(rename = "_id")]
    id: String,
    #[serde(flatten)]
    report: Report,
    /// Id of the subject, or what the reporter called it.
    subject_id: String,
    reporter_name: String,
    reporter_email: String,
    /// Id of the person concerned; empty when nobody is known.
    concerned_id: String,
    /// Pictures with the same hash.
    assets: Vec<String>,
}

impl From<pb::Report> for Case {
    fn from(mut r: pb::Report) -> Self {
        Self {
            id: std::mem::take(&mut r.id),
            subject_id: std::mem::take(&mut r.subject_id),
            reporter_name: std::mem::take(&mut r.reporter_name),
            reporter_email: std::mem::take(&mut r.reporter_email),
            concerned_id: std::mem::take(&mut r.concerned_id),
            assets: std::mem::take(&mut r.assets),
            report: r.into(),
        }
    }
}

/// Which part of the queue.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueueArgs {
    /// All that wait for a decision when absent.
    #[param(inline)]
    state: Option<ReportState>,
    #[param(inline)]
    kind: Option<ReportKind>,
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    success: bool,
    reports: Vec<Case>,
    total: u64,
    has_more: bool,
}

/// What waits for a decision, the most urgent first.
#[utoipa::path(get, path = "/admin/reports", tag = "admin", params(QueueArgs), responses((status = 200, body = Queue)))]
pub async fn queue(Shared(app): Shared<State>, QueryArgs(args): QueryArgs<QueueArgs>) -> Answer<Json<Queue>> {
    let state = match args.state {
        None => PbState::Unspecified,
        Some(ReportState::Open) => PbState::Open,
        Some(ReportState::Decided) => PbState::Decided,
        Some(ReportState::Appealed) => PbState::Appealed,
        Some(ReportState::Closed) => PbState::Closed,
    };
    let kind = match args.kind {
        None => PbKind::Unspecified,
        Some(ReportKind::Report) => PbKind::Report,
        Some(ReportKind::Complaint) => PbKind::Complaint,
        Some(ReportKind::Removal) => PbKind::Removal,
        Some(ReportKind::Dmca) => PbKind::Dmca,
        Some(ReportKind::CounterNotice) => PbKind::CounterNotice,
        Some(ReportKind::IntimateImage) => PbKind::IntimateImage,
    };
    let page = page_of(args.page, args.limit)?;
    let request = ListQueueRequest { state: state.into(), kind: kind.into(), page };
    let found = app.clients.reports().list_queue(request).await?.into_inner();
    let page = found.page.unwrap_or_default();
    Ok(Json(Queue {
        success: true,
        reports: found.reports.into_iter().map(Into::into).collect(),
        total: page.total,
        has_more: page.has_more,
    }))
}

#[derive(Deserialize, ToSchema)]
pub struct DecisionBody {
    decision: Decision,
    /// Statement of reasons, mailed to the person concerned.
    #[schema(max_length = 5000)]
    reasons: String,
}

#[derive(Serialize, ToSchema)]
pub struct CaseAnswer {
    success: bool,
    report: Case,
}

/// Decides a report.
#[utoipa::path(post, path = "/admin/reports/{id}/decide", tag = "admin", params(("id" = String, Path)), request_body = DecisionBody, responses((status = 200, body = CaseAnswer)))]
pub async fn decide(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<DecisionBody>,
) -> Answer<Json<CaseAnswer>> {
    let decision = match body.decision {
        Decision::None => pb::Decision::None,
        Decision::Limit => pb::Decision::Limit,
        Decision::Quarantine => pb::Decision::Quarantine,
        Decision::Remove => pb::Decision::Remove,
        Decision::Restore => pb::Decision::Restore,
        Decision::Suspend => pb::Decision::Suspend,
    };
    let request = DecideReportRequest { id, decision: decision.into(), reasons: body.reasons };
    let report = app.clients.reports().decide_report(request).await?.into_inner().report;
    let report = report.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(CaseAnswer { success: true, report: report.into() }))
}

#[derive(Deserialize, ToSchema)]
pub struct AppealDecisionBody {
    /// True undoes the decision.
    granted: bool,
    #[schema(max_length = 5000)]
    reasons: String,
}

/// Decides the appeal against a decision.
#[utoipa::path(post, path = "/admin/reports/{id}/appeal", tag = "admin", params(("id" = String, Path)), request_body = AppealDecisionBody, responses((status = 200, body = CaseAnswer)))]
pub async fn decide_appeal(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<AppealDecisionBody>,
) -> Answer<Json<CaseAnswer>> {
    let request = DecideAppealRequest { id, granted: body.granted, reasons: body.reasons };
    let report = app.clients.reports().decide_appeal(request).await?.into_inner().report;
    let report = report.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(CaseAnswer { success: true, report: report.into() }))
}

#[derive(Deserialize, ToSchema)]
pub struct SuspendBody {
    /// Told to the person.
    #[schema(max_length = 2000)]
    reason: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspended {
    success: bool,
    #[serde(flatten)]
    said: Said,
    #[serde(with = "time::serde::rfc3339")]
    suspended_at: OffsetDateTime,
}

/// Suspends a person: all sessions end, nothing of theirs is shown.
#[utoipa::path(post, path = "/admin/users/{id}/suspend", tag = "admin", params(("id" = String, Path)), request_body = SuspendBody, responses((status = 200, body = Suspended)))]
pub async fn suspend(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<SuspendBody>,
) -> Answer<Json<Suspended>> {
    let request = SuspendUserRequest { user_id: id, reason: body.reason };
    let done = app.clients.discipline().suspend_user(request).await?.into_inner();
    let suspended_at = when(done.suspended_at.as_ref());
    Ok(Json(Suspended { success: true, said: Said::new("The account is suspended."), suspended_at }))
}

/// Ends a suspension.
#[utoipa::path(post, path = "/admin/users/{id}/reinstate", tag = "admin", params(("id" = String, Path)), responses((status = 200, body = Done)))]
pub async fn reinstate(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<Done>> {
    app.clients.discipline().reinstate_user(ReinstateUserRequest { user_id: id }).await?;
    Ok(Json(Done::saying("The account is reinstated.")))
}
