use kit::testing::{as_user, channel, eventually};
use media::engines::Playbill;
use proto::{
    events::v1::{AssetJudged, UserStruck},
    media::v1::{
        GetStandingsRequest, JudgeAssetRequest, ListWaitingRequest, Rendition, Standing,
        assets_client::AssetsClient, judgements_client::JudgementsClient,
    },
};
use serde_json::json;
use tonic::Code;
use uuid::Uuid;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

use crate::{
    images::ended,
    support::{House, house, house_with, picture, reason},
};

async fn standing(house: &House, asset: &str) -> Standing {
    let request = GetStandingsRequest { assets: vec![asset.into()] };
    let answer = AssetsClient::new(channel(&house.server.url)).get_standings(request).await.expect("told");
    let told = answer.into_inner().standings.remove(asset).expect("known");
    Standing::try_from(told).expect("a standing")
}

/// A classifier that says this of every picture.
async fn classifier(minor: bool) -> MockServer {
    let server = MockServer::start().await;
    let answer = json!({ "results": [{
        "flagged": minor,
        "categories": { "sexual": false, "sexual/minors": minor },
        "category_scores": { "sexual": 0.0, "sexual/minors": if minor { 0.98 } else { 0.0 } },
    }] });
    Mock::given(method("POST"))
        .and(path("/v1/moderations"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    server
}

#[tokio::test]
async fn outside_development_an_upload_waits_for_a_moderator() {
    let house = house_with(|config| config.common.dev = false).await;
    let events = house.events().await;
    let ((_, ana), admin) = (house.user("ana"), house.issuer.token_with(Uuid::now_v7(), "mod", &["admin"]));
    let asset = house.upload(&ana, picture(1), false).await.expect("taken").asset;
    assert_eq!(standing(&house, &asset).await, Standing::Waiting);
    house.fetch(&asset, "", Rendition::Card).await.expect_err("nobody sees it yet");
    let (_, ben) = house.user("ben");
    assert_eq!((house.sign(&asset).await, house.sign_as(&ben, &asset).await), (None, None), "nor can they");
    house.sign_as(&admin, &asset).await.expect("who looks at it does");
    let query = house.sign_as(&ana, &asset).await.expect("its owner does");
    house.fetch(&asset, &query, Rendition::Card).await.expect("with the signature");

    let mut judgements = JudgementsClient::new(channel(&house.server.url));
    let refused = as_user(&ana, judgements.list_waiting(ListWaitingRequest { page: None })).await;
    assert_eq!(refused.expect_err("no moderator").code(), Code::PermissionDenied);
    let waiting =
        as_user(&admin, judgements.list_waiting(ListWaitingRequest { page: None })).await.expect("listed");
    assert_eq!(
        waiting.into_inner().assets.iter().map(|a| a.asset.as_str()).collect::<Vec<_>>(),
        [asset.as_str()]
    );
    let pass =
        |pass, reasons: &str| JudgeAssetRequest { asset: asset.clone(), pass, reasons: reasons.into() };
    as_user(&admin, judgements.judge_asset(pass(true, ""))).await.expect("judged");
    let told: AssetJudged = events.wait("media.asset.judged", |e: &AssetJudged| e.asset == asset).await;
    assert!(told.passed);
    house.fetch(&asset, "", Rendition::Card).await.expect("everybody sees it");
    let again = as_user(&admin, judgements.judge_asset(pass(false, "late"))).await;
    assert_eq!(reason(&again.expect_err("decided")), "not_waiting");
}

#[tokio::test]
async fn what_a_moderator_refuses_is_served_to_nobody_and_its_owner_is_told() {
    let house = house_with(|config| config.common.dev = false).await;
    let events = house.events().await;
    let ((_, ana), admin) = (house.user("ana"), house.issuer.token_with(Uuid::now_v7(), "mod", &["admin"]));
    let asset = house.upload(&ana, picture(2), false).await.expect("taken").asset;
    let query = house.sign_as(&ana, &asset).await.expect("hers");
    let mut judgements = JudgementsClient::new(channel(&house.server.url));
    let judge =
        |reasons: &str| JudgeAssetRequest { asset: asset.clone(), pass: false, reasons: reasons.into() };
    let silent = as_user(&admin, judgements.judge_asset(judge(" "))).await;
    assert_eq!(reason(&silent.expect_err("why?")), "invalid");
    as_user(&admin, judgements.judge_asset(judge("It shows a real person."))).await.expect("judged");
    house.fetch(&asset, &query, Rendition::Card).await.expect_err("away");
    let mail: proto::events::v1::MailRequested = events.wait("media.mail.requested", |_| true).await;
    assert_eq!(mail.params["text"], "It shows a real person.");
}

#[tokio::test]
async fn the_classifier_passes_refuses_or_is_away() {
    let kind = classifier(false).await;
    let uri = kind.uri();
    let house = house_with(|c| c.moderation.moderation_base_url = Some(uri)).await;
    let (_, ana) = house.user("ana");
    let asset = house.upload(&ana, picture(3), false).await.expect("taken").asset;
    assert_eq!(standing(&house, &asset).await, Standing::Passed);

    let stern = classifier(true).await;
    let uri = stern.uri();
    let strict = house_with(|c| c.moderation.moderation_base_url = Some(uri)).await;
    let events = strict.events().await;
    let (ben_id, ben) = strict.user("ben");
    let refused = strict.upload(&ben, picture(4), false).await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
    let struck: UserStruck = events.wait("media.user.struck", |_| true).await;
    assert_eq!(struck.user_id, ben_id.to_string());

    // Away, and then back: what waited passes by itself.
    let server = MockServer::start().await;
    let uri = server.uri();
    let closed = house_with(|c| c.moderation.moderation_base_url = Some(uri)).await;
    let (_, cleo) = closed.user("cleo");
    let asset = closed.upload(&cleo, picture(5), false).await.expect("taken").asset;
    assert_eq!(standing(&closed, &asset).await, Standing::Waiting, "fails closed");
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(
            json!({ "results": [{ "flagged": false, "categories": { "sexual/minors": false }, "category_scores": {} }] }),
        ))
        .mount(&server)
        .await;
    sqlx::query("update asset set judge_at = now()")
        .execute(&closed.db.pool)
        .await
        .expect("half a minute later");
    eventually(async || (standing(&closed, &asset).await == Standing::Passed).then_some(())).await;
}

/// The same picture, packed otherwise and a little brighter.
fn brighter(png: &[u8]) -> Vec<u8> {
    let mut jpeg = std::io::Cursor::new(Vec::new());
    let shown = image::load_from_memory(png).expect("a picture").brighten(10);
    shown.to_rgb8().write_to(&mut jpeg, image::ImageFormat::Jpeg).expect("a JPEG");
    jpeg.into_inner()
}

#[tokio::test]
async fn what_was_refused_does_not_come_back() {
    let house = house_with(|config| config.common.dev = false).await;
    let ((_, ana), admin) = (house.user("ana"), house.issuer.token_with(Uuid::now_v7(), "mod", &["admin"]));
    let asset = house.upload(&ana, picture(8), false).await.expect("taken").asset;
    let refuse = JudgeAssetRequest { asset, pass: false, reasons: "It shows a real person.".into() };
    let mut judgements = JudgementsClient::new(channel(&house.server.url));
    as_user(&admin, judgements.judge_asset(refuse)).await.expect("judged");
    for copy in [picture(8), brighter(&picture(8))] {
        let refused = house.upload(&ana, copy, false).await.expect_err("refused before");
        assert_eq!(reason(&refused), "moderated");
    }
    house.upload(&ana, picture(9), false).await.expect("another waits for its own look");

    let server = classifier(true).await;
    let uri = server.uri();
    let strict = house_with(|c| c.moderation.moderation_base_url = Some(uri)).await;
    let (_, ben) = strict.user("ben");
    strict.upload(&ben, picture(10), false).await.expect_err("refused");
    server.reset().await;
    for copy in [picture(10), brighter(&picture(10))] {
        let refused = strict.upload(&ben, copy, false).await.expect_err("without being asked about again");
        assert_eq!(reason(&refused), "moderated");
    }
    assert!(server.received_requests().await.expect("recorded").is_empty());
}

#[tokio::test]
async fn what_the_built_in_engine_draws_passes_everywhere() {
    let house = house_with(|config| config.common.dev = false).await;
    let _worker = house.worker(Playbill).await;
    let (_, ana) = house.user("ana");
    let id = house.create(&ana, "a poet").await.expect("queued").id;
    let drawn = ended(&house, &ana, &id).await;
    assert_eq!(drawn.standing(), Standing::Passed);
}

#[tokio::test]
async fn a_removed_picture_does_not_come_back_scaled_packed_or_brightened() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let original = picture(6);
    let asset = house.upload(&ana, original.clone(), false).await.expect("taken").asset;
    let decision = proto::events::v1::ReportDecided {
        report_id: Uuid::now_v7().to_string(),
        decision: "remove".into(),
        assets: vec![asset.clone()],
        ..Default::default()
    };
    kit::testing::publish(&house.common, "catalog.report.decided", &decision).await;
    eventually(async || house.fetch(&asset, "", Rendition::Card).await.is_err().then_some(())).await;

    let shown = image::load_from_memory(&original).expect("a picture");
    let half = shown.resize(shown.width() / 2, shown.height() / 2, image::imageops::FilterType::Triangle);
    for (name, copy) in
        [("half the size", half), ("brighter", shown.brighten(14)), ("grey", shown.grayscale())]
    {
        let mut jpeg = std::io::Cursor::new(Vec::new());
        copy.to_rgb8().write_to(&mut jpeg, image::ImageFormat::Jpeg).expect("a JPEG");
        let refused = house.upload(&ana, jpeg.into_inner(), false).await;
        assert_eq!(reason(&refused.expect_err(name)), "moderated", "{name}");
    }
    house.upload(&ana, picture(7), false).await.expect("another picture is welcome");
}
