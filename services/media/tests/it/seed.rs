use std::fs;

use media::{AssetId, FillConfig, SeedConfig, fill, seed};
use proto::media::v1::Rendition;

use crate::support::house;

const CAST: &str = r#"
[[character]]
key = "isolde"
name = "Isolde Marchetti"
tags = ["female", "theatre"]
portrait = { cast = "isolde" }

[[character]]
key = "a-stranger"
nsfw = true
tags = ["male", "villain"]
portrait = { age = "40s", hairColor = "Black", seed = 7 }
"#;

#[tokio::test]
async fn seeded_portraits_are_where_catalog_expects_them() {
    let house = house().await;
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("characters")).expect("made");
    fs::write(folder.path().join("characters/01.toml"), CAST).expect("written");
    let config = SeedConfig {
        database: house.db.target(),
        files: house.files.clone(),
        seeds: folder.path().to_owned(),
    };
    seed::run(config.clone()).await.expect("sown");

    let isolde = AssetId::of_seed("isolde").to_string();
    let first = house.fetch(&isolde, "", Rendition::Card).await.expect("public");
    let stranger = AssetId::of_seed("a-stranger").to_string();
    assert!(house.fetch(&stranger, "", Rendition::Card).await.is_err(), "private, being NSFW");
    let query = house.sign(&stranger).await.expect("signed");
    house.fetch(&stranger, &query, Rendition::Card).await.expect("open with a signature");

    seed::run(config).await.expect("again, with nothing to do");
    assert_eq!(house.fetch(&isolde, "", Rendition::Card).await.expect("still there").data, first.data);
}

#[tokio::test]
async fn a_filled_gallery_has_so_many_pictures_that_open() {
    let house = house().await;
    let (user, token) = house.user("ada");
    let config =
        |images| FillConfig { database: house.db.target(), files: house.files.clone(), user, images };
    assert_eq!(fill::run(config(5)).await.expect("filled"), 5);
    assert_eq!(fill::run(config(5)).await.expect("again"), 0, "nothing to do");
    assert_eq!(fill::run(config(7)).await.expect("more"), 2, "the difference");
    let (images, more) = house.gallery(&token, 1, 10).await;
    assert_eq!((images.len(), more), (7, false));
    for image in images {
        house.fetch(&image.asset, "", Rendition::Thumb).await.expect("it opens");
    }
}
