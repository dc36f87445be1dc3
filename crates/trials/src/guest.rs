//! Somebody with an account, who speaks to the house as the web app does.

use std::{fmt, time::Duration};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use reqwest::{Client, Method, Response, StatusCode, header};
use serde_json::{Value, json};
use uuid::Uuid;

/// Everybody's.
pub const PASSWORD: &str = "Prompt-box-7";
/// How long a mail may take to arrive, or a payment to be known.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// An answer that was no success.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Method and path.
    what: String,
    status: StatusCode,
    /// Whether the answer says when to come back (`Retry-After`).
    waits: bool,
    text: String,
}

impl Refused {
    /// Whether it is an honest "not now": 503 with `Retry-After`.
    #[must_use]
    pub fn is_put_off(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE && self.waits
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answered {}: {}", self.what, self.status, self.text)
    }
}

impl std::error::Error for Refused {}

/// The body of a request as it goes out.
#[derive(Debug, Clone)]
pub struct Payload {
    /// For `Content-Type`.
    pub kind: &'static str,
    pub bytes: Bytes,
}

/// What parts the fields of [`Payload::form`]; none of them holds it.
const BOUNDARY: &str = "----a-trial-of-troupe";

impl Payload {
    /// JSON.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self { kind: "application/json", bytes: value.to_string().into() }
    }

    /// A form (`multipart/form-data`): fields of text, and perhaps a file `(field, name, content)`.
    #[must_use]
    pub fn form(texts: &[(&str, &str)], file: Option<(&str, &str, &str)>) -> Self {
        let mut body = String::new();
        for (name, text) in texts {
            body +=
                &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        }
        if let Some((field, name, content)) = file {
            body += &format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n{content}\r\n"
            );
        }
        body += &format!("--{BOUNDARY}--\r\n");
        Self { kind: "multipart/form-data; boundary=----a-trial-of-troupe", bytes: body.into() }
    }
}

/// A signed-in account.
#[derive(Clone)]
pub struct Guest {
    http: Client,
    house: String,
    /// Access token.
    pub token: String,
    /// Unique in its house.
    pub username: String,
}

impl Guest {
    /// Signs up, follows the mail's code, signs in.
    ///
    /// # Errors
    /// What the house answered, when it refused.
    pub async fn new(http: &Client, house: &str) -> Result<Self> {
        // Letters alone: names that only look different are refused.
        let name: String = Uuid::new_v4().as_bytes().iter().map(|b| char::from(b'a' + b % 16)).collect();
        let username = format!("guest{name}");
        let email = format!("{username}@example.com");
        let anybody = Self {
            http: http.clone(),
            house: house.into(),
            token: String::new(),
            username: username.clone(),
        };
        let form = json!({ "email": email, "password": PASSWORD, "username": username });
        anybody.ask(Method::POST, "/api/signup", Some(form)).await?;
        let code = anybody.code(&email).await?;
        anybody.ask(Method::POST, "/api/verify", Some(json!({ "token": code, "email": email }))).await?;
        let form = json!({ "email": email, "password": PASSWORD });
        let signed = anybody.ask(Method::POST, "/api/login", Some(form)).await?;
        let token = signed["token"].as_str().context("no token")?.to_owned();
        Ok(Self { token, ..anybody })
    }

    async fn code(&self, email: &str) -> Result<String> {
        let limit = tokio::time::Instant::now() + PATIENCE;
        while tokio::time::Instant::now() < limit {
            let mails = self.ask(Method::GET, "/dev/mailbox.json", None).await?;
            let subject = mails.as_array().into_iter().flatten().find_map(|mail| {
                mail["to"].as_str().is_some_and(|to| to.contains(email)).then(|| mail["subject"].as_str())?
            });
            if let Some(code) = subject.and_then(|s| s.get(..6)) {
                return Ok(code.to_owned());
            }
            tokio::time::sleep(LOOK).await;
        }
        bail!("no mail for {email}")
    }

    /// A request with this account's token; the answer as it comes, whatever its status.
    ///
    /// # Errors
    /// When no answer comes at all.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        idempotency: Option<&str>,
    ) -> reqwest::Result<Response> {
        let mut request = self.http.request(method, format!("{}{path}", self.house));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if let Some(key) = idempotency {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        request.send().await
    }

    /// The same account through another client, with connections of its own.
    #[must_use]
    pub fn through(&self, http: &Client) -> Self {
        Self { http: http.clone(), ..self.clone() }
    }

    /// A request with any kind of body, under a key; the answer as it comes, whatever its status.
    ///
    /// # Errors
    /// When no answer comes at all.
    pub async fn send_under(
        &self,
        method: Method,
        path: &str,
        body: Payload,
        key: &str,
    ) -> reqwest::Result<Response> {
        let request = self.http.request(method, format!("{}{path}", self.house)).bearer_auth(&self.token);
        let request = request.header(header::CONTENT_TYPE, body.kind).header("Idempotency-Key", key);
        request.body(body.bytes).send().await
    }

    /// Opens an event stream that is only listened to.
    ///
    /// # Errors
    /// When no answer comes at all.
    pub async fn listen(&self, path: &str) -> reqwest::Result<Response> {
        let request = self.http.get(format!("{}{path}", self.house)).bearer_auth(&self.token);
        request.header(header::ACCEPT, "text/event-stream").send().await
    }

    /// Sends a body and asks for an event stream; under a key, a repetition joins what was begun.
    ///
    /// # Errors
    /// When no answer comes at all.
    pub async fn stream(&self, path: &str, body: &Value, idempotency: &str) -> reqwest::Result<Response> {
        let request = self.http.post(format!("{}{path}", self.house)).bearer_auth(&self.token);
        let request = request.header("Idempotency-Key", idempotency).header("Accept", "text/event-stream");
        request.json(body).send().await
    }

    /// A request that is expected to succeed; its JSON.
    ///
    /// # Errors
    /// [`Refused`], for any refusal.
    pub async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let response = self.send(method.clone(), path, body, None).await?;
        let (status, waits) = (response.status(), response.headers().contains_key(header::RETRY_AFTER));
        let text = response.text().await?;
        if !status.is_success() {
            bail!(Refused { what: format!("{method} {path}"), status, waits, text });
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// As everybody's form asks for it when an account is made.
    #[must_use]
    pub fn email(&self) -> String {
        format!("{}@example.com", self.username)
    }

    /// Buys a month of a plan (`premium`, `deluxe`) from the sandbox, and waits until the house knows.
    ///
    /// # Errors
    /// When it does not.
    pub async fn subscribe(&self, plan: &str) -> Result<()> {
        let form = json!({ "plan": plan, "period": "monthly" });
        let checkout = self.ask(Method::POST, "/api/checkout", Some(form)).await?;
        let page = format!("{}{}", self.house, checkout["url"].as_str().context("no address to pay at")?);
        // Wherever it leads then is the web app's.
        self.http
            .post(page)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body("outcome=pay")
            .send()
            .await?;
        let limit = tokio::time::Instant::now() + PATIENCE;
        let profile = format!("/api/user/{}", self.username);
        while tokio::time::Instant::now() < limit {
            if self.ask(Method::GET, &profile, None).await?["subscriptionStatus"] == "active" {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        bail!("{} has paid and has nothing of it", self.username)
    }
}
