use kit::db::Transaction;
use serde_json::Value;
use sqlx::{PgExecutor, types::Json};
use uuid::Uuid;

use crate::{
    engines::Options,
    error::Result,
    events::{self, End},
    images::store::Stored,
};

/// Ends the user's jobs that wait, and those that run when `running`; the event releases their coins.
pub async fn cancel(tx: &mut Transaction, user: Uuid, running: bool, reason: &str) -> Result<()> {
    let rows = sqlx::query_as!(
        Stored,
        r#"update job set state = 'canceled', reason = $3, worker = null, lease_until = null, ended_at = now()
           where owner = $1 and (state in ('unpaid', 'queued') or $2 and state = 'running')
           returning id, owner, purpose, character_id, version, options as "options: Json<Options>", tags, label,
                     private, priority, cost, attempts"#,
        user,
        running,
        reason
    )
    .fetch_all(&mut **tx)
    .await?;
    for row in rows {
        events::image_ended(tx, &row.into(), End::Canceled(reason)).await?;
    }
    Ok(())
}

/// Forgets what the user asked for, and what was answered.
pub async fn forget_jobs(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!("delete from job where owner = $1", user).execute(&mut **tx).await?;
    sqlx::query!("delete from turn where owner = $1", user).execute(&mut **tx).await?;
    sqlx::query!("delete from idempotency where owner = $1", user).execute(&mut **tx).await?;
    Ok(())
}

/// All that is stored about the user.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<Value> {
    Ok(sqlx::query_scalar!(
        r#"select jsonb_build_object(
               'pictures', (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', id, 'private', private, 'origin', origin, 'width', width, 'height', height,
                   'bytes', bytes, 'createdAt', created_at) order by created_at, id), '[]')
                   from asset where owner = $1),
               'jobs', (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', id, 'purpose', purpose, 'characterId', character_id, 'options', options, 'tags', tags,
                   'label', label, 'private', private, 'cost', cost, 'state', state, 'reason', reason,
                   'picture', asset, 'createdAt', created_at, 'endedAt', ended_at) order by created_at, id), '[]')
                   from job where owner = $1)
           ) as "all!""#,
        user
    )
    .fetch_one(db)
    .await?)
}
