//! A full gallery, for load: `media-api fill`. A few pictures are drawn, and each stands in it many times; every
//! one has its own row, its own files and its own place.

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kit::db::Db;
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    assets::{
        AssetId,
        files::Files,
        standing::First,
        store::{self, New, Origin},
    },
    config::FillConfig,
    engines::{DrawRequest, Format, Options, Playbill},
    pictures::Renditions,
    worker,
};

/// Pictures that are drawn.
const DRAWN: u32 = 12;
/// Pictures that are stored in one transaction …
const BATCH: usize = 250;
/// … and whose files are written at a time.
const FILES: usize = 8;

/// Adds what is missing; answers how many pictures those were.
///
/// # Errors
/// What cannot be drawn or written.
pub async fn run(config: FillConfig) -> anyhow::Result<u32> {
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let files = Files::open(&config.files.media_dir)?;
    let known = sqlx::query_scalar!(
        r#"select count(*) as "n!" from job
           where owner = $1 and purpose = 'gallery' and state = 'completed' and deleted_at is null"#,
        config.user
    )
    .fetch_one(&db)
    .await?;
    let missing = config.images.saturating_sub(u32::try_from(known)?);
    if missing > 0 {
        let drawn = tokio::task::spawn_blocking(move || {
            (0..DRAWN.min(missing)).map(draw).collect::<anyhow::Result<Vec<_>>>()
        });
        let drawn = drawn.await??;
        let numbers: Vec<u32> = (0..missing).collect();
        for numbers in numbers.chunks(BATCH) {
            add(&db, &files, config.user, numbers, &drawn).await?;
        }
        // As a gallery is that grew for years: or the database thinks that there are few, and looks each of them up.
        for table in ["vacuum (analyze) asset", "vacuum (analyze) job"] {
            sqlx::query(table).execute(&db).await?;
        }
    }
    tracing::info!(added = missing, images = config.images, "the gallery is full");
    Ok(missing)
}

fn draw(number: u32) -> anyhow::Result<(Options, Renditions)> {
    let gender = if number.is_multiple_of(2) { "female" } else { "male" };
    let options = Options { gender: gender.into(), ..Options::default() };
    let request = DrawRequest {
        options: options.clone(),
        tags: Vec::new(),
        seed: number.into(),
        format: Format::Portrait,
        cast: None,
    };
    let drawing = Playbill::draw_now(&request)?;
    Ok((options, worker::encode(drawing, None).context("the drawing cannot be encoded")?))
}

async fn add(
    db: &Db,
    files: &Files,
    user: Uuid,
    numbers: &[u32],
    drawn: &[(Options, Renditions)],
) -> anyhow::Result<()> {
    let pictures: Vec<(u32, Uuid, AssetId)> =
        numbers.iter().map(|n| (*n, Uuid::now_v7(), AssetId::random())).collect();
    let of = |number: u32| &drawn[number as usize % drawn.len()];
    stream::iter(&pictures)
        .map(|(number, _, asset)| files.put(asset, &of(*number).1))
        .buffer_unordered(FILES)
        .try_collect::<()>()
        .await?;
    let mut tx = db.begin().await?;
    for (number, job, asset) in &pictures {
        let (options, renditions) = of(*number);
        let new = New {
            id: asset,
            owner: Some(user),
            private: false,
            must_be_private: false,
            origin: Origin::Drawn,
            width: renditions.width,
            height: renditions.height,
            bytes: renditions.full.len(),
            hashes: &renditions.hashes,
            look: &renditions.look,
            first: First::PASSED,
        };
        store::insert(&mut tx, new).await?;
        sqlx::query!(
            "insert into job (id, owner, purpose, version, options, tags, label, private, priority, cost, state, asset,
                 width, height, progress, ended_at)
             values ($1, $2, 'gallery', 1, $3, '{}', $4, false, false, 0, 'completed', $5, $6, $7, 1, now())",
            job,
            user,
            Json(options) as _,
            format!("Picture {}", number + 1),
            asset.as_str(),
            i32::try_from(renditions.width)?,
            i32::try_from(renditions.height)?
        )
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await?;
    Ok(())
}
