use auth::seed::{Seed, user_id};
use proto::auth::v1::get_profile_response::View;

use crate::support::{house, reason};

const CREATORS: &str = r#"
[[creator]]
key = "inkwell"
username = "inkwell"
bio = "Writes people who write letters."
joined = 2026-03-01T10:00:00Z
followers = 1240
"#;
const PEOPLE: &str = r#"
[[person]]
username = "night_reader"
joined = 2026-04-02T10:00:00Z
"#;

#[tokio::test]
async fn seeded_people_are_there_once_and_nobody_can_be_them() {
    let house = house().await;
    let seeds = tempfile::tempdir().expect("a folder");
    std::fs::write(seeds.path().join("creators.toml"), CREATORS).expect("written");
    std::fs::write(seeds.path().join("people.toml"), PEOPLE).expect("written");
    let seed = Seed::new(house.db.target(), seeds.path().to_owned());
    seed.run().await.expect("seeded");
    seed.run().await.expect("twice is as once");

    let Some(View::Public(creator)) = house.profile(None, "Inkwell").await.expect("found").view else {
        panic!("a visitor sees the public view");
    };
    assert_eq!(creator.id, user_id("inkwell").to_string(), "the id that the catalog computes");
    assert_eq!((creator.follower_count, creator.bio.as_str()), (1_240, "Writes people who write letters."));
    let samples: i64 = sqlx::query_scalar("select count(*) from account where sample")
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert_eq!(samples, 2);

    let taken = house.sign_up("Night_Reader").await.expect_err("the name is somebody's");
    assert_eq!(reason(&taken), "username_taken");
}

#[tokio::test]
async fn the_seeds_of_the_house_can_be_loaded() {
    let house = house().await;
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/seeds");
    Seed::new(house.db.target(), seeds.into()).run().await.expect("seeded");
    let creators: i64 = sqlx::query_scalar("select count(*) from account where sample and bio <> ''")
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert!(creators >= 12, "{creators} creators");
}
