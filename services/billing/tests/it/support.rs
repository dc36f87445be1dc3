//! What people do with billing.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, routing::post};
use billing::{Config, Faults, Payments, StripeConfig};
use kit::{
    client::Channel,
    config::{Common, Secret},
    testing::{Issuer, TestDb, TestServer, as_user, channel, common, database, eventually, serve},
};
use proto::{
    billing::v1::{
        Balance, Entitlement, GetBalanceRequest, GetEntitlementRequest, GetSubscriptionRequest,
        ListMovementsRequest, ListReceiptsRequest, Movement, Period, Plan, Receipt, ReceiveWebhookRequest,
        ReserveCoinsRequest, StartCheckoutRequest, SubmitSandboxRequest, Subscription,
        checkout_client::CheckoutClient, coins_client::CoinsClient,
        subscriptions_client::SubscriptionsClient,
    },
    common::v1::{PageInfo, PageRequest},
};
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

pub const SECRET: &str = "the tests' webhook secret";

/// A webhook as it arrived at the front door.
#[derive(Clone)]
pub struct Arrived {
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

pub struct House {
    pub common: Common,
    pub issuer: Issuer,
    pub db: TestDb,
    pub server: TestServer,
    pub arrived: Arc<Mutex<Vec<Arrived>>>,
    /// While this is set, webhooks are turned away.
    pub door_shut: Arc<AtomicBool>,
    config: Config,
}

/// An account at a Stripe that answers at `api_url`.
pub fn stripe(api_url: &str) -> StripeConfig {
    let price = |name: &str| Some(format!("price_{name}"));
    StripeConfig {
        secret_key: Some(Secret::new("sk_test_0123456789")),
        webhook_secret: Some(Secret::new(SECRET)),
        api_url: api_url.into(),
        public_url: "https://house.example".into(),
        price_premium_monthly: price("pm"),
        price_premium_yearly: price("py"),
        price_deluxe_monthly: price("dm"),
        price_deluxe_yearly: price("dy"),
        promo_coupon: Some("coupon_spooky".into()),
    }
}

/// billing with a front door that hands webhooks on, as the BFF does.
pub async fn house() -> House {
    house_with(|_| ()).await
}

/// The same, told otherwise.
pub async fn house_with(change: impl FnOnce(&mut Config)) -> House {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&billing::MIGRATOR).await;
    let arrived: Arc<Mutex<Vec<Arrived>>> = Arc::default();

    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/webhooks/sandbox", door.local_addr().expect("bound"));
    let mut config = Config {
        common: common.clone(),
        database: db.target(),
        webhook_secret: Secret::new(SECRET),
        webhook_url: url,
        payments: Payments::Sandbox,
        sandbox_faults: Faults::default(),
        promo_deadline: String::new(),
        memory: billing::Memory::default(),
        stripe: stripe("http://127.0.0.1:1"),
    };
    change(&mut config);
    let begun = config.clone();
    let server = serve(|listener, shutdown| billing::run(begun, listener, shutdown)).await;
    let door_shut = Arc::<AtomicBool>::default();
    let state = Door { arrived: arrived.clone(), shut: door_shut.clone(), channel: channel(&server.url) };
    let router = Router::new().route("/webhooks/sandbox", post(hand_on)).with_state(state);
    tokio::spawn(async move { axum::serve(door, router).await });
    House { common, issuer, db, server, arrived, door_shut, config }
}

#[derive(Clone)]
struct Door {
    arrived: Arc<Mutex<Vec<Arrived>>>,
    shut: Arc<AtomicBool>,
    channel: Channel,
}

async fn hand_on(State(door): State<Door>, headers: HeaderMap, body: Bytes) -> axum::http::StatusCode {
    let text = |v: &axum::http::HeaderValue| v.to_str().unwrap_or_default().to_owned();
    let webhook = Arrived {
        headers: headers.iter().map(|(k, v)| (k.to_string(), text(v))).collect(),
        body: body.to_vec(),
    };
    door.arrived.lock().expect("no holder panics").push(webhook.clone());
    if door.shut.load(Ordering::Relaxed) {
        return axum::http::StatusCode::SERVICE_UNAVAILABLE;
    }
    match receive(door.channel, &webhook).await {
        Ok(()) => axum::http::StatusCode::OK,
        Err(_) => axum::http::StatusCode::BAD_REQUEST,
    }
}

pub async fn receive(channel: Channel, webhook: &Arrived) -> Result<(), Status> {
    let request = ReceiveWebhookRequest {
        provider: "sandbox".into(),
        headers: webhook.headers.clone(),
        body: webhook.body.clone(),
    };
    CheckoutClient::new(channel).receive_webhook(request).await.map(drop)
}

impl House {
    /// Ends billing and starts it again on the same data.
    pub async fn restart(self) -> Self {
        self.server.stop().await;
        let config = self.config.clone();
        let server = serve(|listener, shutdown| billing::run(config, listener, shutdown)).await;
        Self { server, ..self }
    }

    pub fn channel(&self) -> Channel {
        channel(&self.server.url)
    }

    pub async fn choose(&self, token: &str, plan: Plan, promo: &str) -> Result<String, Status> {
        let request = StartCheckoutRequest {
            plan: plan.into(),
            period: Period::Monthly.into(),
            promo_code: promo.into(),
        };
        let answer = as_user(token, CheckoutClient::new(self.channel()).start_checkout(request)).await?;
        let url = answer.into_inner().url;
        Ok(url.rsplit('/').next().expect("an id").to_owned())
    }

    /// Presses a button of the sandbox's page; answers where the browser goes.
    pub async fn press(&self, checkout: &str, outcome: &str) -> String {
        self.try_press(checkout, outcome).await.expect("taken")
    }

    pub async fn try_press(&self, checkout: &str, outcome: &str) -> Result<String, Status> {
        let form = [("outcome".to_owned(), outcome.to_owned())].into();
        self.send_form(checkout, form).await
    }

    /// Sends the page's form as it is.
    pub async fn send_form(&self, checkout: &str, form: HashMap<String, String>) -> Result<String, Status> {
        let request = SubmitSandboxRequest { checkout_id: checkout.into(), form };
        Ok(CheckoutClient::new(self.channel()).submit_sandbox(request).await?.into_inner().redirect)
    }

    pub async fn entitlement(&self, token: &str) -> Entitlement {
        let ask = SubscriptionsClient::new(self.channel());
        let answer =
            as_user(token, ask.clone().get_entitlement(GetEntitlementRequest {})).await.expect("answered");
        answer.into_inner().entitlement.expect("always one")
    }

    pub async fn balance(&self, token: &str) -> Balance {
        let mut coins = CoinsClient::new(self.channel());
        let answer = as_user(token, coins.get_balance(GetBalanceRequest {})).await.expect("answered");
        answer.into_inner().balance.expect("always one")
    }

    pub async fn reserve(&self, token: &str, job: Uuid, amount: u32) -> Result<Balance, Status> {
        let request = ReserveCoinsRequest { r#ref: job.to_string(), amount, reason: "an image".into() };
        let answer = as_user(token, CoinsClient::new(self.channel()).reserve_coins(request)).await?;
        Ok(answer.into_inner().balance.expect("always one"))
    }

    /// Chooses a plan and pays for it.
    pub async fn pays(&self, token: &str, plan: Plan, period: Period) {
        let request =
            StartCheckoutRequest { plan: plan.into(), period: period.into(), promo_code: String::new() };
        let answer = as_user(token, CheckoutClient::new(self.channel()).start_checkout(request)).await;
        let url = answer.expect("chosen").into_inner().url;
        self.press(url.rsplit('/').next().expect("an id"), "pay").await;
        eventually(|| async { (self.entitlement(token).await.plan() == plan).then_some(()) }).await;
    }

    pub async fn subscription(&self, token: &str) -> Subscription {
        let mut ask = SubscriptionsClient::new(self.channel());
        let answer = as_user(token, ask.get_subscription(GetSubscriptionRequest {})).await.expect("answered");
        answer.into_inner().subscription.expect("always one")
    }

    pub async fn ends_at(&self, token: &str) -> OffsetDateTime {
        let end = self.subscription(token).await.ends_at.expect("paid for");
        kit::time::from_proto(&end).expect("a time")
    }

    /// Newest first.
    pub async fn receipts(&self, token: &str) -> Vec<Receipt> {
        let mut ask = SubscriptionsClient::new(self.channel());
        let page = Some(PageRequest { page: 1, limit: 100 });
        let answer = as_user(token, ask.list_receipts(ListReceiptsRequest { page })).await.expect("answered");
        answer.into_inner().receipts
    }

    pub async fn movements(&self, token: &str, page: u32, limit: u32) -> (Vec<Movement>, PageInfo) {
        let mut ask = CoinsClient::new(self.channel());
        let page = Some(PageRequest { page, limit });
        let answer =
            as_user(token, ask.list_movements(ListMovementsRequest { page })).await.expect("answered");
        let answer = answer.into_inner();
        (answer.movements, answer.page.expect("always one"))
    }

    /// The periods of all mandates are over: the sandbox charges.
    pub async fn charge_now(&self) {
        self.sql("update sandbox_mandate set next_charge_at = now() where next_charge_at is not null").await;
    }

    /// What the sandbox still charges.
    pub async fn mandates(&self) -> Vec<Uuid> {
        sqlx::query_scalar("select id from sandbox_mandate where next_charge_at is not null and renews")
            .fetch_all(&self.db.pool)
            .await
            .expect("a list")
    }

    /// The provider knows all that it is to know.
    pub async fn told(&self) {
        eventually(|| async {
            let waiting: i64 = sqlx::query_scalar("select count(*) from provider_task")
                .fetch_one(&self.db.pool)
                .await
                .expect("a count");
            (waiting == 0).then_some(())
        })
        .await;
    }

    pub async fn months_pass(&self, months: u32) {
        // And a day, so that the last of them has begun however long its month is.
        self.shift(&format!("-{months} months -1 day")).await;
    }

    /// Moves all that is paid for by an interval.
    pub async fn shift(&self, by: &str) {
        let mut tx = self.db.pool.begin().await.expect("a transaction");
        for table in [
            "update subscription set ends_at = ends_at + $1::interval, started_at = started_at + $1::interval,
                 last_event_at = last_event_at + $1::interval",
            "update term set starts_at = starts_at + $1::interval, ends_at = ends_at + $1::interval,
                 coins_due_at = coins_due_at + $1::interval",
            "update term_grant set starts_at = starts_at + $1::interval, ends_at = ends_at + $1::interval",
        ] {
            sqlx::query(table).bind(by).execute(&mut *tx).await.expect("time passes");
        }
        tx.commit().await.expect("time has passed");
    }

    /// Half of what is paid for is used.
    pub async fn half_passes(&self) {
        self.sql(
            "update term set starts_at = starts_at - (ends_at - starts_at) / 2,
                 ends_at = ends_at - (ends_at - starts_at) / 2",
        )
        .await;
        self.sql(
            "update subscription s set ends_at = (select max(ends_at) from term t where t.subscription = s.id)",
        )
        .await;
    }

    pub async fn sql(&self, statement: &'static str) {
        sqlx::query(statement).execute(&self.db.pool).await.expect(statement);
    }

    /// A user who has paid for Premium, and so has 400 coins.
    pub async fn subscriber(&self) -> (Uuid, String) {
        let (id, token) = self.issuer.user("ada");
        let checkout = self.choose(&token, Plan::Premium, "").await.expect("chosen");
        self.press(&checkout, "pay").await;
        eventually(|| async { self.entitlement(&token).await.can_create.then_some(()) }).await;
        (id, token)
    }
}
