use kit::{
    db::{Db, Transaction},
    page::Page,
};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Note;
use crate::{error::Result, limits};

/// A notification as it is kept.
pub struct Row {
    pub id: Uuid,
    pub kind: String,
    pub text: String,
    pub link: String,
    pub read: bool,
    pub created_at: OffsetDateTime,
}

/// Keeps a notification in the caller's transaction, and the newest 500 of that user; its id, to be hinted
/// at after the commit. `None` when the user is gone, or was told of the same follower within a day.
pub async fn add(tx: &mut Transaction, user: Uuid, note: &Note) -> Result<Option<Uuid>> {
    let id = sqlx::query_scalar!(
        "insert into notification (id, user_id, kind, text, link, about)
         select $1, account.id, $3, $4, $5, $6 from account
         where account.id = $2 and not account.sample and not exists (
             select 1 from notification n where n.user_id = $2 and n.kind = 'follower' and n.kind = $3 and n.about = $6
                and n.created_at > now() - interval '1 day')
         returning id",
        Uuid::now_v7(),
        user,
        note.kind,
        note.text,
        note.link,
        note.about
    )
    .fetch_optional(&mut **tx)
    .await?;
    if id.is_some() {
        sqlx::query!(
            "delete from notification where user_id = $1 and id <=
                 (select id from notification where user_id = $1 order by id desc offset $2 limit 1)",
            user,
            limits::NOTIFICATIONS
        )
        .execute(&mut **tx)
        .await?;
    }
    Ok(id)
}

pub async fn list(db: &Db, user: Uuid, page: Page) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select id, kind, text, link, read_at is not null as "read!", created_at from notification
           where user_id = $1 order by id desc limit $2 offset $3"#,
        user,
        i64::from(page.limit),
        i64::try_from(page.offset()).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// All of a user's, and those that are unread.
pub async fn counts(db: impl PgExecutor<'_>, user: Uuid) -> Result<(u64, u32)> {
    let row = sqlx::query!(
        r#"select count(*) as "all!", count(*) filter (where read_at is null) as "unread!"
           from notification where user_id = $1"#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok((row.all.unsigned_abs(), u32::try_from(row.unread).unwrap_or(u32::MAX)))
}

/// Marks these as read, or all when none is named.
pub async fn mark_read(db: impl PgExecutor<'_>, user: Uuid, ids: &[Uuid]) -> Result<()> {
    sqlx::query!(
        "update notification set read_at = now()
         where user_id = $1 and read_at is null and (cardinality($2::uuid[]) = 0 or id = any($2))",
        user,
        ids
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Remembers the plan of a user; `true` when they have not been told of it.
pub async fn plan_is_new(
    db: impl PgExecutor<'_>,
    user: Uuid,
    version: i64,
    plan: &str,
    status: &str,
) -> Result<bool> {
    // Who was never told of a plan is on the free one.
    let new = sqlx::query_scalar!(
        r#"with old as (select version, plan, status from told_plan where user_id = $1),
                kept as (insert into told_plan (user_id, version, plan, status)
                         select id, $2, $3, $4 from account where id = $1
                         on conflict (user_id) do update
                             set version = excluded.version, plan = excluded.plan, status = excluded.status
                             where told_plan.version < excluded.version
                         returning 1)
           select exists(select 1 from kept)
              and ($3, $4) is distinct from (coalesce((select plan from old), 'free'),
                                             coalesce((select status from old), 'inactive')) as "new!""#,
        user,
        version,
        plan,
        status
    )
    .fetch_one(db)
    .await?;
    Ok(new)
}
