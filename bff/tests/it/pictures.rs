use kit::error::Failure;
use proto::{
    auth::v1::{
        GetPeopleRequest, GetPeopleResponse, GetProfileResponse, OwnProfile, Person, Profile,
        get_profile_response::View,
    },
    billing::v1::{Balance, GetSubscriptionResponse},
    catalog::v1::{Character, CharacterCard, GetCharacterResponse, GetViewerResponse, Viewer},
    chat::v1::GetUsageResponse,
    media::v1::{
        CreateImageRequest, CreateImageResponse, FetchAssetRequest, FetchAssetResponse, Image,
        ListWaitingResponse, Rendition, SignUrlsRequest, SignUrlsResponse, WaitingAsset,
    },
};
use serde_json::{Value, json as body};
use tonic::Status;

use crate::support::{header, house, json, ok};

fn picture(immutable: bool) -> FetchAssetResponse {
    FetchAssetResponse { data: b"RIFF....WEBP".to_vec(), content_type: "image/webp".into(), immutable }
}

#[tokio::test]
async fn a_public_picture_is_kept_for_good() {
    let house = house().await;
    house.stage.says("media.v1.Assets/FetchAsset", picture(true));
    let answer = house.get("/media/k7_Qx-1/card.webp").send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(header(&answer, "content-type"), "image/webp");
    let tag = header(&answer, "etag").to_owned();
    assert_eq!(answer.bytes().await.expect("bytes").as_ref(), b"RIFF....WEBP");
    let asked: FetchAssetRequest = house.stage.call("media.v1.Assets/FetchAsset").read();
    assert_eq!((asked.asset.as_str(), asked.rendition(), asked.expires), ("k7_Qx-1", Rendition::Card, 0));

    let again =
        house.get("/media/k7_Qx-1/card.webp").header("if-none-match", tag).send().await.expect("an answer");
    assert_eq!(again.status(), 304);
    assert!(again.bytes().await.expect("bytes").is_empty());
}

#[tokio::test]
async fn a_signed_picture_is_kept_by_its_reader_for_as_long_as_the_signature() {
    let house = house().await;
    house.stage.says("media.v1.Assets/FetchAsset", picture(false));
    let answer = house.get("/media/k7/full.webp?exp=1790000000&sig=abc").send().await.expect("an answer");
    assert_eq!(header(&answer, "cache-control"), "private, max-age=600");
    let asked: FetchAssetRequest = house.stage.call("media.v1.Assets/FetchAsset").read();
    assert_eq!(
        (asked.rendition(), asked.expires, asked.signature.as_str()),
        (Rendition::Full, 1_790_000_000, "abc")
    );
}

#[tokio::test]
async fn what_is_not_to_be_seen_is_not_found_and_not_remembered() {
    let house = house().await;
    house.stage.refuses("media.v1.Assets/FetchAsset", Failure::not_found("asset_not_found"));
    for path in [
        "/media/k7/full.webp",
        "/media/k7/full.webp?exp=soon",
        "/media/k7/huge.webp",
        "/media/k7/card.png",
        "/media/a.b/card.webp",
    ] {
        let answer = house.get(path).send().await.expect("an answer");
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
    }
    assert_eq!(
        house.stage.calls("media.v1.Assets/FetchAsset").len(),
        1,
        "only a well-formed address is asked for"
    );
}

#[tokio::test]
async fn an_avatar_that_waits_for_a_look_is_shown_to_the_one_whose_it_is() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("media.v1.Assets/SignUrls", |asked: SignUrlsRequest| {
        let waiting =
            asked.assets.into_iter().filter(|asset| asset == "new").map(|a| (a, "exp=9&sig=s".into()));
        Ok(SignUrlsResponse { queries: waiting.collect() })
    });
    house.stage.says("catalog.v1.Viewers/GetViewer", GetViewerResponse::default());
    let paid = GetSubscriptionResponse { balance: Some(Balance::default()), ..Default::default() };
    house.stage.says("billing.v1.Subscriptions/GetSubscription", paid);
    house.stage.says("chat.v1.Chats/GetUsage", GetUsageResponse::default());
    for (asset, pfp) in [("new", "/media/new/thumb.webp?exp=9&sig=s"), ("old", "/media/old/thumb.webp")] {
        let profile =
            Some(Profile { username: "ada".into(), avatar_asset: asset.into(), ..Profile::default() });
        let own = View::Own(OwnProfile { profile: profile.clone(), ..OwnProfile::default() });
        house.stage.says("auth.v1.Profiles/GetProfile", GetProfileResponse { view: Some(own) });
        assert_eq!(ok(house.get("/api/user/ada").bearer_auth(&ada.token)).await["pfp"], pfp);
        let seen = profile.map(View::Public);
        house.stage.says("auth.v1.Profiles/GetProfile", GetProfileResponse { view: seen });
        let pfp = format!("/media/{asset}/thumb.webp");
        assert_eq!(ok(house.get("/api/user/ada")).await["pfp"], pfp, "others get no signature");
    }
}

#[tokio::test]
async fn a_portrait_that_media_opens_to_all_needs_no_signature() {
    let house = house().await;
    let card = |asset: &str| CharacterCard {
        id: "c1".into(),
        image_asset: asset.into(),
        image_signed: true,
        ..CharacterCard::default()
    };
    let character = Character { card: Some(card("open")), ..Character::default() };
    house.stage.says(
        "catalog.v1.Characters/GetCharacter",
        GetCharacterResponse { character: Some(character), ..Default::default() },
    );
    house.stage.says("media.v1.Assets/SignUrls", SignUrlsResponse::default());
    let shown = ok(house.get("/api/character/c1")).await;
    assert_eq!(shown["character"]["imageUrl"], "/media/open/card.webp", "{shown}");
    house.stage.refuses("media.v1.Assets/SignUrls", Status::unavailable("x"));
    assert_eq!(
        ok(house.get("/api/character/c1")).await["character"]["imageUrl"],
        Value::Null,
        "nobody knows"
    );
}

#[tokio::test]
async fn where_the_reader_stands_goes_with_choices_that_depend_on_it() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says("media.v1.Images/CreateImage", CreateImageResponse { image: Some(Image::default()) });
    let viewer = |age_confirmed, nsfw_on| GetViewerResponse {
        viewer: Some(Viewer { age_confirmed, nsfw_on, ..Viewer::default() }),
        ..GetViewerResponse::default()
    };
    let posed = body!({ "pose": "Pose 11" });
    for (confirmed, on, told) in [(true, true, true), (true, false, false), (false, true, false)] {
        house.stage.says("catalog.v1.Viewers/GetViewer", viewer(confirmed, on));
        ok(house.post("/api/images/create", &posed).bearer_auth(&ada.token)).await;
        let calls = house.stage.calls("media.v1.Images/CreateImage");
        let sent: CreateImageRequest = calls.last().expect("a call").read();
        assert_eq!(sent.nsfw, told, "{confirmed} {on}");
    }
    let off = Failure::new(tonic::Code::PermissionDenied, "nsfw_off", "x");
    house.stage.refuses("media.v1.Images/CreateImage", off);
    let (status, told) = json(house.post("/api/images/create", &posed).bearer_auth(&ada.token)).await;
    assert_eq!((status, told["code"].as_str()), (403, Some("nsfw_off")));
}

#[tokio::test]
async fn the_queue_of_pictures_names_their_owners_where_it_can() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let waiting =
        |owner: &str| WaitingAsset { asset: "a".into(), owner_id: owner.into(), ..Default::default() };
    let assets = vec![waiting("u1"), waiting("u1"), waiting("")];
    house.stage.says("media.v1.Judgements/ListWaiting", ListWaitingResponse { assets, page: None });
    house.stage.on("auth.v1.Profiles/GetPeople", |asked: GetPeopleRequest| {
        assert_eq!(asked.ids, ["u1"]);
        let ana = Person { id: "u1".into(), username: "ana".into(), ..Person::default() };
        Ok(GetPeopleResponse { people: vec![ana] })
    });
    let queue = ok(house.get("/api/admin/images").bearer_auth(&ada.token)).await;
    let names: Vec<&Value> = (0..3).map(|at| &queue["images"][at]["ownerName"]).collect();
    assert_eq!(names, [&body!("ana"), &body!("ana"), &Value::Null]);
    house.stage.refuses("auth.v1.Profiles/GetPeople", Status::unavailable("x"));
    let queue = ok(house.get("/api/admin/images").bearer_auth(&ada.token)).await;
    assert_eq!(
        (&queue["images"][0]["ownerId"], &queue["images"][0]["ownerName"]),
        (&body!("u1"), &Value::Null)
    );
}
