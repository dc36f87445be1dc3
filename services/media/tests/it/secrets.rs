//! The real programs, told secrets that can be found again: what opens private pictures, and the key of the image server.

use std::sync::{Arc, Mutex, atomic::AtomicI64};

use kit::testing::{Issuer, MARK, Overheard, as_user, channel, common, database, eventually, fake, marked};
use proto::{
    billing::v1::{coins_server::CoinsServer, subscriptions_server::SubscriptionsServer},
    media::v1::{
        CreateImageRequest, CreateUploadRequest, FetchAssetRequest, GetImageRequest, ImageOptions, JobState,
        Rendition, SignUrlsRequest, UploadPurpose, assets_client::AssetsClient, images_client::ImagesClient,
        uploads_client::UploadsClient,
    },
};
use serde_json::json;
use tonic::service::Routes;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{bearer_token, path},
};

use crate::support::{Billing, picture};

const API: &str = env!("CARGO_BIN_EXE_media-api");
const WORKER: &str = env!("CARGO_BIN_EXE_media-worker");
const SECRETS: [&str; 3] = ["MEDIA_SIGNING_KEY", "IMAGE_API_KEY", "MODERATION_API_KEY"];

#[tokio::test]
async fn no_secret_and_no_prompt_is_in_the_log_or_the_traces_of_the_real_programs() {
    let engine = MockServer::start().await;
    // As servers are wont to, it repeats what it was told.
    let said = format!("no poet called {MARK} for {}", marked("IMAGE_API_KEY"));
    let refusal = json!({ "error": { "message": said, "code": "not_today" } });
    Mock::given(path("/v1/images/generations"))
        .and(bearer_token(marked("IMAGE_API_KEY")))
        .respond_with(ResponseTemplate::new(400).set_body_json(refusal))
        .expect(1..)
        .mount(&engine)
        .await;
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&media::MIGRATOR).await;
    let billing = Billing {
        paid: Arc::new(Mutex::new(true)),
        purse: Arc::new(AtomicI64::new(400)),
        reserved: Arc::default(),
    };
    let routes =
        Routes::new(SubscriptionsServer::new(billing.clone())).add_service(CoinsServer::new(billing));
    let billing = fake(routes).await;
    let folder = tempfile::tempdir().expect("a folder");
    let heard = Overheard::start().await;
    let start = |program: &str| {
        let (mut command, url) = heard.serving(program, &SECRETS, &common, &db);
        command
            .env("MEDIA_DIR", folder.path().join("media"))
            .env("BILLING_GRPC_URL", &billing)
            .env("IMAGE_ENGINE", "openai")
            .env("IMAGE_BASE_URL", engine.uri());
        (heard.spawn(command), url)
    };
    let (_api, url) = start(API);
    let _worker = start(WORKER);
    let (_, token) = issuer.user("ana");
    let at = channel(&url);

    // A private picture, and the address that opens it for a while.
    let uploads = UploadsClient::new(at.clone());
    let upload =
        CreateUploadRequest { data: picture(7), purpose: UploadPurpose::Portrait.into(), private: true };
    let asset =
        eventually(|| async { as_user(&token, uploads.clone().create_upload(upload.clone())).await.ok() })
            .await
            .into_inner()
            .asset;
    let mut assets = AssetsClient::new(at.clone());
    let sign = SignUrlsRequest { assets: vec![asset.clone()] };
    let queries = as_user(&token, assets.sign_urls(sign)).await.expect("hers").into_inner().queries;
    let (expires, signature) =
        queries[&asset].trim_start_matches("exp=").split_once("&sig=").expect("signed");
    let fetch = |signature: &str| FetchAssetRequest {
        asset: asset.clone(),
        rendition: Rendition::Full.into(),
        expires: expires.parse().expect("a time"),
        signature: signature.to_owned(),
    };
    assets.fetch_asset(fetch(signature)).await.expect("opened");
    assets.fetch_asset(fetch("00")).await.expect_err("not signed");

    // A picture that the server refuses to draw.
    let mut images = ImagesClient::new(at);
    let options = ImageOptions {
        gender: "female".into(),
        style: "anime".into(),
        prompt: format!("a poet called {MARK}"),
        ..ImageOptions::default()
    };
    let order = CreateImageRequest { options: Some(options), label: marked("label"), nsfw: false };
    let ordered = as_user(&token, images.create_image(order)).await.expect("queued").into_inner();
    let id = ordered.image.expect("an image").id;
    eventually(|| async {
        let ask = GetImageRequest { id: id.clone() };
        let answer = as_user(&token, images.clone().get_image(ask)).await.expect("hers").into_inner();
        (answer.image.expect("an image").state() == JobState::Failed).then_some(())
    })
    .await;

    // The span of the worker, which knows the picture, and why there is none.
    heard.until("draw", &["the picture has failed", "not_today"]).await;
    heard.until(&id, &[]).await;
    heard.until("Assets/FetchAsset", &[]).await;
    heard.assert_no_secret(&[("a token", &token), ("a signature", signature)]);
}

#[tokio::test]
async fn no_secret_is_in_what_the_programs_say_of_themselves_or_of_their_failure() {
    let heard = Overheard::start().await;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = heard.command(program, &SECRETS);
        command
            .args(arguments)
            .env("DATABASE_URL", format!("postgres://someone:{MARK}@127.0.0.1:1/x"))
            // With these it does not begin.
            .env("UPLOAD_CONCURRENCY", "0")
            .env("IMAGE_ENGINE", "openai")
            .env("IMAGE_TIMEOUT_S", "0");
        heard.run(command)
    };
    for program in [API, WORKER] {
        assert!(run(program, &["serve", "--help"]), "{program}");
        assert!(!run(program, &["serve"]), "{program}");
    }
    let said = heard.said();
    for word in SECRETS.into_iter().chain(["UPLOAD_CONCURRENCY is 0", "IMAGE_TIMEOUT_S is 0"]) {
        assert!(said.contains(word), "{word}: {said}");
    }
    heard.assert_no_secret(&[]);
}
