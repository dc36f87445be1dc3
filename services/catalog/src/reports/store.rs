use kit::db::Transaction;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Decision, filing::Filing};
use crate::{error::Result, limits};

/// A report as it is stored.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: Uuid,
    pub receipt: String,
    pub kind: String,
    pub subject_kind: String,
    pub subject_id: String,
    pub subject_label: String,
    pub reason: String,
    pub body: String,
    pub hashes: Vec<String>,
    pub assets: Vec<String>,
    pub reporter: Option<Uuid>,
    pub name: String,
    pub email: String,
    pub concerned: Option<Uuid>,
    pub state: String,
    pub created_at: OffsetDateTime,
    pub due_at: OffsetDateTime,
    pub decision: Option<String>,
    pub reasons: String,
    pub decided_at: Option<OffsetDateTime>,
    pub statement: Option<String>,
    pub appeal: String,
    pub appealed_at: Option<OffsetDateTime>,
    pub by_concerned: bool,
    pub appeal_reasons: String,
    pub review: Option<Value>,
    pub decided_by: Option<Uuid>,
    /// The appeal of the other side than `by_concerned` says.
    pub other_appeal: String,
    pub other_appealed_at: Option<OffsetDateTime>,
    pub other_appeal_reasons: String,
    /// The decision whose effects hold while it is decided anew.
    pub standing: Option<String>,
}

impl Row {
    /// Whether a side has made its appeal.
    pub const fn has_appealed(&self, concerned: bool) -> bool {
        if self.by_concerned == concerned {
            self.appealed_at.is_some()
        } else {
            self.other_appealed_at.is_some()
        }
    }

    /// Since when an appeal of the other side waits until this one is decided.
    pub fn waiting(&self) -> Option<OffsetDateTime> {
        self.other_appealed_at.filter(|_| self.other_appeal_reasons.is_empty())
    }
}

/// What was found about a subject.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub label: String,
    pub concerned: Option<Uuid>,
}

/// Waits for other filings of the same reporter, and counts the undecided ones since then: how many, and when
/// the first of them was.
pub async fn filed_since(
    tx: &mut Transaction,
    since: OffsetDateTime,
    reporter: Option<Uuid>,
    email: &str,
) -> Result<(i64, Option<OffsetDateTime>)> {
    let who = reporter.map_or_else(|| email.to_lowercase(), |id| id.to_string());
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended($1, 0)) as locked", who)
        .fetch_one(&mut **tx)
        .await?;
    let row = sqlx::query!(
        r#"select count(*) as "count!", min(created_at) as first from report
           where state = 'open' and created_at > $3
             and (reporter = $1 or $1 is null and lower(email) = lower($2))"#,
        reporter,
        email,
        since
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok((row.count, row.first))
}

pub async fn add(
    db: impl PgExecutor<'_>,
    filing: &Filing,
    (receipt, reporter): (&str, Option<Uuid>),
    found: &Found,
    (at, due): (OffsetDateTime, OffsetDateTime),
) -> Result<Row> {
    let row = sqlx::query_as!(
        Row,
        "insert into report (id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, sworn, hashes,
             assets, reporter, name, email, concerned, created_at, due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
         returning id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, hashes, assets, reporter,
             name, email, concerned, state, created_at, due_at, decision, reasons, decided_at, statement, appeal,
             appealed_at, by_concerned, appeal_reasons, review, decided_by, other_appeal, other_appealed_at,
             other_appeal_reasons, standing",
        Uuid::now_v7(),
        receipt,
        filing.kind.as_str(),
        filing.subject.as_str(),
        filing.subject_id,
        found.label,
        filing.reason,
        filing.text,
        filing.sworn,
        &filing.hashes,
        &filing.assets,
        reporter,
        filing.name,
        filing.email,
        found.concerned,
        at,
        due
    )
    .fetch_one(db)
    .await?;
    Ok(row)
}

/// By the reporter's number or by that of the statement of reasons.
pub async fn by_number(db: impl PgExecutor<'_>, number: &str) -> Result<Option<Row>> {
    let row = sqlx::query_as!(
        Row,
        "select id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, hashes, assets, reporter,
             name, email, concerned, state, created_at, due_at, decision, reasons, decided_at, statement, appeal,
             appealed_at, by_concerned, appeal_reasons, review, decided_by, other_appeal, other_appealed_at,
             other_appeal_reasons, standing
         from report where receipt = $1 or statement = $1",
        number
    )
    .fetch_optional(db)
    .await?;
    Ok(row)
}

/// Held until the transaction ends, so that it is decided once.
pub async fn hold(tx: &mut Transaction, id: Uuid) -> Result<Option<Row>> {
    let row = sqlx::query_as!(
        Row,
        "select id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, hashes, assets, reporter,
             name, email, concerned, state, created_at, due_at, decision, reasons, decided_at, statement, appeal,
             appealed_at, by_concerned, appeal_reasons, review, decided_by, other_appeal, other_appealed_at,
             other_appeal_reasons, standing
         from report where id = $1 for update",
        id
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row)
}

/// Those that the user filed, and the decisions about the user that were told, newest first.
pub async fn own(db: impl PgExecutor<'_>, user: Uuid, limit: i64, offset: i64) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        "select id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, hashes, assets, reporter,
             name, email, concerned, state, created_at, due_at, decision, reasons, decided_at, statement, appeal,
             appealed_at, by_concerned, appeal_reasons, review, decided_by, other_appeal, other_appealed_at,
             other_appeal_reasons, standing
         from report where reporter = $1 or concerned = $1 and statement is not null
         order by created_at desc, id desc limit $2 offset $3",
        user,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub async fn count_own(db: impl PgExecutor<'_>, user: Uuid) -> Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from report where reporter = $1 or concerned = $1 and statement is not null"#,
        user
    )
    .fetch_one(db)
    .await?)
}

/// Intimate images first, then what is due first; without a state, all that wait for a decision.
pub async fn queue(
    db: impl PgExecutor<'_>,
    states: &[String],
    kind: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        "select id, receipt, kind, subject_kind, subject_id, subject_label, reason, body, hashes, assets, reporter,
             name, email, concerned, state, created_at, due_at, decision, reasons, decided_at, statement, appeal,
             appealed_at, by_concerned, appeal_reasons, review, decided_by, other_appeal, other_appealed_at,
             other_appeal_reasons, standing
         from report where state = any($1) and ($2::text is null or kind = $2)
         order by (kind <> 'intimate_image'), due_at, id limit $3 offset $4",
        states,
        kind,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub async fn count_queue(db: impl PgExecutor<'_>, states: &[String], kind: Option<&str>) -> Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from report where state = any($1) and ($2::text is null or kind = $2)"#,
        states,
        kind
    )
    .fetch_one(db)
    .await?)
}

/// What is written down of a decision.
pub struct Decided<'a> {
    pub decision: Decision,
    pub by: Uuid,
    pub reasons: &'a str,
    /// The number of the statement of reasons, when there is one.
    pub statement: Option<&'a str>,
    pub review: Option<&'a Value>,
}

pub async fn decide(db: impl PgExecutor<'_>, id: Uuid, decided: Decided<'_>) -> Result<()> {
    sqlx::query!(
        "update report set state = 'decided', decision = $2, reasons = $3, decided_at = now(), decided_by = $7,
             standing = null, undone = false, statement = coalesce(statement, $4), review = $5,
             kept_until = now() + make_interval(days => $6)
         where id = $1",
        id,
        decided.decision.as_str(),
        decided.reasons,
        decided.statement,
        decided.review,
        limits::DECISION_KEPT_DAYS,
        decided.by
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An appeal is to be decided; a former one of the other side stays beside it.
pub async fn appeal(
    db: impl PgExecutor<'_>,
    id: Uuid,
    text: &str,
    by_concerned: bool,
    due: OffsetDateTime,
) -> Result<()> {
    sqlx::query!(
        "update report set state = 'appealed', other_appeal = appeal, other_appealed_at = appealed_at,
             other_appeal_reasons = appeal_reasons, appeal = $2, appealed_at = now(), appeal_reasons = '',
             by_concerned = $3, due_at = $4
         where id = $1",
        id,
        text,
        by_concerned,
        due
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An appeal of the other side, while one is to be decided.
pub async fn appeal_next(db: impl PgExecutor<'_>, id: Uuid, text: &str) -> Result<()> {
    sqlx::query!(
        "update report set other_appeal = $2, other_appealed_at = now(), other_appeal_reasons = '' where id = $1",
        id,
        text
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The appeal that has waited is to be decided.
pub async fn turn(db: impl PgExecutor<'_>, id: Uuid, due: OffsetDateTime) -> Result<()> {
    sqlx::query!(
        "update report set state = 'appealed', by_concerned = not by_concerned, due_at = $2, appeal = other_appeal,
             appealed_at = other_appealed_at, appeal_reasons = other_appeal_reasons, other_appeal = appeal,
             other_appealed_at = appealed_at, other_appeal_reasons = appeal_reasons
         where id = $1",
        id,
        due
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The appeal is decided. When the decision was undone by it, nothing of it is left to be undone again.
pub async fn close(db: impl PgExecutor<'_>, id: Uuid, by: Uuid, reasons: &str, undone: bool) -> Result<()> {
    sqlx::query!(
        "update report set state = 'closed', appeal_reasons = $2, appeal_decided_by = $4, undone = undone or $5,
             review = case when $5 then null else review end, kept_until = now() + make_interval(days => $3)
         where id = $1",
        id,
        reasons,
        limits::DECISION_KEPT_DAYS,
        by,
        undone
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Open again: it is decided anew, whatever the decision did holds until then, and both sides can appeal the new
/// one.
pub async fn reopen(
    db: impl PgExecutor<'_>,
    id: Uuid,
    by: Uuid,
    reasons: &str,
    due: OffsetDateTime,
) -> Result<()> {
    sqlx::query!(
        "update report set state = 'open', standing = case when undone then null else decision end, decision = null,
             decided_at = null, reasons = '', appeal = '', appealed_at = null, appeal_reasons = $2,
             appeal_decided_by = $4, other_appeal = '', other_appealed_at = null, other_appeal_reasons = '',
             due_at = $3, kept_until = null
         where id = $1",
        id,
        reasons,
        due,
        by
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The review, the character that it is about, and who wrote it.
pub async fn review(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<(Uuid, Uuid)>> {
    let row =
        sqlx::query!("select character_id, user_id from review where id = $1", id).fetch_optional(db).await?;
    Ok(row.map(|r| (r.character_id, r.user_id)))
}

pub async fn username(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!("select username from creator where user_id = $1", user)
        .fetch_optional(db)
        .await?)
}

pub async fn owner_of_avatar(db: impl PgExecutor<'_>, asset: &str) -> Result<Option<Uuid>> {
    Ok(sqlx::query_scalar!(
        "select user_id from creator where avatar_asset = $1 and avatar_asset <> '' limit 1",
        asset
    )
    .fetch_optional(db)
    .await?)
}

/// The characters that show one of the pictures, in one order everywhere.
pub async fn showing(db: impl PgExecutor<'_>, assets: &[String]) -> Result<Vec<(Uuid, Uuid)>> {
    let rows = sqlx::query!(
        "select id, owner from character where image_asset = any($1) and image_asset <> '' order by id",
        assets
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.id, r.owner)).collect())
}

/// Forgets a user: what they filed, and the decisions about them, stay under the pseudonym for as long as
/// the law wants them kept. To be called in the transaction of the erasure.
///
/// # Errors
/// Whatever the database says.
pub async fn forget(tx: &mut PgConnection, user: Uuid, pseudonym: Uuid) -> Result<()> {
    sqlx::query!(
        "update report set reporter = $2, name = '', email = '' where reporter = $1",
        user,
        pseudonym
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "update report set concerned = $2,
             review = case when review is null then null
                 else jsonb_set(review, '{user_id}', to_jsonb($2::uuid::text)) - 'comment' end
         where concerned = $1",
        user,
        pseudonym
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "update report set subject_id = $2::uuid::text, subject_label = 'a user'
         where subject_kind = 'user' and subject_id = $1::uuid::text",
        user,
        pseudonym
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "update report set decided_by = case when decided_by = $1 then $2 else decided_by end,
             appeal_decided_by = case when appeal_decided_by = $1 then $2 else appeal_decided_by end
         where $1 in (decided_by, appeal_decided_by)",
        user,
        pseudonym
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// All that is stored about a user here: what they filed, and what was decided about them.
///
/// # Errors
/// Whatever the database says.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<Value> {
    let all = sqlx::query_scalar!(
        r#"select jsonb_build_object(
               'filed', coalesce(jsonb_agg(jsonb_build_object(
                   'number', receipt, 'kind', kind, 'subject', subject_label, 'subjectId', subject_id,
                   'reason', reason, 'text', body, 'name', name, 'email', email, 'state', state,
                   'createdAt', created_at, 'dueAt', due_at, 'decision', decision, 'reasons', reasons,
                   'decidedAt', decided_at, 'appeal', case when by_concerned then other_appeal else appeal end,
                   'appealReasons', appeal_reasons) order by created_at) filter (where reporter = $1), '[]'),
               'decisions', coalesce(jsonb_agg(jsonb_build_object(
                   'number', statement, 'kind', kind, 'subject', subject_label, 'subjectId', subject_id,
                   'reason', reason, 'state', state, 'decision', decision, 'reasons', reasons,
                   'decidedAt', decided_at, 'appeal', case when by_concerned then appeal else other_appeal end,
                   'appealReasons', appeal_reasons, 'review', review) order by created_at)
                   filter (where concerned = $1 and statement is not null), '[]')
           ) as "all!" from report where reporter = $1 or concerned = $1"#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(all)
}

/// Deletes what was decided and is kept no longer.
pub async fn sweep(db: impl PgExecutor<'_>) -> Result<u64> {
    let swept =
        sqlx::query!("delete from report where kept_until < now() and state in ('decided', 'closed')")
            .execute(db)
            .await?;
    Ok(swept.rows_affected())
}

/// A character as far as a report needs it.
pub struct Character {
    pub name: String,
    pub owner: Uuid,
    pub image_asset: String,
}

pub async fn character(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Character>> {
    Ok(sqlx::query_as!(Character, "select name, owner, image_asset from character where id = $1", id)
        .fetch_optional(db)
        .await?)
}
