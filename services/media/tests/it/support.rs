//! What people do with media, and a billing that does as it is told.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use kit::{
    client::Channel,
    config::{Common, Secret},
    error::Failure,
    shutdown::Shutdown,
    testing::{
        Issuer, Recorder, TestDb, TestServer, as_user, as_user_with_key, channel, common, database,
        eventually, fake, published, serve, start,
    },
};
use lapin::{
    BasicProperties, Connection, ConnectionProperties,
    options::{
        BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, ConfirmSelectOptions,
    },
};
use media::{
    Config, FilesConfig, WorkerConfig,
    engines::{
        DrawRequest, Drawing, EngineError, ImageEngine, Kind, Playbill, PoseSettings, Settings, Watch,
    },
};
use proto::{
    billing::v1::{
        BeginWithdrawalRequest, BeginWithdrawalResponse, CancelSubscriptionRequest,
        CancelSubscriptionResponse, ChangePlanRequest, ChangePlanResponse, ConfirmWithdrawalRequest,
        ConfirmWithdrawalResponse, Entitlement, GetBalanceRequest, GetBalanceResponse, GetEntitlementRequest,
        GetEntitlementResponse, GetSubscriptionRequest, GetSubscriptionResponse, ListMovementsRequest,
        ListMovementsResponse, ListReceiptsRequest, ListReceiptsResponse, OpenPortalRequest,
        OpenPortalResponse, ReactivateSubscriptionRequest, ReactivateSubscriptionResponse,
        ReserveCoinsRequest, ReserveCoinsResponse,
        coins_server::{Coins, CoinsServer},
        subscriptions_server::{Subscriptions, SubscriptionsServer},
    },
    media::v1::{
        CreateImageRequest, CreatePortraitRequest, CreateUploadRequest, CreateUploadResponse,
        ExportAccountDataRequest, FetchAssetRequest, FetchAssetResponse, FindCopiesRequest,
        FindCopiesResponse, GetImageRequest, Image, ImageOptions, ListImagesRequest, Rendition,
        SignUrlsRequest, UploadPurpose, account_data_client::AccountDataClient, assets_client::AssetsClient,
        images_client::ImagesClient, uploads_client::UploadsClient,
    },
};
use tokio::sync::{Notify, Semaphore};
use tonic::{Code, Request, Response, Status, service::Routes};
use uuid::Uuid;

/// Seconds of a lease: short, so that a killed worker is missed soon.
const LEASE_S: u32 = 1;

/// A billing whose plan and purse the test decides.
#[derive(Clone)]
pub struct Billing {
    pub paid: Arc<Mutex<bool>>,
    pub purse: Arc<AtomicI64>,
    /// References that were reserved, each once.
    pub reserved: Arc<Mutex<Vec<String>>>,
}

pub struct House {
    pub common: Common,
    pub issuer: Issuer,
    pub db: TestDb,
    pub billing: Billing,
    pub server: TestServer,
    pub files: FilesConfig,
    moderation: moderation::classifier::Settings,
    _folder: tempfile::TempDir,
}

/// media-api, without a worker.
pub async fn house() -> House {
    house_with(|_| {}).await
}

/// media-api as its operator has configured it.
pub async fn house_with(configure: impl FnOnce(&mut Config)) -> House {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&media::MIGRATOR).await;
    let folder = tempfile::tempdir().expect("a folder");
    let files = FilesConfig { media_dir: folder.path().join("media") };
    let billing = Billing {
        paid: Arc::new(Mutex::new(true)),
        purse: Arc::new(AtomicI64::new(400)),
        reserved: Arc::default(),
    };
    let routes =
        Routes::new(SubscriptionsServer::new(billing.clone())).add_service(CoinsServer::new(billing.clone()));
    let mut config = Config {
        common: common.clone(),
        database: db.target(),
        files: files.clone(),
        signing_key: Secret::new("the tests' signing key"),
        billing_grpc_url: fake(routes).await,
        upload_concurrency: 2,
        image_engine: Kind::Playbill,
        poses: PoseSettings::default(),
        moderation: moderation::classifier::Settings::default(),
    };
    configure(&mut config);
    let (common, moderation) = (config.common.clone(), config.moderation.clone());
    let server = serve(|listener, shutdown| media::run(config, listener, shutdown)).await;
    House { common, issuer, db, billing, server, files, moderation, _folder: folder }
}

impl House {
    pub fn user(&self, name: &str) -> (Uuid, String) {
        self.issuer.user(name)
    }

    /// Starts a worker with this engine.
    pub async fn worker(&self, engine: impl ImageEngine) -> TestServer {
        let config = self.worker_config();
        start(|_, shutdown| media::worker::run(config, Arc::new(engine), shutdown)).await
    }

    /// A worker for a runtime of the test's own.
    pub fn worker_run(&self, engine: impl ImageEngine) -> impl Future<Output = anyhow::Result<()>> + 'static {
        media::worker::run(self.worker_config(), Arc::new(engine), Shutdown::new())
    }

    fn worker_config(&self) -> WorkerConfig {
        WorkerConfig {
            common: self.common.clone(),
            database: self.db.target(),
            files: self.files.clone(),
            engine: Settings::playbill(),
            moderation: self.moderation.clone(),
            draw_concurrency: 1,
            job_lease_s: LEASE_S,
            job_retry_ms: 1,
        }
    }

    /// Makes the one ticket of the queue a dead letter, as the broker does after too many deliveries.
    pub async fn kill_ticket(&self) {
        let (channel, ticket) = self.take_ticket().await;
        let dead = format!("{}.dead", self.common.named("media.jobs"));
        let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
        let sent =
            channel.basic_publish("".into(), dead.as_str().into(), options, &ticket.data, properties).await;
        sent.expect("sent").await.expect("taken");
        ticket.ack(BasicAckOptions::default()).await.expect("acknowledged");
    }

    /// The one ticket of the queue is gone, as with a broker that lost its disk.
    pub async fn lose_ticket(&self) {
        let (_channel, ticket) = self.take_ticket().await;
        ticket.ack(BasicAckOptions::default()).await.expect("acknowledged");
    }

    /// The one ticket of the queue has been taken and given back so often.
    pub async fn return_ticket(&self, times: i64) {
        for _ in 0..times {
            let (_channel, ticket) = self.take_ticket().await;
            ticket.nack(BasicNackOptions { requeue: true, multiple: false }).await.expect("given back");
        }
    }

    async fn take_ticket(&self) -> (lapin::Channel, lapin::message::BasicGetMessage) {
        let broker = Connection::connect(self.common.amqp_url.expose(), ConnectionProperties::default());
        let channel = broker.await.expect("RabbitMQ").create_channel().await.expect("a channel");
        channel.confirm_select(ConfirmSelectOptions::default()).await.expect("confirms");
        let queue = self.common.named("media.jobs");
        let ticket = eventually(async || {
            channel.basic_get(queue.as_str().into(), BasicGetOptions::default()).await.expect("asked")
        })
        .await;
        (channel, ticket)
    }

    pub async fn events(&self) -> Recorder {
        published(&self.common, &["media.#"]).await
    }

    fn channel(&self) -> Channel {
        channel(&self.server.url)
    }

    pub async fn upload(
        &self,
        token: &str,
        data: Vec<u8>,
        private: bool,
    ) -> Result<CreateUploadResponse, Status> {
        let request = CreateUploadRequest { data, purpose: UploadPurpose::Portrait.into(), private };
        let mut uploads = UploadsClient::new(self.channel());
        Ok(as_user(token, uploads.create_upload(request)).await?.into_inner())
    }

    /// As a browser would: with the query of the address, if there is one.
    pub async fn fetch(
        &self,
        asset: &str,
        query: &str,
        size: Rendition,
    ) -> Result<FetchAssetResponse, Status> {
        let (expires, signature) = match query.strip_prefix("exp=").and_then(|q| q.split_once("&sig=")) {
            Some((exp, sig)) => (exp.parse().unwrap_or(0), sig.to_owned()),
            None => (0, String::new()),
        };
        let request = FetchAssetRequest { asset: asset.into(), rendition: size.into(), expires, signature };
        Ok(AssetsClient::new(self.channel()).fetch_asset(request).await?.into_inner())
    }

    /// As anybody would who looks for copies of a picture.
    pub async fn copies(&self, data: Vec<u8>) -> Result<FindCopiesResponse, Status> {
        Ok(AssetsClient::new(self.channel()).find_copies(FindCopiesRequest { data }).await?.into_inner())
    }

    pub async fn exported(&self, token: &str) -> serde_json::Value {
        let mut data = AccountDataClient::new(self.channel());
        let answer = as_user(token, data.export_account_data(ExportAccountDataRequest {})).await;
        serde_json::from_str(&answer.expect("exported").into_inner().json).expect("one JSON object")
    }

    /// The query that opens the asset; `None` when it needs none.
    pub async fn sign(&self, asset: &str) -> Option<String> {
        let request = SignUrlsRequest { assets: vec![asset.into()] };
        let answer = AssetsClient::new(self.channel()).sign_urls(request).await.expect("answered");
        answer.into_inner().queries.remove(asset)
    }

    /// As somebody who has signed in.
    pub async fn sign_as(&self, token: &str, asset: &str) -> Option<String> {
        let request = SignUrlsRequest { assets: vec![asset.into()] };
        let answer = as_user(token, AssetsClient::new(self.channel()).sign_urls(request)).await;
        answer.expect("answered").into_inner().queries.remove(asset)
    }

    pub async fn create(&self, token: &str, prompt: &str) -> Result<Image, Status> {
        self.create_with_key(token, prompt, None).await
    }

    pub async fn create_with_key(
        &self,
        token: &str,
        prompt: &str,
        key: Option<&str>,
    ) -> Result<Image, Status> {
        let request =
            CreateImageRequest { options: Some(options(prompt)), label: "For the hall".into(), nsfw: false };
        let mut images = ImagesClient::new(self.channel());
        let call = images.create_image(request);
        let answer = match key {
            Some(key) => as_user_with_key(token, key, call).await?,
            None => as_user(token, call).await?,
        };
        Ok(answer.into_inner().image.expect("an image"))
    }

    pub async fn portrait(
        &self,
        token: &str,
        character: Uuid,
        version: i64,
        private: bool,
    ) -> Result<String, Status> {
        let request = CreatePortraitRequest {
            character_id: character.to_string(),
            options: Some(options("a poet")),
            tags: vec!["royalty".into()],
            private,
            version,
            nsfw: false,
        };
        Ok(as_user(token, ImagesClient::new(self.channel()).create_portrait(request))
            .await?
            .into_inner()
            .job_id)
    }

    pub async fn gallery(&self, token: &str, page: u32, limit: u32) -> (Vec<Image>, bool) {
        let request = ListImagesRequest { page, limit };
        let mut images = ImagesClient::new(self.channel());
        let answer = as_user(token, images.list_images(request)).await.expect("listed").into_inner();
        (answer.images, answer.has_next_page)
    }

    pub async fn image(&self, token: &str, id: &str) -> Result<Image, Status> {
        let mut images = ImagesClient::new(self.channel());
        let answer = as_user(token, images.get_image(GetImageRequest { id: id.into() })).await?;
        Ok(answer.into_inner().image.expect("an image"))
    }
}

/// A picture like no other: soft blots, as a PNG.
pub fn picture(seed: u32) -> Vec<u8> {
    const BLOTS: u32 = 12;
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(99);
    let blots = image::RgbImage::from_fn(BLOTS, BLOTS, |_, _| {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u8::try_from(state >> 24).unwrap_or(0)
        };
        image::Rgb([next(), next(), next()])
    });
    let soft =
        image::DynamicImage::ImageRgb8(blots).resize_exact(240, 320, image::imageops::FilterType::CatmullRom);
    let mut png = std::io::Cursor::new(Vec::new());
    soft.write_to(&mut png, image::ImageFormat::Png).expect("a PNG");
    png.into_inner()
}

fn options(prompt: &str) -> ImageOptions {
    ImageOptions {
        gender: "female".into(),
        ethnicity: "Latina".into(),
        age: "30s".into(),
        style: "anime".into(),
        prompt: prompt.into(),
        ..ImageOptions::default()
    }
}

pub fn reason(status: &Status) -> String {
    Failure::from_status(status).reason
}

#[tonic::async_trait]
impl Subscriptions for Billing {
    async fn get_subscription(
        &self,
        _: Request<GetSubscriptionRequest>,
    ) -> Result<Response<GetSubscriptionResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn get_entitlement(
        &self,
        request: Request<GetEntitlementRequest>,
    ) -> Result<Response<GetEntitlementResponse>, Status> {
        assert!(request.metadata().contains_key("authorization"), "asked for the user");
        let can_create = *self.paid.lock().expect("no holder panics");
        let entitlement = Some(Entitlement { can_create, ..Entitlement::default() });
        Ok(Response::new(GetEntitlementResponse { entitlement }))
    }

    async fn reactivate_subscription(
        &self,
        _: Request<ReactivateSubscriptionRequest>,
    ) -> Result<Response<ReactivateSubscriptionResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn change_plan(
        &self,
        _: Request<ChangePlanRequest>,
    ) -> Result<Response<ChangePlanResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn begin_withdrawal(
        &self,
        _: Request<BeginWithdrawalRequest>,
    ) -> Result<Response<BeginWithdrawalResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn confirm_withdrawal(
        &self,
        _: Request<ConfirmWithdrawalRequest>,
    ) -> Result<Response<ConfirmWithdrawalResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn list_receipts(
        &self,
        _: Request<ListReceiptsRequest>,
    ) -> Result<Response<ListReceiptsResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn open_portal(
        &self,
        _: Request<OpenPortalRequest>,
    ) -> Result<Response<OpenPortalResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn cancel_subscription(
        &self,
        _: Request<CancelSubscriptionRequest>,
    ) -> Result<Response<CancelSubscriptionResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }
}

#[tonic::async_trait]
impl Coins for Billing {
    async fn get_balance(
        &self,
        _: Request<GetBalanceRequest>,
    ) -> Result<Response<GetBalanceResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn list_movements(
        &self,
        _: Request<ListMovementsRequest>,
    ) -> Result<Response<ListMovementsResponse>, Status> {
        Err(Status::unimplemented("media does not ask"))
    }

    async fn reserve_coins(
        &self,
        request: Request<ReserveCoinsRequest>,
    ) -> Result<Response<ReserveCoinsResponse>, Status> {
        let ask = request.into_inner();
        let mut reserved = self.reserved.lock().expect("no holder panics");
        if !reserved.contains(&ask.r#ref) {
            let amount = i64::from(ask.amount);
            if self.purse.load(Ordering::Relaxed) < amount {
                return Err(Failure::new(Code::FailedPrecondition, "coins_short", "not enough coins").into());
            }
            self.purse.fetch_sub(amount, Ordering::Relaxed);
            reserved.push(ask.r#ref);
        }
        Ok(Response::new(ReserveCoinsResponse::default()))
    }
}

/// Draws like playbill, after it was let; counts its attempts.
#[derive(Clone, Default)]
pub struct Gated {
    pub begun: Arc<AtomicUsize>,
    pub gate: Arc<Notify>,
}

#[async_trait]
impl ImageEngine for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.gate.notified().await;
        Playbill.draw(request, watch).await
    }
}

/// Fails this often, then draws.
pub struct Flaky {
    pub failures: Semaphore,
    pub refuse: bool,
}

impl Flaky {
    pub fn new(failures: usize, refuse: bool) -> Self {
        Self { failures: Semaphore::new(failures), refuse }
    }
}

#[async_trait]
impl ImageEngine for Flaky {
    fn name(&self) -> &'static str {
        "flaky"
    }

    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        match self.failures.try_acquire() {
            Ok(failure) => {
                failure.forget();
                let why = "the paint is dry".to_owned();
                Err(if self.refuse { EngineError::Refused(why) } else { EngineError::Unavailable(why) })
            }
            Err(_) => Playbill.draw(request, watch).await,
        }
    }
}
