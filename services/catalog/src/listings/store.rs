use futures::{Stream, TryStreamExt as _};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::table::Entry;
use crate::{characters::store as characters, error::Result, limits};

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

/// Rows with a higher seq, each with it, in their order: one by one as they come, for there may be a million.
pub fn changed_since<'a>(
    db: impl PgExecutor<'a> + 'a,
    seq: i64,
) -> impl Stream<Item = sqlx::Result<(i64, Entry)>> + 'a {
    let rows = sqlx::query_as!(
        Row,
        "select ord, character_id, creator_id, tag_ids, nsfw, listed, likes, chats, trend, published_at, seq
         from listing where seq > $1 order by seq",
        seq,
    )
    .fetch(db);
    rows.map_ok(|r| {
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
}

/// Ords that have left the listing for good, each with its seq.
pub async fn gone_since(db: impl PgExecutor<'_>, seq: i64) -> Result<Vec<(i64, i32)>> {
    let rows = sqlx::query!("select seq, ord from listing_gone where seq > $1", seq).fetch_all(db).await?;
    Ok(rows.into_iter().map(|r| (r.seq, r.ord)).collect())
}

/// Slugs and ids of tags; one that does not exist is left out.
pub async fn tags(db: impl PgExecutor<'_>, slugs: &[String]) -> Result<Vec<(String, i32)>> {
    let rows = sqlx::query!("select slug, id from tag where slug = any($1)", slugs).fetch_all(db).await?;
    Ok(rows.into_iter().map(|row| (row.slug, row.id)).collect())
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

/// Ords of characters; those that have none are left out.
pub async fn ords(db: impl PgExecutor<'_>, characters: &[Uuid]) -> Result<Vec<i32>> {
    if characters.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_scalar!("select ord from listing where character_id = any($1)", characters)
        .fetch_all(db)
        .await?)
}

/// The shelf's own, in its order.
pub async fn shelf(db: impl PgExecutor<'_>, name: &str, reader: Option<Uuid>) -> Result<Vec<Uuid>> {
    let ids = sqlx::query_scalar!(
        "select id from character c where shelf = $1 and is_listed(c) and not is_hidden(c, $2)
         order by shelf_position, id",
        name,
        reader
    )
    .fetch_all(db)
    .await?;
    Ok(ids)
}

/// What a reader likes.
#[derive(Debug, Default)]
pub struct Taste {
    /// Tags of what they like and follow, the most frequent first: id, slug, label.
    pub tags: Vec<(i32, String, String)>,
    /// Followed creators.
    pub creators: Vec<Uuid>,
    /// Names and tags of what they like and follow, the newest first.
    pub characters: Vec<(Uuid, String, Vec<String>)>,
    /// Ords of what they dislike, and of what they have made.
    pub without: Vec<i32>,
}

pub async fn taste(db: impl PgExecutor<'_> + Copy, user: Uuid) -> Result<Taste> {
    let tags = sqlx::query!(
        "select t.id, t.slug, t.label from (
             select character_id from reaction where user_id = $1 and kind = 'like'
             union select character_id from character_follow where user_id = $1) liked
         join character c on c.id = liked.character_id cross join unnest(c.tags) as on_it(word) join tag t on t.slug = on_it.word
         where not exists (select 1 from block b where b.user_id = $1 and b.kind = 'tag' and b.target = t.slug)
         group by t.id order by count(*) desc, t.id limit $2",
        user,
        limits::TASTE_TAGS
    )
    .fetch_all(db)
    .await?;
    let characters = sqlx::query!(
        "select c.id, c.name, c.tags from (
             select character_id, at from reaction where user_id = $1 and kind = 'like'
             union all select character_id, at from character_follow where user_id = $1) liked
         join character c on c.id = liked.character_id
         where c.owner = $1 or is_listed(c) and not is_hidden(c, $1)
         group by c.id order by max(liked.at) desc, c.id limit $2",
        user,
        limits::TASTE_CHARACTERS
    )
    .fetch_all(db)
    .await?;
    let without = sqlx::query_scalar!(
        "select l.ord from listing l join reaction r using (character_id) where r.user_id = $1 and r.kind = 'dislike'
         union select l.ord from listing l join character c on c.id = l.character_id where c.owner = $1",
        user
    )
    .fetch_all(db)
    .await?;
    Ok(Taste {
        tags: tags.into_iter().map(|t| (t.id, t.slug, t.label)).collect(),
        creators: followed_creators(db, user).await?,
        characters: characters.into_iter().map(|c| (c.id, c.name, c.tags)).collect(),
        without: without.into_iter().flatten().collect(),
    })
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
         where f.user_id = $1 and c.deleted_at is null and (c.owner = $1 and c.state <> 'removed' or is_listed(c) and not is_hidden(c, $1))
         order by f.at desc, f.character_id limit $2 offset $3",
        user,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total = sqlx::query_scalar!(
        r#"select count(*) as "n!" from character_follow f join character c on c.id = f.character_id
           where f.user_id = $1 and c.deleted_at is null and (c.owner = $1 and c.state <> 'removed' or is_listed(c) and not is_hidden(c, $1))"#,
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
    reader: Option<Uuid>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Uuid>, i64)> {
    let ids = sqlx::query_scalar!(
        r#"select id as "id!" from characters_of($1, $2) order by created_at desc, id desc limit $3 offset $4"#,
        creator,
        reader,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total = characters::count_of(db, creator, reader).await?;
    Ok((ids, total))
}

/// A tag of the categories page.
pub struct CategoryTag {
    pub category: String,
    pub emoji: String,
    pub id: i32,
    pub slug: String,
    pub label: String,
}

/// The tags in their groups, in the order of the page.
pub async fn categories(db: impl PgExecutor<'_>) -> Result<Vec<CategoryTag>> {
    let tags = sqlx::query_as!(
        CategoryTag,
        "select k.name as category, k.emoji, t.id, t.slug, t.label
         from category k join tag t on t.category = k.name order by k.position, t.position, t.id"
    )
    .fetch_all(db)
    .await?;
    Ok(tags)
}
