use proto::{
    auth::v1::{
        self as pb, AssureAgeRequest, AssureAgeResponse, GetProfileResponse, OwnProfile, Persona,
        PersonaGender, Profile, ReplacePersonasRequest, ReplacePersonasResponse, UpdateProfileRequest,
        UpdateProfileResponse, get_profile_response::View,
    },
    billing::v1::{Balance, GetSubscriptionResponse, Period, Plan, Subscription, SubscriptionStatus},
    catalog::v1::{GetViewerResponse, SetViewerRequest, SetViewerResponse, Viewer},
    chat::v1::{GetUsageResponse, Usage},
    media::v1::{CreateUploadRequest, CreateUploadResponse, UploadPurpose},
};
use reqwest::Method;
use serde_json::{Value, json};
use tonic::Status;

use crate::support::{House, house, house_with, json, ok};

fn profile(id: &str) -> Profile {
    Profile {
        id: id.into(),
        username: "ada".into(),
        bio: "Engines.".into(),
        avatar_asset: "face1".into(),
        follower_count: 2,
        followers: vec![pb::Person { id: "b".into(), username: "bob".into(), avatar_asset: String::new() }],
        created_at: Some(prost_types::Timestamp { seconds: 1_790_000_000, nanos: 0 }),
        ..Profile::default()
    }
}

fn all_parts(house: &House) {
    let viewer = Viewer { age_confirmed: true, nsfw_on: true, followed_character_ids: vec!["c1".into()] };
    let subscription = Subscription {
        status: SubscriptionStatus::Active.into(),
        plan: Plan::Premium.into(),
        period: Period::Yearly.into(),
        next_payment_at: Some(prost_types::Timestamp { seconds: 1_795_000_000, nanos: 0 }),
        ..Subscription::default()
    };
    let usage = Usage { used: 7, limit: Some(5000), ..Usage::default() };
    let viewer = GetViewerResponse { viewer: Some(viewer), characters: 3, badge: true };
    house.stage.says("catalog.v1.Viewers/GetViewer", viewer);
    let balance = Some(Balance { available: 390, reserved: 10 });
    house.stage.says(
        "billing.v1.Subscriptions/GetSubscription",
        GetSubscriptionResponse { subscription: Some(subscription), balance },
    );
    house.stage.says("chat.v1.Chats/GetUsage", GetUsageResponse { usage: Some(usage) });
}

fn own(id: &str) -> OwnProfile {
    OwnProfile { profile: Some(profile(id)), email: "ada@example.org".into(), ..OwnProfile::default() }
}

#[tokio::test]
async fn one_s_own_profile_is_composed_from_all_services() {
    let house = house().await;
    let ada = house.sign_in("ada");
    all_parts(&house);
    house.stage.says(
        "auth.v1.Profiles/GetProfile",
        GetProfileResponse { view: Some(View::Own(own(&ada.id.to_string()))) },
    );
    let user = ok(house.get("/api/user/ada?isOwnProfile=true").bearer_auth(&ada.token)).await;
    assert_eq!(user["email"], "ada@example.org");
    assert_eq!(user["pfp"], "/media/face1/thumb.webp");
    assert_eq!(user["followers"], json!([{ "_id": "b", "username": "bob", "pfp": null }]));
    assert_eq!((user["characters"].as_u64(), user["followedCharacters"][0].as_str()), (Some(3), Some("c1")));
    assert_eq!(
        (user["subscriptionStatus"].as_str(), user["subscriptionPlan"].as_str()),
        (Some("active"), Some("premium"))
    );
    assert_eq!((&user["subscriptionPeriod"], &user["nextPeriod"]), (&json!("yearly"), &json!(null)));
    assert_eq!(user["badge"], json!(true));
    assert_eq!(user["subscriptionEndDate"], json!(null));
    assert!(user["nextPaymentDate"].as_str().expect("a time").starts_with("2026-11-1"));
    assert_eq!(user["coins"], json!({ "available": 390, "reserved": 10 }));
    assert_eq!((user["messagesUsed"].as_u64(), user["messagesLimit"].as_u64()), (Some(7), Some(5000)));
    assert_eq!(user["preferences"], json!({ "ageConfirmed": true, "nsfw": true }));

    // Without chat nobody knows how many messages were sent, and zero would be wrong.
    house.stage.refuses("chat.v1.Chats/GetUsage", Status::unavailable("x"));
    let user = ok(house.get("/api/user/ada").bearer_auth(&ada.token)).await;
    assert_eq!((user.get("messagesUsed"), &user["messagesLimit"]), (None, &json!(null)));
    assert_eq!(user["coins"]["available"], 390);

    // A wrong plan or balance would be worse than none.
    let without_coins = GetSubscriptionResponse { balance: None, ..GetSubscriptionResponse::default() };
    house.stage.says("billing.v1.Subscriptions/GetSubscription", without_coins);
    assert_eq!(json(house.get("/api/user/ada").bearer_auth(&ada.token)).await.0, 503);
    house.stage.refuses("billing.v1.Subscriptions/GetSubscription", Status::unavailable("x"));
    assert_eq!(json(house.get("/api/user/ada").bearer_auth(&ada.token)).await.0, 503);
}

#[tokio::test]
async fn the_profile_of_another_shows_nothing_private_and_stands_without_catalog() {
    let house = house().await;
    house
        .stage
        .says("auth.v1.Profiles/GetProfile", GetProfileResponse { view: Some(View::Public(profile("a"))) });
    house.stage.refuses("catalog.v1.Viewers/DescribeCreator", Status::unavailable("x"));
    let user = ok(house.get("/api/user/ada?isOwnProfile=true")).await;
    assert_eq!((user["username"].as_str(), user["followerCount"].as_u64()), (Some("ada"), Some(2)));
    assert_eq!(user["badge"], json!(false));
    for private in
        ["email", "deviceInfo", "coins", "preferences", "personas", "subscriptionPlan", "messagesUsed"]
    {
        assert!(user.get(private).is_none(), "{private}");
    }
    assert!(house.stage.calls("billing.v1.Subscriptions/GetSubscription").is_empty());
}

#[tokio::test]
async fn where_the_reader_stands_is_kept() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let assured = AssureAgeResponse { assured: true, redirect: String::new() };
    house.stage.says("auth.v1.Age/AssureAge", assured);
    house.stage.on("catalog.v1.Viewers/SetViewer", |asked: SetViewerRequest| {
        assert_eq!((asked.age_confirmed, asked.nsfw_on), (Some(true), None));
        Ok(SetViewerResponse { viewer: Some(Viewer { age_confirmed: true, ..Viewer::default() }) })
    });
    let kept =
        ok(house.post("/api/user/preferences", &json!({ "ageConfirmed": true })).bearer_auth(&ada.token))
            .await;
    assert_eq!(kept["preferences"], json!({ "ageConfirmed": true, "nsfw": false }));
    assert_eq!(kept["ageRedirect"], Value::Null);
}

#[tokio::test]
async fn where_a_country_has_a_provider_of_age_assurance_its_word_counts() {
    let house = house_with(|config| config.country_header = Some("x-country".into())).await;
    let ada = house.sign_in("ada");
    house.stage.on("auth.v1.Age/AssureAge", |asked: AssureAgeRequest| {
        assert_eq!(asked.country, "FR");
        let assured = asked.proof == "signed";
        let redirect = if assured { String::new() } else { "https://provider.example/go".into() };
        Ok(AssureAgeResponse { assured, redirect })
    });
    house.stage.on("catalog.v1.Viewers/SetViewer", |asked: SetViewerRequest| {
        let age_confirmed = asked.age_confirmed == Some(true);
        assert!(age_confirmed || asked.nsfw_on.is_none(), "nothing is turned on before the provider's word");
        let viewer = Viewer { age_confirmed, nsfw_on: asked.nsfw_on == Some(true), ..Viewer::default() };
        Ok(SetViewerResponse { viewer: Some(viewer) })
    });
    let ask = |body: Value| {
        let request = house.post("/api/user/preferences", &body).header("x-country", "fr");
        request.bearer_auth(&ada.token)
    };
    let sent_away = ok(ask(json!({ "ageConfirmed": true, "nsfw": true }))).await;
    assert_eq!(sent_away["ageRedirect"], "https://provider.example/go");
    assert_eq!(sent_away["preferences"], json!({ "ageConfirmed": false, "nsfw": false }));
    let back = ok(ask(json!({ "ageConfirmed": true, "nsfw": true, "ageProof": "signed" }))).await;
    assert_eq!(back["preferences"], json!({ "ageConfirmed": true, "nsfw": true }));
}

#[tokio::test]
async fn nothing_opens_without_a_confirmation_that_still_counts() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("auth.v1.Age/AssureAge", |asked: AssureAgeRequest| {
        assert!(!asked.declared, "turning it on declares nothing");
        Ok(AssureAgeResponse::default())
    });
    let on = house.post("/api/user/preferences", &json!({ "nsfw": true })).bearer_auth(&ada.token);
    let (status, body) = json(on).await;
    assert_eq!((status, body["code"].as_str()), (403, Some("age_unconfirmed")));
    assert!(house.stage.calls("catalog.v1.Viewers/SetViewer").is_empty());
}

#[tokio::test]
async fn a_profile_is_changed_with_and_without_a_picture() {
    let house = house().await;
    let ada = house.sign_in("ada");
    all_parts(&house);
    house.stage.says("auth.v1.Profiles/UpdateProfile", UpdateProfileResponse { profile: Some(own("a")) });
    house.stage.says(
        "media.v1.Uploads/CreateUpload",
        CreateUploadResponse { asset: "face2".into(), width: 1, height: 1 },
    );

    let form = house.form(Method::POST, "/api/user/update", &[("bio", "New words.")], &[]);
    assert_eq!(ok(form.bearer_auth(&ada.token)).await["user"]["username"], "ada");
    assert!(house.stage.calls("media.v1.Uploads/CreateUpload").is_empty());

    let form = house.form(
        Method::POST,
        "/api/user/update",
        &[("username", "ada2")],
        &[("pfp", "me.png", "image/png", b"\x89PNG")],
    );
    ok(form.bearer_auth(&ada.token)).await;
    let upload: CreateUploadRequest = house.stage.call("media.v1.Uploads/CreateUpload").read();
    assert_eq!(
        (upload.purpose(), upload.data.as_slice(), upload.private),
        (UploadPurpose::Avatar, b"\x89PNG".as_slice(), false)
    );
    let changes = house.stage.calls("auth.v1.Profiles/UpdateProfile");
    let first: UpdateProfileRequest = changes[0].read();
    assert_eq!((first.username, first.bio.as_deref(), first.avatar_asset), (None, Some("New words."), None));
    let second: UpdateProfileRequest = changes[1].read();
    assert_eq!((second.username.as_deref(), second.avatar_asset.as_deref()), (Some("ada2"), Some("face2")));

    let text =
        house.form(Method::POST, "/api/user/update", &[], &[("pfp", "notes.txt", "text/plain", b"hello")]);
    let (status, body) = json(text.bearer_auth(&ada.token)).await;
    assert_eq!((status, body["code"].as_str()), (415, Some("unsupported_media")));
}

#[tokio::test]
async fn personas_are_replaced_as_a_list() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("auth.v1.Personas/ReplacePersonas", |asked: ReplacePersonasRequest| {
        Ok(ReplacePersonasResponse { personas: asked.personas })
    });
    let list = json!([
        { "id": "1790", "name": "Ada", "description": "", "gender": "female", "default": true },
        { "id": "1791", "name": "Nobody", "description": "A shade.", "gender": "", "default": false }
    ]);
    let kept =
        ok(house.post("/api/personas/update", &json!({ "personas": list })).bearer_auth(&ada.token)).await;
    assert_eq!(kept["personas"], list);
    let sent: ReplacePersonasRequest = house.stage.call("auth.v1.Personas/ReplacePersonas").read();
    let first: &Persona = &sent.personas[0];
    assert_eq!((first.gender(), first.is_default), (PersonaGender::Female, true));

    let odd = json!({ "personas": [{ "id": "1", "name": "X", "gender": "dragon" }] });
    let (status, body) = json(house.post("/api/personas/update", &odd).bearer_auth(&ada.token)).await;
    assert_eq!(status, 400);
    assert!(body["fields"]["personas[0].gender"].is_string());
}
