use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Person;
use crate::{accounts::Username, error::Result, limits};

/// A profile with what only its owner may see.
pub struct Profile {
    pub email: String,
    pub username: String,
    pub bio: String,
    pub avatar_asset: String,
    pub sponsor_me_link: String,
    pub followers: i64,
    pub created_at: OffsetDateTime,
}

/// What only its owner needs to know of an account.
pub struct Standing {
    pub two_step: bool,
    pub roles: Vec<String>,
    pub deletion_at: Option<OffsetDateTime>,
    pub unread_notifications: i64,
}

/// A device that is signed in.
pub struct Device {
    pub id: Uuid,
    pub device: String,
    pub browser: String,
    pub ip: String,
    pub location: String,
    pub last_login_at: OffsetDateTime,
}

/// Who is called so; somebody suspended only `for_moderators`.
pub async fn id_of(db: impl PgExecutor<'_>, username: &str, for_moderators: bool) -> Result<Option<Uuid>> {
    let id = sqlx::query_scalar!(
        "select id from account where lower(username) = lower($1)
           and (state = 'active' or (state = 'suspended' and $2::boolean))",
        username,
        for_moderators,
    )
    .fetch_optional(db)
    .await?;
    Ok(id)
}

pub async fn find(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Profile>> {
    let found = sqlx::query_as!(
        Profile,
        r#"select email, username, bio, avatar_asset, sponsor_me_link, created_at,
                  seeded_followers + (select count(*) from follow where followee = account.id and not exists (
                      select 1 from account u where u.id = follower and u.state <> 'active')) as "followers!"
           from account where id = $1"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

pub async fn standing(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Standing>> {
    let found = sqlx::query_as!(
        Standing,
        r#"select roles, deletion_at, exists(select 1 from two_step where user_id = account.id and confirmed_at is not null) as "two_step!",
                  (select count(*) from notification n where n.user_id = account.id and n.read_at is null)
                    as "unread_notifications!"
           from account where id = $1"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

/// Those of them who may be seen.
pub async fn people(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Person>> {
    let people = sqlx::query_as!(
        Person,
        "select id, username, avatar_asset from account where id = any($1) and state = 'active'",
        ids
    )
    .fetch_all(db)
    .await?;
    Ok(people)
}

pub async fn devices(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Device>> {
    let devices = sqlx::query_as!(
        Device,
        "select id, device, browser, ip, location, last_login_at from session
         where user_id = $1 and ended_at is null and created_at > $2 order by last_login_at desc limit 50",
        user,
        OffsetDateTime::now_utc() - limits::SESSION_LIFE
    )
    .fetch_all(db)
    .await?;
    Ok(devices)
}

/// Changes what is given; answers the person as they are now, and the version.
pub async fn update(
    db: impl PgExecutor<'_>,
    id: Uuid,
    username: Option<&Username>,
    bio: Option<&str>,
    avatar: Option<&str>,
    sponsor: Option<&str>,
) -> Result<(Person, i64)> {
    let row = sqlx::query!(
        "update account set username = coalesce($2, username), bio = coalesce($3, bio),
             avatar_asset = coalesce($4, avatar_asset), sponsor_me_link = coalesce($5, sponsor_me_link),
             old_twin = old_twin and coalesce(lower($2) = lower(username), true), version = version + 1
         where id = $1 returning id, username, avatar_asset, version",
        id,
        username.map(Username::as_str),
        bio,
        avatar,
        sponsor
    )
    .fetch_one(db)
    .await?;
    Ok((Person { id: row.id, username: row.username, avatar_asset: row.avatar_asset }, row.version))
}

/// Takes an avatar away that nobody may see; `None` when its owner has another by now, or is gone.
pub async fn drop_avatar(db: impl PgExecutor<'_>, id: Uuid, asset: &str) -> Result<Option<(Person, i64)>> {
    let row = sqlx::query!(
        "update account set avatar_asset = '', version = version + 1
         where id = $1 and avatar_asset = $2 and avatar_asset <> ''
         returning id, username, avatar_asset, version",
        id,
        asset
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| {
        (Person { id: row.id, username: row.username, avatar_asset: row.avatar_asset }, row.version)
    }))
}

/// Follows, or no longer; answers whether it is on now.
pub async fn toggle_follow(db: impl PgExecutor<'_>, follower: Uuid, followee: Uuid) -> Result<bool> {
    let on = sqlx::query_scalar!(
        r#"with gone as (delete from follow where follower = $1 and followee = $2 returning 1),
                made as (insert into follow (follower, followee)
                         select $1, $2 where not exists (select 1 from gone)
                         on conflict do nothing)
           select not exists (select 1 from gone) as "on!""#,
        follower,
        followee
    )
    .fetch_one(db)
    .await?;
    Ok(on)
}

pub async fn follows(db: impl PgExecutor<'_>, follower: Uuid, followee: Uuid) -> Result<bool> {
    let on = sqlx::query_scalar!(
        r#"select exists(select 1 from follow where follower = $1 and followee = $2) as "on!""#,
        follower,
        followee
    )
    .fetch_one(db)
    .await?;
    Ok(on)
}
