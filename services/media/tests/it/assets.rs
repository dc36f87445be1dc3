use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use kit::testing::{as_user, channel, eventually, publish};
use media::engines::Playbill;
use proto::{
    events::v1::CharacterChanged,
    media::v1::{
        CreateImageRequest, DeleteImageRequest, GetStandingsRequest, ImageOptions, Rendition,
        RestoreImageRequest, UpdateImageRequest, assets_client::AssetsClient, images_client::ImagesClient,
    },
};
use tonic::Code;
use uuid::Uuid;

use crate::{
    images::ended,
    support::{House, house},
};

fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    DynamicImage::new_rgb8(90, 120).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).expect("a PNG");
    bytes
}

async fn opens(house: &House, asset: &str, query: &str) -> bool {
    match house.fetch(asset, query, Rendition::Card).await {
        Ok(_) => true,
        Err(status) => {
            assert_eq!(status.code(), Code::NotFound);
            false
        }
    }
}

#[tokio::test]
async fn a_private_picture_opens_with_a_live_signature_only() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let secret = house.upload(&ana, png(), true).await.expect("taken").asset;
    let other = house.upload(&ana, png(), true).await.expect("taken").asset;

    assert!(!opens(&house, &secret, "").await);
    let query = house.sign(&secret).await.expect("private: signed");
    assert!(opens(&house, &secret, &query).await);
    assert!(
        !house.fetch(&secret, &query, Rendition::Full).await.expect("open").immutable,
        "not for shared caches"
    );
    assert!(!opens(&house, &other, &query).await, "a signature opens one asset");
    let (_, signature) = query.split_once("&sig=").expect("signed");
    assert!(
        !opens(&house, &secret, &format!("exp=9999999999&sig={signature}")).await,
        "no longer than signed"
    );
    assert!(!opens(&house, &secret, &format!("exp=1&sig={signature}")).await, "and it ends");
}

#[tokio::test]
async fn public_and_unknown_assets_are_not_signed() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let open = house.upload(&ana, png(), false).await.expect("taken").asset;
    assert!(opens(&house, &open, "").await);
    assert_eq!(house.sign(&open).await, None);
    assert_eq!(house.sign("0123456789abcdef0123456789abcdef").await, None);
    assert!(!opens(&house, "0123456789abcdef0123456789abcdef", "").await);
    assert!(!opens(&house, "../../etc/passwd", "").await);
}

#[tokio::test]
async fn a_portrait_is_as_private_as_its_character() {
    let house = house().await;
    let (ana_id, ana) = house.user("ana");
    let portrait = house.upload(&ana, png(), false).await.expect("taken").asset;
    let live = CharacterChanged {
        character_id: Uuid::now_v7().to_string(),
        version: 2,
        owner_id: ana_id.to_string(),
        state: "live".into(),
        nsfw: true,
        public: true,
        deleted: false,
        image_asset: portrait.clone(),
    };
    publish(&house.common, "catalog.character.changed", &live).await;
    eventually(async || (!opens(&house, &portrait, "").await).then_some(())).await;
    assert!(opens(&house, &portrait, &house.sign(&portrait).await.expect("signed now")).await);

    // Older news that comes late changes nothing; newer news does.
    publish(
        &house.common,
        "catalog.character.changed",
        &CharacterChanged { version: 1, nsfw: false, ..live.clone() },
    )
    .await;
    let theirs = CharacterChanged {
        character_id: Uuid::now_v7().to_string(),
        owner_id: Uuid::now_v7().to_string(),
        nsfw: false,
        ..live.clone()
    };
    publish(&house.common, "catalog.character.changed", &theirs).await;
    eventually(async || {
        let seen = sqlx::query_scalar::<_, i64>("select count(*) from inbox").fetch_one(&house.db.pool).await;
        (seen.expect("counted") == 3).then_some(())
    })
    .await;
    assert!(!opens(&house, &portrait, "").await, "neither old news nor another's card opens it");
    publish(
        &house.common,
        "catalog.character.changed",
        &CharacterChanged { version: 3, nsfw: false, ..live },
    )
    .await;
    eventually(async || opens(&house, &portrait, "").await.then_some(())).await;
}

/// A live character that everybody sees.
fn shown(character: Uuid, version: i64, owner: Uuid, asset: &str) -> CharacterChanged {
    CharacterChanged {
        character_id: character.to_string(),
        version,
        owner_id: owner.to_string(),
        state: "live".into(),
        public: true,
        image_asset: asset.into(),
        ..CharacterChanged::default()
    }
}

#[tokio::test]
async fn what_was_a_portrait_is_as_private_as_before() {
    let house = house().await;
    let _worker = house.worker(Playbill).await;
    let (ana_id, ana) = house.user("ana");
    let id = house.create(&ana, "a poet").await.expect("queued").id;
    let hung = ended(&house, &ana, &id).await.asset;
    let other = house.upload(&ana, png(), true).await.expect("taken").asset;
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let tell = async |event: CharacterChanged| {
        publish(&house.common, "catalog.character.changed", &event).await;
    };
    tell(shown(first, 1, ana_id, &hung)).await;
    tell(shown(second, 1, ana_id, &hung)).await;
    eventually(async || opens(&house, &hung, "").await.then_some(())).await;

    // Another character still shows it.
    tell(shown(first, 2, ana_id, &other)).await;
    eventually(async || opens(&house, &other, "").await.then_some(())).await;
    assert!(opens(&house, &hung, "").await);
    tell(CharacterChanged { deleted: true, ..shown(second, 2, ana_id, &hung) }).await;
    eventually(async || (!opens(&house, &hung, "").await).then_some(())).await;
    assert!(opens(&house, &hung, &house.sign(&hung).await.expect("signed")).await, "it is still hers");
    tell(shown(first, 3, ana_id, "")).await;
    eventually(async || (!opens(&house, &other, "").await).then_some(())).await;

    let mut images = ImagesClient::new(channel(&house.server.url));
    let public = UpdateImageRequest { id: id.clone(), label: None, public: Some(true) };
    as_user(&ana, images.update_image(public)).await.expect("public");
    assert!(opens(&house, &hung, "").await);
    as_user(&ana, images.delete_image(DeleteImageRequest { id: id.clone() })).await.expect("deleted");
    assert!(!opens(&house, &hung, "").await, "what is deleted is nobody else's");
    as_user(&ana, images.restore_image(RestoreImageRequest { id })).await.expect("back");
    assert!(opens(&house, &hung, "").await, "and public again");
}

#[tokio::test]
async fn what_must_be_private_is_opened_by_no_character() {
    let house = house().await;
    let _worker = house.worker(Playbill).await;
    let (ana_id, ana) = house.user("ana");
    let options = Some(ImageOptions { pose: "Pose 11".into(), ..ImageOptions::default() });
    let request = CreateImageRequest { options, nsfw: true, ..CreateImageRequest::default() };
    let mut images = ImagesClient::new(channel(&house.server.url));
    let ordered = as_user(&ana, images.create_image(request)).await.expect("queued").into_inner();
    let drawn = ended(&house, &ana, &ordered.image.expect("an image").id).await.asset;
    let told = AssetsClient::new(channel(&house.server.url))
        .get_standings(GetStandingsRequest { assets: vec![drawn.clone()] })
        .await
        .expect("told");
    assert_eq!(told.into_inner().private_only, [drawn.as_str()]);

    let event = shown(Uuid::now_v7(), 1, ana_id, &drawn);
    publish(&house.common, "catalog.character.changed", &event).await;
    eventually(async || {
        let seen = sqlx::query_scalar::<_, i64>("select count(*) from character_state where asset = $1")
            .bind(&drawn)
            .fetch_one(&house.db.pool)
            .await;
        (seen.expect("counted") == 1).then_some(())
    })
    .await;
    assert!(!opens(&house, &drawn, "").await);
    assert!(opens(&house, &drawn, &house.sign(&drawn).await.expect("signed")).await);
}
