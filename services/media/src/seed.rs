//! Portraits of the seeded characters: `media-api seed --seeds <folder>`.
//!
//! Reads the `[[character]]` of `characters/*.toml`, and of each `key`, `nsfw`, `tags` and `portrait`:
//! `cast`, the key of a finished recipe, or else image options, and `seed`. The asset's name follows from
//! the key alone ([`AssetId::of_seed`]), so catalog can refer to it before it is drawn.

use std::{fs, path::Path, sync::Arc};

use anyhow::Context as _;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    assets::{
        AssetId,
        files::{Files, Size},
        standing::First,
        store::{self, New, Origin},
    },
    config::SeedConfig,
    engines::{DrawRequest, Format, Options, Playbill},
    pictures::Renditions,
    worker,
};

#[derive(Debug, Deserialize)]
struct Cast {
    character: Vec<Character>,
}

#[derive(Debug, Deserialize)]
struct Character {
    key: String,
    #[serde(default)]
    nsfw: bool,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    portrait: Portrait,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Portrait {
    cast: Option<String>,
    seed: Option<u64>,
    gender: String,
    ethnicity: String,
    age: String,
    hair_color: String,
    face: String,
    body_type: String,
    style: String,
    prompt: String,
}

impl Character {
    fn request(&self) -> DrawRequest {
        let portrait = &self.portrait;
        // A character's own tags say whether it is a man or a woman, where the portrait does not.
        let tagged = |tag: &str| self.tags.iter().any(|t| t.eq_ignore_ascii_case(tag));
        let gender = match portrait.gender.as_str() {
            "" if tagged("female") => "female",
            "" if tagged("male") => "male",
            said => said,
        };
        let digest = Sha256::digest(&self.key);
        let seed =
            portrait.seed.unwrap_or_else(|| digest.iter().take(8).fold(0, |n, b| n << 8 | u64::from(*b)));
        DrawRequest {
            options: Options {
                gender: gender.to_owned(),
                ethnicity: portrait.ethnicity.clone(),
                age: portrait.age.clone(),
                hair_color: portrait.hair_color.clone(),
                face: portrait.face.clone(),
                body_type: portrait.body_type.clone(),
                style: portrait.style.clone(),
                prompt: portrait.prompt.clone(),
                ..Options::default()
            },
            tags: self.tags.clone(),
            seed,
            format: Format::Portrait,
            cast: portrait.cast.clone(),
        }
    }
}

struct Drawn {
    renditions: Renditions,
    gel: String,
}

/// Draws what is missing, on all cores; prints a line for each portrait.
///
/// # Errors
/// Which file cannot be read, or what cannot be written.
pub async fn run(config: SeedConfig) -> anyhow::Result<()> {
    let characters = read(&config.seeds.join("characters"))?;
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let files = Files::open(&config.files.media_dir)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let room = Arc::new(Semaphore::new(cores));
    let total = characters.len();
    let mut drawing: JoinSet<anyhow::Result<(Character, AssetId, Option<Drawn>)>> = JoinSet::new();
    for character in characters {
        let (room, db, files) = (Arc::clone(&room), db.clone(), files.clone());
        drawing.spawn(async move {
            let _permit = room.acquire_owned().await?;
            let id = AssetId::of_seed(&character.key);
            // Both: a folder of pictures may be emptied while the database stays, and the other way round.
            if store::private(&db, &id).await? == Some(character.nsfw)
                && files.get(&id, Size::Thumb).await.is_ok()
            {
                return Ok((character, id, None));
            }
            let request = character.request();
            let drawn = tokio::task::spawn_blocking(move || {
                let drawing = Playbill::draw_now(&request)?;
                let gel = drawing.gel.clone().unwrap_or_default();
                let renditions = worker::encode(drawing, None).context("the drawing cannot be encoded")?;
                anyhow::Ok(Drawn { renditions, gel })
            });
            let drawn = drawn.await?.with_context(|| format!("the portrait of {}", character.key))?;
            Ok((character, id, Some(drawn)))
        });
    }
    let mut done = 0;
    while let Some(drawn) = drawing.join_next().await {
        let (character, id, drawn) = drawn??;
        done += 1;
        let Some(Drawn { renditions, gel }) = drawn else { continue };
        files.put(&id, &renditions).await?;
        let asset = New {
            id: &id,
            owner: None,
            private: character.nsfw,
            must_be_private: false,
            origin: Origin::Seed,
            width: renditions.width,
            height: renditions.height,
            bytes: renditions.full.len(),
            hashes: &renditions.hashes,
            look: &renditions.look,
            first: First::PASSED,
        };
        let mut tx = db.begin().await?;
        store::insert(&mut tx, asset).await?;
        tx.commit().await?;
        say(&format!("portrait {done} of {total}: {}, {gel}", character.key));
    }
    say(&format!("{total} portraits are there"));
    Ok(())
}

fn read(folder: &Path) -> anyhow::Result<Vec<Character>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut paths: Vec<_> = entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut characters = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let cast: Cast =
            toml::from_str(&text).with_context(|| format!("{} is not as it should be", path.display()))?;
        characters.extend(cast.character);
    }
    Ok(characters)
}

#[expect(clippy::print_stdout, reason = "progress, for whoever runs the command")]
fn say(line: &str) {
    println!("{line}");
}
