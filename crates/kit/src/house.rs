//! What a service stands on while it runs: Redis, RabbitMQ, notices, keys, the operations port.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::Router;
use proto::{auth::v1::keys_client::KeysClient, queues::Queue};
use tokio::{
    net::TcpListener,
    sync::{Notify, watch},
};
use tokio_util::task::TaskTracker;

use crate::{
    auth::{KeySet, Remote, RemoteRevocations, RevocationSource, Revocations, Verifier},
    broker::{Broker, Delivery, QueueSpec},
    client,
    config::Common,
    db::Db,
    health::Readiness,
    http1,
    inbox::{self, Apply},
    notice::{Hears, Notices},
    ops, outbox,
    redis::Redis,
    server::{self, Services},
    shutdown::Shutdown,
};

/// Where the keys and revocations come from.
pub enum Source {
    /// `auth`, over the network: every service but `auth`.
    Remote,
    /// The service's own: `auth`.
    Local { keys: watch::Receiver<KeySet>, revocations: Arc<dyn RevocationSource> },
}

/// Opened once by `run`, given up when it ends.
pub struct House {
    pub redis: Redis,
    pub broker: Broker,
    pub notices: Notices,
    pub verifier: Verifier,
    pub readiness: Readiness,
    pub shutdown: Shutdown,
    common: Common,
    extra: Mutex<Router>,
    tasks: TaskTracker,
}

impl House {
    /// # Errors
    /// When Redis cannot be reached or an address is malformed.
    pub async fn open(common: &Common, shutdown: Shutdown) -> anyhow::Result<Self> {
        Self::open_with(common, shutdown, Source::Remote).await
    }

    /// For a process that keeps what other services know: it hears hints of these kinds.
    ///
    /// # Errors
    /// When Redis cannot be reached or an address is malformed.
    pub async fn open_hearing(
        common: &Common,
        shutdown: Shutdown,
        kinds: &'static [&'static str],
    ) -> anyhow::Result<Self> {
        let broker = Broker::open(common, shutdown.clone());
        Self::build(common, shutdown, Source::Remote, broker, Hears::Hints(kinds)).await
    }

    /// For a process that neither publishes nor consumes events (the BFF): no RabbitMQ, and all hints.
    ///
    /// # Errors
    /// When Redis cannot be reached or an address is malformed.
    pub async fn open_without_broker(common: &Common, shutdown: Shutdown) -> anyhow::Result<Self> {
        let broker = Broker::closed(common, shutdown.clone());
        Self::build(common, shutdown, Source::Remote, broker, Hears::AllHints).await
    }

    /// # Errors
    /// When Redis cannot be reached or an address is malformed.
    pub async fn open_with(common: &Common, shutdown: Shutdown, source: Source) -> anyhow::Result<Self> {
        let broker = Broker::open(common, shutdown.clone());
        Self::build(common, shutdown, source, broker, Hears::Nothing).await
    }

    async fn build(
        common: &Common,
        shutdown: Shutdown,
        source: Source,
        broker: Broker,
        hears: Hears,
    ) -> anyhow::Result<Self> {
        let redis = Redis::connect(common).await?;
        let notices = Notices::open(common, redis.clone(), hears).await?;
        let readiness = Readiness::default();
        let tasks = TaskTracker::new();
        let revocations = Revocations::default();

        let (verifier, listed): (_, Arc<dyn RevocationSource>) = match source {
            Source::Local { keys, revocations: listed } => (Verifier::new(keys, revocations.clone()), listed),
            Source::Remote => {
                let refresh = Arc::new(Notify::new());
                let (sender, keys) = watch::channel(KeySet::default());
                readiness.gate("the keys of auth", non_empty(keys.clone()));
                let remote =
                    Remote { url: common.auth_jwks_url.clone(), refresh: refresh.clone(), keys: sender };
                tasks.spawn(remote.run(shutdown.clone()));
                let listed = RemoteRevocations(KeysClient::new(client::channel(&common.auth_grpc_url)?));
                (Verifier::new(keys, revocations.clone()).refreshing(refresh), Arc::new(listed))
            }
        };
        tasks.spawn(revocations.follow(listed, notices.subscribe(), shutdown.clone()));

        Ok(Self {
            redis,
            broker,
            notices,
            verifier,
            readiness,
            shutdown,
            common: common.clone(),
            extra: Mutex::new(Router::new()),
            tasks,
        })
    }

    /// Publishes the outbox of `db` and sweeps its old rows, until shutdown.
    pub fn relay(&self, db: Db) {
        self.tasks.spawn(outbox::relay(db.clone(), self.broker.clone(), self.shutdown.clone()));
        self.tasks.spawn(inbox::sweep(db, self.shutdown.clone()));
    }

    /// Applies the events of a queue, each once. The service is ready only once it listens.
    pub fn consume(&self, db: Db, queue: Queue, app: impl Apply) {
        let (ready, gate) = watch::channel(false);
        self.readiness.gate("its event queue", gate);
        self.tasks.spawn(inbox::run(
            db,
            self.broker.clone(),
            queue,
            Arc::new(app),
            ready,
            self.shutdown.clone(),
        ));
    }

    /// Works on the messages of a queue, at most `prefetch` at a time (see [`Broker::consume`]).
    pub fn work<H>(&self, spec: QueueSpec, prefetch: u16, handle: H)
    where
        H: Fn(Delivery) -> futures::future::BoxFuture<'static, anyhow::Result<()>> + Send + Sync + 'static,
    {
        let broker = self.broker.clone();
        let (ready, gate) = watch::channel(false);
        self.readiness.gate("its work queue", gate);
        self.tasks.spawn(async move { broker.consume(spec, prefetch, Some(ready), handle).await });
    }

    /// Declares a queue that another process works on, and is ready only once it exists.
    pub fn declare(&self, spec: QueueSpec) {
        let (broker, shutdown) = (self.broker.clone(), self.shutdown.clone());
        let (ready, gate) = watch::channel(false);
        self.readiness.gate("its work queue", gate);
        self.tasks.spawn(async move {
            while let Err(error) = broker.declare(&spec).await {
                tracing::warn!(%error, queue = spec.name, "queue not declared");
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(500)) => {}
                    () = shutdown.wait() => return,
                }
            }
            ready.send_replace(true);
            shutdown.wait().await;
        });
    }

    /// Runs a background task to its end; it is expected to heed the shutdown.
    pub fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let shutdown = self.shutdown.clone();
        self.tasks.spawn(async move {
            if let Err(error) = tokio::spawn(task).await {
                tracing::error!(%error, name, "background task ended");
            } else if !shutdown.is_now() {
                tracing::debug!(name, "background task done");
            }
        });
    }

    /// Adds routes to the operations port (before it is served).
    pub fn ops_routes(&self, routes: Router) {
        let mut extra = self.extra.lock().expect("no holder panics");
        *extra = std::mem::take(&mut *extra).merge(routes);
    }

    /// Ready only when `gate` is true.
    pub fn ready_when(&self, what: &'static str, gate: watch::Receiver<bool>) {
        self.readiness.gate(what, gate);
    }

    /// Serves metrics and probes; [`House::serve`] does so by itself.
    ///
    /// # Errors
    /// When the address is taken.
    pub async fn serve_ops(&self) -> anyhow::Result<SocketAddr> {
        let extra = std::mem::take(&mut *self.extra.lock().expect("no holder panics"));
        let readiness = self.readiness.clone();
        ops::serve(self.common.ops_addr, readiness, extra, self.grace(), self.shutdown.clone()).await
    }

    /// Waits until nothing is waited for any more (for processes without a gRPC server).
    pub async fn ready(&self) {
        self.readiness.reached().await;
    }

    /// How long running work may take after the signal.
    #[must_use]
    pub fn grace(&self) -> Duration {
        Duration::from_secs(self.common.shutdown_grace_s)
    }

    /// Serves until shutdown, then lets requests and background tasks finish within the grace period.
    ///
    /// # Errors
    /// When a port is taken or the server breaks.
    pub async fn serve(self, listener: TcpListener, services: Services) -> anyhow::Result<()> {
        self.serve_ops().await?;
        let grace = self.grace();
        server::serve(
            listener,
            services,
            self.verifier.clone(),
            self.readiness.clone(),
            grace,
            self.shutdown.clone(),
        )
        .await?;
        self.finish().await;
        Ok(())
    }

    /// Serves HTTP until shutdown, then lets requests finish within the grace period. Streams must heed
    /// the shutdown by themselves.
    ///
    /// # Errors
    /// When a port is taken or the server breaks.
    pub async fn serve_http(self, listener: TcpListener, routes: Router) -> anyhow::Result<()> {
        self.serve_ops().await?;
        let grace = self.grace();
        tokio::select! {
            () = http1::serve(listener, routes, &self.shutdown) => {}
            () = self.shutdown.overdue(grace) => tracing::warn!(grace_s = grace.as_secs(), "requests were cut after the grace period"),
        }
        self.finish().await;
        Ok(())
    }

    /// Waits for background tasks within what is left of the grace period.
    pub async fn finish(self) {
        self.tasks.close();
        let grace = self.grace();
        tokio::select! {
            () = self.tasks.wait() => {}
            () = self.shutdown.overdue(grace) => {
                tracing::warn!(grace_s = grace.as_secs(), "background tasks were cut");
            }
        }
    }
}

/// True once the set holds a key.
fn non_empty(mut keys: watch::Receiver<KeySet>) -> watch::Receiver<bool> {
    let (sender, gate) = watch::channel(false);
    tokio::spawn(async move {
        if keys.wait_for(|k| !k.is_empty()).await.is_ok() {
            sender.send_replace(true);
        }
    });
    gate
}
