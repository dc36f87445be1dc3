//! What people do with the catalog.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use catalog::Config;
use kit::{
    client::Channel,
    config::Common,
    error::Failure,
    testing::{
        Issuer, TestDb, TestServer, as_user, channel, common, database, eventually, fake, publish, serve,
    },
};
use moderation::classifier::Settings;
use proto::{
    catalog::v1::{
        Character, CharacterDraft, CreateCharacterRequest, GetCharacterRequest, GetCharacterResponse,
        ReactRequest, Reaction, SearchRequest, SetViewerRequest, characters_client::CharactersClient,
        create_character_request::Portrait, listings_client::ListingsClient,
        reactions_client::ReactionsClient, viewers_client::ViewersClient,
    },
    events::v1::EntitlementChanged,
    media::v1::{
        CancelImageRequest, CancelImageResponse, CreateImageRequest, CreateImageResponse,
        CreatePortraitRequest, CreatePortraitResponse, CreateUploadRequest, CreateUploadResponse,
        DeleteImageRequest, DeleteImageResponse, FetchAssetRequest, FetchAssetResponse, FindCopiesRequest,
        FindCopiesResponse, GetImageRequest, GetImageResponse, GetStandingsRequest, GetStandingsResponse,
        ListImageOptionsRequest, ListImageOptionsResponse, ListImagesRequest, ListImagesResponse,
        RestoreImageRequest, RestoreImageResponse, SignUrlsRequest, SignUrlsResponse, Standing,
        UpdateImageRequest, UpdateImageResponse,
        assets_server::{Assets, AssetsServer},
        images_server::{Images, ImagesServer},
        uploads_server::{Uploads, UploadsServer},
    },
};
use time::OffsetDateTime;
use tokio::sync::Notify;
use tonic::{Code, Request, Response, Status, service::Routes};
use uuid::Uuid;

pub fn reason(status: &Status) -> String {
    Failure::from_status(status).reason
}

/// A media that takes its time to say how pictures stand, while it is on.
#[derive(Clone, Default)]
pub struct Slow {
    pub on: Arc<AtomicBool>,
    pub begun: Arc<AtomicUsize>,
    pub gate: Arc<Notify>,
}

/// media as far as catalog asks it: portraits, refused without coins; pictures, and how they stand.
#[derive(Clone, Default)]
pub struct Portraits {
    pub asked: Arc<Mutex<Vec<CreatePortraitRequest>>>,
    pub broke: Arc<Mutex<bool>>,
    /// Pictures that do not pass at once.
    pub standings: Arc<Mutex<HashMap<String, Standing>>>,
    pub slow: Slow,
    /// Pictures that stay private.
    pub private_only: Arc<Mutex<Vec<String>>>,
    pub uploads: Arc<Mutex<Vec<CreateUploadRequest>>>,
}

impl Portraits {
    /// From now on a picture stands like this.
    pub fn stand(&self, asset: &str, standing: Standing) {
        self.standings.lock().expect("no holder panics").insert(asset.into(), standing);
    }
}

/// What media writes into a picture that an engine made.
pub const MARK: &[u8] = b"<x:xmpmeta>trainedAlgorithmicMedia</x:xmpmeta>";

/// A picture as media keeps it.
pub fn webp() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_pixel(8, 12, image::Rgb([120, 40, 60]));
    picture.write_to(&mut bytes, image::ImageFormat::WebP).expect("encoded");
    let mut webp = bytes.into_inner();
    webp.extend_from_slice(b"XMP ");
    webp.extend_from_slice(&u32::try_from(MARK.len()).expect("short").to_le_bytes());
    webp.extend_from_slice(MARK);
    let size = u32::try_from(webp.len() - 8).expect("short");
    webp[4..8].copy_from_slice(&size.to_le_bytes());
    webp
}

#[tonic::async_trait]
impl Assets for Portraits {
    async fn fetch_asset(
        &self,
        request: Request<FetchAssetRequest>,
    ) -> Result<Response<FetchAssetResponse>, Status> {
        assert_eq!(request.get_ref().signature, "signed", "a private picture needs its signature");
        let content_type = "image/webp".into();
        Ok(Response::new(FetchAssetResponse { data: webp(), content_type, immutable: false }))
    }

    async fn find_copies(
        &self,
        _: Request<FindCopiesRequest>,
    ) -> Result<Response<FindCopiesResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn get_standings(
        &self,
        request: Request<GetStandingsRequest>,
    ) -> Result<Response<GetStandingsResponse>, Status> {
        if self.slow.on.load(Ordering::Relaxed) {
            self.slow.begun.fetch_add(1, Ordering::Relaxed);
            self.slow.gate.notified().await;
        }
        let known = self.standings.lock().expect("no holder panics").clone();
        let of = |asset: String| {
            let standing = known.get(&asset).copied().unwrap_or(Standing::Passed);
            (asset, standing.into())
        };
        let standings = request.into_inner().assets.into_iter().map(of).collect();
        let private_only = self.private_only.lock().expect("no holder panics").clone();
        Ok(Response::new(GetStandingsResponse { standings, private_only }))
    }

    async fn sign_urls(
        &self,
        request: Request<SignUrlsRequest>,
    ) -> Result<Response<SignUrlsResponse>, Status> {
        let sign = |asset: String| (asset, "exp=9&sig=signed".to_owned());
        let queries = request.into_inner().assets.into_iter().map(sign).collect();
        Ok(Response::new(SignUrlsResponse { queries }))
    }
}

#[tonic::async_trait]
impl Uploads for Portraits {
    async fn create_upload(
        &self,
        request: Request<CreateUploadRequest>,
    ) -> Result<Response<CreateUploadResponse>, Status> {
        let mut uploads = self.uploads.lock().expect("no holder panics");
        uploads.push(request.into_inner());
        let asset = format!("{:032x}", uploads.len());
        Ok(Response::new(CreateUploadResponse { asset, width: 8, height: 12 }))
    }
}

#[tonic::async_trait]
impl Images for Portraits {
    async fn create_portrait(
        &self,
        request: Request<CreatePortraitRequest>,
    ) -> Result<Response<CreatePortraitResponse>, Status> {
        assert!(request.metadata().contains_key("authorization"), "the user's bearer is forwarded");
        if *self.broke.lock().expect("no holder panics") {
            return Err(Failure::new(Code::FailedPrecondition, "coins_short", "no coins").into());
        }
        self.asked.lock().expect("no holder panics").push(request.into_inner());
        Ok(Response::new(CreatePortraitResponse { job_id: Uuid::now_v7().to_string() }))
    }

    async fn create_image(
        &self,
        _: Request<CreateImageRequest>,
    ) -> Result<Response<CreateImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn list_images(
        &self,
        _: Request<ListImagesRequest>,
    ) -> Result<Response<ListImagesResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn get_image(&self, _: Request<GetImageRequest>) -> Result<Response<GetImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn update_image(
        &self,
        _: Request<UpdateImageRequest>,
    ) -> Result<Response<UpdateImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn delete_image(
        &self,
        _: Request<DeleteImageRequest>,
    ) -> Result<Response<DeleteImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn restore_image(
        &self,
        _: Request<RestoreImageRequest>,
    ) -> Result<Response<RestoreImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn cancel_image(
        &self,
        _: Request<CancelImageRequest>,
    ) -> Result<Response<CancelImageResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }

    async fn list_image_options(
        &self,
        _: Request<ListImageOptionsRequest>,
    ) -> Result<Response<ListImageOptionsResponse>, Status> {
        Err(Status::unimplemented("not asked by catalog"))
    }
}

pub struct House {
    pub common: Common,
    pub issuer: Issuer,
    pub db: TestDb,
    pub server: TestServer,
    pub portraits: Portraits,
    media: String,
    classifier: Settings,
    /// Matches of keywords that are looked at.
    matches: u16,
}

/// As many as are looked at in the open.
const MATCHES: u16 = 5_000;

pub async fn house() -> House {
    house_with(Settings::default()).await
}

/// A house with a classifier.
pub async fn house_with(classifier: Settings) -> House {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&catalog::MIGRATOR).await;
    let portraits = Portraits::default();
    let routes = Routes::new(ImagesServer::new(portraits.clone()))
        .add_service(AssetsServer::new(portraits.clone()))
        .add_service(UploadsServer::new(portraits.clone()));
    let media = fake(routes).await;
    let server = start(&common, &db, &media, &classifier, MATCHES).await;
    House { common, issuer, db, server, portraits, media, classifier, matches: MATCHES }
}

async fn start(common: &Common, db: &TestDb, media: &str, classifier: &Settings, matches: u16) -> TestServer {
    let config = Config {
        // As in the open: its limits are told.
        common: Common { dev: false, ..common.clone() },
        database: db.target(),
        media_grpc_url: media.to_owned(),
        moderation: classifier.clone(),
        reports_a_day: 20,
        rank_creators_s: 1,
        search_matches_max: matches,
    };
    serve(|listener, shutdown| catalog::run(config, listener, shutdown)).await
}

pub fn draft(name: &str) -> CharacterDraft {
    CharacterDraft {
        name: name.into(),
        age: Some(34),
        tags: vec!["female".into(), "fictional".into()],
        description: format!("{name} repairs clocks in a harbour town."),
        personality: "Patient, curious, a little sharp.".into(),
        first_message: "*She looks up.* \"You are early.\"".into(),
        scenario: "A workshop at dusk.".into(),
        public: true,
        ..CharacterDraft::default()
    }
}

impl House {
    pub fn channel(&self) -> Channel {
        channel(&self.server.url)
    }

    /// The service ends and starts anew.
    pub async fn again(self) -> Self {
        let Self { common, issuer, db, server, portraits, media, classifier, matches } = self;
        server.stop().await;
        let server = start(&common, &db, &media, &classifier, matches).await;
        Self { common, issuer, db, server, portraits, media, classifier, matches }
    }

    /// The same, where a search looks at so many matches.
    pub async fn again_looking_at(self, matches: u16) -> Self {
        Self { matches, ..self }.again().await
    }

    pub fn characters(&self) -> CharactersClient<Channel> {
        CharactersClient::new(self.channel())
    }

    /// Somebody on a paid plan, as billing's event tells.
    pub async fn creator(&self, name: &str) -> (Uuid, String) {
        let (id, token) = self.issuer.user(name);
        let event = EntitlementChanged {
            user_id: id.to_string(),
            version: 1,
            plan: "premium".into(),
            status: "active".into(),
            until: Some(kit::time::to_proto(OffsetDateTime::now_utc() + time::Duration::days(30))),
        };
        publish(&self.common, "billing.entitlement.changed", &event).await;
        eventually(|| async {
            let known: i64 = sqlx::query_scalar("select count(*) from entitlement where user_id = $1")
                .bind(id)
                .fetch_one(&self.db.pool)
                .await
                .ok()?;
            (known == 1).then_some(())
        })
        .await;
        (id, token)
    }

    pub async fn create(&self, token: &str, draft: CharacterDraft) -> Result<Character, Status> {
        let request = CreateCharacterRequest {
            draft: Some(draft),
            portrait: Some(Portrait::ImageAsset("0123456789abcdef0123456789abcdef".into())),
        };
        let answer = as_user(token, self.characters().create_character(request)).await?;
        Ok(answer.into_inner().character.expect("the character"))
    }

    pub async fn see(&self, token: Option<&str>, id: &str) -> Result<GetCharacterResponse, Status> {
        let mut client = self.characters();
        let ask = client.get_character(GetCharacterRequest { id: id.into() });
        let answer = match token {
            Some(token) => as_user(token, ask).await?,
            None => ask.await?,
        };
        Ok(answer.into_inner())
    }

    /// Waits until everybody's list has this many for whoever asks.
    pub async fn listed(&self, token: Option<&str>, total: u64) {
        eventually(|| async {
            let mut listings = ListingsClient::new(self.channel());
            let ask = listings.search(SearchRequest::default());
            let answer = match token {
                Some(token) => as_user(token, ask).await,
                None => ask.await,
            };
            (answer.ok()?.into_inner().list?.page?.total == total).then_some(())
        })
        .await;
    }

    pub async fn like(&self, token: &str, id: &str) {
        let request = ReactRequest { character_id: id.into(), reaction: Reaction::Like.into() };
        as_user(token, ReactionsClient::new(self.channel()).react(request)).await.expect("liked");
    }

    /// Brings a listing row up to date after a change made by hand.
    pub async fn relist(&self, id: &str) {
        sqlx::query("select list_character($1)")
            .bind(Uuid::try_parse(id).expect("an id"))
            .execute(&self.db.pool)
            .await
            .expect("listed");
    }

    /// Confirms the age and turns NSFW on.
    pub async fn turn_nsfw_on(&self, token: &str) {
        let request = SetViewerRequest { age_confirmed: Some(true), nsfw_on: Some(true) };
        as_user(token, ViewersClient::new(self.channel()).set_viewer(request)).await.expect("set");
    }
}

pub fn id(character: &Character) -> String {
    character.card.as_ref().expect("a card").id.clone()
}
