//! The BFF, billing, media-api and a worker, side by side; `auth` is the tests' issuer.

use std::sync::Arc;

use clap::Parser;
use kit::{
    shutdown::Shutdown,
    testing::{self, Issuer, TestDb, TestServer},
};
use media::{
    FilesConfig, WorkerConfig,
    engines::{Playbill, PoseSettings, Settings},
};
use reqwest::Client;
use serde_json::{Value, json};

#[derive(Parser)]
struct Flags<T: clap::Args> {
    #[command(flatten)]
    config: T,
}

/// A configuration with every default.
fn defaults<T: clap::Args>(given: &[&str]) -> T {
    let words = std::iter::once("test").chain(given.iter().copied());
    Flags::try_parse_from(words).expect("every other key has a default").config
}

pub struct House {
    pub url: String,
    pub issuer: Issuer,
    pub http: Client,
    shutdown: Shutdown,
    _servers: Vec<TestServer>,
    _databases: [TestDb; 2],
    _folder: tempfile::TempDir,
}

impl Drop for House {
    fn drop(&mut self) {
        self.shutdown.now();
    }
}

/// Starts them all.
pub async fn house() -> House {
    let issuer = Issuer::start().await;
    let common = testing::common(&issuer);
    let folder = tempfile::tempdir().expect("a folder");
    // Billing must know where the BFF will be, and the BFF where billing is.
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", door.local_addr().expect("bound"));

    let accounts = testing::database(&billing::MIGRATOR).await;
    let webhooks = format!("{url}/webhooks/sandbox");
    let mut config: billing::Config = defaults(&[
        "--database-url",
        &accounts.url,
        "--webhook-secret",
        "the tests' webhook secret",
        "--webhook-url",
        &webhooks,
    ]);
    config.common = common.clone();
    let billing = testing::serve(|listener, shutdown| billing::run(config, listener, shutdown)).await;

    let pictures = testing::database(&media::MIGRATOR).await;
    let files = FilesConfig { media_dir: folder.path().join("media") };
    let mut config: media::Config = defaults(&[
        "--database-url",
        &pictures.url,
        "--signing-key",
        "the tests' signing key",
        "--billing-grpc-url",
        &billing.url,
    ]);
    config.common = common.clone();
    config.files = files.clone();
    config.poses = PoseSettings::default();
    let media = testing::serve(|listener, shutdown| media::run(config, listener, shutdown)).await;

    let config = WorkerConfig {
        common: common.clone(),
        database: pictures.target(),
        files,
        engine: Settings::playbill(),
        moderation: moderation::classifier::Settings::default(),
        draw_concurrency: 1,
        job_lease_s: 30,
        job_retry_ms: 1,
    };
    let engine = Arc::new(Playbill);
    let worker = testing::start(|_, shutdown| media::worker::run(config, engine, shutdown)).await;

    let mut config: bff::config::Config = defaults(&[]);
    config.common = common;
    config.billing_grpc_url.clone_from(&billing.url);
    config.media_grpc_url.clone_from(&media.url);
    config.web_dir = folder.path().to_owned();
    std::fs::write(folder.path().join("index.html"), "<!doctype html><title>Troupe</title>")
        .expect("written");
    let shutdown = Shutdown::new();
    tokio::spawn(bff::run(config, door, shutdown.clone()));

    let http = kit::outbound::builder().build().expect("a client");
    let house = House {
        url,
        issuer,
        http,
        shutdown,
        _servers: vec![billing, media, worker],
        _databases: [accounts, pictures],
        _folder: folder,
    };
    let (_, token) = house.issuer.user("early");
    testing::eventually(|| async {
        let answer = house.http.get(house.at("/api/images")).bearer_auth(&token).send().await.ok()?;
        answer.status().is_success().then_some(())
    })
    .await;
    house
}

impl House {
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    async fn json(&self, request: reqwest::RequestBuilder) -> Value {
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{status}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Pays for a plan as people do, and waits for its coins.
    pub async fn subscribe(&self, token: &str) {
        let wish = json!({ "plan": "premium", "period": "monthly" });
        let checkout =
            self.json(self.http.post(self.at("/api/checkout")).bearer_auth(token).json(&wish)).await;
        let page = checkout["url"].as_str().expect("an address");
        let form = ("content-type", "application/x-www-form-urlencoded");
        let pay = self.http.post(self.at(page)).header(form.0, form.1).body("outcome=pay");
        let paid = pay.send().await.expect("an answer");
        assert!(paid.status().is_redirection(), "{}", paid.status());
        testing::eventually(|| async {
            let coins = self.json(self.http.get(self.at("/api/coins/movements")).bearer_auth(token)).await;
            coins["movements"].as_array().filter(|movements| !movements.is_empty()).map(drop)
        })
        .await;
    }

    /// Asks for a picture, within the trace of `traceparent`; answers its id.
    pub async fn draw(&self, token: &str, traceparent: &str) -> String {
        let wish = json!({ "prompt": "a poet" });
        let request = self.http.post(self.at("/api/images/create")).bearer_auth(token);
        let made = self.json(request.header("traceparent", traceparent).json(&wish)).await;
        made["image"]["_id"].as_str().expect("an id").to_owned()
    }
}
