//! A private house whose parts can be taken away: each server behind a proxy, each process known by its name, and a
//! store of pictures that can be full.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use reqwest::Client;
use sqlx::{PgPool, postgres::PgPoolOptions};
use tokio::time::Instant;
use xtask::{
    infra::{self, DATABASES, Durability},
    instance::Instance,
    process::Process,
    progress, run,
    up::{self, Options},
};

use super::proxy::Proxy;
use crate::upstream::Upstream;

/// How long a request may hang before it counts as never answered: longer than the house's own patience with a
/// picture.
pub const PATIENCE: Duration = Duration::from_secs(40);
/// Between two looks at something that is waited for.
pub const LOOK: Duration = Duration::from_millis(50);
/// How long a process may take to be ready.
const READY: Duration = Duration::from_secs(60);
/// Size of the store of pictures: what the seeds take, and room for those of a trial.
const DISK: &str = "96m";
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
    disk: Option<Disk>,
}

impl House {
    /// Starts a house with the seeds and nothing else.
    ///
    /// # Errors
    /// Whatever `cargo xtask up` would refuse for.
    pub async fn open(name: &str, shape: Shape) -> Result<Arc<Self>> {
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
            let mounted = Disk::mount(&instance.run.join("disk"));
            if mounted.small {
                tell("MEDIA_DIR", mounted.folder.display().to_string());
            }
            disk = Some(mounted);
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
            let launched = up::launch(&instance, &options, Durability::Kept, &extra, &interrupted);
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
            disk,
        }))
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

    fn start(&self, name: &str) -> Result<()> {
        let time = self.starts.fetch_add(1, Ordering::SeqCst) + 1;
        let started = run::start_again(&self.instance, name, time).map_err(|e| anyhow!(e))?;
        let mut processes = self.processes.lock().expect("no holder panics");
        match processes.iter_mut().find(|p| p.name == name) {
            Some(old) => *old = started,
            None => processes.push(started),
        }
        Ok(())
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
                self.start(name)?;
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
        let Some(port) = self.instance.known_port(&format!("{name}-ops")) else { return false };
        let asked = self.http.get(format!("http://127.0.0.1:{port}/readyz"));
        asked.timeout(Duration::from_secs(1)).send().await.is_ok_and(|answer| answer.status().is_success())
    }

    /// What memory a process has in RAM now, bytes; its highest is counted anew from here.
    ///
    /// # Errors
    /// When it does not run.
    pub fn resident(&self, name: &str) -> Result<u64> {
        let process = self.process(name)?;
        // proc(5): 5 resets the peak.
        fs::write(format!("/proc/{}/clear_refs", process.pid()), "5")?;
        crate::stand::resident(&process)
    }

    /// The most memory that a process had since [`House::resident`], bytes.
    ///
    /// # Errors
    /// When it does not run.
    pub fn peak(&self, name: &str) -> Result<u64> {
        crate::stand::peak(&self.process(name)?)
    }

    /// Starts what has ended, as whoever supervises processes does: the port of one that was killed may be taken, for a
    /// moment, by a connection of another.
    ///
    /// # Errors
    /// When one cannot be started.
    pub fn revive(&self) -> Result<()> {
        let dead: Vec<String> = {
            let processes = self.processes.lock().expect("no holder panics");
            processes.iter().filter(|p| !p.runs()).map(|p| p.name.clone()).collect()
        };
        dead.iter().try_for_each(|name| self.start(name))
    }

    /// Processes that have ended without being told to.
    #[must_use]
    pub fn dead(&self) -> Vec<String> {
        let processes = self.processes.lock().expect("no holder panics");
        processes
            .iter()
            .filter(|p| !p.runs())
            .map(|p| format!("{} ended:\n{}", p.name, p.last_lines(6)))
            .collect()
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
            infra::start(&house.instance, Durability::Kept, &mut progress::silent()).map(drop)
        })
        .await?
        .map_err(|e| anyhow!(e))?;
        Ok(Instant::now())
    }

    /// The store of pictures, where it can be full.
    #[must_use]
    pub fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref().filter(|disk| disk.small)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.instance.register.stop(|_| true);
        if let Some(disk) = &self.disk {
            disk.unmount();
        }
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

/// A file system of its own for the pictures, so small that it can be filled.
pub struct Disk {
    pub folder: PathBuf,
    /// Whether this machine let us make one; else the pictures lie where everything lies, and are never out of room.
    small: bool,
}

impl Disk {
    fn mount(folder: &Path) -> Self {
        let disk = Self { folder: folder.to_owned(), small: false };
        // Of a trial that was killed.
        disk.unmount();
        let made = fs::create_dir_all(folder).is_ok();
        let mounted = made
            && Command::new("mount")
                .args(["-t", "tmpfs", "-o", &format!("size={DISK}"), "tmpfs"])
                .arg(folder)
                .stderr(std::process::Stdio::null())
                .status()
                .is_ok_and(|ended| ended.success());
        Self { small: mounted, ..disk }
    }

    fn unmount(&self) {
        let _ =
            Command::new("umount").arg("-l").arg(&self.folder).stderr(std::process::Stdio::null()).status();
    }

    /// Leaves no room for a picture.
    ///
    /// # Errors
    /// When the file that takes the room cannot be made.
    pub fn fill(&self) -> Result<()> {
        use std::io::Write as _;
        let mut file = fs::File::create(self.folder.join("filler"))?;
        let piece = vec![0u8; 64 * 1024];
        while file.write_all(&piece).is_ok() {}
        Ok(())
    }

    /// Gives the room back.
    ///
    /// # Errors
    /// When the file cannot be deleted.
    pub fn empty(&self) -> Result<()> {
        Ok(fs::remove_file(self.folder.join("filler"))?)
    }
}
