use serde::Deserialize;
use sqlx::{PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Person;
use crate::{
    accounts::{Described, Username, store::Account},
    error::Result,
    limits,
    personas::Persona,
};

/// What everybody may see of a profile, but for the lists in it.
pub struct Profile {
    pub username: String,
    pub bio: String,
    pub avatar_asset: String,
    pub sponsor_me_link: String,
    pub followers: i64,
    pub created_at: OffsetDateTime,
}

/// All of a profile, as its owner sees it.
pub struct Own {
    pub profile: Profile,
    /// The newest.
    pub followers: Vec<Person>,
    /// The newest whom the owner follows.
    pub following: Vec<Person>,
    pub email: String,
    pub personas: Vec<Persona>,
    pub devices: Vec<Device>,
    pub two_step: bool,
    pub roles: Vec<String>,
    pub deletion_at: Option<OffsetDateTime>,
    pub unread_notifications: i64,
    /// What time it was by PostgreSQL.
    pub now: OffsetDateTime,
}

/// A device that is signed in.
#[derive(Debug, Deserialize)]
pub struct Device {
    pub id: Uuid,
    pub device: String,
    pub browser: String,
    pub ip: String,
    pub location: String,
    #[serde(with = "time::serde::rfc3339")]
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
        r#"select username, bio, avatar_asset, sponsor_me_link, created_at,
                  seeded_followers + (select count(*) from follow where followee = account.id and not exists (
                      select 1 from account u where u.id = follower and u.state <> 'active')) as "followers!"
           from account where id = $1"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(found)
}

/// A profile with all that its owner sees, and the roles of a session that the statement opens. `$with` comes first, `$roles`
/// are those of the session, `$devices` are added to those that are signed in, and `$which` narrows the account. Of its
/// parameters `$1` is the account, `$2` how many of the people in its lists, `$3` when the oldest session began that lives.
/// One statement, since every login answers with it: five of the eleven that a login asked of PostgreSQL were these.
macro_rules! own {
    ($db:expr, $with:tt, $roles:tt, $devices:tt, $which:tt, $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            $with
                + r#"select username, bio, avatar_asset, sponsor_me_link, created_at, email, roles, deletion_at,
                  seeded_followers + (select count(*) from follow where followee = account.id and not exists (
                      select 1 from account u where u.id = follower and u.state <> 'active')) as "follower_count!",
                  exists (select from two_step where user_id = account.id and confirmed_at is not null) as "two_step!",
                  (select count(*) from notification n where n.user_id = account.id and n.read_at is null)
                    as "unread_notifications!",
                  clock_timestamp() as "now!",
                  (select coalesce(json_agg(p order by p.at desc, p.id), '[]') from (
                      select f.at, a.id, a.username, a.avatar_asset from (
                          select follower, at from follow
                          where followee = $1 and not exists (
                              select 1 from account u where u.id = follower and u.state <> 'active')
                          order by at desc, follower limit $2
                      ) f join account a on a.id = f.follower
                  ) p) as "followers!: Json<Vec<Person>>",
                  (select coalesce(json_agg(p order by p.at desc, p.id), '[]') from (
                      select f.at, a.id, a.username, a.avatar_asset from (
                          select followee, at from follow
                          where follower = $1 and not exists (
                              select 1 from account u where u.id = followee and u.state <> 'active')
                          order by at desc, followee limit $2
                      ) f join account a on a.id = f.followee
                  ) p) as "following!: Json<Vec<Person>>",
                  (select coalesce(json_agg(p order by p.position), '[]') from persona p where p.user_id = $1)
                    as "personas!: Json<Vec<Persona>>",
                  (select coalesce(json_agg(s order by s.last_login_at desc), '[]') from (
                      select id, device, browser, ip, location, last_login_at from session
                      where user_id = $1 and ended_at is null and created_at > $3 "#
                + $devices
                + r#" order by last_login_at desc limit 50
                  ) s) as "devices!: Json<Vec<Device>>", "#
                + $roles
                + r#" as "session_roles!" from account where id = $1 "#
                + $which,
            $($argument),+
        )
        .fetch_optional($db)
        .await?
        .map(|row| {
            let profile = Profile {
                username: row.username,
                bio: row.bio,
                avatar_asset: row.avatar_asset,
                sponsor_me_link: row.sponsor_me_link,
                followers: row.follower_count,
                created_at: row.created_at,
            };
            let own = Own {
                profile,
                followers: row.followers.0,
                following: row.following.0,
                email: row.email,
                personas: row.personas.0,
                devices: row.devices.0,
                two_step: row.two_step,
                roles: row.roles,
                deletion_at: row.deletion_at,
                unread_notifications: row.unread_notifications,
                now: row.now,
            };
            (own, row.session_roles)
        })
    };
}

/// All that the owner of a profile sees, `each` of the people in its lists.
pub async fn own(db: impl PgExecutor<'_>, id: Uuid, each: u32) -> Result<Option<Own>> {
    let found = own!(db, "", "'{}'::text[]", "", "", id, i64::from(each), oldest());
    Ok(found.map(|(own, _)| own))
}

/// Opens a session of an account as it was judged; `None` when it was suspended or got another password meanwhile. Answers
/// with what its owner sees, and with the roles of the session: none unless it took the second step.
pub async fn open_session(
    db: impl PgExecutor<'_>,
    id: Uuid,
    account: &Account,
    device: &Described,
    stepped: bool,
    each: u32,
) -> Result<Option<(Own, Vec<String>)>> {
    // The lock waits for whoever suspends right now, and they see this session when they come later.
    Ok(own!(
        db,
        "with opened as (
             insert into session (id, user_id, device, browser, ip, location, time_zone, stepped, roles)
             select $4, judged.id, $5, $6, $7, $8, $9, $10, case when $10 then judged.roles else '{}' end
             from (select id, roles from account
                   where id = $1 and state = 'active' and password_hash = $11
                     and ($10 or not exists (select from two_step where user_id = $1 and confirmed_at is not null))
                   for share) judged
             returning id, device, browser, ip, location, last_login_at, roles
         ) ",
        "(select roles from opened)",
        "union all select id, device, browser, ip, location, last_login_at from opened",
        "and exists (select from opened)",
        account.id,
        i64::from(each),
        oldest(),
        id,
        device.device,
        device.browser,
        device.ip,
        device.location,
        device.time_zone,
        stepped,
        account.password_hash,
    ))
}

/// When the oldest session began that lives.
fn oldest() -> OffsetDateTime {
    OffsetDateTime::now_utc() - limits::SESSION_LIFE
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
        oldest()
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
