use kit::{
    caller,
    error::{Failure, Violations},
    idempotency::{self, Begun},
    page::Page,
    text,
    time::to_proto,
};
use proto::catalog::v1::{
    AppealReportRequest, AppealReportResponse, DecideAppealRequest, DecideAppealResponse,
    DecideReportRequest, DecideReportResponse, Decision as PbDecision, FileReportRequest, FileReportResponse,
    GetReportRequest, GetReportResponse, ListOwnReportsRequest, ListOwnReportsResponse, ListQueueRequest,
    ListQueueResponse, Report, ReportKind, reports_server::Reports,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    Decision, Kind, Subject,
    filing::Filing,
    state, state_text,
    store::{self, Row},
    typed,
};
use crate::{
    App,
    error::{Error, Result},
    limits,
};

#[tonic::async_trait]
impl Reports for App {
    async fn file_report(
        &self,
        request: Request<FileReportRequest>,
    ) -> Result<Response<FileReportResponse>, Status> {
        let user = caller::maybe(&request).map(|u| u.id);
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let filing = Filing::new(ask.clone(), user.is_none())?;
        let owner = user
            .unwrap_or_else(|| Uuid::new_v5(&Uuid::NAMESPACE_URL, filing.email.to_lowercase().as_bytes()));
        let held = match idempotency::begin(&self.db, owner, "file_report", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let filed = self.file(user, filing, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, filed).await?))
    }

    async fn get_report(
        &self,
        request: Request<GetReportRequest>,
    ) -> Result<Response<GetReportResponse>, Status> {
        let number = typed(&request.into_inner().number).ok_or(Error::ReportNotFound)?;
        let row = store::by_number(&self.db, &number).await?.ok_or(Error::ReportNotFound)?;
        let concerned = row.receipt != number;
        Ok(Response::new(GetReportResponse { report: Some(seen(row, concerned)) }))
    }

    async fn list_own_reports(
        &self,
        request: Request<ListOwnReportsRequest>,
    ) -> Result<Response<ListOwnReportsResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let rows = store::own(&self.db, user.id, page.limit.into(), offset).await?;
        let total = store::count_own(&self.db, user.id).await?;
        let reports = rows.into_iter().map(|row| {
            let concerned = row.reporter != Some(user.id);
            seen(row, concerned)
        });
        Ok(Response::new(ListOwnReportsResponse {
            reports: reports.collect(),
            page: Some(page.info(total.unsigned_abs())),
        }))
    }

    async fn appeal_report(
        &self,
        request: Request<AppealReportRequest>,
    ) -> Result<Response<AppealReportResponse>, Status> {
        let ask = request.into_inner();
        let number = typed(&ask.number).ok_or(Error::ReportNotFound)?;
        let text = written("text", &ask.text, limits::REPORT_TEXT_MIN)?;
        Ok(Response::new(AppealReportResponse { report: Some(self.appeal(&number, &text).await?) }))
    }

    async fn list_queue(
        &self,
        request: Request<ListQueueRequest>,
    ) -> Result<Response<ListQueueResponse>, Status> {
        caller::admin(&request)?;
        let ask = request.into_inner();
        let page = Page::from_proto(ask.page.as_ref())?;
        let states = match state_text(ask.state()) {
            Some(state) => vec![state.to_owned()],
            None => vec!["open".to_owned(), "appealed".to_owned()],
        };
        let kind = match ask.kind() {
            ReportKind::Unspecified => None,
            kind => Kind::asked(kind).map(Kind::as_str),
        };
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let rows = store::queue(&self.db, &states, kind, page.limit.into(), offset).await?;
        let total = store::count_queue(&self.db, &states, kind).await?;
        Ok(Response::new(ListQueueResponse {
            reports: rows.into_iter().map(whole).collect(),
            page: Some(page.info(total.unsigned_abs())),
        }))
    }

    async fn decide_report(
        &self,
        request: Request<DecideReportRequest>,
    ) -> Result<Response<DecideReportResponse>, Status> {
        let by = caller::admin(&request)?.id;
        let ask = request.into_inner();
        let id = kit::ids::find("report_not_found", &ask.id)?;
        let decision = Decision::asked(ask.decision())
            .ok_or_else(|| Failure::invalid("decision", "Choose what is to be done."))?;
        let reasons = written("reasons", &ask.reasons, 1)?;
        let report = self.decide(id, by, decision, &reasons).await?;
        Ok(Response::new(DecideReportResponse { report: Some(whole(report)) }))
    }

    async fn decide_appeal(
        &self,
        request: Request<DecideAppealRequest>,
    ) -> Result<Response<DecideAppealResponse>, Status> {
        let by = caller::admin(&request)?.id;
        let ask = request.into_inner();
        let id = kit::ids::find("report_not_found", &ask.id)?;
        let reasons = written("reasons", &ask.reasons, 1)?;
        let report = self.decide_on_appeal(id, by, ask.granted, &reasons).await?;
        Ok(Response::new(DecideAppealResponse { report: Some(whole(report)) }))
    }
}

fn written(field: &str, given: &str, min: usize) -> Result<String, Failure> {
    let text =
        text::clean(given, limits::REPORT_TEXT_MAX).map_err(|e| Failure::invalid(field, e.to_string()))?;
    let mut v = Violations::new();
    v.check(
        text.chars().count() >= min,
        field,
        match min {
            1 => "Write why.".to_owned(),
            min => format!("At least {min} characters."),
        },
    );
    v.done()?;
    Ok(text)
}

/// As the reporter sees it, or the person concerned, who does not learn who reported, nor in what words.
pub(super) fn seen(mut row: Row, concerned: bool) -> Report {
    let receipt = if concerned { row.statement.clone().unwrap_or_default() } else { row.receipt.clone() };
    if row.by_concerned != concerned {
        if row.other_appealed_at.is_some() {
            row.appeal = std::mem::take(&mut row.other_appeal);
            row.appealed_at = row.other_appealed_at;
            row.appeal_reasons = std::mem::take(&mut row.other_appeal_reasons);
        } else {
            row.appeal.clear();
            if row.state == "appealed" {
                // The other side's; to this one it stands decided, and they may still appeal.
                row.state = "decided".into();
                row.appealed_at = None;
            }
        }
    }
    let mut report = common(row);
    report.receipt = receipt;
    report.concerns_reader = concerned;
    if concerned {
        report.text.clear();
    }
    report
}

/// As moderators see it.
fn whole(row: Row) -> Report {
    let (email, name, assets) = (row.email.clone(), row.name.clone(), row.assets.clone());
    let concerned = row.concerned.map(|id| id.to_string()).unwrap_or_default();
    Report { reporter_email: email, reporter_name: name, concerned_id: concerned, assets, ..common(row) }
}

fn common(row: Row) -> Report {
    let decision = row.decision.as_deref().and_then(Decision::read);
    Report {
        id: row.id.to_string(),
        receipt: row.receipt,
        kind: Kind::read(&row.kind).told().into(),
        subject_kind: Subject::read(&row.subject_kind).told().into(),
        subject_id: row.subject_id,
        subject_label: row.subject_label,
        reason: row.reason,
        text: row.body,
        state: state(&row.state).into(),
        created_at: Some(to_proto(row.created_at)),
        due_at: Some(to_proto(row.due_at)),
        decision: decision.map_or(PbDecision::Unspecified, Decision::told).into(),
        reasons: row.reasons,
        decided_at: row.decided_at.map(to_proto),
        appeal: row.appeal,
        appealed_at: row.appealed_at.map(to_proto),
        appeal_reasons: row.appeal_reasons,
        ..Report::default()
    }
}
