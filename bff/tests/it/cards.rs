use kit::error::Failure;
use proto::{
    billing::v1::{Entitlement, GetEntitlementResponse},
    catalog::v1::{
        CardExtras, CardFormat, CardVersion, Character, CharacterDraft, DecideHeldRequest, ExportCardRequest,
        ExportCardResponse, GetHeldResponse, HeldCharacter, HeldText, ImportCardRequest, ImportCardResponse,
        ListHeldResponse, ReadCardRequest, ReadCardResponse, UpdateCharacterRequest, UpdateCharacterResponse,
        import_card_request::Portrait,
    },
    common::v1::PageInfo,
};
use reqwest::Method;
use serde_json::json;
use tonic::Code;

use crate::{
    lists::card,
    support::{House, Somebody, header, house, json, ok},
};

const CARD: (&str, &str, &str, &[u8]) = ("file", "isolde.json", "application/json", br#"{"name":"Isolde"}"#);

async fn creator() -> (House, Somebody) {
    let house = house().await;
    let ada = house.sign_in("ada");
    let entitlement = Entitlement { can_create: true, ..Entitlement::default() };
    house.stage.says(
        "billing.v1.Subscriptions/GetEntitlement",
        GetEntitlementResponse { entitlement: Some(entitlement) },
    );
    (house, ada)
}

#[tokio::test]
async fn a_card_is_read_for_the_form() {
    let (house, ada) = creator().await;
    let extras = CardExtras {
        alternate_greetings: vec!["Enter.".into()],
        character_book: r#"{"entries":[]}"#.into(),
        ..CardExtras::default()
    };
    let draft = CharacterDraft { name: "Isolde".into(), extras: Some(extras), ..CharacterDraft::default() };
    house.stage.says(
        "catalog.v1.Cards/ReadCard",
        ReadCardResponse {
            draft: Some(draft),
            format: CardFormat::Json.into(),
            version: CardVersion::V1.into(),
            warnings: vec!["7 tags".into()],
            problems: [("scenario".to_owned(), "At most 4000 characters.".to_owned())].into(),
            picture: b"\x89PNG".to_vec(),
            picture_type: "image/png".into(),
            ..ReadCardResponse::default()
        },
    );
    let read = house.form(Method::POST, "/api/cards/read", &[], &[CARD]).bearer_auth(&ada.token);
    let read = ok(read).await;
    assert_eq!((read["card"]["name"].as_str(), read["version"].as_str()), (Some("Isolde"), Some("v1")));
    assert_eq!(read["card"]["characterBook"], json!({ "entries": [] }));
    assert_eq!(read["picture"], "data:image/png;base64,iVBORw==");
    assert_eq!(read["problems"]["scenario"], "At most 4000 characters.");
    let sent: ReadCardRequest = house.stage.call("catalog.v1.Cards/ReadCard").read();
    assert_eq!(sent.file, CARD.3);

    let nothing = house.form(Method::POST, "/api/cards/read", &[], &[]).bearer_auth(&ada.token);
    assert_eq!(
        json(nothing).await.1["fields"]["file"],
        "Choose a character card: a PNG, JSON or CHARX file."
    );
    let why = "There is no card.json in this file.";
    let flaw = Failure::new(Code::InvalidArgument, "card_invalid", why).field("file", why);
    house.stage.refuses("catalog.v1.Cards/ReadCard", flaw);
    let broken = house.form(Method::POST, "/api/cards/read", &[], &[CARD]).bearer_auth(&ada.token);
    let (status, body) = json(broken).await;
    assert_eq!((status, body["code"].as_str(), body["msg"].as_str()), (400, Some("card_invalid"), Some(why)));
}

#[tokio::test]
async fn a_card_is_imported_privately_unless_asked_otherwise() {
    let (house, ada) = creator().await;
    let character = Some(Character { card: Some(card("c1")), ..Character::default() });
    house.stage.says(
        "catalog.v1.Cards/ImportCard",
        ImportCardResponse { character, warnings: vec!["Notes are kept.".into()] },
    );
    let picture: (&str, &str, &str, &[u8]) = ("picture", "p.png", "image/png", b"\x89PNG");
    let form = house
        .form(Method::POST, "/api/cards/import", &[("nsfw", "true")], &[CARD, picture])
        .bearer_auth(&ada.token)
        .header("idempotency-key", "k1");
    let made = ok(form).await;
    assert_eq!(
        (made["character"]["_id"].as_str(), made["warnings"][0].as_str()),
        (Some("c1"), Some("Notes are kept."))
    );
    let call = house.stage.call("catalog.v1.Cards/ImportCard");
    assert_eq!(call.header("idempotency-key"), Some("k1"));
    let sent: ImportCardRequest = call.read();
    assert_eq!((sent.file.as_slice(), sent.nsfw, sent.public, sent.exportable), (CARD.3, true, false, false));
    assert_eq!(sent.portrait, Some(Portrait::Picture(picture.3.to_vec())));

    let large = vec![b'x'; 25 * 1024 * 1024 + 1];
    let large = house
        .form(Method::POST, "/api/cards/import", &[], &[("file", "a.png", "image/png", &large)])
        .bearer_auth(&ada.token);
    assert_eq!(json(large).await.0, 413);
}

#[tokio::test]
async fn a_card_goes_out_as_a_file() {
    let (house, ada) = creator().await;
    house.stage.says(
        "catalog.v1.Cards/ExportCard",
        ExportCardResponse {
            data: b"PK".to_vec(),
            content_type: "application/zip".into(),
            file_name: "isolde.charx".into(),
        },
    );
    let answer = house.get("/api/cards/c1/export?format=charx&version=v2").bearer_auth(&ada.token);
    let answer = answer.send().await.expect("an answer");
    assert_eq!(header(&answer, "content-type"), "application/zip");
    assert_eq!(header(&answer, "content-disposition"), "attachment; filename=\"isolde.charx\"");
    assert_eq!(answer.bytes().await.expect("a file").as_ref(), b"PK");
    let sent: ExportCardRequest = house.stage.call("catalog.v1.Cards/ExportCard").read();
    assert_eq!((sent.id.as_str(), sent.format(), sent.version()), ("c1", CardFormat::Charx, CardVersion::V2));
    house.stage.refuses(
        "catalog.v1.Cards/ExportCard",
        Failure::new(Code::PermissionDenied, "not_exportable", "closed"),
    );
    let refused = house.get("/api/cards/c1/export").bearer_auth(&ada.token);
    assert_eq!(json(refused).await.0, 403);
    assert_eq!(json(house.get("/api/cards/c1/export?format=exe").bearer_auth(&ada.token)).await.0, 400);
}

#[tokio::test]
async fn the_further_parts_of_a_card_are_kept_unless_they_are_sent() {
    let (house, ada) = creator().await;
    let character = Some(Character { card: Some(card("c1")), ..Character::default() });
    house.stage.says("catalog.v1.Characters/UpdateCharacter", UpdateCharacterResponse { character });
    let mut texts = vec![("name", "Isolde"), ("description", "A queen."), ("firstMessage", "Enter.")];
    let form = house.form(Method::PUT, "/api/characters/c1", &texts, &[]).bearer_auth(&ada.token);
    ok(form).await;
    let sent: UpdateCharacterRequest = house.stage.call("catalog.v1.Characters/UpdateCharacter").read();
    assert_eq!(sent.draft.expect("a draft").extras, None);
    let book = format!("{{\"name\":\"{}\"}}", "x".repeat(300 * 1024));
    texts.extend([("alternateGreetings", r#"["One.","Two."]"#), ("characterBook", &book)]);
    let form = house.form(Method::PUT, "/api/characters/c1", &texts, &[]).bearer_auth(&ada.token);
    ok(form).await;
    let sent: UpdateCharacterRequest =
        house.stage.calls("catalog.v1.Characters/UpdateCharacter").pop().expect("another").read();
    let extras = sent.draft.expect("a draft").extras.expect("extras");
    assert_eq!(
        (extras.alternate_greetings, extras.character_book),
        (vec!["One.".into(), "Two.".into()], book)
    );
}

#[tokio::test]
async fn moderators_see_what_waits_and_why() {
    let (house, ada) = creator().await;
    let held = HeldCharacter {
        id: "c1".into(),
        name: "Isolde".into(),
        rule: "real.person".into(),
        because: "A moderator looks at it first.".into(),
        texts: vec![HeldText { field: "description".into(), text: "A queen.".into() }],
        digest: "ab12".into(),
        ..HeldCharacter::default()
    };
    let page = Some(PageInfo { total: 1, ..PageInfo::default() });
    house.stage.says("catalog.v1.Held/ListHeld", ListHeldResponse { characters: vec![held], page });
    let queue = ok(house.get("/api/admin/held").bearer_auth(&ada.token)).await;
    assert_eq!((queue["total"].as_u64(), queue["characters"][0]["_id"].as_str()), (Some(1), Some("c1")));
    assert_eq!(queue["characters"][0]["texts"][0]["field"], "description");
    assert_eq!(queue["characters"][0]["digest"], "ab12");
    let whole = HeldCharacter { id: "c1".into(), ..HeldCharacter::default() };
    house.stage.says("catalog.v1.Held/GetHeld", GetHeldResponse { character: Some(whole) });
    let one = ok(house.get("/api/admin/held/c1").bearer_auth(&ada.token)).await;
    assert!(one["character"]["digest"].is_null());
    house.stage.refuses(
        "catalog.v1.Held/DecideHeld",
        Failure::new(Code::FailedPrecondition, "not_held", "nothing holds it"),
    );
    let decide = house.post("/api/admin/held/c1", &json!({ "decision": "approve", "digest": "ab12" }));
    assert_eq!(json(decide.bearer_auth(&ada.token)).await.0, 409);
    let sent: DecideHeldRequest =
        house.stage.calls("catalog.v1.Held/DecideHeld").pop().expect("asked").read();
    assert_eq!(sent.digest, "ab12");
}
