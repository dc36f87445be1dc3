use kit::db::Db;
use std::time::Duration;

use sqlx::{PgConnection, PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Job, Purpose};
use crate::{assets::AssetId, engines::Options, error::Result, events::TICKET, limits};

/// A job as the gallery shows it.
#[derive(Debug)]
pub struct Row {
    pub id: Uuid,
    pub state: String,
    pub reason: String,
    pub label: String,
    pub options: Json<Options>,
    pub private: bool,
    pub cost: i32,
    pub asset: Option<String>,
    pub width: i32,
    pub height: i32,
    pub created_at: OffsetDateTime,
    pub progress: f32,
    pub standing: String,
}

/// A job as its statements return it.
pub struct Stored {
    pub id: Uuid,
    pub owner: Uuid,
    pub purpose: String,
    pub character_id: Option<Uuid>,
    pub version: i64,
    pub options: Json<Options>,
    pub tags: Vec<String>,
    pub label: String,
    pub private: bool,
    pub priority: bool,
    pub cost: i32,
    pub attempts: i32,
}

impl From<Stored> for Job {
    fn from(row: Stored) -> Self {
        Self {
            id: row.id,
            owner: row.owner,
            purpose: Purpose::read(&row.purpose),
            character: row.character_id,
            version: row.version,
            options: row.options.0,
            tags: row.tags,
            label: row.label,
            private: row.private,
            priority: row.priority,
            cost: row.cost.unsigned_abs(),
        }
    }
}

fn cost(coins: u32) -> i32 {
    i32::try_from(coins).unwrap_or(i32::MAX)
}

/// Writes a job that is not yet paid for; false when the same portrait was asked for before.
pub async fn insert(db: impl PgExecutor<'_>, job: &Job) -> Result<bool> {
    let new = sqlx::query!(
        "insert into job (id, owner, purpose, character_id, version, options, tags, label, private, priority, cost, state)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'unpaid')
         on conflict (character_id, version) where state <> 'canceled' do nothing",
        job.id,
        job.owner,
        job.purpose.as_str(),
        job.character,
        job.version,
        Json(&job.options) as _,
        &job.tags,
        job.label,
        job.private,
        job.priority,
        cost(job.cost)
    )
    .execute(db)
    .await?;
    Ok(new.rows_affected() == 1)
}

/// The live job of a portrait, and whether it is still unpaid.
pub async fn portrait(
    db: impl PgExecutor<'_>,
    owner: Uuid,
    character: Uuid,
    version: i64,
) -> Result<Option<(Uuid, bool)>> {
    let row = sqlx::query!(
        r#"select id, state = 'unpaid' as "unpaid!" from job
           where character_id = $1 and version = $2 and owner = $3 and state <> 'canceled'"#,
        character,
        version,
        owner
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.id, r.unpaid)))
}

/// From `unpaid` to `queued`; false when it was ended meanwhile.
pub async fn queue(db: impl PgExecutor<'_>, id: Uuid) -> Result<bool> {
    let queued = sqlx::query!(
        "update job set state = 'queued', available_at = now(), traceparent = $2 where id = $1 and state = 'unpaid'",
        id,
        kit::telemetry::traceparent()
    )
    .execute(db)
    .await?;
    Ok(queued.rows_affected() == 1)
}

/// Forgets a job that was refused payment.
pub async fn forget(db: impl PgExecutor<'_>, id: Uuid) -> Result<()> {
    sqlx::query!("delete from job where id = $1 and state = 'unpaid'", id).execute(db).await?;
    Ok(())
}

/// Newest first; one more than `limit`, so that the caller sees whether there is more.
pub async fn gallery(db: impl PgExecutor<'_>, owner: Uuid, limit: u32, offset: u64) -> Result<Vec<Row>> {
    Ok(sqlx::query_as!(
        Row,
        r#"select j.id, j.state, j.reason, j.label, j.options as "options: Json<Options>", j.private, j.cost, j.asset,
                  j.width, j.height, j.created_at, j.progress, coalesce(a.standing, 'waiting') as "standing!"
           -- The rows of the page first: joined before, those that are skipped were looked up as well.
           from (select id from job
                 where owner = $1 and purpose = 'gallery' and state not in ('unpaid', 'canceled') and deleted_at is null
                 order by id desc limit $2 offset $3) page
           join job j on j.id = page.id left join asset a on a.id = j.asset
           order by j.id desc"#,
        owner,
        i64::from(limit) + 1,
        i64::try_from(offset).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?)
}

/// One of the owner's, unless it is deleted.
pub async fn one(db: impl PgExecutor<'_>, owner: Uuid, id: Uuid) -> Result<Option<Row>> {
    Ok(sqlx::query_as!(
        Row,
        r#"select j.id, j.state, j.reason, j.label, j.options as "options: Json<Options>", j.private, j.cost, j.asset,
                  j.width, j.height, j.created_at, j.progress, coalesce(a.standing, 'waiting') as "standing!"
           from job j left join asset a on a.id = j.asset
           where j.owner = $1 and j.id = $2 and j.deleted_at is null"#,
        owner,
        id
    )
    .fetch_optional(db)
    .await?)
}

/// A job that a worker holds.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub job: Job,
    /// Counted from 1.
    pub attempt: i32,
    /// The trace of whoever asked for it.
    pub traceparent: Option<String>,
}

/// The fairest job that is due, taken up; `$held` says what becomes of one that somebody else holds a lock on.
macro_rules! take_up {
    ($tx:expr, $worker:expr, $lease:expr, $held:tt) => {
        sqlx::query_as!(
            Stored,
            r#"with fairest as (
               select j.id from job j left join turn t on t.owner = j.owner
               where j.state = 'queued' and j.available_at <= now()
               order by coalesce(t.at, '-infinity') - make_interval(secs => case when j.priority then $3::float8 else 0 end),
                        j.priority desc, j.id limit 1
               for update of j "# + $held + r#"
           )
           update job set state = 'running', attempts = attempts + 1, worker = $1, progress = 0,
                  lease_until = now() + make_interval(secs => $2)
           from fairest where job.id = fairest.id
           returning job.id, owner, purpose, character_id, version, options as "options: Json<Options>", tags,
                     label, private, priority, cost, attempts"#,
            $worker,
            $lease.as_secs_f64(),
            limits::HEAD_START.as_secs_f64()
        )
        .fetch_optional(&mut *$tx)
        .await?
    };
}

/// Takes the fairest job for `worker`: of the user who has waited longest for a turn, where a plan with priority counts
/// as having waited [`limits::HEAD_START`] longer; among those who never had one, priority first; then the oldest. So
/// nobody's many jobs keep another's first one waiting, whatever their plans. `None` when nothing is due.
///
/// One that somebody else holds is passed over. Where there is no other it is waited for: whoever holds it may have no
/// ticket, as an owner who renames a picture that waits, and it would be left with none when ours is acknowledged.
pub async fn claim(db: &Db, worker: Uuid, lease: Duration) -> Result<Option<Claimed>> {
    let mut tx = db.begin().await?;
    let row = match take_up!(tx, worker, lease, "skip locked") {
        None => take_up!(tx, worker, lease, ""),
        free => free,
    };
    let Some(row) = row else { return Ok(None) };
    sqlx::query!(
        "insert into turn (owner, at) values ($1, clock_timestamp()) on conflict (owner) do update set at = excluded.at",
        row.owner
    )
    .execute(&mut *tx)
    .await?;
    let traceparent =
        sqlx::query_scalar!("select traceparent from job where id = $1", row.id).fetch_one(&mut *tx).await?;
    tx.commit().await?;
    let attempt = row.attempts;
    Ok(Some(Claimed { job: row.into(), attempt, traceparent }))
}

/// The job that is due next of those that wait, and in how long; `None` when none waits, or when there are tickets for all
/// of them on their way, so that one too many is not kept for ever.
pub async fn next_due(db: impl PgExecutor<'_>) -> Result<Option<(Uuid, Duration)>> {
    let next = sqlx::query!(
        r#"select id, greatest(extract(epoch from available_at - clock_timestamp()), 0)::float8 as "after!"
           from job where state = 'queued'
             and (select count(*) from outbox where topic = $1) < (select count(*) from job where state = 'queued')
           order by available_at limit 1"#,
        TICKET
    )
    .fetch_optional(db)
    .await?;
    Ok(next.map(|job| (job.id, Duration::from_secs_f64(job.after))))
}

/// Keeps the lease while the picture is drawn, and notes how far it is; false when someone else has it, or it was
/// cancelled.
pub async fn renew(
    db: impl PgExecutor<'_>,
    id: Uuid,
    worker: Uuid,
    lease: Duration,
    progress: f32,
) -> Result<bool> {
    let renewed = sqlx::query!(
        "update job set lease_until = now() + make_interval(secs => $3), progress = $4
         where id = $1 and worker = $2 and state = 'running'",
        id,
        worker,
        lease.as_secs_f64(),
        progress
    )
    .execute(db)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

/// Ends a job with its picture; false when it is no longer this worker's.
pub async fn complete(
    db: &mut PgConnection,
    (id, worker): (Uuid, Uuid),
    asset: &AssetId,
    (width, height): (u32, u32),
) -> Result<bool> {
    let done = sqlx::query!(
        "update job set state = 'completed', asset = $3, width = $4, height = $5, worker = null, lease_until = null,
                ended_at = now()
         where id = $1 and worker = $2 and state = 'running'",
        id,
        worker,
        asset.as_str(),
        i32::try_from(width).unwrap_or(i32::MAX),
        i32::try_from(height).unwrap_or(i32::MAX)
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives a job back for another attempt when so long has passed; false when it is no longer this worker's.
pub async fn give_back(db: &mut PgConnection, id: Uuid, worker: Uuid, after: Duration) -> Result<bool> {
    let given = sqlx::query!(
        "update job set state = 'queued', available_at = now() + make_interval(secs => $3), worker = null, lease_until = null
         where id = $1 and worker = $2 and state = 'running'",
        id,
        worker,
        after.as_secs_f64()
    )
    .execute(db)
    .await?;
    Ok(given.rows_affected() == 1)
}

/// Ends a job without a picture; false when it is no longer this worker's.
pub async fn fail(db: &mut PgConnection, id: Uuid, worker: Uuid, reason: &str) -> Result<bool> {
    let failed = sqlx::query!(
        "update job set state = 'failed', reason = $3, worker = null, lease_until = null, ended_at = now()
         where id = $1 and worker = $2 and state = 'running'",
        id,
        worker,
        reason
    )
    .execute(db)
    .await?;
    Ok(failed.rows_affected() == 1)
}

/// How many jobs wait for a worker, how many are drawn, and for how many seconds the first of those that are due has
/// waited.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    pub queued: i64,
    pub running: i64,
    pub oldest_s: f64,
}

/// As the gauges tell it.
pub async fn waiting(db: impl PgExecutor<'_>) -> Result<Waiting> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"select count(*) filter (where state = 'queued') as "queued!", count(*) filter (where state = 'running') as "running!",
                  coalesce(extract(epoch from now() - min(available_at) filter (where state = 'queued' and available_at <= now())), 0)::float8
                      as "oldest_s!"
           from job where state in ('queued', 'running')"#
    )
    .fetch_one(db)
    .await?)
}
