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

/// All that a user hears of their own standing.
pub struct Own {
    pub nsfw_on: bool,
    pub age_confirmed: bool,
    /// Followed characters, the newest first.
    pub followed: Vec<Uuid>,
    /// Characters of theirs.
    pub characters: i64,
    /// The creator badge: a paid plan.
    pub badge: bool,
}

/// In one statement: it is asked for with every login.
pub async fn own(db: impl PgExecutor<'_>, user: Uuid) -> Result<Own> {
    let own = sqlx::query_as!(
        Own,
        r#"select coalesce((select nsfw_on from viewer where user_id = $1), false) as "nsfw_on!",
                  exists (select from viewer where user_id = $1 and confirmed_at is not null) as "age_confirmed!",
                  array(select character_id from character_follow where user_id = $1 order by at desc limit $2)
                    as "followed!",
                  (select count(*) from characters_of($1, $1)) as "characters!",
                  exists (select from entitlement where user_id = $1 and plan <> 'free' and until > now()) as "badge!""#,
        user,
        limits::FOLLOWED_MAX
    )
    .fetch_one(db)
    .await?;
    Ok(own)
}
