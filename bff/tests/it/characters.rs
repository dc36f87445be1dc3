use kit::error::Failure;
use proto::{
    auth::v1::GetFollowStateResponse,
    billing::v1::{Entitlement, GetEntitlementResponse},
    catalog::v1::{
        Character, CreateCharacterRequest, CreateCharacterResponse, GetCharacterResponse, Reaction,
        UpdateCharacterRequest, UpdateCharacterResponse, create_character_request::Portrait,
        update_character_request,
    },
    media::v1::{
        CreateUploadRequest, CreateUploadResponse, Image, JobState, ListImagesResponse, UploadPurpose,
    },
};
use reqwest::Method;
use serde_json::json;

use crate::{
    lists::card,
    support::{House, Somebody, house, json, ok},
};

const PNG: (&str, &str, &str, &[u8]) = ("image", "isolde.png", "image/png", b"\x89PNG....");

fn entitle(house: &House, can_create: bool) {
    let entitlement = Entitlement { can_create, ..Entitlement::default() };
    house.stage.says(
        "billing.v1.Subscriptions/GetEntitlement",
        GetEntitlementResponse { entitlement: Some(entitlement) },
    );
}

/// Somebody on a paid plan, in a house where everything works.
async fn creator() -> (House, Somebody) {
    let house = house().await;
    let ada = house.sign_in("ada");
    entitle(&house, true);
    let whole = Character { card: Some(card("c1")), ..Character::default() };
    house.stage.says(
        "catalog.v1.Characters/CreateCharacter",
        CreateCharacterResponse { character: Some(whole.clone()) },
    );
    house
        .stage
        .says("catalog.v1.Characters/UpdateCharacter", UpdateCharacterResponse { character: Some(whole) });
    house.stage.says(
        "media.v1.Uploads/CreateUpload",
        CreateUploadResponse { asset: "up1".into(), width: 8, height: 8 },
    );
    (house, ada)
}

#[tokio::test]
async fn a_character_is_shown_with_how_the_reader_stands_to_it() {
    let house = house().await;
    let whole = Character {
        card: Some(card("c1")),
        first_message: "Enter.".into(),
        kinks: vec!["slow dances".into(), "letters".into()],
        average_rating: Some(4.5),
        ..Character::default()
    };
    let found = GetCharacterResponse {
        character: Some(whole),
        user_reaction: Reaction::Like.into(),
        is_following: true,
    };
    house.stage.says("catalog.v1.Characters/GetCharacter", found);
    house.stage.says("auth.v1.Profiles/GetFollowState", GetFollowStateResponse { is_following: true });
    let visitor = ok(house.get("/api/character/c1")).await;
    assert_eq!(
        (visitor["character"]["name"].as_str(), visitor["isFollowingCreator"].as_bool()),
        (Some("Isolde"), Some(false))
    );
    assert!(house.stage.calls("auth.v1.Profiles/GetFollowState").is_empty());

    let ada = house.sign_in("ada");
    let page = ok(house.get("/api/character/c1").bearer_auth(&ada.token)).await;
    assert_eq!(
        (page["userReaction"].as_str(), page["isFollowing"].as_bool(), page["isFollowingCreator"].as_bool()),
        (Some("like"), Some(true), Some(true))
    );
    let character = &page["character"];
    assert_eq!(
        (character["firstMessage"].as_str(), character["kinks"].as_str()),
        (Some("Enter."), Some("slow dances, letters"))
    );
    assert_eq!((character["averageRating"].as_f64(), character["state"].as_str()), (Some(4.5), Some("live")));

    house.stage.refuses("catalog.v1.Characters/GetCharacter", Failure::not_found("character_not_found"));
    let (status, body) = json(house.get("/api/character/gone")).await;
    assert_eq!((status, body["msg"].as_str()), (404, Some("Character not found.")));
}

#[tokio::test]
async fn a_character_with_an_uploaded_picture() {
    let (house, ada) = creator().await;
    let texts = [
        ("name", "Isolde"),
        ("age", "34"),
        ("tags", r#"["Royalty","elf"]"#),
        ("description", "A queen."),
        ("personality", "Proud"),
        ("firstMessage", "Enter."),
        ("scenario", "A cold hall"),
        ("exampleConversation", "You: hello"),
        ("kinks", "letters, dances"),
        ("nsfw", "false"),
        ("public", "false"),
    ];
    let form = house
        .form(Method::POST, "/api/create", &texts, &[PNG])
        .bearer_auth(&ada.token)
        .header("idempotency-key", "k1");
    assert_eq!(ok(form).await["character"]["_id"], "c1");
    let upload = house.stage.call("media.v1.Uploads/CreateUpload");
    let sent: CreateUploadRequest = upload.read();
    assert_eq!((sent.purpose(), sent.private, sent.data.as_slice()), (UploadPurpose::Portrait, true, PNG.3));
    let call = house.stage.call("catalog.v1.Characters/CreateCharacter");
    assert_eq!(call.header("idempotency-key"), Some("k1"));
    let made: CreateCharacterRequest = call.read();
    assert_eq!(made.portrait, Some(Portrait::ImageAsset("up1".into())));
    let draft = made.draft.expect("a draft");
    assert_eq!(
        (draft.name.as_str(), draft.age, draft.public, draft.nsfw),
        ("Isolde", Some(34), false, false)
    );
    assert_eq!(
        (draft.tags.as_slice(), draft.kinks.as_slice()),
        (&["royalty".to_owned(), "elf".to_owned()][..], &["letters".to_owned(), "dances".to_owned()][..])
    );
    assert_eq!(draft.first_message, "Enter.");
}

#[tokio::test]
async fn a_character_whose_portrait_is_drawn_in_both_spellings_of_the_form() {
    let (house, ada) = creator().await;
    let brackets = [
        ("name", "Isolde"),
        ("tags", "[]"),
        ("generateMode", "true"),
        ("imageGeneration[hairColor]", "White"),
        ("imageGeneration[age]", "30s"),
    ];
    ok(house.form(Method::POST, "/api/create", &brackets, &[]).bearer_auth(&ada.token)).await;
    let object = [
        ("name", "Isolde"),
        ("generateMode", "true"),
        ("imageGeneration", r#"{"hairColor":"White","age":30,"style":"anime"}"#),
    ];
    ok(house.form(Method::POST, "/api/create", &object, &[]).bearer_auth(&ada.token)).await;
    let made: Vec<CreateCharacterRequest> = house
        .stage
        .calls("catalog.v1.Characters/CreateCharacter")
        .iter()
        .map(crate::backstage::Call::read)
        .collect();
    let options = |request: &CreateCharacterRequest| match request.portrait.clone() {
        Some(Portrait::Generate(options)) => options,
        other => panic!("{other:?}"),
    };
    assert_eq!((options(&made[0]).hair_color.as_str(), options(&made[0]).age.as_str()), ("White", "30s"));
    assert_eq!((options(&made[1]).age.as_str(), options(&made[1]).style.as_str()), ("30", "anime"));
    assert!(made[0].draft.as_ref().is_some_and(|d| d.public), "public when nothing is said");
    assert!(house.stage.calls("media.v1.Uploads/CreateUpload").is_empty());
}

#[tokio::test]
async fn without_a_plan_nothing_is_uploaded_or_made() {
    let (house, ada) = creator().await;
    entitle(&house, false);
    let (status, body) =
        json(house.form(Method::POST, "/api/create", &[("name", "Isolde")], &[PNG]).bearer_auth(&ada.token))
            .await;
    assert_eq!((status, body["code"].as_str()), (402, Some("upgrade_required")));
    assert!(house.stage.calls("media.v1.Uploads/CreateUpload").is_empty());
    assert!(house.stage.calls("catalog.v1.Characters/CreateCharacter").is_empty());
}

#[tokio::test]
async fn a_form_that_cannot_be_taken_says_why() {
    let (house, ada) = creator().await;
    let send = |texts: &[(&str, &str)], files: &[(&str, &str, &str, &[u8])]| {
        json(house.form(Method::POST, "/api/create", texts, files).bearer_auth(&ada.token))
    };
    let (status, body) = send(&[("name", "Isolde")], &[]).await;
    assert_eq!(
        (status, body["msg"].as_str()),
        (400, Some("Please upload an image or select generate mode for the character's image!"))
    );
    let (status, body) = send(&[("age", "old")], &[PNG]).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["age"].is_string());
    let (status, body) = send(&[("tags", "[1,")], &[PNG]).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["tags"].is_string());
    let (status, _) = send(&[], &[("image", "x.svg", "image/svg+xml", b"<svg/>")]).await;
    assert_eq!(status, 415);
    let huge = vec![0; 10 * 1024 * 1024 + 1];
    let (status, body) = send(&[], &[("image", "x.png", "image/png", &huge)]).await;
    assert_eq!((status, body["code"].as_str()), (413, Some("too_large")));
    let (status, _) =
        json(house.post("/api/create", &json!({ "name": "Isolde" })).bearer_auth(&ada.token)).await;
    assert_eq!(status, 415);
    let (status, body) = json(
        house
            .form(Method::POST, "/api/create", &[("generateMode", "true"), ("imageGeneration", "{")], &[])
            .bearer_auth(&ada.token),
    )
    .await;
    assert_eq!(status, 400);
    assert!(body["fields"]["imageGeneration"].is_string());
    assert!(house.stage.calls("catalog.v1.Characters/CreateCharacter").is_empty());

    house
        .stage
        .refuses("catalog.v1.Characters/CreateCharacter", Failure::invalid("age", "Minimum age is 18"));
    let (status, body) = send(&[("age", "17")], &[PNG]).await;
    assert_eq!((status, body["fields"]["age"].as_str()), (400, Some("Minimum age is 18")));
}

#[tokio::test]
async fn a_change_keeps_the_picture_unless_a_new_one_comes() {
    let (house, ada) = creator().await;
    entitle(&house, false);
    ok(house
        .form(
            Method::PUT,
            "/api/characters/c1",
            &[("name", "Iseult")],
            &[("image", "", "application/octet-stream", b"")],
        )
        .bearer_auth(&ada.token))
    .await;
    ok(house.form(Method::PUT, "/api/characters/c1", &[("name", "Iseult")], &[PNG]).bearer_auth(&ada.token))
        .await;
    let drawn = house
        .form(Method::PUT, "/api/characters/c1", &[("generateMode", "true")], &[])
        .bearer_auth(&ada.token);
    assert_eq!(json(drawn).await.0, 402, "drawing belongs to the paid plans");
    let changes: Vec<UpdateCharacterRequest> = house
        .stage
        .calls("catalog.v1.Characters/UpdateCharacter")
        .iter()
        .map(crate::backstage::Call::read)
        .collect();
    assert_eq!((changes[0].id.as_str(), &changes[0].portrait), ("c1", &None));
    assert_eq!(changes[1].portrait, Some(update_character_request::Portrait::ImageAsset("up1".into())));
}

#[tokio::test]
async fn a_picture_is_queued_and_the_gallery_shows_what_has_come() {
    let (house, ada) = creator().await;
    let queued = Image { id: "i1".into(), state: JobState::Queued.into(), cost: 10, ..Image::default() };
    house.stage.says(
        "media.v1.Images/CreateImage",
        proto::media::v1::CreateImageResponse { image: Some(queued.clone()) },
    );
    let body = json!({ "gender": "female", "age": 18, "style": "anime", "prompt": "at sea", "label": "Sea" });
    let (status, answer) = json(house.post("/api/images/create", &body).bearer_auth(&ada.token)).await;
    assert_eq!(
        (status, answer["message"].as_str()),
        (202, Some("Image is queued up! You can view it in your gallery soon."))
    );
    assert_eq!(
        (answer["image"]["state"].as_str(), answer["image"]["imageUrl"].as_str()),
        (Some("queued"), None)
    );
    let sent: proto::media::v1::CreateImageRequest = house.stage.call("media.v1.Images/CreateImage").read();
    let options = sent.options.expect("options");
    assert_eq!((sent.label.as_str(), options.age.as_str(), options.prompt.as_str()), ("Sea", "18", "at sea"));

    let done = Image {
        state: JobState::Completed.into(),
        asset: "pic".into(),
        signature: "exp=1&sig=s".into(),
        ..queued
    };
    house
        .stage
        .says("media.v1.Images/ListImages", ListImagesResponse { images: vec![done], has_next_page: true });
    let page = ok(house.get("/api/images?page=2").bearer_auth(&ada.token)).await;
    assert_eq!((page["hasNextPage"].as_bool(), page["currentPage"].as_u64()), (Some(true), Some(2)));
    assert_eq!(page["images"][0]["imageUrl"], "/media/pic/full.webp?exp=1&sig=s");
    assert_eq!(page["images"][0]["thumbUrl"], "/media/pic/card.webp?exp=1&sig=s");

    house.stage.refuses(
        "media.v1.Images/CreateImage",
        Failure::new(tonic::Code::FailedPrecondition, "coins_short", "x"),
    );
    assert_eq!(json(house.post("/api/images/create", &body).bearer_auth(&ada.token)).await.0, 402);
}
