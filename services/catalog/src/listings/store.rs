use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::index::Entry;
use crate::{error::Result, limits};

struct Row {
    ord: i32,
    character_id: Uuid,
    creator_id: Uuid,
    tag_ids: Vec<i32>,
    nsfw: bool,
    listed: bool,
    likes: i64,
    chats: i64,
    trend: f64,
    published_at: OffsetDateTime,
    seq: i64,
}

/// Rows with a higher seq, each with it.
pub async fn changed_since(db: impl PgExecutor<'_>, seq: i64) -> Result<Vec<(i64, Entry)>> {
    let rows = sqlx::query_as!(
        Row,
        "select ord, character_id, creator_id, tag_ids, nsfw, listed, likes, chats, trend, published_at, seq
         from listing where seq > $1",
        seq
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let entry = Entry {
                ord: r.ord,
                id: r.character_id,
                creator: r.creator_id,
                tags: r.tag_ids,
                nsfw: r.nsfw,
                listed: r.listed,
                likes: r.likes,
                chats: r.chats,
                trend: r.trend,
                published_at: r.published_at,
            };
            (r.seq, entry)
        })
        .collect())
}

/// Ords that have left the listing for good, each with its seq.
pub async fn gone_since(db: impl PgExecutor<'_>, seq: i64) -> Result<Vec<(i64, i32)>> {
    let rows = sqlx::query!("select seq, ord from listing_gone where seq > $1", seq).fetch_all(db).await?;
    Ok(rows.into_iter().map(|r| (r.seq, r.ord)).collect())
}

/// Ids of tags by slug; one that is not known is left out.
pub async fn tag_ids(db: impl PgExecutor<'_>, slugs: &[String]) -> Result<Vec<i32>> {
    Ok(sqlx::query_scalar!("select id from tag where slug = any($1)", slugs).fetch_all(db).await?)
}

/// Ords of the characters whose words match, one more than is looked at when there are too many. The
/// last word also matches as a beginning: people see results while they type.
pub async fn matches(db: impl PgExecutor<'_>, keywords: &str) -> Result<Vec<i32>> {
    let words: Vec<String> = keywords
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<String> = words.iter().map(|w| format!("{w}:*")).collect();
    let limit = i64::try_from(limits::MATCHES_MAX + 1).unwrap_or(i64::MAX);
    let ords = sqlx::query_scalar!(
        "with found as materialized (
             select ord from search_text
             where tsv @@ to_tsquery('simple', $1) or tsv @@ plainto_tsquery('english', $2) limit $3)
         select ord from found",
        all.join(" & "),
        words.join(" "),
        limit
    )
    .fetch_all(db)
    .await?;
    Ok(ords)
}

/// Ids in the order of the ords.
pub async fn ids(db: impl PgExecutor<'_>, ords: &[i32]) -> Result<Vec<Uuid>> {
    let ids = sqlx::query_scalar!(
        "select character_id from listing join unnest($1::int[]) with ordinality as asked(ord, n) using (ord)
         order by asked.n",
        ords
    )
    .fetch_all(db)
    .await?;
    Ok(ids)
}

/// The shelf's own, in its order.
pub async fn shelf(db: impl PgExecutor<'_>, name: &str) -> Result<Vec<Uuid>> {
    let ids = sqlx::query_scalar!(
        "select id from character where shelf = $1 and is_listed(character) order by shelf_position, id",
        name
    )
    .fetch_all(db)
    .await?;
    Ok(ids)
}

/// Tags of what the viewer likes and follows, the most frequent first, and the ords of what they
/// dislike, have blocked, or have made.
pub async fn taste(db: impl PgExecutor<'_> + Copy, user: Uuid) -> Result<(Vec<i32>, Vec<i32>)> {
    let tags = sqlx::query_scalar!(
        "select t.id from (
             select character_id from reaction where user_id = $1 and kind = 'like'
             union select character_id from character_follow where user_id = $1) liked
         join character c on c.id = liked.character_id cross join unnest(c.tags) as on_it(word) join tag t on t.slug = on_it.word
         group by t.id order by count(*) desc, t.id limit 8",
        user
    )
    .fetch_all(db)
    .await?;
    let without = sqlx::query_scalar!(
        "select l.ord from listing l join reaction r using (character_id) where r.user_id = $1 and r.kind = 'dislike'
         union select l.ord from listing l join block b on b.user_id = $1
             and ((b.kind = 'character' and b.target = l.character_id::text)
               or (b.kind = 'creator' and b.target = l.creator_id::text))
         union select l.ord from listing l where l.creator_id = $1",
        user
    )
    .fetch_all(db)
    .await?;
    Ok((tags, without.into_iter().flatten().collect()))
}

pub async fn followed_creators(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Uuid>> {
    Ok(sqlx::query_scalar!("select followee from creator_follow where follower = $1 and is_on", user)
        .fetch_all(db)
        .await?)
}

/// A page of followed characters that can be seen, the newest follow first, and how many there are.
pub async fn followed(
    db: impl PgExecutor<'_> + Copy,
    user: Uuid,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Uuid>, i64)> {
    let ids = sqlx::query_scalar!(
        "select f.character_id from character_follow f join character c on c.id = f.character_id
         where f.user_id = $1 and c.deleted_at is null and (c.owner = $1 and c.state <> 'removed' or is_listed(c))
         order by f.at desc, f.character_id limit $2 offset $3",
        user,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total = sqlx::query_scalar!(
        r#"select count(*) as "n!" from character_follow f join character c on c.id = f.character_id
           where f.user_id = $1 and c.deleted_at is null and (c.owner = $1 and c.state <> 'removed' or is_listed(c))"#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok((ids, total))
}

/// A page of a creator's characters, the newest first, and how many there are; all of them for the owner.
pub async fn by_creator(
    db: impl PgExecutor<'_> + Copy,
    creator: Uuid,
    everything: bool,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Uuid>, i64)> {
    let ids = sqlx::query_scalar!(
        r#"select id as "id!" from characters_of($1, $2) order by created_at desc, id desc limit $3 offset $4"#,
        creator,
        everything,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total =
        sqlx::query_scalar!(r#"select count(*) as "n!" from characters_of($1, $2)"#, creator, everything)
            .fetch_one(db)
            .await?;
    Ok((ids, total))
}
