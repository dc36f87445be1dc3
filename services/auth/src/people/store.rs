use kit::{db::Db, page::Page};
use uuid::Uuid;

use crate::{error::Result, profiles::Person};

/// The newest first. The page is cut from the index before anybody's name is looked up; who is suspended is
/// passed over, by an index of the few who are.
pub async fn followers(db: &Db, user: Uuid, page: Page) -> Result<Vec<Person>> {
    let people = sqlx::query_as!(
        Person,
        "select a.id, a.username, a.avatar_asset from (
             select follower, at from follow
             where followee = $1 and not exists (
                 select 1 from account u where u.id = follower and u.state <> 'active')
             order by at desc, follower limit $2 offset $3
         ) f join account a on a.id = f.follower order by f.at desc, f.follower",
        user,
        i64::from(page.limit),
        i64::try_from(page.offset()).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?;
    Ok(people)
}

pub async fn following(db: &Db, user: Uuid, page: Page) -> Result<Vec<Person>> {
    let people = sqlx::query_as!(
        Person,
        "select a.id, a.username, a.avatar_asset from (
             select followee, at from follow
             where follower = $1 and not exists (
                 select 1 from account u where u.id = followee and u.state <> 'active')
             order by at desc, followee limit $2 offset $3
         ) f join account a on a.id = f.followee order by f.at desc, f.followee",
        user,
        i64::from(page.limit),
        i64::try_from(page.offset()).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?;
    Ok(people)
}

/// The newest who follow a user, and the newest whom they follow.
pub async fn newest(db: &Db, user: Uuid, each: u32) -> Result<(Vec<Person>, Vec<Person>)> {
    let rows = sqlx::query!(
        r#"select f.follows as "follows!", a.id, a.username, a.avatar_asset from (
             (select true as follows, follower as person, at from follow
              where followee = $1 and not exists (
                  select 1 from account u where u.id = follower and u.state <> 'active')
              order by at desc, follower limit $2)
             union all
             (select false, followee, at from follow
              where follower = $1 and not exists (
                  select 1 from account u where u.id = followee and u.state <> 'active')
              order by at desc, followee limit $2)
           ) f join account a on a.id = f.person order by f.at desc, f.person"#,
        user,
        i64::from(each)
    )
    .fetch_all(db)
    .await?;
    let (mut followers, mut following) = (Vec::new(), Vec::new());
    for row in rows {
        let side = if row.follows { &mut followers } else { &mut following };
        side.push(Person { id: row.id, username: row.username, avatar_asset: row.avatar_asset });
    }
    Ok((followers, following))
}

/// How many follow a user, and how many they follow; `None` when nobody may see them.
pub async fn counts(db: &Db, user: Uuid) -> Result<Option<(u64, u64)>> {
    let row = sqlx::query!(
        r#"select (select count(*) from follow where followee = $1 and not exists (
                      select 1 from account u where u.id = follower and u.state <> 'active')) as "followers!",
                  (select count(*) from follow where follower = $1 and not exists (
                      select 1 from account u where u.id = followee and u.state <> 'active')) as "following!"
           from account where id = $1 and state = 'active'"#,
        user
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.followers.unsigned_abs(), r.following.unsigned_abs())))
}
