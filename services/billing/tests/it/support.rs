//! What people do with billing.

use std::sync::{Arc, Mutex};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, routing::post};
use billing::Config;
use kit::{
    client::Channel,
    config::{Common, Secret},
    testing::{Issuer, TestDb, TestServer, as_user, channel, common, database, serve},
};
use proto::billing::v1::{
    Balance, Entitlement, GetBalanceRequest, GetEntitlementRequest, Period, Plan, ReceiveWebhookRequest,
    ReserveCoinsRequest, StartCheckoutRequest, SubmitSandboxRequest, checkout_client::CheckoutClient,
    coins_client::CoinsClient, subscriptions_client::SubscriptionsClient,
};
use tonic::Status;
use uuid::Uuid;

pub const SECRET: &str = "the tests' webhook secret";

/// A webhook as it arrived at the front door.
#[derive(Clone)]
pub struct Arrived {
    pub headers: std::collections::HashMap<String, String>,
    pub body: Vec<u8>,
}

pub struct House {
    pub common: Common,
    pub issuer: Issuer,
    pub db: TestDb,
    pub server: TestServer,
    pub arrived: Arc<Mutex<Vec<Arrived>>>,
}

/// billing with a front door that hands webhooks on, as the BFF does.
pub async fn house() -> House {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let db = database(&billing::MIGRATOR).await;
    let arrived: Arc<Mutex<Vec<Arrived>>> = Arc::default();

    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/webhooks/sandbox", door.local_addr().expect("bound"));
    let config = Config {
        common: common.clone(),
        database: db.target(),
        webhook_secret: Secret::new(SECRET),
        webhook_url: url,
    };
    let server = serve(|listener, shutdown| billing::run(config, listener, shutdown)).await;
    let state = (arrived.clone(), channel(&server.url));
    let router = Router::new().route("/webhooks/sandbox", post(hand_on)).with_state(state);
    tokio::spawn(async move { axum::serve(door, router).await });
    House { common, issuer, db, server, arrived }
}

async fn hand_on(
    State((arrived, channel)): State<(Arc<Mutex<Vec<Arrived>>>, Channel)>,
    headers: HeaderMap,
    body: Bytes,
) -> axum::http::StatusCode {
    let text = |v: &axum::http::HeaderValue| v.to_str().unwrap_or_default().to_owned();
    let webhook = Arrived {
        headers: headers.iter().map(|(k, v)| (k.to_string(), text(v))).collect(),
        body: body.to_vec(),
    };
    arrived.lock().expect("no holder panics").push(webhook.clone());
    match receive(channel, &webhook).await {
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
        let form = [("outcome".to_owned(), outcome.to_owned())].into();
        let request = SubmitSandboxRequest { checkout_id: checkout.into(), form };
        CheckoutClient::new(self.channel())
            .submit_sandbox(request)
            .await
            .expect("taken")
            .into_inner()
            .redirect
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

    /// A user who has paid for Premium, and so has 400 coins.
    pub async fn subscriber(&self) -> (Uuid, String) {
        let (id, token) = self.issuer.user("ada");
        let checkout = self.choose(&token, Plan::Premium, "").await.expect("chosen");
        self.press(&checkout, "pay").await;
        kit::testing::eventually(|| async { self.entitlement(&token).await.can_create.then_some(()) }).await;
        (id, token)
    }
}
