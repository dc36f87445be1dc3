//! Characters as they are stored, read.

use std::{iter, sync::Arc};

use proto::catalog::v1::CharacterDraft;
use serde::Deserialize;
use sqlx::{PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Words,
    extras::{Extras, Written},
};
use crate::{error::Result, limits, reviews::store::Review};

/// A character as it is stored. Only the gate makes something of it that can be seen.
#[derive(Debug, Clone)]
pub struct Row {
    /// Another one whenever a row of PostgreSQL that this was read from is: which transaction wrote each (`xmin`), and where
    /// it stands (`ctid`), by which it is found again.
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
    /// Taken out by [`whole`], and never there otherwise.
    pub(super) beside: Option<Json<Box<Beside>>>,
}

/// What stands in other tables.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Beside {
    extras: Option<Written>,
    reviews: Option<Vec<Review>>,
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

/// Characters `c`, the whole of each: what is read `$beside` them, where they are `$from`, and `$which` of those in what
/// order.
macro_rules! rows {
    ($beside:literal, $from:literal, $which:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            Row,
            r#"select concat_ws(' ', c.xmin, c.ctid, s.xmin, s.ctid, k.xmin, k.ctid) as "mark!", c.id, c.owner, coalesce(k.username, '') as "creator_name!", coalesce(k.avatar_asset, '') as "creator_avatar!",
                  c.name, c.age, c.tags, c.description, c.personality, c.first_message, c.scenario,
                  c.example_conversation, c.kinks, c.outfit, c.prompt, c.nsfw, c.public, c.deluxe, c.is_ai_buddy,
                  c.state, c.deleted_at, coalesce(k.suspended, false) as "creator_suspended!", c.exportable, c.image_asset, c.gel, c.portrait_pending, c.sample,
                  (select coalesce(array_agg(h.kind || ':' || h.about order by h.kind desc), '{}') from character_hold h
                   where h.character_id = c.id and (h.kind = 'rule' or c.public)) as "holds!", c.version, c.created_at, c.updated_at,
                  s.likes, s.dislikes, s.follows, s.reviews, s.rating_sum, s.messages, s.chats,
                  s.seeded_likes, s.seeded_dislikes, s.seeded_follows, s.seeded_messages, s.seeded_chats,
                  "# + $beside + r#" as "beside?: Json<Box<Beside>>"
           from "# + $from + r#"
           join character_stats s on s.character_id = c.id
           left join creator k on k.user_id = c.owner
           "# + $which,
            $($argument),+
        )
    };
}

/// Rows of these ids, in their order; unknown ids are left out.
pub async fn find(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Row>> {
    let rows = rows!(
        "null::json",
        "unnest($1::uuid[]) with ordinality as asked(id, n)
           join character c on c.id = asked.id",
        "order by asked.n",
        ids
    );
    Ok(rows.fetch_all(db).await?)
}

/// A character with what stands in other tables.
pub struct Whole {
    pub row: Row,
    pub extras: Extras,
    /// Its newest reviews.
    pub reviews: Vec<Review>,
}

/// A character with so many of its newest reviews. In one statement, which is planned once: one of [`find`] was planned
/// anew each time, as for an array of one PostgreSQL never thinks a plan for any of them as good, and that took longer
/// than to read it.
pub async fn whole(db: impl PgExecutor<'_>, id: Uuid, reviews: i64) -> Result<Option<Whole>> {
    let row = rows!(
        "json_build_object(
                      'extras', (select row_to_json(e) from character_extras e where e.character_id = c.id),
                      'reviews', (select json_agg(row_to_json(r)) from newest_reviews(c.id, $2, 0) r))",
        "character c",
        "where c.id = $1",
        id,
        reviews
    );
    let Some(mut row) = row.fetch_optional(db).await? else { return Ok(None) };
    let beside = row.beside.take().map(|Json(beside)| *beside).unwrap_or_default();
    let extras = beside.extras.map(Into::into).unwrap_or_default();
    Ok(Some(Whole { row, extras, reviews: beside.reviews.unwrap_or_default() }))
}

/// A character's row alone, as [`whole`] reads it.
pub async fn one(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Row>> {
    Ok(whole(db, id, 0).await?.map(|whole| whole.row))
}

/// The same as [`find`] as far as a card of a list goes: what makes them speak is left empty. It is most of a row, kept
/// apart and compressed, and for twenty rows it was most of the work.
pub async fn cards(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Row>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select concat_ws(' ', c.xmin, c.ctid, s.xmin, s.ctid, k.xmin, k.ctid) as "mark!", c.id, c.owner, coalesce(k.username, '') as "creator_name!", coalesce(k.avatar_asset, '') as "creator_avatar!",
                  c.name, c.age, c.tags, c.description, '' as "personality!", '' as "first_message!", '' as "scenario!",
                  '' as "example_conversation!", '{}'::text[] as "kinks!", '' as "outfit!", '' as "prompt!", c.nsfw, c.public, c.deluxe, c.is_ai_buddy,
                  c.state, c.deleted_at, coalesce(k.suspended, false) as "creator_suspended!", c.exportable, c.image_asset, c.gel, c.portrait_pending, c.sample,
                  (select coalesce(array_agg(h.kind || ':' || h.about order by h.kind desc), '{}') from character_hold h
                   where h.character_id = c.id and (h.kind = 'rule' or c.public)) as "holds!", c.version, c.created_at, c.updated_at,
                  s.likes, s.dislikes, s.follows, s.reviews, s.rating_sum, s.messages, s.chats,
                  s.seeded_likes, s.seeded_dislikes, s.seeded_follows, s.seeded_messages, s.seeded_chats, null::json as "beside?: Json<Box<Beside>>"
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
pub async fn standing(db: impl PgExecutor<'_>, kept: &[Arc<Row>]) -> Result<Vec<Uuid>> {
    let (ids, owners): (Vec<Uuid>, Vec<Uuid>) = kept.iter().map(|row| (row.id, row.owner)).unzip();
    // Rows are compared by the numbers that PostgreSQL has: to write each as a mark there took half as long again. And each
    // is looked for where it stood, for to find it by its index took as long once more. Whatever stands there now, it is the
    // same row only by the same id.
    let [own, own_at, counts, counts_at, creator, creator_at] =
        columns(kept.iter().map(|row| row.mark.as_str()));
    let standing = sqlx::query_scalar!(
        r#"select coalesce(array_agg(kept.id), '{}') as "ids!"
           from unnest($1::uuid[], $2::uuid[], $3::text::xid[], $4::text::tid[], $5::text::xid[], $6::text::tid[],
                       $7::text::xid[], $8::text::tid[])
                as kept(id, owner, own, own_at, counts, counts_at, creator, creator_at)
           where (select c.xmin from character c where c.ctid = kept.own_at and c.id = kept.id) = kept.own
             and (select s.xmin from character_stats s where s.ctid = kept.counts_at and s.character_id = kept.id) = kept.counts
             and case when kept.creator is null then not exists (select from creator k where k.user_id = kept.owner)
                 else (select k.xmin from creator k where k.ctid = kept.creator_at and k.user_id = kept.owner) = kept.creator end
             and not exists (select from character_hold h where h.character_id = kept.id)"#,
        &ids,
        &owners,
        own,
        own_at,
        counts,
        counts_at,
        creator,
        creator_at
    )
    .fetch_one(db)
    .await?;
    Ok(standing)
}

/// Marks by their parts, each as PostgreSQL writes an array. A character without a creator has no fifth and sixth.
fn columns<'a>(marks: impl Iterator<Item = &'a str>) -> [String; 6] {
    let mut columns = [const { String::new() }; 6];
    for mark in marks {
        let parts = mark.split(' ').map(Some).chain(iter::repeat(None));
        for (column, part) in columns.iter_mut().zip(parts) {
            column.push(if column.is_empty() { '{' } else { ',' });
            match part {
                // A place has a comma in it.
                Some(part) => column.extend(["\"", part, "\""]),
                None => column.push_str("null"),
            }
        }
    }
    columns.map(|column| if column.is_empty() { "{}".into() } else { column + "}" })
}

/// The further parts of a character; empty when it has none.
pub async fn extras(db: impl PgExecutor<'_>, id: Uuid) -> Result<Extras> {
    let written = sqlx::query_as!(
        Written,
        "select alternate_greetings, character_book, system_prompt, post_history_instructions, creator_notes,
             character_version, nickname from character_extras where character_id = $1",
        id
    );
    Ok(written.fetch_optional(db).await?.map(Into::into).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_by_their_parts() {
        let marks = ["1 (0,1) 2 (0,2) 3 (0,3)", "4 (1,4) 5 (1,5)"];
        let expected = [
            r#"{"1","4"}"#,
            r#"{"(0,1)","(1,4)"}"#,
            r#"{"2","5"}"#,
            r#"{"(0,2)","(1,5)"}"#,
            r#"{"3",null}"#,
            r#"{"(0,3)",null}"#,
        ];
        assert_eq!(columns(marks.into_iter()), expected);
        assert_eq!(columns([].into_iter()), ["{}"; 6]);
    }
}
