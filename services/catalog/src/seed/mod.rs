//! The sample characters, loaded through the same rules and statements as real ones.

mod invent;
mod many;

use kit::db::{Db, Transaction};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use proto::catalog::v1::CharacterDraft;
use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use self::invent::Inventor;
use crate::{
    characters::{Draft, NSFW, store as characters},
    events, limits, listings, reviews,
};

/// `catalog seed`
#[derive(Debug, Clone, clap::Args)]
pub struct Seed {
    #[command(flatten)]
    database: kit::db::Target,
    /// Folder of the seeds (`services/catalog/seeds`).
    #[arg(long)]
    seeds: PathBuf,
    /// Characters that are there beside them, invented for load; what is missing is added.
    #[arg(long, default_value_t = 0)]
    characters: u32,
}

#[derive(Deserialize)]
struct Tags {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    emoji: String,
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    slug: String,
    label: String,
}

#[derive(Deserialize)]
struct Creators {
    creator: Vec<Creator>,
}

#[derive(Deserialize)]
struct Creator {
    key: String,
    username: String,
    followers: i64,
}

#[derive(Deserialize)]
struct People {
    person: Vec<Person>,
}

#[derive(Deserialize)]
struct Person {
    username: String,
}

#[derive(Deserialize)]
struct Cast {
    character: Vec<Character>,
}

/// A sample character as its file holds it.
#[derive(Deserialize)]
struct Character {
    key: String,
    creator: String,
    name: String,
    age: Option<u32>,
    tags: Vec<String>,
    description: String,
    personality: String,
    scenario: String,
    first_message: String,
    example_conversation: String,
    #[serde(default)]
    kinks: Vec<String>,
    #[serde(default)]
    outfit: String,
    #[serde(default)]
    nsfw: bool,
    featured: Option<String>,
    #[serde(default)]
    deluxe: bool,
    #[serde(default)]
    is_ai_buddy: bool,
    #[serde(deserialize_with = "moment")]
    created: OffsetDateTime,
    counts: Counts,
    #[serde(default)]
    gel: String,
    #[serde(default)]
    reviews: Vec<Review>,
}

#[derive(Deserialize)]
struct Counts {
    likes: i64,
    dislikes: i64,
    chats: i64,
    messages: i64,
    follows: i64,
}

#[derive(Deserialize)]
struct Review {
    reviewer: String,
    rating: i32,
    comment: String,
    #[serde(deserialize_with = "moment")]
    at: OffsetDateTime,
}

/// The id of a seeded person: auth computes the same.
#[must_use]
pub fn user_id(username: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("troupe:seed:user:{username}").as_bytes())
}

/// The id of a seeded character.
#[must_use]
pub fn character_id(key: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("troupe:seed:character:{key}").as_bytes())
}

/// The asset of a seeded portrait: media computes the same.
#[must_use]
pub fn portrait_asset(key: &str) -> String {
    let digest = Sha256::digest(format!("troupe-seed-portrait:{key}"));
    hex::encode(digest)[..32].to_owned()
}

impl Character {
    fn draft(&self) -> CharacterDraft {
        CharacterDraft {
            name: self.name.clone(),
            age: self.age,
            tags: self.tags.clone(),
            description: self.description.clone(),
            personality: self.personality.clone(),
            first_message: self.first_message.clone(),
            scenario: self.scenario.clone(),
            example_conversation: self.example_conversation.clone(),
            kinks: self.kinks.clone(),
            outfit: self.outfit.clone(),
            nsfw: self.nsfw,
            public: true,
            exportable: false,
            extras: None,
        }
    }
}

impl Seed {
    #[must_use]
    pub fn new(database: kit::db::Target, seeds: PathBuf, characters: u32) -> Self {
        Self { database, seeds, characters }
    }

    /// Loads what is missing, changes what has changed; twice is as once.
    ///
    /// # Errors
    /// The file or the character that is wrong.
    pub async fn run(&self) -> anyhow::Result<()> {
        let db = kit::db::connect(&self.database, crate::POOL).await?;
        let creators = self.people(&db).await?;
        let mut loaded = 0usize;
        for file in files(&self.seeds.join("characters"))? {
            let cast: Cast = read(&file)?;
            for c in &cast.character {
                let owner = creators
                    .iter()
                    .find(|k| k.key == c.creator)
                    .with_context(|| format!("{}: there is no creator {}", c.key, c.creator))?;
                let mut tx = db.begin().await?;
                load(&mut tx, c, user_id(&owner.username), loaded)
                    .await
                    .with_context(|| format!("{} cannot be loaded", c.key))?;
                tx.commit().await?;
                loaded += 1;
            }
        }
        let mut more = 0;
        if self.characters > 0 {
            more = many::load(&db, Self::inventor(&self.seeds)?, self.characters).await?;
        }
        if more > 0 {
            many::finish(&db).await?;
        } else {
            // Whoever begins again with what is there need not wait for words that are known.
            let fresh = if loaded == 0 { limits::LEARN } else { Duration::ZERO };
            listings::text::learn(&db, fresh).await?;
        }
        tracing::info!(characters = loaded, more, "seeded");
        Ok(())
    }

    /// Who makes up characters like those of the first cast.
    fn inventor(seeds: &Path) -> anyhow::Result<Inventor> {
        let mut cast = Vec::new();
        for file in files(&seeds.join("characters"))? {
            cast.extend(read::<Cast>(&file)?.character);
        }
        let tags: Tags = read(&seeds.join("tags.toml"))?;
        let tags = tags.group.into_iter().flat_map(|group| group.tags).map(|tag| tag.slug);
        Inventor::new(&cast, tags.filter(|tag| tag != NSFW).collect())
    }

    async fn people(&self, db: &Db) -> anyhow::Result<Vec<Creator>> {
        let tags: Tags = read(&self.seeds.join("tags.toml"))?;
        let creators: Creators = read(&self.seeds.join("creators.toml"))?;
        let people: People = read(&self.seeds.join("people.toml"))?;
        let mut tx = db.begin().await?;
        for (at, group) in tags.group.iter().enumerate() {
            sqlx::query!(
                "insert into category (name, position, emoji) values ($1, $2, $3)
                 on conflict (name) do update set position = excluded.position, emoji = excluded.emoji",
                group.name,
                i32::try_from(at)?,
                group.emoji
            )
            .execute(&mut *tx)
            .await?;
            for (at, tag) in group.tags.iter().enumerate() {
                sqlx::query!(
                    "insert into tag (slug, label, category, position) values ($1, $2, $3, $4)
                     on conflict (slug) do update set label = excluded.label, category = excluded.category,
                         position = excluded.position",
                    tag.slug,
                    tag.label,
                    group.name,
                    i32::try_from(at)?
                )
                .execute(&mut *tx)
                .await?;
            }
        }
        let names = creators.creator.iter().map(|c| (&c.username, c.followers));
        for (name, followers) in names.chain(people.person.iter().map(|p| (&p.username, 0))) {
            sqlx::query!(
                "insert into creator (user_id, username, sample, seeded_followers) values ($1, $2, true, $3)
                 on conflict (user_id) do update set seeded_followers = excluded.seeded_followers",
                user_id(name),
                name,
                followers
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(creators.creator)
    }
}

async fn load(tx: &mut Transaction, c: &Character, owner: Uuid, position: usize) -> anyhow::Result<()> {
    let draft = Draft::new(c.draft()).map_err(|e| anyhow::anyhow!("{}: {:?}", e.message, e.fields))?;
    if let Some(rule) = draft.judged.hold.or(draft.judged.limit) {
        anyhow::bail!("it would not be listed: {}", rule.as_str());
    }
    let id = character_id(&c.key);
    let image = portrait_asset(&c.key);
    characters::know_tags(&mut **tx, &draft.tags).await?;
    if !characters::update(&mut **tx, id, owner, &draft, &image, None).await? {
        characters::add(&mut **tx, id, owner, &draft, &image, false).await?;
    }
    sqlx::query!(
        "update character set sample = true, shelf = $2, shelf_position = $3, deluxe = $4, is_ai_buddy = $5,
             created_at = $6, updated_at = $6, gel = $7 where id = $1",
        id,
        c.featured,
        i32::try_from(position)?,
        c.deluxe,
        c.is_ai_buddy,
        c.created,
        c.gel
    )
    .execute(&mut **tx)
    .await?;
    // A sample has been talked to of late as much as its counts say, so that the lists have an order.
    #[expect(clippy::cast_precision_loss, reason = "a count of chats")]
    let trend = (c.counts.chats.max(1) as f64).ln();
    sqlx::query!(
        "update character_stats set seeded_likes = $2, seeded_dislikes = $3, seeded_chats = $4, seeded_messages = $5,
             seeded_follows = $6, trend = greatest(trend, $7) where character_id = $1",
        id,
        c.counts.likes,
        c.counts.dislikes,
        c.counts.chats,
        c.counts.messages,
        c.counts.follows,
        trend
    )
    .execute(&mut **tx)
    .await?;
    for review in &c.reviews {
        let judged = moderation::judge(&review.comment, moderation::Place::Review).unless_held();
        judged.map_err(|rule| anyhow::anyhow!("a review: {}", rule.as_str()))?;
        reviews::store::put(tx, id, user_id(&review.reviewer), review.rating, &review.comment, review.at)
            .await?;
    }
    characters::relist(tx, id, true).await?;
    events::character_changed(tx, id).await?;
    Ok(())
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    Ok(files)
}

fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is not as it should be", path.display()))
}

/// A TOML date-time with an offset.
fn moment<'de, D: serde::Deserializer<'de>>(value: D) -> Result<OffsetDateTime, D::Error> {
    let text = toml::value::Datetime::deserialize(value)?.to_string();
    OffsetDateTime::parse(&text, &Rfc3339).map_err(serde::de::Error::custom)
}
