//! What is told of reports: mails, and the event that others act on.

use kit::outbox;
use proto::events::v1::{MailRequested, ReportDecided, mail_requested::To};
use sqlx::PgConnection;
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};
use uuid::Uuid;

use super::{Decision, store::Row};
use crate::error::Result;

const MAIL: &str = "catalog.mail.requested";
const DECIDED: &str = "catalog.report.decided";
const WHEN: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");

const HOW_TO_APPEAL: &str = "If you think that this is wrong, you may appeal once, free of charge: open the number above on the page of reports and write why. A person decides about it. You may also go to court, or to a certified body for settling disputes out of court.";

/// `report_received`: the receipt, to the reporter.
pub async fn received(tx: &mut PgConnection, report: &Row) -> Result<()> {
    let params = [
        ("number", report.receipt.clone()),
        ("due", when(report.due_at)),
        ("subject", report.subject_label.clone()),
        ("kind", report.kind.clone()),
        ("text", report.body.clone()),
    ];
    send(tx, reporter(report), "report_received", params).await
}

/// `report_decided`: the outcome, to the reporter.
pub async fn outcome(tx: &mut PgConnection, report: &Row, decision: Decision, reasons: &str) -> Result<()> {
    let params = [
        ("number", report.receipt.clone()),
        ("subject", report.subject_label.clone()),
        ("decision", decision.as_str().to_owned()),
        ("reasons", reasons.to_owned()),
        ("appeal", HOW_TO_APPEAL.to_owned()),
    ];
    send(tx, reporter(report), "report_decided", params).await
}

/// `statement_of_reasons`: to the person concerned, who is not told who reported.
pub async fn statement(
    tx: &mut PgConnection,
    report: &Row,
    number: &str,
    decision: Decision,
    reasons: &str,
) -> Result<()> {
    let params = [
        ("number", number.to_owned()),
        ("subject", report.subject_label.clone()),
        ("decision", decision.as_str().to_owned()),
        ("reason", report.reason.clone()),
        ("reasons", reasons.to_owned()),
        ("appeal", HOW_TO_APPEAL.to_owned()),
    ];
    send(tx, concerned(report), "statement_of_reasons", params).await
}

/// `appeal_decided`: to both.
pub async fn appeal_decided(tx: &mut PgConnection, report: &Row, granted: bool, reasons: &str) -> Result<()> {
    let decision = if granted { "granted" } else { "denied" };
    let told = |number: &str| {
        [
            ("number", number.to_owned()),
            ("subject", report.subject_label.clone()),
            ("decision", decision.to_owned()),
            ("reasons", reasons.to_owned()),
        ]
    };
    send(tx, reporter(report), "appeal_decided", told(&report.receipt)).await?;
    if let Some(number) = &report.statement {
        send(tx, concerned(report), "appeal_decided", told(number)).await?;
    }
    Ok(())
}

/// `catalog.report.decided`. `number` is that of the statement of reasons, `undone` the decision that an appeal took
/// back.
pub async fn decided(
    tx: &mut PgConnection,
    report: &Row,
    number: Option<&str>,
    decision: Decision,
    reasons: &str,
    undone: Option<&str>,
) -> Result<()> {
    let event = ReportDecided {
        report_id: report.id.to_string(),
        user_id: report.concerned.map(|id| id.to_string()).unwrap_or_default(),
        decision: decision.as_str().into(),
        reasons: reasons.into(),
        subject: report.subject_label.clone(),
        assets: report.assets.clone(),
        // Copies that nobody named go as well.
        hashes: match decision {
            Decision::Quarantine | Decision::Remove => report.hashes.clone(),
            _ => Vec::new(),
        },
        undone: undone.unwrap_or_default().into(),
        statement: number.unwrap_or_default().into(),
    };
    outbox::enqueue(tx, DECIDED, &event).await?;
    Ok(())
}

/// By the account of who is signed in, else by the address that was given.
fn reporter(report: &Row) -> Option<To> {
    match report.reporter {
        Some(id) => Some(user(id)),
        None => (!report.email.is_empty()).then(|| To::Address(report.email.clone())),
    }
}

fn concerned(report: &Row) -> Option<To> {
    report.concerned.map(user)
}

fn user(id: Uuid) -> To {
    To::UserId(id.to_string())
}

async fn send<const N: usize>(
    tx: &mut PgConnection,
    to: Option<To>,
    template: &str,
    params: [(&str, String); N],
) -> Result<()> {
    let Some(to) = to else { return Ok(()) };
    let mail = MailRequested {
        to: Some(to),
        template: template.into(),
        params: params.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
    };
    outbox::enqueue(tx, MAIL, &mail).await?;
    Ok(())
}

fn when(at: OffsetDateTime) -> String {
    at.to_offset(time::UtcOffset::UTC).format(WHEN).unwrap_or_else(|_| at.to_string())
}
