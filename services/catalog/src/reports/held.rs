//! A removal of what a rule held is a decision like any other: with a number, a statement of reasons, an appeal.

use kit::db::Transaction;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Decision, Kind, Subject, effects,
    filing::Filing,
    letters, receipt, statement,
    store::{self, Decided, Found},
};
use crate::error::Result;

/// Removes a character of this owner because of a rule.
pub async fn remove_held(
    tx: &mut Transaction,
    by: Uuid,
    (id, owner): (Uuid, Uuid),
    label: String,
    rule: &str,
    reasons: &str,
) -> Result<()> {
    let filing = Filing {
        kind: Kind::Report,
        subject: Subject::Character,
        subject_id: id.to_string(),
        reason: "other".into(),
        text: moderation::Rule::named(rule).map_or_else(|| rule.to_owned(), |rule| rule.public_text().into()),
        name: String::new(),
        email: String::new(),
        sworn: false,
        hashes: Vec::new(),
        assets: Vec::new(),
        found: Vec::new(),
    };
    let now = OffsetDateTime::now_utc();
    let found = Found { label, concerned: Some(owner) };
    let row = store::add(&mut **tx, &filing, (&receipt(), None), &found, (now, now)).await?;
    effects::put(tx, row.id, &[id], "removed").await?;
    let number = statement();
    let decided = Decided { decision: Decision::Remove, by, reasons, statement: Some(&number), review: None };
    store::decide(&mut **tx, row.id, decided).await?;
    letters::decided(tx, &row, Some(&number), Decision::Remove, reasons, None).await?;
    letters::statement(tx, &row, &number, Decision::Remove, reasons).await
}
