//! Cards come in and go out without loss.

use std::{
    collections::HashMap,
    io::{Cursor, Read as _},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use kit::{
    client::Channel,
    testing::{as_user, eventually, publish},
};
use proto::catalog::v1::{
    CardExtras, CardFormat, CardVersion, CharacterDraft, ExportAccountDataRequest, ExportCardRequest,
    ExportCardResponse, ImportCardRequest, ImportCardResponse, OpenCharacterRequest, ReadCardRequest,
    ReadCardResponse, UpdateCharacterRequest, account_data_client::AccountDataClient,
    cards_client::CardsClient, import_card_request::Portrait,
};
use proto::events::v1::UserErased;
use serde_json::value::RawValue;
use tonic::Status;
use zip::ZipArchive;

use crate::{
    makers::{V1, V3, charx, itext, picture, text, with_chunks, ztext},
    support::{House, house, id, reason},
};

const LARGE: usize = 48 * 1024 * 1024;

impl House {
    pub fn cards(&self) -> CardsClient<Channel> {
        CardsClient::new(self.channel()).max_decoding_message_size(LARGE).max_encoding_message_size(LARGE)
    }

    pub async fn read(&self, token: &str, file: Vec<u8>) -> Result<ReadCardResponse, Status> {
        Ok(as_user(token, self.cards().read_card(ReadCardRequest { file })).await?.into_inner())
    }

    pub async fn import(
        &self,
        token: &str,
        file: Vec<u8>,
        drawn: Option<Vec<u8>>,
    ) -> Result<ImportCardResponse, Status> {
        let request = ImportCardRequest {
            file,
            public: true,
            portrait: drawn.map(Portrait::Picture),
            ..ImportCardRequest::default()
        };
        Ok(as_user(token, self.cards().import_card(request)).await?.into_inner())
    }

    pub async fn export(
        &self,
        token: &str,
        id: &str,
        format: CardFormat,
        version: CardVersion,
    ) -> Result<ExportCardResponse, Status> {
        let request = ExportCardRequest { id: id.into(), format: format.into(), version: version.into() };
        Ok(as_user(token, self.cards().export_card(request)).await?.into_inner())
    }
}

type Raw = HashMap<String, Box<RawValue>>;

/// The values of `data` as they are written.
fn data(json: &str) -> Raw {
    let top: Raw = serde_json::from_str(json).expect("a card");
    serde_json::from_str(top["data"].get()).expect("its data")
}

/// Every value that came in stands there byte for byte.
pub fn nothing_is_lost(json: &str, but: &[&str]) {
    let out = data(json);
    for (key, value) in data(V3) {
        if !but.contains(&key.as_str()) {
            assert_eq!(out.get(&key).map(|v| v.get()), Some(value.get()), "{key}");
        }
    }
}

/// Keyword and value of the texts of a PNG.
pub fn texts(png: &[u8]) -> HashMap<String, Vec<u8>> {
    let mut rest = &png[8..];
    let mut found = HashMap::new();
    while rest.len() >= 12 {
        let length = u32::from_be_bytes(rest[..4].try_into().expect("four")) as usize;
        if &rest[4..8] == b"tEXt" {
            let data = &rest[8..8 + length];
            let end = data.iter().position(|b| *b == 0).expect("a keyword");
            let value = BASE64_STANDARD.decode(&data[end + 1..]).expect("base64");
            found.insert(String::from_utf8_lossy(&data[..end]).into_owned(), value);
        }
        rest = &rest[12 + length..];
    }
    found
}

pub fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn a_card_as_json_comes_back_as_it_was() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let read = house.read(&ada, V3.into()).await.expect("a card");
    assert_eq!(
        (read.format(), read.version(), read.author.as_str()),
        (CardFormat::Json, CardVersion::V3, "some one")
    );
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    let refused = house.import(&ada, V3.into(), None).await.expect_err("no picture");
    assert_eq!(reason(&refused), "invalid");

    let made = house.import(&ada, V3.into(), Some(picture(8, 12))).await.expect("imported");
    assert!(made.warnings.iter().any(|w| w.contains("7 tags")), "{:?}", made.warnings);
    let character = made.character.expect("one");
    let card = character.card.clone().expect("a card");
    assert_eq!(
        (card.name.as_str(), card.description.as_str()),
        ("Mirelle étoile", "Keeps a night ferry. 🚀")
    );
    assert_eq!(card.tags, ["fantasy", "slow-burn", "female", "sea", "ghost"]);
    let extras = character.extras.clone().expect("extras");
    assert_eq!((extras.alternate_greetings.len(), extras.nickname.as_str()), (2, "Miri"));

    let json =
        house.export(&ada, &id(&character), CardFormat::Json, CardVersion::V3).await.expect("exported");
    assert_eq!(json.file_name, "mirelle-toile.json");
    nothing_is_lost(&utf8(&json.data), &[]);
    let top: Raw = serde_json::from_str(&utf8(&json.data)).expect("a card");
    assert_eq!(top["modified"].get(), "1e3");
    let second =
        house.export(&ada, &id(&character), CardFormat::Json, CardVersion::V2).await.expect("exported");
    nothing_is_lost(&utf8(&second.data), &[]);
    assert!(utf8(&second.data).contains(r#""spec":"chara_card_v2""#));

    let open = OpenCharacterRequest { id: id(&character) };
    let open = as_user(&ada, house.characters().open_character(open)).await.expect("open").into_inner();
    assert!(open.extras.expect("extras").character_book.contains("Ondine"), "chat reads the lorebook");
}

#[tokio::test]
async fn a_card_in_a_picture_comes_back_with_its_files() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let second = V3.replace("chara_card_v3", "chara_card_v2").replace("Mirelle", "Nobody");
    let png = with_chunks(&[
        text("Chara", second.as_bytes()),
        text("chara-ext-asset_:0", b"any bytes"),
        text("CCV3", V3.as_bytes()),
        text("parameters", b"how it was drawn"),
    ]);
    let made = house.import(&ada, png, None).await.expect("imported").character.expect("one");
    assert_eq!(made.card.as_ref().expect("a card").name, "Mirelle étoile", "version 3 comes first");
    let sent = house.portraits.uploads.lock().expect("free")[0].data.clone();
    assert!(texts(&sent).is_empty(), "the picture goes without its texts");

    let out = house.export(&ada, &id(&made), CardFormat::Png, CardVersion::V3).await.expect("exported");
    assert_eq!(out.content_type, "image/png");
    image::load_from_memory(&out.data).expect("a picture still");
    let found = texts(&out.data);
    nothing_is_lost(&utf8(&found["ccv3"]), &[]);
    nothing_is_lost(&utf8(&found["chara"]), &[]);
    assert_eq!(found["chara-ext-asset_:0"], b"any bytes");
    // What went out comes in again.
    let again = house.import(&ada, out.data, None).await.expect("imported").character.expect("one");
    assert_eq!(again.extras, made.extras);
}

#[tokio::test]
async fn compressed_texts_of_a_picture_are_read() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let packed = crate::makers::deflated(BASE64_STANDARD.encode(V3).as_bytes());
    for png in [with_chunks(&[ztext("ccv3", &packed)]), with_chunks(&[itext("ccv3", &packed)])] {
        let read = house.read(&ada, png).await.expect("a card");
        assert!(read.picture_is_file);
        assert_eq!(read.draft.expect("fields").name, "Mirelle étoile");
    }
}

#[tokio::test]
async fn a_charx_comes_back_with_its_files() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let icon = picture(16, 24);
    let zip = charx(&[
        ("card.json", V3.as_bytes()),
        ("assets/icon/images/iconx.png", &icon),
        ("assets/other/notes.bin", &[0, 1, 2, 255]),
    ]);
    let jpeg = [&b"\xFF\xD8\xFF\xE0 a picture \xFF\xD9"[..], &zip].concat();
    let behind = house.read(&ada, jpeg).await.expect("a zip behind a picture");
    assert_eq!((behind.format(), behind.assets), (CardFormat::Charx, 2));
    assert_eq!(behind.picture, icon);

    let made = house.import(&ada, zip, None).await.expect("imported").character.expect("one");
    assert_eq!(house.portraits.uploads.lock().expect("free")[0].data, icon, "its icon is the portrait");
    let out = house.export(&ada, &id(&made), CardFormat::Charx, CardVersion::V3).await.expect("exported");
    let mut archive = ZipArchive::new(Cursor::new(out.data)).expect("a zip");
    let mut file = |name: &str| {
        let mut bytes = Vec::new();
        archive.by_name(name).expect(name).read_to_end(&mut bytes).expect("read");
        bytes
    };
    nothing_is_lost(&utf8(&file("card.json")), &[]);
    assert_eq!(file("assets/icon/images/iconx.png"), icon);
    assert_eq!(file("assets/other/notes.bin"), [0, 1, 2, 255]);
}

#[tokio::test]
async fn what_was_changed_goes_over_the_card_and_the_rest_stays() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made =
        house.import(&ada, V3.into(), Some(picture(8, 12))).await.expect("imported").character.expect("one");
    let card = made.card.clone().expect("a card");
    // As a browser sends a book back: read and written again.
    let extras = made.extras.clone().expect("extras");
    let book = extras.character_book.replace("512.0", "512").replace("1e2", "100").replace("10.0", "10");
    let draft = CharacterDraft {
        name: "Mirelle".into(),
        tags: vec!["fantasy".into(), "calm".into()],
        description: card.description,
        personality: made.personality.clone(),
        first_message: made.first_message.clone(),
        scenario: made.scenario.clone(),
        example_conversation: made.example_conversation.clone(),
        outfit: "Oilskins".into(),
        age: Some(44),
        public: true,
        extras: Some(CardExtras { character_book: book, ..extras }),
        ..CharacterDraft::default()
    };
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(draft), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    let json = house.export(&ada, &id(&made), CardFormat::Json, CardVersion::V3).await.expect("exported");
    let json = utf8(&json.data);
    nothing_is_lost(&json, &["name", "tags", "extensions"]);
    let out = data(&json);
    assert_eq!(out["name"].get(), "\"Mirelle\"");
    assert_eq!(out["tags"].get(), r#"["fantasy","calm","Night","Harbour Town"]"#);
    let extensions: Raw = serde_json::from_str(out["extensions"].get()).expect("extensions");
    assert_eq!(extensions["troupe"].get(), r#"{"age":44,"outfit":"Oilskins"}"#);
    let before: Raw = serde_json::from_str(data(V3)["extensions"].get()).expect("extensions");
    assert_eq!(extensions["big"].get(), before["big"].get());
    assert_eq!(extensions["deep"].get(), before["deep"].get());
}

#[tokio::test]
async fn an_old_card_and_one_made_here_go_out_in_the_new_versions() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let old =
        house.import(&ada, V1.into(), Some(picture(8, 12))).await.expect("imported").character.expect("one");
    let json = house.export(&ada, &id(&old), CardFormat::Json, CardVersion::V2).await.expect("exported");
    let top: serde_json::Value = serde_json::from_slice(&json.data).expect("JSON");
    assert_eq!((top["char_persona"].as_str(), top["data"]["name"].as_str()), (Some("kept"), Some("Old Tom")));
    assert_eq!(
        (top["spec_version"].as_str(), top["data"]["tags"].as_array().map(Vec::len)),
        (Some("2.0"), Some(0))
    );

    let own = house.create(&ada, crate::support::draft("Tess")).await.expect("created");
    let json = house.export(&ada, &id(&own), CardFormat::Json, CardVersion::V3).await.expect("exported");
    let top: serde_json::Value = serde_json::from_slice(&json.data).expect("JSON");
    let data = &top["data"];
    assert_eq!(
        (data["creator"].as_str(), data["extensions"]["troupe"]["age"].as_i64()),
        (Some("ada"), Some(34))
    );
    let again = house.read(&ada, json.data).await.expect("read").draft.expect("fields");
    assert_eq!(
        (again.age, again.description),
        (Some(34), "Tess repairs clocks in a harbour town.".to_owned())
    );
}

#[tokio::test]
async fn a_card_goes_out_in_version_1_for_programs_that_know_no_other() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let old = house.import(&ada, V1.into(), Some(picture(8, 12))).await.expect("imported").character;
    let json = house
        .export(&ada, &id(&old.expect("one")), CardFormat::Json, CardVersion::V1)
        .await
        .expect("exported");
    let (out, before): (Raw, Raw) =
        (serde_json::from_slice(&json.data).expect("JSON"), serde_json::from_str(V1).expect("JSON"));
    assert_eq!(out.len(), before.len());
    for (key, value) in before {
        assert_eq!(out[&key].get(), value.get(), "{key}");
    }
    let new = house.import(&ada, V3.into(), Some(picture(8, 12))).await.expect("imported").character;
    let own = house.create(&ada, crate::support::draft("Tess")).await.expect("created");
    for (character, name) in [(new.expect("one"), "Mirelle étoile"), (own, "Tess")] {
        let id = id(&character);
        let png = house.export(&ada, &id, CardFormat::Png, CardVersion::V1).await.expect("exported");
        let found = texts(&png.data);
        assert_eq!(found.keys().filter(|key| !key.starts_with("chara-ext")).collect::<Vec<_>>(), ["chara"]);
        let card: serde_json::Value = serde_json::from_slice(&found["chara"]).expect("JSON");
        assert_eq!(card["name"], name);
        assert!(card["first_mes"].is_string() && card.get("data").is_none() && card.get("spec").is_none());
        let read = house.read(&ada, png.data).await.expect("a card");
        assert_eq!((read.version(), read.draft.expect("fields").name.as_str()), (CardVersion::V1, name));
        let refused = house.export(&ada, &id, CardFormat::Charx, CardVersion::V1).await;
        assert_eq!(reason(&refused.expect_err("there is none")), "invalid");
    }
}

#[tokio::test]
async fn a_long_definition_stands_under_personality_and_goes_out_where_it_was() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let long = "She keeps the ferry and its bell. ".repeat(400);
    let card = V3.replace("Keeps a night ferry. \\ud83d\\ude80", long.trim());
    let made = house.import(&ada, card.clone().into(), Some(picture(8, 12))).await.expect("imported");
    assert!(made.warnings.iter().any(|w| w.contains("under Personality")), "{:?}", made.warnings);
    let character = made.character.expect("one");
    assert_eq!(character.card.as_ref().expect("a card").description, "Best with fog.");
    assert!(
        character.personality.starts_with(long.trim()) && character.personality.ends_with("Dry, patient.")
    );
    let json =
        house.export(&ada, &id(&character), CardFormat::Json, CardVersion::V3).await.expect("exported");
    let (out, before) = (data(&utf8(&json.data)), data(&card));
    assert_eq!(out["description"].get(), before["description"].get());
    assert_eq!(out["personality"].get(), before["personality"].get());
}

#[tokio::test]
async fn there_is_room_for_so_many_cards_and_large_ones_are_told_by_their_size() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let large = V3.replace("[1.0,1e-7", &format!("[\"{}\",1e-7", "The river is wide. ".repeat(60_000)));
    house.import(&ada, large.clone().into(), Some(picture(8, 12))).await.expect("imported");
    let mut client = AccountDataClient::new(house.channel());
    let whole = as_user(&ada, client.export_account_data(ExportAccountDataRequest {})).await.expect("small");
    let whole: serde_json::Value = serde_json::from_str(&whole.into_inner().json).expect("JSON");
    let card = &whole["cards"][0]["card"];
    assert_eq!((card["bytes"].as_u64(), card.get("json")), (u64::try_from(large.len()).ok(), None));

    // As if there were as much as fits, but for a little.
    let almost = catalog::limits::CARDS_BYTES - i64::try_from(large.len()).expect("bytes") - 1_000;
    sqlx::query(
        "insert into card_file (character_id, n, path, data)
         select character_id, n, n::text, convert_to(repeat('x', ($1 / 10)::int), 'UTF8')
         from card, generate_series(1, 10) n",
    )
    .bind(almost)
    .execute(&house.db.pool)
    .await
    .expect("filled");
    let full = house.import(&ada, V3.into(), Some(picture(8, 12))).await.expect_err("no room");
    assert_eq!(reason(&full), "cards_full");
    let (_, bea) = house.creator("bea").await;
    house.import(&bea, V3.into(), Some(picture(8, 12))).await.expect("room of her own");
}

#[tokio::test]
async fn what_is_kept_of_a_card_is_handed_out_and_goes_with_its_owner() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let zip = charx(&[("card.json", V3.as_bytes()), ("assets/icon/images/iconx.png", &picture(8, 12))]);
    house.import(&ada, zip, None).await.expect("imported");
    let mut client = AccountDataClient::new(house.channel());
    let whole =
        as_user(&ada, client.export_account_data(ExportAccountDataRequest {})).await.expect("exported");
    let whole: serde_json::Value = serde_json::from_str(&whole.into_inner().json).expect("JSON");
    let kept = &whole["cards"][0];
    assert_eq!(kept["card"]["json"].as_str(), Some(V3));
    assert_eq!(kept["files"][0]["path"], "assets/icon/images/iconx.png");
    assert_eq!(kept["extras"]["nickname"], "Miri");

    // The character may stay; the card as it came in names who wrote it, and goes.
    let erased =
        UserErased { user_id: owner.to_string(), characters: "anonymise".into(), ..UserErased::default() };
    publish(&house.common, "auth.user.erased", &erased).await;
    eventually(|| async {
        let cards: i64 =
            sqlx::query_scalar("select count(*) from card").fetch_one(&house.db.pool).await.ok()?;
        (cards == 0).then_some(())
    })
    .await;
    let files: i64 = sqlx::query_scalar("select count(*) from card_file")
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert_eq!(files, 0);
}
