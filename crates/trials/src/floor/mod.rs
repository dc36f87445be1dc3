//! The least that this stack can cost: a bare program of axum, tonic and sqlx that does the visible part of what the house
//! does, without identity, rules, limits, traces or care. What the house costs is told as a multiple of it.

mod argon;
mod envoy;

use std::{convert::Infallible, net::SocketAddr};

use anyhow::{Context as _, Result};
use axum::{
    Router,
    extract::State,
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
    routing::{get, post},
    serve::ListenerExt as _,
};
use eventsource_stream::Eventsource as _;
use futures::StreamExt as _;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tonic::transport::{Channel, server::TcpIncoming};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use uuid::Uuid;

pub use argon::{hashes_aside, hashes_per_second};
pub use envoy::BareEnvoy;

/// Connections to PostgreSQL, as many as each service of the house has.
const CONNECTIONS: u32 = 10;

/// Where the program finds what it needs.
#[derive(Debug, Clone, clap::Parser)]
pub struct Config {
    /// A database of its own.
    #[arg(long, env = "DATABASE_URL")]
    pub database_url: String,
    /// Base address of the language model.
    #[arg(long, env = "LLM_BASE_URL")]
    pub upstream: String,
    #[arg(long, env = "HTTP_ADDR")]
    pub listen: SocketAddr,
}

#[derive(Clone)]
struct Floor {
    db: PgPool,
    http: Client,
    upstream: String,
    health: HealthClient<Channel>,
}

type Answer<T> = Result<T, Broken>;

struct Broken(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for Broken {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Broken {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, format!("{:#}", self.0)).into_response()
    }
}

/// Serves until the process is ended.
///
/// # Errors
/// When a port or the database cannot be had.
pub async fn run(config: Config) -> Result<()> {
    let db = sqlx::postgres::PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .connect(&config.database_url)
        .await
        .context("the floor's database")?;
    sqlx::raw_sql(
        "create table if not exists turn (id uuid primary key, chat uuid not null, text text not null)",
    )
    .execute(&db)
    .await?;
    let inner = TcpListener::bind("127.0.0.1:0").await?;
    let address = inner.local_addr()?;
    let (_reporter, service) = tonic_health::server::health_reporter();
    tokio::spawn(
        tonic::transport::Server::builder()
            .add_service(service)
            .serve_with_incoming(TcpIncoming::from(inner).with_nodelay(Some(true))),
    );
    let channel = Channel::from_shared(format!("http://{address}"))?.tcp_nodelay(true).connect_lazy();
    let floor = Floor {
        db,
        http: kit::outbound::builder().build()?,
        upstream: config.upstream,
        health: HealthClient::new(channel),
    };
    let routes = Router::new()
        .route("/plain", get(async || "ok"))
        .route("/hop", get(hop))
        .route("/relay", post(relay))
        .route("/turn", post(turn))
        .with_state(floor);
    let listener = TcpListener::bind(config.listen).await?.tap_io(|socket| {
        let _ = socket.set_nodelay(true);
    });
    Ok(axum::serve(listener, routes).await?)
}

/// One gRPC call.
async fn hop(State(floor): State<Floor>) -> Answer<&'static str> {
    floor.health.clone().check(HealthCheckRequest { service: String::new() }).await?;
    Ok("ok")
}

async fn tokens(floor: &Floor) -> Answer<impl futures::Stream<Item = String> + use<>> {
    let body =
        json!({ "model": "script", "stream": true, "messages": [{ "role": "user", "content": "Hello." }] });
    let address = format!("{}/chat/completions", floor.upstream);
    let response = floor.http.post(address).json(&body).send().await?.error_for_status()?;
    Ok(response.bytes_stream().eventsource().filter_map(async |event| {
        let chunk: Value = serde_json::from_str(&event.ok()?.data).ok()?;
        let text = chunk["choices"][0]["delta"]["content"].as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }))
}

fn delta(text: &str) -> Result<Event, Infallible> {
    Ok(Event::default().event("delta").data(json!({ "text": text }).to_string()))
}

/// Hands on what the model says, and keeps nothing.
async fn relay(State(floor): State<Floor>) -> Answer<Response> {
    Ok(Sse::new(tokens(&floor).await?.map(|text| delta(&text))).into_response())
}

/// The same, with two rows committed before and one changed after.
async fn turn(State(floor): State<Floor>) -> Answer<Response> {
    let (chat, reply) = (Uuid::now_v7(), Uuid::now_v7());
    let mut tx = floor.db.begin().await?;
    for (id, text) in [(Uuid::now_v7(), "Hello."), (reply, "")] {
        sqlx::query("insert into turn (id, chat, text) values ($1, $2, $3)")
            .bind(id)
            .bind(chat)
            .bind(text)
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    let (tokens, db) = (tokens(&floor).await?, floor.db.clone());
    let events = async_stream(tokens, db, reply);
    Ok(Sse::new(events).into_response())
}

fn async_stream(
    tokens: impl futures::Stream<Item = String> + Send + 'static,
    db: PgPool,
    reply: Uuid,
) -> impl futures::Stream<Item = Result<Event, Infallible>> + Send + 'static {
    let begun = (Box::pin(tokens), Some(db), String::new());
    futures::stream::unfold(begun, move |(mut tokens, db, mut all)| async move {
        let db = db?;
        if let Some(text) = tokens.next().await {
            all.push_str(&text);
            return Some((delta(&text), (tokens, Some(db), all)));
        }
        let saved =
            sqlx::query("update turn set text = $2 where id = $1").bind(reply).bind(&all).execute(&db).await;
        let event = if saved.is_ok() { "done" } else { "error" };
        Some((Ok(Event::default().event(event).data("{}")), (tokens, None, all)))
    })
}
