//! The harness of the integration tests: real PostgreSQL, Redis and RabbitMQ, tokens from an issuer of
//! its own, fakes only for *other* services.
//!
//! `cargo xtask test` sets `DATABASE_URL` (an administrator's), `REDIS_URL` and `AMQP_URL`.

mod database;
mod events;
mod issuer;
mod program;
mod sockets;

use std::{env, future::Future, net::SocketAddr, time::Duration};

use tokio::{net::TcpListener, task::JoinHandle};
use tonic::{service::Routes, transport::Endpoint};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use uuid::Uuid;

pub use self::{
    database::{TestDb, database},
    events::{Recorder, publish, publish_as, published},
    issuer::Issuer,
    program::{MARK, Overheard, Running, marked},
    sockets::assert_nodelay,
};
use crate::{
    caller::{self, Context},
    client::{self, Channel},
    config::{Common, Secret},
    shutdown::Shutdown,
};

/// The longest that a condition is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// Hundreds of tests leave their queues behind, and a broker keeps files open for each.
const QUEUE_LIFE_S: u32 = 60;
const LOOK: Duration = Duration::from_millis(10);

/// The environment of a test: the real Redis and RabbitMQ under a prefix of its own, and this issuer.
#[must_use]
pub fn common(issuer: &Issuer) -> Common {
    let var = |name: &str| {
        Secret::new(env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run `cargo xtask test`")))
    };
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    Common {
        grpc_addr: any,
        ops_addr: any,
        redis_url: var("REDIS_URL"),
        amqp_url: var("AMQP_URL"),
        auth_jwks_url: issuer.jwks_url.clone(),
        auth_grpc_url: issuer.grpc_url.clone(),
        prefix: format!("t{}", Uuid::now_v7().simple()),
        dev: true,
        queue_life_s: Some(QUEUE_LIFE_S),
        shutdown_leave_s: 0,
        shutdown_grace_s: 5,
    }
}

/// A service that runs in this process; it is told to end when this is dropped.
pub struct TestServer {
    pub addr: SocketAddr,
    /// `http://127.0.0.1:<port>`
    pub url: String,
    shutdown: Shutdown,
    task: Option<JoinHandle<anyhow::Result<()>>>,
}

impl TestServer {
    /// Ends the service as SIGTERM would and waits until it has ended.
    ///
    /// # Panics
    /// When the service ended with an error.
    pub async fn stop(mut self) {
        self.shutdown.now();
        if let Some(task) = self.task.take() {
            task.await.expect("the service does not panic").expect("the service ends well");
        }
    }

    /// Ends the service at once, as SIGKILL would.
    pub fn kill(mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
        self.shutdown.now();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.shutdown.now();
    }
}

/// Starts a service on a port of its own and waits until its health says SERVING.
///
/// # Panics
/// When it does not get ready, with what ended it.
pub async fn serve<W, F>(run: W) -> TestServer
where
    W: FnOnce(TcpListener, Shutdown) -> F,
    F: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let mut server = start(run).await;
    let ready = eventually(|| async {
        if server.task.as_ref().is_none_or(JoinHandle::is_finished) {
            return Some(false);
        }
        let channel = Endpoint::from_shared(server.url.clone()).ok()?.connect().await.ok()?;
        let answer = HealthClient::new(channel)
            .check(HealthCheckRequest { service: String::new() })
            .await
            .ok()?
            .into_inner();
        (answer.status() == ServingStatus::Serving).then_some(true)
    })
    .await;
    if !ready {
        let ended = server.task.take().expect("still held").await;
        panic!("the service ended before it was ready: {ended:?}");
    }
    server
}

/// Starts a service that has no gRPC health (the BFF, a worker); wait for what it does.
///
/// # Panics
/// When no port can be bound.
pub async fn start<W, F>(run: W) -> TestServer
where
    W: FnOnce(TcpListener, Shutdown) -> F,
    F: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    let shutdown = Shutdown::new();
    let task = tokio::spawn(run(listener, shutdown.clone()));
    TestServer { addr, url: format!("http://{addr}"), shutdown, task: Some(task) }
}

/// Serves fakes of other services' gRPC on a port of its own, for as long as the test runs.
///
/// # Panics
/// When no port can be bound.
pub async fn fake(routes: Routes) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    let incoming = tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
    tokio::spawn(tonic::transport::Server::builder().add_routes(routes).serve_with_incoming(incoming));
    format!("http://{addr}")
}

/// A channel as another service would have it. Calls are made as somebody by [`as_user`].
///
/// # Panics
/// When the address is malformed.
#[must_use]
pub fn channel(url: &str) -> Channel {
    client::channel(url).expect("an address")
}

/// Makes the calls of `work` with a bearer, as the BFF does.
pub async fn as_user<F: Future>(token: &str, work: F) -> F::Output {
    let context = Context { bearer: Some(token.into()), ..Context::default() };
    caller::scope(context, work).await
}

/// Makes the calls of `work` with a bearer and an idempotency key.
pub async fn as_user_with_key<F: Future>(token: &str, key: &str, work: F) -> F::Output {
    let context =
        Context { bearer: Some(token.into()), idempotency_key: Some(key.into()), ..Context::default() };
    caller::scope(context, work).await
}

/// Looks again and again until there is an answer: the only waiting that tests do.
///
/// # Panics
/// After 20 s without an answer.
pub async fn eventually<T, F, W>(mut look: W) -> T
where
    W: FnMut() -> F,
    F: Future<Output = Option<T>>,
{
    let waited = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Some(answer) = look().await {
                return answer;
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    waited.await.expect("what was waited for did not happen within 20 s")
}
