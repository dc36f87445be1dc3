use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{error::Result, limits};

pub struct Viewer {
    pub nsfw_on: bool,
    pub age_confirmed: bool,
}

pub async fn find(db: impl PgExecutor<'_>, user: Uuid) -> Result<Option<Viewer>> {
    let viewer = sqlx::query_as!(
        Viewer,
        r#"select nsfw_on, confirmed_at is not null as "age_confirmed!" from viewer where user_id = $1"#,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(viewer)
}

/// What is given changes; a confirmation of age is not taken back.
pub async fn set(db: impl PgExecutor<'_>, user: Uuid, nsfw_on: Option<bool>, confirm: bool) -> Result<()> {
    sqlx::query!(
        "insert into viewer (user_id, nsfw_on, confirmed_at)
         values ($1, coalesce($2, false), case when $3 then now() end)
         on conflict (user_id) do update set nsfw_on = coalesce($2, viewer.nsfw_on),
             confirmed_at = coalesce(viewer.confirmed_at, excluded.confirmed_at)",
        user,
        nsfw_on,
        confirm
    )
    .execute(db)
    .await?;
    Ok(())
}

pub async fn followed_ids(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Uuid>> {
    let ids = sqlx::query_scalar!(
        "select character_id from character_follow where user_id = $1 order by at desc limit $2",
        user,
        limits::FOLLOWED_MAX
    )
    .fetch_all(db)
    .await?;
    Ok(ids)
}
