//! From filing to the end of the appeal, each step in one transaction with all that it causes.

use std::time::Duration;

use kit::{db::Transaction, error::Failure, idempotency::Held};
use prost::Message as _;
use proto::catalog::v1::{FileReportResponse, Report};
use time::OffsetDateTime;
use tonic::Code;
use uuid::Uuid;

use super::{
    Decision, Kind, Subject, business_days, effects,
    filing::Filing,
    grpc::seen,
    letters, receipt, statement,
    store::{self, Found, Row},
};
use crate::{
    App,
    characters::rows,
    error::{Error, Result},
    limits, viewers,
};

const QUARANTINED: &str = "A report of intimate images made without consent is looked into.";
const A_DAY: time::Duration = time::Duration::DAY;

impl App {
    pub(super) async fn file(
        &self,
        user: Option<Uuid>,
        mut filing: Filing,
        held: Option<&Held>,
    ) -> Result<FileReportResponse> {
        let mut found = self.look_up(user, &mut filing).await?;
        let mut tx = self.db.begin().await?;
        let now = OffsetDateTime::now_utc();
        let (count, first) = store::filed_since(&mut tx, now - A_DAY, user, &filing.email).await?;
        if count >= self.reports_a_day {
            let wait = first.map_or(A_DAY, |first| first + A_DAY - now);
            return Err(too_many(wait.try_into().unwrap_or(Duration::from_secs(1))).into());
        }
        let shown = store::showing(&mut *tx, &filing.assets).await?;
        found.concerned = found.concerned.or_else(|| shown.first().map(|(_, owner)| *owner));
        let who = receipt();
        let row = store::add(&mut *tx, &filing, (&who, user), &found, (now, filing.kind.due(now))).await?;
        if filing.kind == Kind::IntimateImage
            && let Some(about) = at_once(&row, filing.found)
        {
            take_away(&mut tx, &about).await?;
        }
        letters::received(&mut tx, &row).await?;
        let answer = FileReportResponse { report: Some(seen(row, false)) };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        metrics::counter!("reports_filed_total", "kind" => filing.kind.as_str()).increment(1);
        Ok(answer)
    }

    /// What it is about, in words, and whom it concerns. What the reporter cannot see is not there for them.
    async fn look_up(&self, user: Option<Uuid>, filing: &mut Filing) -> Result<Found> {
        match filing.subject {
            Subject::Character => {
                let id = kit::ids::find("character_not_found", &filing.subject_id)?;
                let seen = self.visible(user, id).await?.ok_or(Error::CharacterNotFound)?;
                if filing.kind == Kind::IntimateImage
                    && !seen.image_asset.is_empty()
                    && !filing.assets.contains(&seen.image_asset)
                {
                    filing.assets.push(seen.image_asset);
                }
                Ok(Found { label: format!("the character {}", seen.name), concerned: Some(seen.owner) })
            }
            Subject::Review => {
                let gone = || Error::Refused(Failure::not_found("review_not_found"));
                let id = kit::ids::find("review_not_found", &filing.subject_id)?;
                let (character, writer) = store::review(&self.db, id).await?.ok_or_else(gone)?;
                let seen = self.visible(user, character).await?.ok_or_else(gone)?;
                Ok(Found { label: format!("a review of {}", seen.name), concerned: Some(writer) })
            }
            Subject::User => {
                let id = kit::ids::find("user_not_found", &filing.subject_id)?;
                let name = store::username(&self.db, id).await?;
                let name = name.ok_or_else(|| Failure::not_found("user_not_found"))?;
                Ok(Found { label: format!("the user {name}"), concerned: Some(id) })
            }
            Subject::Image => {
                let shown = store::showing(&self.db, std::slice::from_ref(&filing.subject_id)).await?;
                if let Some(&(id, owner)) = shown.first() {
                    let seen = self.visible(user, id).await?;
                    let label =
                        seen.map_or_else(|| "a picture".into(), |c| format!("the picture of {}", c.name));
                    return Ok(Found { label, concerned: Some(owner) });
                }
                let concerned = store::owner_of_avatar(&self.db, &filing.subject_id).await?;
                Ok(Found { label: "a picture".into(), concerned })
            }
            Subject::Other => {
                // One line, as a label is.
                let line = filing.subject_id.chars().map(|c| if c.is_control() { ' ' } else { c });
                let mut label: String = line.take(limits::SUBJECT_LABEL_MAX).collect();
                if label.len() < filing.subject_id.len() {
                    label.push('…');
                }
                Ok(Found { label, concerned: None })
            }
        }
    }

    /// The character as far as a report needs it. Owners see their own in every state: they must be able to
    /// object to its removal.
    async fn visible(&self, user: Option<Uuid>, id: Uuid) -> Result<Option<store::Character>> {
        let Some(character) = store::character(&self.db, id).await? else { return Ok(None) };
        if user == Some(character.owner) {
            return Ok(Some(character));
        }
        let gate = viewers::gate(&self.db, user).await?;
        let row = rows::one(&self.db, id).await?;
        Ok(row.and_then(|row| gate.card(&row)).map(|_| character))
    }

    pub(super) async fn decide(&self, id: Uuid, by: Uuid, decision: Decision, reasons: &str) -> Result<Row> {
        let mut tx = self.db.begin().await?;
        let row = store::hold(&mut tx, id).await?.ok_or(Error::ReportNotFound)?;
        if row.state != "open" {
            return Err(Error::ReportDecided);
        }
        let subject = Subject::read(&row.subject_kind);
        if !decision.fits(subject, has_pictures(&row), row.concerned.is_some()) {
            return Err(Failure::invalid("decision", "This cannot be done about it.").into());
        }
        // Whoever saw their content go while it was looked into is told the end of it as well.
        let was_away = row.standing.is_some() || effects::any(&mut tx, id).await?;
        let ids = content(&mut tx, &row).await?;
        let mut review = None;
        match decision {
            Decision::None => effects::undo(&mut tx, id).await?,
            Decision::Limit => effects::put(&mut tx, id, &ids, "limited").await?,
            Decision::Quarantine => effects::put(&mut tx, id, &ids, "quarantined").await?,
            Decision::Remove if subject == Subject::Review => {
                let which = Uuid::try_parse(&row.subject_id).unwrap_or_default();
                review = effects::remove_review(&mut tx, which).await?.or_else(|| row.review.clone());
            }
            Decision::Remove => effects::put(&mut tx, id, &ids, "removed").await?,
            Decision::Restore => effects::restore(&mut tx, &ids).await?,
            Decision::Suspend => {}
        }
        // What an earlier decision did has held until now.
        if let Some(gone) = row.review.as_ref().filter(|_| decision != Decision::Remove) {
            effects::return_review(&mut tx, gone).await?;
        }
        let suspend = Decision::Suspend.as_str();
        let undone = row.standing.as_deref().filter(|d| *d == suspend && decision != Decision::Suspend);
        let told = row.concerned.is_some() && (decision != Decision::None || was_away);
        // A report that was reopened keeps its number.
        let number = told.then(|| row.statement.clone().unwrap_or_else(statement));
        let decided =
            store::Decided { decision, by, reasons, statement: number.as_deref(), review: review.as_ref() };
        store::decide(&mut *tx, id, decided).await?;
        letters::decided(&mut tx, &row, number.as_deref(), decision, reasons, undone).await?;
        if let Some(number) = &number {
            letters::statement(&mut tx, &row, number, decision, reasons).await?;
        }
        letters::outcome(&mut tx, &row, decision, reasons).await?;
        let row = store::hold(&mut tx, id).await?.ok_or(Error::ReportNotFound)?;
        tx.commit().await?;
        metrics::counter!("reports_decided_total", "decision" => decision.as_str()).increment(1);
        Ok(row)
    }

    pub(super) async fn appeal(&self, number: &str, text: &str) -> Result<Report> {
        let mut tx = self.db.begin().await?;
        let row = store::by_number(&mut *tx, number).await?.ok_or(Error::ReportNotFound)?;
        let row = store::hold(&mut tx, row.id).await?.ok_or(Error::ReportNotFound)?;
        if row.state == "open" {
            return Err(Error::ReportUndecided);
        }
        // One for each side, whatever the other does.
        let concerned = row.receipt != number;
        if row.has_appealed(concerned) {
            return Err(Error::AppealUsed);
        }
        if row.state == "appealed" {
            store::appeal_next(&mut *tx, row.id, text).await?;
        } else {
            store::appeal(&mut *tx, row.id, text, concerned, due(OffsetDateTime::now_utc())).await?;
        }
        let row = store::hold(&mut tx, row.id).await?.ok_or(Error::ReportNotFound)?;
        tx.commit().await?;
        Ok(seen(row, concerned))
    }

    pub(super) async fn decide_on_appeal(
        &self,
        id: Uuid,
        by: Uuid,
        granted: bool,
        reasons: &str,
    ) -> Result<Row> {
        let mut tx = self.db.begin().await?;
        let row = store::hold(&mut tx, id).await?.ok_or(Error::ReportNotFound)?;
        match row.state.as_str() {
            "appealed" => {}
            "closed" => return Err(Error::ReportDecided),
            _ => return Err(Error::ReportUndecided),
        }
        if row.decided_by == Some(by) {
            return Err(Error::OwnDecision);
        }
        let decision = row.decision.as_deref().and_then(Decision::read);
        let nothing_done = matches!(decision, None | Some(Decision::None | Decision::Restore));
        match decision {
            // The reporter wants more, or something else, and there may be nothing to take back: it is looked
            // into again, and what was done holds until then.
            _ if granted && (nothing_done || !row.by_concerned) => {
                tracing::info!(report = %id, decision = row.decision, "reopened by an appeal");
                let kind = Kind::read(&row.kind);
                store::reopen(&mut *tx, id, by, reasons, kind.due(OffsetDateTime::now_utc())).await?;
                if kind == Kind::IntimateImage && nothing_done && !row.by_concerned {
                    take_away(&mut tx, &row).await?;
                }
            }
            Some(decision) if granted => {
                effects::undo(&mut tx, id).await?;
                if let Some(review) = &row.review {
                    effects::return_review(&mut tx, review).await?;
                }
                store::close(&mut *tx, id, by, reasons, true).await?;
                let number = row.statement.as_deref();
                let undone = Some(decision.as_str());
                letters::decided(&mut tx, &row, number, Decision::Restore, reasons, undone).await?;
            }
            _ => store::close(&mut *tx, id, by, reasons, false).await?,
        }
        letters::appeal_decided(&mut tx, &row, granted, reasons).await?;
        let row = store::hold(&mut tx, id).await?.ok_or(Error::ReportNotFound)?;
        // Reopened, nothing waits: the appeal was against what is decided anew.
        if let Some(since) = row.waiting() {
            store::turn(&mut *tx, id, due(since)).await?;
        }
        let row = store::hold(&mut tx, id).await?.ok_or(Error::ReportNotFound)?;
        tx.commit().await?;
        Ok(row)
    }
}

/// Until when an appeal is decided.
fn due(appealed: OffsetDateTime) -> OffsetDateTime {
    business_days(appealed, limits::REPORT_BUSINESS_DAYS)
}

/// By name, or by their hashes.
const fn has_pictures(row: &Row) -> bool {
    !row.assets.is_empty() || !row.hashes.is_empty()
}

/// As much of a report as takes effect before anybody decides. Visitors could take any picture away by naming it:
/// of theirs it is what is the picture that they sent; the rest waits for a person, first in the queue.
fn at_once(row: &Row, found: Vec<String>) -> Option<Row> {
    if row.reporter.is_some() {
        return Some(row.clone());
    }
    // Whose picture was only named is told nothing yet.
    let concerned = row.concerned.filter(|_| row.assets.iter().all(|asset| found.contains(asset)));
    let subject_kind = Subject::Image.as_str().to_owned();
    (!found.is_empty()).then(|| Row { assets: found, concerned, subject_kind, ..row.clone() })
}

/// Before any decision: nobody is to see such a picture while it is looked into.
async fn take_away(tx: &mut Transaction, row: &Row) -> Result<()> {
    let ids = content(tx, row).await?;
    effects::put(tx, row.id, &ids, "quarantined").await?;
    if has_pictures(row) {
        letters::decided(tx, row, row.statement.as_deref(), Decision::Quarantine, QUARANTINED, None).await?;
    }
    Ok(())
}

/// The characters that it is about: the one that was named, and those that show the pictures.
async fn content(tx: &mut Transaction, row: &Row) -> Result<Vec<Uuid>> {
    let mut ids: Vec<Uuid> = store::showing(&mut **tx, &row.assets).await?.into_iter().map(|c| c.0).collect();
    if row.subject_kind == Subject::Character.as_str() {
        ids.extend(Uuid::try_parse(&row.subject_id));
    }
    // In one order everywhere, so that two decisions never wait for each other.
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn too_many(wait: Duration) -> Failure {
    Failure::new(Code::ResourceExhausted, "rate_limited", "undecided reports of a day").retry_after(wait)
}
