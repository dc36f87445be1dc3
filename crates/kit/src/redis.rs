//! Redis, never waited for: each command is answered within [`TIMEOUT`] or counts as down.

use std::{
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, Pipeline, Script, ScriptInvocation, ServerErrorKind,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use thiserror::Error;
use tokio::sync::{
    mpsc::{self, UnboundedReceiver, UnboundedSender},
    oneshot,
};

use crate::{config::Common, start};

/// A command during an outage was measured to hang 4.8 s in reconnects; this is what we wait.
pub const TIMEOUT: Duration = Duration::from_millis(100);

/// How long a connection may take to be made anew.
const CONNECT: Duration = Duration::from_secs(5);
/// After so many unanswered commands in a row the connection is made anew. The manager does so for one that broke; one
/// whose other end is gone without a word it keeps.
const SILENT: u32 = 3;

/// How long what is told [`Redis::soon`] waits for others that go the same way: nobody sees a hundredth of a second, and each
/// way there and back puts two processes to sleep and wakes them.
const SOON: Duration = Duration::from_millis(10);
/// Commands that go together at most.
const TOGETHER: usize = 1_000;

/// Redis did not answer (in time).
#[derive(Debug, Error)]
#[error("redis is unavailable: {0}")]
pub struct Down(String);

/// One multiplexed connection; clones share it. No blocking command may pass through it: it would
/// hold up everyone else's.
#[derive(Clone)]
pub struct Redis {
    line: Arc<Line>,
    later: UnboundedSender<Later>,
    prefix: String,
}

/// What [`Redis::soon`] was told.
enum Later {
    Run(Vec<Cmd>),
    /// Somebody waits until all before it was run.
    Tell(oneshot::Sender<()>),
}

struct Line {
    client: Client,
    connection: RwLock<ConnectionManager>,
    /// Commands without an answer, since the last that had one.
    unanswered: AtomicU32,
    renewing: AtomicBool,
}

impl Redis {
    /// # Errors
    /// When the address is malformed or Redis cannot be reached at start.
    pub async fn connect(common: &Common) -> anyhow::Result<Self> {
        let client = redis::Client::open(common.redis_url.expose())
            .map_err(|_| anyhow::anyhow!("REDIS_URL is not a Redis address"))?;
        let connection = tokio::time::timeout(start::PATIENCE, open(&client))
            .await
            .with_context(|| {
                format!("Redis at REDIS_URL did not answer within {} s", start::PATIENCE.as_secs())
            })?
            .context("Redis at REDIS_URL cannot be reached")?;
        let line = Line {
            client,
            connection: RwLock::new(connection),
            unanswered: AtomicU32::new(0),
            renewing: AtomicBool::new(false),
        };
        let line = Arc::new(line);
        let (later, told) = mpsc::unbounded_channel();
        tokio::spawn(tell_together(Arc::clone(&line), told));
        Ok(Self { line, later, prefix: common.prefix.clone() })
    }

    /// The key under the house's prefix.
    #[must_use]
    pub fn key(&self, key: impl AsRef<str>) -> String {
        if self.prefix.is_empty() {
            key.as_ref().to_owned()
        } else {
            format!("{}:{}", self.prefix, key.as_ref())
        }
    }

    /// # Errors
    /// [`Down`] when there is no answer within [`TIMEOUT`].
    pub async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Down> {
        let mut connection = self.line.connection();
        self.line.within(command.query_async(&mut connection)).await
    }

    /// # Errors
    /// [`Down`] when there is no answer within [`TIMEOUT`].
    pub async fn pipe<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T, Down> {
        let mut connection = self.line.connection();
        self.line.within(pipeline.query_async(&mut connection)).await
    }

    /// Has commands run within some [`SOON`], in their order, together with those of others, and waits for nothing. What
    /// fails is logged and lost: it is for courtesies.
    pub fn soon(&self, commands: Vec<Cmd>) {
        // The other end is there as long as this one.
        let _ = self.later.send(Later::Run(commands));
    }

    /// Waits until all that was told [`Self::soon`] before has been run, or has failed: for an orderly end.
    pub async fn settled(&self) {
        let (told, settled) = oneshot::channel();
        let _ = self.later.send(Later::Tell(told));
        let _ = settled.await;
    }

    /// Runs calls of one script in one way there and back, by its digest; its text is sent only when Redis does not know
    /// it. Each call has keys of its own, which in a cluster may lie apart.
    ///
    /// # Errors
    /// [`Down`] when there is no answer to all of them within [`TIMEOUT`].
    pub async fn scripts<T: FromRedisValue>(
        &self,
        script: &Script,
        calls: &[ScriptInvocation<'_>],
    ) -> Result<Vec<T>, Down> {
        let mut pipeline = redis::pipe();
        for call in calls {
            pipeline.invoke_script(call);
        }
        let mut connection = self.line.connection();
        let answers = async {
            match pipeline.query_async(&mut connection).await {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                    script.load_async(&mut connection).await?;
                    pipeline.query_async(&mut connection).await
                }
                answers => answers,
            }
        };
        self.line.within(answers).await
    }
}

/// Runs what is told until nobody can tell any more.
async fn tell_together(line: Arc<Line>, mut told: UnboundedReceiver<Later>) {
    while let Some(first) = told.recv().await {
        if matches!(first, Later::Run(_)) {
            tokio::time::sleep(SOON).await;
        }
        let (mut together, mut waiting) = (redis::pipe(), Vec::new());
        let mut next = Some(first);
        while let Some(later) = next {
            match later {
                Later::Run(commands) => {
                    for command in commands {
                        together.add_command(command).ignore();
                    }
                }
                Later::Tell(settled) => waiting.push(settled),
            }
            next = (together.len() < TOGETHER).then(|| told.try_recv().ok()).flatten();
        }
        if !together.is_empty() {
            let mut connection = line.connection();
            if let Err(error) = line.within(together.query_async::<()>(&mut connection)).await {
                tracing::debug!(%error, "some things were not told");
            }
        }
        for settled in waiting {
            // Whoever waited may have gone.
            let _ = settled.send(());
        }
    }
}

async fn open(client: &Client) -> redis::RedisResult<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_max_delay(Duration::from_secs(1))
        .set_number_of_retries(usize::MAX)
        // `Line::within` waits for less, and a clock that is set wakes the thread that sets it.
        .set_response_timeout(None);
    ConnectionManager::new_with_config(client.clone(), config).await
}

impl Line {
    fn connection(&self) -> ConnectionManager {
        self.connection.read().expect("no holder panics").clone()
    }

    async fn within<T>(
        self: &Arc<Self>,
        answer: impl Future<Output = redis::RedisResult<T>>,
    ) -> Result<T, Down> {
        match tokio::time::timeout(TIMEOUT, answer).await {
            Ok(Ok(value)) => {
                self.unanswered.store(0, Ordering::Relaxed);
                Ok(value)
            }
            Ok(Err(error)) => Err(down(error.to_string())),
            Err(_) => {
                if self.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= SILENT {
                    self.renew();
                }
                Err(down(format!("no answer within {} ms", TIMEOUT.as_millis())))
            }
        }
    }

    /// Makes the connection anew, beside those who wait for it.
    fn renew(self: &Arc<Self>) {
        if self.renewing.swap(true, Ordering::Relaxed) {
            return;
        }
        let line = Arc::clone(self);
        tokio::spawn(async move {
            if let Ok(Ok(connection)) = tokio::time::timeout(CONNECT, open(&line.client)).await {
                *line.connection.write().expect("no holder panics") = connection;
                line.unanswered.store(0, Ordering::Relaxed);
                tracing::info!("a new connection to Redis, because the old one was silent");
            }
            line.renewing.store(false, Ordering::Relaxed);
        });
    }
}

fn down(why: String) -> Down {
    metrics::counter!("redis_failures_total").increment(1);
    Down(why)
}
