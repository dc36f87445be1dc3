//! A private house whose parts can be taken away: each server behind a proxy, each process known by its name, and a
//! store of pictures that can be closed.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use reqwest::{Client, Response};
use sqlx::{PgPool, postgres::PgPoolOptions};
use tokio::time::Instant;
use xtask::{
    infra::{self, DATABASES, Durability},
    instance::Instance,
    process::Process,
    progress, run,
    up::{self, Options},
};

use super::{disk::Disk, proxy::Proxy};
use crate::upstream::Upstream;

/// How long a request may hang before it counts as never answered: longer than the house's own patience with a
/// picture.
pub const PATIENCE: Duration = Duration::from_secs(40);
/// Between two looks at something that is waited for.
pub const LOOK: Duration = Duration::from_millis(50);
/// How long a process may take to be ready.
const READY: Duration = Duration::from_secs(60);
/// What a process says whose port somebody else has (EADDRINUSE).
const PORT_TAKEN: &str = "os error 98";
/// So many requests in a second are more than any trial sends.
const UNLIMITED: &str = "1000000/1";

/// Something that the house depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    Postgres,
    Redis,
    RabbitMq,
}

impl Server {
    pub const ALL: [Self; 3] = [Self::Postgres, Self::Redis, Self::RabbitMq];

    /// As its process is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Redis => "redis",
            Self::RabbitMq => "rabbitmq",
        }
    }
}

/// How many processes of each service, and whether Envoy stands before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One of each, and a proxy before each server.
    Single,
    /// Two of each, behind the edge.
    Double,
}

/// A running house; all of it ends, and its data is deleted, when this is dropped.
pub struct House {
    pub instance: Instance,
    /// Where people reach it, without a slash at its end.
    pub address: String,
    pub http: Client,
    pub upstream: Upstream,
    proxies: Vec<(Server, Proxy)>,
    databases: Vec<(&'static str, PgPool)>,
    processes: Mutex<Vec<Process>>,
    /// Counts when the door was shut, and when it was open again: what was asked across it may be lost.
    door: AtomicU64,
    starts: AtomicUsize,
    /// What ended without being told to, and was started again since.
    fallen: Mutex<Vec<String>>,
    disk: Option<Disk>,
    quick: bool,
}

impl House {
    /// Starts a house with the seeds and nothing else.
    ///
    /// # Errors
    /// Whatever `cargo xtask up` would refuse for.
    pub async fn open(name: &str, shape: Shape, quick: bool) -> Result<Arc<Self>> {
        let instance = Instance::open(Some(name)).map_err(|e| anyhow!(e))?;
        instance.register.stop(|_| true);
        let upstream = Upstream::open().await?;
        let port = |name: &str| instance.port(name).map_err(|e| anyhow!(e));
        let mut extra: Vec<(String, String)> = upstream.environment();
        let mut tell = |key: &str, value: String| extra.push((key.to_owned(), value));
        for rate in ["ACCOUNTS", "READ", "WRITE", "MESSAGES", "CREATE", "BILLING", "ADDRESS"] {
            tell(&format!("RATE_{rate}"), UNLIMITED.into());
        }
        // What a crash leaves lying is taken up soon, so that a trial need not wait for it.
        tell("JOB_LEASE_S", "4".into());
        tell("JOB_RETRY_MS", "200".into());
        // A model that says nothing is given up soon, for the same reason.
        tell("LLM_FIRST_TOKEN_TIMEOUT_S", "4".into());
        tell("LLM_IDLE_TIMEOUT_S", "3".into());
        tell("LLM_BREAKER_PAUSE_S", "1".into());
        let mut proxies = Vec::new();
        let mut disk = None;
        if shape == Shape::Single {
            for server in Server::ALL {
                let listen = port(&format!("proxy-{}", server.name()))?;
                proxies.push((server, Proxy::open(listen, port(server.name())?).await?));
                match server {
                    Server::Redis => {
                        tell("REDIS_URL", format!("redis://127.0.0.1:{listen}/?protocol=resp3"));
                    }
                    Server::RabbitMq => {
                        tell("AMQP_URL", format!("amqp://guest:guest@127.0.0.1:{listen}/%2f"))
                    }
                    Server::Postgres => {
                        for name in DATABASES {
                            let secret =
                                instance.secret(&format!("postgres-{name}")).map_err(|e| anyhow!(e))?;
                            let url = format!("postgres://{name}:{secret}@127.0.0.1:{listen}/{name}");
                            tell(&infra::database_variable(name), url);
                        }
                    }
                }
            }
            let opened = Disk::open(&instance.run.join("disk"))?;
            tell("MEDIA_DIR", opened.folder.display().to_string());
            disk = Some(opened);
        }
        let double = shape == Shape::Double;
        let options = Options {
            port: port("web")?,
            fresh: true,
            detach: true,
            pages: false,
            portraits: false,
            edge: double,
            replicas: if double { 2 } else { 1 },
            ..Options::default()
        };
        let address = options.address();
        // The proxies are carried by this runtime, so the start must not stand in its way.
        let (instance, launched) = tokio::task::spawn_blocking(move || {
            let interrupted = match up::interruption() {
                Ok(interrupted) => interrupted,
                Err(why) => return (instance, Err(why)),
            };
            let launched = up::launch(&instance, &options, durability(quick), &extra, &interrupted);
            (instance, launched)
        })
        .await?;
        let processes = match launched {
            Ok(processes) => processes,
            Err(why) => {
                instance.register.stop(|_| true);
                bail!(why);
            }
        };
        let http = kit::outbound::builder()
            .timeout(PATIENCE)
            // The edge's certificate is its own.
            .tls_danger_accept_invalid_certs(true)
            .build()?;
        let databases = databases(&instance)?;
        Ok(Arc::new(Self {
            instance,
            address,
            http,
            upstream,
            proxies,
            databases,
            processes: Mutex::new(processes),
            door: AtomicU64::new(0),
            starts: AtomicUsize::new(0),
            fallen: Mutex::default(),
            disk,
            quick,
        }))
    }

    /// How long something may take that may take so long in a house as it is shipped: a quick run is a test of unoptimised
    /// programs, beside whatever else the machine does.
    #[must_use]
    pub fn patience(&self, usual: Duration) -> Duration {
        if self.quick { usual * 2 } else { usual }
    }

    /// The database of a service, past the proxy.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    pub fn db(&self, name: &str) -> &PgPool {
        &self.databases.iter().find(|(n, _)| *n == name).expect("a service with a database").1
    }

    /// The way to a server.
    ///
    /// # Panics
    /// When the house has no proxies.
    #[must_use]
    pub fn way(&self, server: Server) -> &Proxy {
        &self.proxies.iter().find(|(s, _)| *s == server).expect("a house with proxies").1
    }

    /// RabbitMQ, past the proxy.
    #[must_use]
    pub fn amqp(&self) -> String {
        let port = self.instance.known_port("rabbitmq").unwrap_or_default();
        format!("amqp://guest:guest@127.0.0.1:{port}/%2f")
    }

    /// Names of all processes of the house, in the order of their start; what carries its calls is not its own.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let processes = self.processes.lock().expect("no holder panics");
        processes
            .iter()
            .map(|p| p.name.clone())
            .filter(|name| !["envoy", "inside"].contains(&name.as_str()))
            .collect()
    }

    /// How often the door was shut or opened.
    #[must_use]
    pub fn door(&self) -> u64 {
        self.door.load(Ordering::SeqCst)
    }

    fn process(&self, name: &str) -> Result<Process> {
        let processes = self.processes.lock().expect("no holder panics");
        processes.iter().find(|p| p.name == name).cloned().with_context(|| format!("no process {name}"))
    }

    /// Ends a process as a machine does that dies, and starts it again; answers when that was.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn crash(&self, name: &str) -> Result<Instant> {
        let process = self.process(name)?;
        let is_door = name.starts_with("bff");
        if is_door {
            self.door.fetch_add(1, Ordering::SeqCst);
        }
        process.kill();
        while process.runs() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let back = Instant::now();
        self.start(name)?;
        if is_door {
            self.ready(name).await?;
            self.door.fetch_add(1, Ordering::SeqCst);
        }
        Ok(back)
    }

    /// Asks a process to end, waits until it has, starts it again and waits until it is ready. Answers how long it took
    /// to end.
    ///
    /// # Errors
    /// When it does not become ready.
    pub async fn roll(&self, name: &str) -> Result<Duration> {
        let process = self.process(name)?;
        let began = Instant::now();
        tokio::task::spawn_blocking(move || process.stop()).await?;
        let took = began.elapsed();
        self.start(name)?;
        self.ready(name).await?;
        Ok(took)
    }

    /// Ends a process, starts it again and waits until it is ready, told something more than it was told before.
    ///
    /// # Errors
    /// When it does not become ready.
    pub async fn restart_told(&self, name: &str, more: &[(&str, String)]) -> Result<()> {
        let process = self.process(name)?;
        let is_door = name.starts_with("bff");
        if is_door {
            self.door.fetch_add(1, Ordering::SeqCst);
        }
        tokio::task::spawn_blocking(move || process.stop()).await?;
        let time = self.starts.fetch_add(1, Ordering::SeqCst) + 1;
        let mut command = run::told(&self.instance, name).map_err(|e| anyhow!(e))?;
        command.current_dir(&self.instance.run).arg("serve");
        command.envs(more.iter().map(|(key, value)| (key, value)));
        let log = self.instance.log(&format!("{name}.{time}"));
        let started = self.instance.register.start(name, &mut command, &log).map_err(|e| anyhow!(e))?;
        self.remember(name, started);
        self.ready(name).await?;
        if is_door {
            self.door.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    fn start(&self, name: &str) -> Result<()> {
        let time = self.starts.fetch_add(1, Ordering::SeqCst) + 1;
        let started = run::start_again(&self.instance, name, time).map_err(|e| anyhow!(e))?;
        self.remember(name, started);
        Ok(())
    }

    fn remember(&self, name: &str, started: Process) {
        let mut processes = self.processes.lock().expect("no holder panics");
        match processes.iter_mut().find(|p| p.name == name) {
            Some(old) => *old = started,
            None => processes.push(started),
        }
    }

    /// Waits until a process says that it is ready.
    ///
    /// # Errors
    /// When it has ended, or takes longer than any process may.
    pub async fn ready(&self, name: &str) -> Result<()> {
        let began = Instant::now();
        while !self.is_ready(name).await {
            let process = self.process(name)?;
            if !process.runs() {
                self.pick_up(&process)?;
            }
            if began.elapsed() > READY {
                bail!("{name} is not ready after {} s:\n{}", READY.as_secs(), process.last_lines(15));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Whether a process says that it is ready.
    pub async fn is_ready(&self, name: &str) -> bool {
        self.ask_ops(name, "/readyz").await.is_ok_and(|answer| answer.status().is_success())
    }

    /// Asks a process at the port that is for its operators, for a second.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn ask_ops(&self, name: &str, path: &str) -> Result<Response> {
        let port = self.instance.known_port(&format!("{name}-ops")).context("no operations port")?;
        let asked = self.http.get(format!("http://127.0.0.1:{port}{path}"));
        Ok(asked.timeout(Duration::from_secs(1)).send().await?)
    }

    /// What memory a process has in RAM now, bytes; its highest is counted anew from here.
    ///
    /// # Errors
    /// When it does not run.
    pub fn resident(&self, name: &str) -> Result<u64> {
        let process = self.process(name)?;
        crate::stand::forget_peak(&process)?;
        crate::stand::resident(&process)
    }

    /// The most memory that a process had since [`House::resident`], bytes.
    ///
    /// # Errors
    /// When it does not run.
    pub fn peak(&self, name: &str) -> Result<u64> {
        crate::stand::peak(&self.process(name)?)
    }

    /// Starts what has ended, as whoever supervises processes does; that it ended is not forgotten.
    ///
    /// # Errors
    /// When one cannot be started.
    pub fn revive(&self) -> Result<()> {
        let dead: Vec<Process> = {
            let processes = self.processes.lock().expect("no holder panics");
            processes.iter().filter(|p| !p.runs()).cloned().collect()
        };
        dead.iter().try_for_each(|process| self.pick_up(process))
    }

    /// Starts a process again that has ended by itself. The port of one that was killed may be taken, for a moment, by a
    /// connection of another: who found it so has done nothing wrong.
    fn pick_up(&self, process: &Process) -> Result<()> {
        let why = ended(process);
        if !why.contains(PORT_TAKEN) {
            self.fallen.lock().expect("no holder panics").push(why);
        }
        self.start(&process.name)
    }

    /// Processes that have ended without being told to since they were last asked for, whether they run again or not.
    #[must_use]
    pub fn dead(&self) -> Vec<String> {
        let mut dead = std::mem::take(&mut *self.fallen.lock().expect("no holder panics"));
        let processes = self.processes.lock().expect("no holder panics");
        dead.extend(processes.iter().filter(|p| !p.runs()).map(ended));
        dead
    }

    /// Stops a server.
    ///
    /// # Errors
    /// Never, unless this program is ending.
    pub async fn take_away(self: &Arc<Self>, server: Server) -> Result<()> {
        let house = Arc::clone(self);
        tokio::task::spawn_blocking(move || house.instance.register.stop(|name| name == server.name()))
            .await?;
        Ok(())
    }

    /// Starts what was stopped; answers when it was there again.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn bring_back(self: &Arc<Self>) -> Result<Instant> {
        let house = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            infra::start(&house.instance, durability(house.quick), &mut progress::silent()).map(drop)
        })
        .await?
        .map_err(|e| anyhow!(e))?;
        Ok(Instant::now())
    }

    /// The store of pictures.
    ///
    /// # Panics
    /// When the house stands behind the edge, where it is nobody's to fill.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        self.disk.as_ref().expect("a house of single processes")
    }
}

/// No fault takes the machine away: in a quick run PostgreSQL does not wait for its disk.
fn durability(quick: bool) -> Durability {
    if quick { Durability::Server } else { Durability::Kept }
}

/// What is said of a process that has ended.
fn ended(process: &Process) -> String {
    format!("{} ended:\n{}", process.name, process.last_lines(6))
}

impl Drop for House {
    fn drop(&mut self) {
        self.instance.register.stop(|_| true);
        // Its folder is among those that are deleted below.
        drop(self.disk.take());
        // What broke is told by logs best: whoever looks for it keeps them.
        if std::env::var_os("TROUPE_KEEP").is_none() {
            up::remove(&self.instance);
        }
    }
}

fn databases(instance: &Instance) -> Result<Vec<(&'static str, PgPool)>> {
    let port = instance.known_port("postgres").context("PostgreSQL has no port")?;
    DATABASES
        .into_iter()
        .map(|name| {
            let secret = instance.secret(&format!("postgres-{name}")).map_err(|e| anyhow!(e))?;
            let url = format!("postgres://{name}:{secret}@127.0.0.1:{port}/{name}");
            let pool = PgPoolOptions::new().max_connections(2).acquire_timeout(Duration::from_secs(10));
            Ok((name, pool.connect_lazy(&url)?))
        })
        .collect()
}
