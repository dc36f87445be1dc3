//! Characters as they are written.

use sqlx::PgExecutor;
use uuid::Uuid;

use super::{Draft, extras::Extras};
use crate::error::Result;

/// Writes the further parts of a character.
pub async fn put_extras(db: impl PgExecutor<'_>, id: Uuid, extras: &Extras) -> Result<()> {
    sqlx::query!(
        "insert into character_extras (character_id, alternate_greetings, character_book, system_prompt,
             post_history_instructions, creator_notes, character_version, nickname)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (character_id) do update set alternate_greetings = excluded.alternate_greetings,
             character_book = excluded.character_book, system_prompt = excluded.system_prompt,
             post_history_instructions = excluded.post_history_instructions,
             creator_notes = excluded.creator_notes, character_version = excluded.character_version,
             nickname = excluded.nickname",
        id,
        &extras.alternate_greetings,
        extras.book.json,
        extras.system_prompt,
        extras.post_history_instructions,
        extras.creator_notes,
        extras.character_version,
        extras.nickname
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Adds a character with empty counts.
pub async fn add(
    db: impl PgExecutor<'_>,
    id: Uuid,
    owner: Uuid,
    draft: &Draft,
    image: &str,
    pending: bool,
) -> Result<()> {
    sqlx::query!(
        "with made as (
             insert into character (id, owner, name, age, tags, description, personality, first_message, scenario,
                 example_conversation, kinks, outfit, nsfw, public, image_asset, portrait_pending, portrait_version, exportable)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, $17) returning id)
         insert into character_stats (character_id) select id from made",
        id,
        owner,
        draft.name,
        draft.age,
        &draft.tags,
        draft.description,
        draft.personality,
        draft.first_message,
        draft.scenario,
        draft.example_conversation,
        &draft.kinks,
        draft.outfit,
        draft.nsfw,
        draft.public,
        image,
        pending,
        draft.exportable
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Changes a character of this owner; false when there is none. An empty image keeps the old one.
pub async fn update(
    db: impl PgExecutor<'_>,
    id: Uuid,
    owner: Uuid,
    draft: &Draft,
    image: &str,
    pending: Option<i64>,
) -> Result<bool> {
    let changed = sqlx::query!(
        "update character set name = $3, age = $4, tags = $5, description = $6, personality = $7,
             first_message = $8, scenario = $9, example_conversation = $10, kinks = $11, outfit = $12, nsfw = $13,
             public = $14, image_asset = case $15 when '' then image_asset else $15 end,
             gel = case $15 when '' then gel else '' end,
             portrait_pending = case when $15 <> '' then false else portrait_pending or $16::bigint is not null end,
             portrait_version = coalesce($16, portrait_version), exportable = $17, version = version + 1,
             updated_at = now()
         where id = $1 and owner = $2 and state <> 'removed' and deleted_at is null",
        id,
        owner,
        draft.name,
        draft.age,
        &draft.tags,
        draft.description,
        draft.personality,
        draft.first_message,
        draft.scenario,
        draft.example_conversation,
        &draft.kinks,
        draft.outfit,
        draft.nsfw,
        draft.public,
        image,
        pending,
        draft.exportable
    )
    .execute(db)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// The version that the next portrait of a character of this owner would have, and the picture that it has.
pub async fn next_portrait(db: impl PgExecutor<'_>, id: Uuid, owner: Uuid) -> Result<Option<(i64, String)>> {
    let row = sqlx::query!(
        r#"select portrait_version + 1 as "next!", image_asset from character where id = $1 and owner = $2 and state <> 'removed' and deleted_at is null"#,
        id,
        owner
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| (row.next, row.image_asset)))
}

/// The generated portrait has arrived; false when another has taken its place.
pub async fn set_portrait(
    db: impl PgExecutor<'_>,
    id: Uuid,
    version: i64,
    asset: &str,
    gel: &str,
) -> Result<bool> {
    let changed = sqlx::query!(
        "update character set image_asset = $2, gel = $3, portrait_pending = false, version = version + 1,
             updated_at = now() where id = $1 and portrait_pending and portrait_version = $4",
        id,
        asset,
        gel,
        version
    )
    .execute(db)
    .await?;
    Ok(changed.rows_affected() == 1)
}

/// The generated portrait will not arrive; the character stays as it is.
pub async fn portrait_failed(db: impl PgExecutor<'_>, id: Uuid, version: i64) -> Result<()> {
    sqlx::query!(
        "update character set portrait_pending = false, version = version + 1
         where id = $1 and portrait_pending and portrait_version = $2",
        id,
        version
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Brings listing and searched text up to date, in the writer's transaction.
pub async fn relist(db: &mut sqlx::PgConnection, id: Uuid, words: bool) -> Result<()> {
    sqlx::query!("select list_character($1) as done", id).fetch_one(&mut *db).await?;
    if words {
        sqlx::query!("select index_character($1) as done", id).fetch_one(&mut *db).await?;
    }
    Ok(())
}

/// Tags that are not known yet become known, without a group.
pub async fn know_tags(db: impl PgExecutor<'_>, slugs: &[String]) -> Result<()> {
    sqlx::query!(
        "insert into tag (slug, label) select s, initcap(replace(s, '-', ' ')) from unnest($1::text[]) s
         on conflict do nothing",
        slugs
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The creator as the bearer names them, until auth's event tells more.
pub async fn know_creator(db: impl PgExecutor<'_>, user: Uuid, name: &str) -> Result<()> {
    sqlx::query!(
        "insert into creator (user_id, username) values ($1, $2) on conflict (user_id)
             do update set username = excluded.username where creator.username = ''",
        user,
        name
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whether the user is on a paid plan, as told by billing: it allows creating and gives the creator badge.
pub async fn has_paid_plan(db: impl PgExecutor<'_>, user: Uuid) -> Result<bool> {
    let paid = sqlx::query_scalar!(
        r#"select exists(select 1 from entitlement where user_id = $1 and plan <> 'free' and until > now()) as "paid!""#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(paid)
}

/// What events need to tell of a character.
pub struct Told {
    pub version: i64,
    pub owner: Uuid,
    pub state: String,
    pub nsfw: bool,
    pub public: bool,
    pub deleted: bool,
    pub image_asset: String,
}

pub async fn told(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Told>> {
    let told = sqlx::query_as!(
        Told,
        r#"select version, owner, state, nsfw, deleted_at is not null as "deleted!", image_asset,
                  public and not exists (select 1 from creator k where k.user_id = owner and k.suspended) as "public!"
           from character where id = $1"#,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(told)
}

/// Reaction and follow of a user.
pub async fn relation(db: impl PgExecutor<'_>, id: Uuid, user: Uuid) -> Result<(Option<String>, bool)> {
    let row = sqlx::query!(
        r#"select (select kind from reaction where character_id = $1 and user_id = $2) as kind,
                  exists(select 1 from character_follow where character_id = $1 and user_id = $2) as "follows!""#,
        id,
        user
    )
    .fetch_one(db)
    .await?;
    Ok((row.kind, row.follows))
}

/// How many characters of a creator this reader sees in lists.
pub async fn count_of(db: impl PgExecutor<'_>, creator: Uuid, reader: Option<Uuid>) -> Result<i64> {
    Ok(sqlx::query_scalar!(r#"select count(*) as "n!" from characters_of($1, $2)"#, creator, reader)
        .fetch_one(db)
        .await?)
}
