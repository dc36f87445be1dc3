use std::iter;

use proto::catalog::v1::CharacterDraft;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Draft, Words,
    extras::{Book, Extras},
};
use crate::{error::Result, limits};

/// A character as it is stored. Only the gate makes something of it that can be seen.
#[derive(Debug, Clone)]
pub struct Row {
    /// Another one whenever a row of PostgreSQL that this was read from is: which transaction wrote each (`xmin`).
    pub(super) mark: String,
    pub(super) id: Uuid,
    pub(super) owner: Uuid,
    pub(super) creator_name: String,
    pub(super) creator_avatar: String,
    pub(super) name: String,
    pub(super) age: Option<i32>,
    pub(super) tags: Vec<String>,
    pub(super) description: String,
    pub(super) personality: String,
    pub(super) first_message: String,
    pub(super) scenario: String,
    pub(super) example_conversation: String,
    pub(super) kinks: Vec<String>,
    pub(super) outfit: String,
    pub(super) prompt: String,
    pub(super) nsfw: bool,
    pub(super) public: bool,
    pub(super) deluxe: bool,
    pub(super) is_ai_buddy: bool,
    pub(super) state: String,
    pub(super) deleted_at: Option<OffsetDateTime>,
    pub(super) creator_suspended: bool,
    pub(super) exportable: bool,
    pub(super) image_asset: String,
    pub(super) gel: String,
    pub(super) portrait_pending: bool,
    pub(super) sample: bool,
    /// `kind:about` of what holds it.
    pub(super) holds: Vec<String>,
    pub(super) version: i64,
    pub(super) created_at: OffsetDateTime,
    pub(super) updated_at: OffsetDateTime,
    pub(super) likes: i64,
    pub(super) dislikes: i64,
    pub(super) follows: i64,
    pub(super) reviews: i64,
    pub(super) rating_sum: i64,
    pub(super) messages: i64,
    pub(super) chats: i64,
    pub(super) seeded_likes: i64,
    pub(super) seeded_dislikes: i64,
    pub(super) seeded_follows: i64,
    pub(super) seeded_messages: i64,
    pub(super) seeded_chats: i64,
}

impl Row {
    pub fn owner(&self) -> Uuid {
        self.owner
    }

    pub fn id(&self) -> Uuid {
        self.id
    }

    pub fn creator_name(&self) -> &str {
        &self.creator_name
    }

    /// The asset of its picture; empty when there is none.
    pub fn image_asset(&self) -> &str {
        &self.image_asset
    }

    /// All that is written in it; `hidden` is what its card says beyond that.
    pub fn words<'a>(&'a self, extras: &'a Extras, hidden: &'a [String]) -> Words<'a> {
        Words {
            name: &self.name,
            tags: &self.tags,
            description: &self.description,
            personality: &self.personality,
            first_message: &self.first_message,
            scenario: &self.scenario,
            example_conversation: &self.example_conversation,
            kinks: &self.kinks,
            outfit: &self.outfit,
            extras,
            hidden,
        }
    }

    /// What its creator wrote, but for the further parts.
    pub fn draft(&self) -> CharacterDraft {
        CharacterDraft {
            name: self.name.clone(),
            age: self.age.and_then(|age| u32::try_from(age).ok()),
            tags: self.tags.clone(),
            description: self.description.clone(),
            personality: self.personality.clone(),
            first_message: self.first_message.clone(),
            scenario: self.scenario.clone(),
            example_conversation: self.example_conversation.clone(),
            kinks: self.kinks.clone(),
            outfit: self.outfit.clone(),
            nsfw: self.nsfw,
            public: self.public,
            exportable: self.exportable,
            extras: None,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes that it takes in memory, as far as a card of a list goes.
    pub fn card_bytes(&self) -> usize {
        let texts = [&self.mark, &self.creator_name, &self.creator_avatar, &self.name, &self.description];
        let more = [&self.state, &self.image_asset, &self.gel];
        let held: usize = texts.into_iter().chain(more).chain(&self.tags).map(|text| text.capacity()).sum();
        size_of::<Self>() + self.tags.capacity() * size_of::<String>() + held
    }

    /// Until when a deleted character can be brought back.
    pub fn erased_at(&self) -> Option<OffsetDateTime> {
        self.deleted_at.map(|at| at + limits::CHANGE_OF_MIND)
    }
}

/// Rows of these ids, in their order; unknown ids are left out.
pub async fn find(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select concat_ws(',', c.xmin, s.xmin, k.xmin) as "mark!", c.id, c.owner, coalesce(k.username, '') as "creator_name!", coalesce(k.avatar_asset, '') as "creator_avatar!",
                  c.name, c.age, c.tags, c.description, c.personality, c.first_message, c.scenario,
                  c.example_conversation, c.kinks, c.outfit, c.prompt, c.nsfw, c.public, c.deluxe, c.is_ai_buddy,
                  c.state, c.deleted_at, coalesce(k.suspended, false) as "creator_suspended!", c.exportable, c.image_asset, c.gel, c.portrait_pending, c.sample,
                  (select coalesce(array_agg(h.kind || ':' || h.about order by h.kind desc), '{}') from character_hold h
                   where h.character_id = c.id and (h.kind = 'rule' or c.public)) as "holds!", c.version, c.created_at, c.updated_at,
                  s.likes, s.dislikes, s.follows, s.reviews, s.rating_sum, s.messages, s.chats,
                  s.seeded_likes, s.seeded_dislikes, s.seeded_follows, s.seeded_messages, s.seeded_chats
           from unnest($1::uuid[]) with ordinality as asked(id, n)
           join character c on c.id = asked.id
           join character_stats s on s.character_id = c.id
           left join creator k on k.user_id = c.owner
           order by asked.n"#,
        ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// The same as far as a card of a list goes: what makes them speak is left empty. It is most of a row, kept apart
/// and compressed, and for twenty rows it was most of the work.
pub async fn cards(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select concat_ws(',', c.xmin, s.xmin, k.xmin) as "mark!", c.id, c.owner, coalesce(k.username, '') as "creator_name!", coalesce(k.avatar_asset, '') as "creator_avatar!",
                  c.name, c.age, c.tags, c.description, '' as "personality!", '' as "first_message!", '' as "scenario!",
                  '' as "example_conversation!", '{}'::text[] as "kinks!", '' as "outfit!", '' as "prompt!", c.nsfw, c.public, c.deluxe, c.is_ai_buddy,
                  c.state, c.deleted_at, coalesce(k.suspended, false) as "creator_suspended!", c.exportable, c.image_asset, c.gel, c.portrait_pending, c.sample,
                  (select coalesce(array_agg(h.kind || ':' || h.about order by h.kind desc), '{}') from character_hold h
                   where h.character_id = c.id and (h.kind = 'rule' or c.public)) as "holds!", c.version, c.created_at, c.updated_at,
                  s.likes, s.dislikes, s.follows, s.reviews, s.rating_sum, s.messages, s.chats,
                  s.seeded_likes, s.seeded_dislikes, s.seeded_follows, s.seeded_messages, s.seeded_chats
           from unnest($1::uuid[]) with ordinality as asked(id, n)
           join character c on c.id = asked.id
           join character_stats s on s.character_id = c.id
           left join creator k on k.user_id = c.owner
           order by asked.n"#,
        ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// Which of these still are as they were read, by their marks. One that something holds never is: what holds it has no
/// part in its mark.
pub async fn standing(db: impl PgExecutor<'_>, ids: &[Uuid], marks: &[&str]) -> Result<Vec<Uuid>> {
    // Rows are compared by the numbers that PostgreSQL has: to write each as a mark there took half as long again.
    let [characters, counts, creators] = columns(marks);
    let standing = sqlx::query_scalar!(
        r#"select coalesce(array_agg(c.id), '{}') as "ids!"
           from unnest($1::uuid[], $2::text::xid[], $3::text::xid[], $4::text::xid[]) as kept(id, own, counts, creator)
           join character c on c.id = kept.id and c.xmin = kept.own
           join character_stats s on s.character_id = c.id and s.xmin = kept.counts
           left join creator k on k.user_id = c.owner
           where k.xmin is not distinct from kept.creator
             and not exists (select from character_hold h where h.character_id = c.id)"#,
        ids,
        characters,
        counts,
        creators
    )
    .fetch_one(db)
    .await?;
    Ok(standing)
}

/// Marks by their parts, each as PostgreSQL writes an array. A character without a creator has no third part.
fn columns(marks: &[&str]) -> [String; 3] {
    let mut columns = [const { String::new() }; 3];
    for mark in marks {
        let parts = mark.split(',').chain(iter::repeat("null"));
        for (column, part) in columns.iter_mut().zip(parts) {
            column.push(if column.is_empty() { '{' } else { ',' });
            column.push_str(part);
        }
    }
    columns.map(|column| if column.is_empty() { "{}".into() } else { column + "}" })
}

/// The further parts of a character; empty when it has none.
pub async fn extras(db: impl PgExecutor<'_>, id: Uuid) -> Result<Extras> {
    let row = sqlx::query!(
        "select alternate_greetings, character_book, system_prompt, post_history_instructions, creator_notes,
             character_version, nickname from character_extras where character_id = $1",
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or_else(Extras::default, |row| Extras {
        alternate_greetings: row.alternate_greetings,
        book: Book::new(&row.character_book).unwrap_or_default(),
        system_prompt: row.system_prompt,
        post_history_instructions: row.post_history_instructions,
        creator_notes: row.creator_notes,
        character_version: row.character_version,
        nickname: row.nickname,
    }))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_by_their_parts() {
        assert_eq!(columns(&["1,2,3", "4,5"]), ["{1,4}", "{2,5}", "{3,null}"]);
        assert_eq!(columns(&[]), ["{}", "{}", "{}"]);
    }
}
