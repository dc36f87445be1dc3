//! What others get of a card, and what its picture goes on saying.

use std::io::{Cursor, Read as _};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use kit::testing::as_user;
use proto::catalog::v1::{CardFormat, CardVersion, ImportCardRequest};
use tonic::Code;
use zip::ZipArchive;

use crate::{
    cards::{nothing_is_lost, texts, utf8},
    makers::{V3, charx, picture},
    support::{MARK, house, id, reason},
};

#[tokio::test]
async fn others_export_what_they_may_and_nothing_else() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let mut draft = crate::support::draft("Tess");
    let closed = house.create(&ada, draft.clone()).await.expect("created");
    let json = (CardFormat::Json, CardVersion::V3);
    let refused = house.export(&bea, &id(&closed), json.0, json.1).await.expect_err("closed");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "not_exportable"));
    draft.exportable = true;
    let open = house.create(&ada, draft.clone()).await.expect("created");
    house.export(&bea, &id(&open), json.0, json.1).await.expect("open");
    draft.public = false;
    let hidden = house.create(&ada, draft.clone()).await.expect("created");
    let refused = house.export(&bea, &id(&hidden), json.0, json.1).await.expect_err("private");
    assert_eq!(reason(&refused), "character_not_found");
    (draft.public, draft.nsfw) = (true, true);
    let locked = house.create(&ada, draft).await.expect("created");
    let refused = house.export(&bea, &id(&locked), json.0, json.1).await.expect_err("a cover");
    assert_eq!(reason(&refused), "character_not_found");
    house.turn_nsfw_on(&bea).await;
    house.export(&bea, &id(&locked), json.0, json.1).await.expect("opened");
}

#[tokio::test]
async fn files_that_came_with_a_card_are_for_its_owner_alone() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let within = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(picture(5, 5)));
    let card = V3.replace("https://example.com/a", &within);
    let zip = charx(&[
        ("card.json", card.as_bytes()),
        ("assets/icon/images/iconx.png", &picture(16, 24)),
        ("assets/other/run.exe", b"MZ"),
    ]);
    let request =
        ImportCardRequest { file: zip, public: true, exportable: true, ..ImportCardRequest::default() };
    let made = as_user(&ada, house.cards().import_card(request)).await.expect("imported").into_inner();
    let id = id(&made.character.expect("one"));
    let names = |data: Vec<u8>| {
        let archive = ZipArchive::new(Cursor::new(data)).expect("a zip");
        let mut names: Vec<String> =
            archive.file_names().map(|name| name.expect("a name").into_owned()).collect();
        names.sort_unstable();
        names
    };
    let own = house.export(&ada, &id, CardFormat::Charx, CardVersion::V3).await.expect("exported");
    assert!(names(own.data).contains(&"assets/other/run.exe".to_owned()));
    let theirs = house.export(&bea, &id, CardFormat::Charx, CardVersion::V3).await.expect("exported");
    assert_eq!(names(theirs.data.clone()), ["assets/icon/images/main.png", "card.json"]);
    let read = house.read(&bea, theirs.data).await.expect("a card still");
    assert_eq!(read.draft.expect("fields").name, "Mirelle étoile");
    let theirs = house.export(&bea, &id, CardFormat::Png, CardVersion::V3).await.expect("exported");
    let found = texts(&theirs.data);
    assert_eq!(found.len(), 2, "the card in two versions, and no file");
    for json in found.values() {
        let json = utf8(json);
        assert!(!json.contains("data:image") && !json.contains("iconx"), "{json}");
        nothing_is_lost(&json, &["assets", "source"]);
    }
}

#[tokio::test]
async fn a_picture_that_an_engine_made_goes_on_saying_so() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = house.create(&ada, crate::support::draft("Tess")).await.expect("created");
    let says_so = |png: &[u8]| {
        image::load_from_memory(png).expect("a picture still");
        let packet = [&b"iTXtXML:com.adobe.xmp\0\0\0\0\0"[..], MARK].concat();
        png.windows(packet.len()).any(|w| w == packet)
    };
    let png = house.export(&ada, &id(&made), CardFormat::Png, CardVersion::V3).await.expect("exported");
    assert!(says_so(&png.data));
    let zip = house.export(&ada, &id(&made), CardFormat::Charx, CardVersion::V3).await.expect("exported");
    let mut archive = ZipArchive::new(Cursor::new(zip.data)).expect("a zip");
    let mut portrait = Vec::new();
    let mut entry = archive.by_name("assets/icon/images/main.png").expect("the portrait");
    entry.read_to_end(&mut portrait).expect("read");
    assert!(says_so(&portrait));
}
