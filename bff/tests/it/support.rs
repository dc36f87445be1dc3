//! What a browser does.

use std::path::Path;

use bff::config::Config;
use clap::Parser;
use kit::testing::{self, Issuer, TestServer};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use crate::backstage::Backstage;

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    config: Config,
}

/// A BFF that runs, and what stands behind it.
pub struct House {
    pub server: TestServer,
    pub stage: Backstage,
    pub issuer: Issuer,
    pub prefix: String,
    pub redis_url: String,
    http: reqwest::Client,
    _web: tempfile::TempDir,
}

/// Somebody who is signed in.
pub struct Somebody {
    pub id: Uuid,
    pub token: String,
}

/// A house with everything as in development.
pub async fn house() -> House {
    house_with(|_| {}).await
}

/// A house with other settings.
pub async fn house_with(change: impl FnOnce(&mut Config)) -> House {
    let issuer = Issuer::start().await;
    let (stage, url) = Backstage::open().await;
    let web = tempfile::tempdir().expect("a folder");
    build_web(web.path());
    let mut config = Flags::try_parse_from(["bff"]).expect("every key has a default").config;
    config.common = testing::common(&issuer);
    config.common.auth_grpc_url.clone_from(&url);
    config.catalog_grpc_url.clone_from(&url);
    config.chat_grpc_url.clone_from(&url);
    config.media_grpc_url.clone_from(&url);
    config.billing_grpc_url = url;
    config.web_dir = web.path().to_owned();
    change(&mut config);
    let prefix = config.common.prefix.clone();
    let redis_url = config.common.redis_url.expose().to_owned();
    let server = testing::start(|listener, shutdown| bff::run(config, listener, shutdown)).await;
    let http = kit::outbound::builder().build().expect("a client");
    let house = House { server, stage, issuer, prefix, redis_url, http, _web: web };
    // Ready once tokens can be judged: until then this route answers 503.
    let (_, token) = house.issuer.user("early");
    testing::eventually(|| async {
        let answer = house.get("/api/chats").bearer_auth(&token).send().await.ok()?;
        let known = !matches!(answer.status(), StatusCode::UNAUTHORIZED);
        let judged = !house.stage.calls("chat.v1.Chats/ListChats").is_empty();
        (known && judged).then_some(())
    })
    .await;
    house
}

const PAGE: &str = "<!doctype html><head><title>Troupe</title></head><div id=\"root\"></div>";
const ARRIVALS: &str = r#"[
    {"path":"/search","scripts":["/assets/Search-1a2b3c4d.js"],"styles":["/assets/listings-1a2b3c4d.css"]},
    {"path":"/character/:id","scripts":[],"styles":[],
     "picture":{"srcSet":"/media/{asset}/card.webp 480w, /media/{asset}/full.webp 832w","sizes":"100vw"}}
]"#;

fn build_web(folder: &Path) {
    let script = "console.log('the curtain rises');\n".repeat(40);
    std::fs::create_dir(folder.join("assets")).expect("a folder");
    std::fs::write(folder.join("index.html"), PAGE).expect("written");
    std::fs::write(folder.join("arrivals.json"), ARRIVALS).expect("written");
    std::fs::write(folder.join("assets/main-4f3a2b1c.js"), script).expect("written");
    std::fs::write(folder.join("assets/main-4f3a2b1c.js.br"), "as the build packed it").expect("written");
    for (file, text) in [
        ("robots.txt", "User-agent: *\n"),
        ("sw.js", "// a worker\n"),
        ("manifest.webmanifest", "{}\n"),
        ("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
    ] {
        std::fs::write(folder.join(file), text).expect("written");
    }
}

impl House {
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.url)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, path).json(body)
    }

    pub fn sign_in(&self, name: &str) -> Somebody {
        let (id, token) = self.issuer.user(name);
        Somebody { id, token }
    }

    /// A multipart form: text fields, then files as (field, file name, type, bytes).
    pub fn form(
        &self,
        method: Method,
        path: &str,
        texts: &[(&str, &str)],
        files: &[(&str, &str, &str, &[u8])],
    ) -> RequestBuilder {
        const EDGE: &str = "----curtain";
        let mut body = Vec::new();
        for (name, text) in texts {
            body.extend(
                format!("--{EDGE}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
                    .bytes(),
            );
        }
        for (name, file, kind, bytes) in files {
            let head = format!(
                "--{EDGE}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\nContent-Type: {kind}\r\n\r\n"
            );
            body.extend(head.bytes());
            body.extend(*bytes);
            body.extend(b"\r\n");
        }
        body.extend(format!("--{EDGE}--\r\n").bytes());
        self.request(method, path)
            .header("content-type", format!("multipart/form-data; boundary={EDGE}"))
            .body(body)
    }
}

/// Sends, and reads status and JSON.
pub async fn json(request: RequestBuilder) -> (u16, Value) {
    read(request.send().await.expect("an answer")).await
}

pub async fn read(answer: Response) -> (u16, Value) {
    let status = answer.status().as_u16();
    let text = answer.text().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON ({status}): {text}")))
}

/// Sends what must succeed.
pub async fn ok(request: RequestBuilder) -> Value {
    let (status, body) = json(request).await;
    assert!((200..300).contains(&status), "{status}: {body}");
    body
}

/// A header of an answer as text; empty when absent.
pub fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}
