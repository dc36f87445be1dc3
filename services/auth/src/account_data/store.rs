use kit::db::Transaction;
use sqlx::PgExecutor;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::ERASERS;
use crate::error::Result;

/// An account whose time has come.
pub struct Due {
    pub id: Uuid,
    pub email: String,
    pub legacy: String,
}

/// Marks an account; asking again changes the choice and not the day, which is answered.
pub async fn schedule(
    db: impl PgExecutor<'_>,
    user: Uuid,
    legacy: &str,
    after: Duration,
) -> Result<Option<OffsetDateTime>> {
    let at = sqlx::query_scalar!(
        r#"update account set deletion_at = coalesce(deletion_at, now() + make_interval(secs => $3)), legacy = $2
           where id = $1 returning deletion_at as "at!""#,
        user,
        legacy,
        after.as_seconds_f64()
    )
    .fetch_optional(db)
    .await?;
    Ok(at)
}

/// `true` when there was a deletion to be taken back.
pub async fn cancel(db: impl PgExecutor<'_>, user: Uuid) -> Result<bool> {
    let changed = sqlx::query!(
        "update account set deletion_at = null, legacy = null where id = $1 and deletion_at is not null",
        user
    )
    .execute(db)
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// Locked, so that one process erases it, and nobody takes it back meanwhile.
pub async fn next_due(db: impl PgExecutor<'_>) -> Result<Option<Due>> {
    let due = sqlx::query_as!(
        Due,
        r#"select id, email, coalesce(legacy, 'remove') as "legacy!" from account
           where deletion_at <= now() order by deletion_at limit 1 for update skip locked"#
    )
    .fetch_optional(db)
    .await?;
    Ok(due)
}

/// Deletes all that is stored about a user, the account last, and remembers who has to follow.
pub async fn erase(tx: &mut Transaction, user: Uuid, email: &str) -> Result<()> {
    sqlx::query!("insert into erasure (user_id) values ($1) on conflict do nothing", user)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("delete from mail where lower(recipient) = lower($1)", email).execute(&mut **tx).await?;
    sqlx::query!("delete from wish where lower(email) = lower($1)", email).execute(&mut **tx).await?;
    sqlx::query!("delete from idempotency where owner = $1", user).execute(&mut **tx).await?;
    // Others were told of this person by name.
    sqlx::query!("delete from notification where user_id = $1 or about = $1", user)
        .execute(&mut **tx)
        .await?;
    // The rest goes with the account, by its foreign keys.
    sqlx::query!("delete from account where id = $1", user).execute(&mut **tx).await?;
    Ok(())
}

/// A service has erased what it stored.
pub async fn erased_by(db: impl PgExecutor<'_>, user: Uuid, service: &str) -> Result<()> {
    sqlx::query!(
        "update erasure set done = array(select distinct unnest(done || $2::text) order by 1)
         where user_id = $1",
        user,
        service
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An erasure that some service has not confirmed.
pub struct Open {
    pub user_id: Uuid,
    pub at: OffsetDateTime,
    pub missing: Vec<String>,
}

pub async fn open(db: impl PgExecutor<'_>) -> Result<Vec<Open>> {
    let erasers = ERASERS.map(str::to_owned);
    let open = sqlx::query_as!(
        Open,
        r#"select user_id, at, array(select unnest($1::text[]) except select unnest(done) order by 1) as "missing!"
           from erasure where not done @> $1::text[] order by at"#,
        &erasers
    )
    .fetch_all(db)
    .await?;
    Ok(open)
}

/// Forgets the erasures that are complete and older.
pub async fn forget(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<()> {
    let erasers = ERASERS.map(str::to_owned);
    sqlx::query!("delete from erasure where done @> $1::text[] and at < $2", &erasers, before)
        .execute(db)
        .await?;
    Ok(())
}

/// All that is stored about a user, but for hashes and sealed secrets.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<serde_json::Value>> {
    let json = sqlx::query_scalar!(
        r#"select jsonb_build_object(
            'account', jsonb_build_object(
                'id', id, 'email', email, 'username', username, 'state', state, 'bio', bio,
                'avatar_asset', avatar_asset, 'sponsor_me_link', sponsor_me_link, 'referral', referral,
                'roles', roles, 'age_assured_at', age_assured_at, 'age_rule', age_rule, 'suspended_at', suspended_at, 'suspended_reason', suspended_reason,
                'deletion_at', deletion_at, 'characters_after_deletion', legacy, 'created_at', created_at),
            'two_step', (select jsonb_build_object('since', t.confirmed_at, 'recovery_codes_left',
                    (select count(*) from recovery_code r where r.user_id = t.user_id))
                from two_step t where t.user_id = account.id),
            'suspensions', (select coalesce(jsonb_agg(jsonb_build_object(
                    'cause', s.cause, 'reason', s.reason, 'at', s.at) order by s.at), '[]')
                from suspension s where s.user_id = account.id),
            'strikes', (select coalesce(jsonb_agg(jsonb_build_object(
                    'rule', k.rule, 'object', k.object, 'service', k.service, 'at', k.at) order by k.at), '[]')
                from strike k where k.user_id = account.id),
            'sessions', (select coalesce(jsonb_agg(jsonb_build_object(
                    'id', s.id, 'device', s.device, 'browser', s.browser, 'ip', s.ip, 'location', s.location,
                    'time_zone', s.time_zone, 'two_step', s.stepped, 'created_at', s.created_at,
                    'last_login_at', s.last_login_at, 'ended_at', s.ended_at) order by s.created_at), '[]')
                from session s where s.user_id = account.id),
            'followers', (select coalesce(jsonb_agg(jsonb_build_object(
                    'id', p.id, 'username', p.username, 'at', f.at) order by f.at), '[]')
                from follow f join account p on p.id = f.follower where f.followee = account.id),
            'following', (select coalesce(jsonb_agg(jsonb_build_object(
                    'id', p.id, 'username', p.username, 'at', f.at) order by f.at), '[]')
                from follow f join account p on p.id = f.followee where f.follower = account.id),
            'personas', (select coalesce(jsonb_agg(jsonb_build_object(
                    'id', p.id, 'name', p.name, 'description', p.description, 'gender', p.gender,
                    'default', p.is_default) order by p.position), '[]')
                from persona p where p.user_id = account.id),
            'notifications', (select coalesce(jsonb_agg(jsonb_build_object(
                    'id', n.id, 'kind', n.kind, 'text', n.text, 'link', n.link, 'read_at', n.read_at,
                    'created_at', n.created_at) order by n.id), '[]')
                from notification n where n.user_id = account.id),
            'plan_told', (select jsonb_build_object('plan', t.plan, 'status', t.status)
                from told_plan t where t.user_id = account.id),
            'mail_on_its_way', (select coalesce(jsonb_agg(m.subject order by m.id), '[]')
                from mail m where lower(m.recipient) = lower(account.email))
        ) as "json!" from account where id = $1"#,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(json)
}
