//! The sample creators and people, from the seeds of the catalog, as verified accounts that nobody can
//! log in to.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Deserializer, de::Error as _};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use crate::accounts::{Email, Username, hashing};

/// `auth seed`
#[derive(Debug, Clone, clap::Args)]
pub struct Seed {
    #[command(flatten)]
    database: kit::db::Target,
    /// Folder of the seeds (`services/catalog/seeds`).
    #[arg(long)]
    seeds: PathBuf,
}

#[derive(Deserialize)]
struct Creators {
    creator: Vec<Creator>,
}

#[derive(Deserialize)]
struct Creator {
    username: String,
    bio: String,
    #[serde(deserialize_with = "moment")]
    joined: OffsetDateTime,
    followers: i32,
}

#[derive(Deserialize)]
struct People {
    person: Vec<Person>,
}

#[derive(Deserialize)]
struct Person {
    username: String,
    #[serde(deserialize_with = "moment")]
    joined: OffsetDateTime,
}

/// The id of a seeded person: catalog computes the same.
#[must_use]
pub fn user_id(username: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("troupe:seed:user:{username}").as_bytes())
}

impl Seed {
    #[must_use]
    pub fn new(database: kit::db::Target, seeds: PathBuf) -> Self {
        Self { database, seeds }
    }

    /// Loads what is missing, changes what has changed; twice is as once.
    ///
    /// # Errors
    /// The file or the row that is wrong.
    pub async fn run(&self) -> anyhow::Result<()> {
        let creators: Creators = read(&self.seeds.join("creators.toml"))?;
        let people: People = read(&self.seeds.join("people.toml"))?;
        let db = kit::db::connect(&self.database, kit::db::Pool::default()).await?;
        // A hash of no password at all: nothing that is typed has it.
        let nobody = format!("!{}", hashing::token());
        let mut tx = db.begin().await?;
        let all = creators
            .creator
            .iter()
            .map(|c| (c.username.as_str(), c.bio.as_str(), c.joined, c.followers))
            .chain(people.person.iter().map(|p| (p.username.as_str(), "", p.joined, 0)));
        for (name, bio, joined, followers) in all {
            let username = Username::parse(name).map_err(|e| anyhow::anyhow!("{name}: {}", e.message))?;
            let email = Email::parse(&format!("{name}@sample.example"))
                .map_err(|e| anyhow::anyhow!("{}", e.message))?;
            sqlx::query!(
                "insert into account (id, email, username, password_hash, state, bio, sample, seeded_followers, created_at)
                 values ($1, $2, $3, $4, 'active', $5, true, $6, $7)
                 on conflict (id) do update set bio = excluded.bio, seeded_followers = excluded.seeded_followers",
                user_id(name),
                email.as_str(),
                username.as_str(),
                nobody,
                bio,
                followers,
                joined
            )
            .execute(&mut *tx)
            .await
            .with_context(|| format!("{name} cannot be stored"))?;
        }
        tx.commit().await?;
        tracing::info!(creators = creators.creator.len(), people = people.person.len(), "seeded");
        Ok(())
    }
}

/// A time as TOML writes it, bare.
fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<OffsetDateTime, D::Error> {
    let written = toml::value::Datetime::deserialize(from)?.to_string();
    OffsetDateTime::parse(&written, &Rfc3339)
        .map_err(|e| D::Error::custom(format!("{written} is not a time with its offset: {e}")))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is not as it should be", path.display()))
}
