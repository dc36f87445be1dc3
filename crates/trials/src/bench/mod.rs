//! What the house costs: goals 1 to 13, each beside something bare that is measured in the same run on the same machine.
//! CPU time per request comes first, for it hardly varies with the neighbours; then latencies at a fixed rate; then how
//! much there can be at most.

mod hops;
mod lists;
pub mod load;
mod logins;
mod long;
mod meter;
mod pages;
mod peer;
mod queues;
pub mod report;
mod standing;
mod streams;
mod totals;
mod turns;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use reqwest::Client;
use serde_json::Value;
use xtask::{
    infra::Durability,
    process::{Process, wait_for},
    progress,
    up::Options,
};

use self::{
    meter::Stolen,
    peer::LiteLlm,
    report::{Report, Row},
};
use crate::{
    stand::{self, Stand},
    upstream::Upstream,
};

/// Whether the programs are as they are shipped: as this one is.
const RELEASE: bool = !cfg!(debug_assertions);
/// Goals that are measured here.
const GOALS: std::ops::RangeInclusive<u8> = 1..=13;
/// Goals that need many characters.
const LISTS: [u8; 3] = [6, 7, 8];
/// Goals that stand beside a peer.
const PEERS: [u8; 3] = [1, 3, 12];
/// Characters of a whole run, and of a quick one.
const CHARACTERS: (u32, u32) = (1_000_000, 20_000);
/// Seconds in which a million of them are made up and written.
const INVENTED_S: f64 = 300.0;
/// Rates that nobody reaches: what is measured here is the work, and the counting of it stays part of that.
const NO_RATE: &str = "1000000/60";

/// What the house costs, beside bare programs measured in the same run.
#[derive(Debug, clap::Parser)]
#[command(name = "bench")]
pub struct Args {
    /// Shorter stretches and fewer characters: under three minutes after the build.
    #[arg(long)]
    quick: bool,
    /// Writes the figures there, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Characters that lists and searches go over; 1,000,000, in a quick run 20,000.
    #[arg(long, value_name = "N")]
    characters: Option<u32>,
    /// Numbers of goals, 1 to 13; all when none is named.
    goals: Vec<u8>,
}

/// The bare program.
struct Floor {
    process: Process,
    address: String,
}

/// What is measured, and what measures.
pub struct House {
    stand: Stand,
    upstream: Upstream,
    floor: Option<Floor>,
    /// What a peer takes here; unknown in a quick run, and where it cannot be had.
    litellm: Option<LiteLlm>,
    http: Client,
    /// The BFF, without Envoy before it.
    direct: String,
    /// Ids of characters that may be chatted with.
    characters: Vec<String>,
    quick: bool,
}

impl House {
    /// Length of one measurement.
    fn lasts(&self) -> Duration {
        Duration::from_millis(if self.quick { 1_500 } else { 6_000 })
    }

    /// Length of one measurement of several of the same.
    fn stretch(&self) -> Duration {
        self.lasts() / 2
    }

    /// Stretches of each of what is compared by its p99.
    fn turns(&self) -> usize {
        if self.quick { 3 } else { 15 }
    }

    /// Length of what is thrown away before it.
    fn warm(&self) -> Duration {
        Duration::from_millis(if self.quick { 400 } else { 1_500 })
    }

    fn floor(&self) -> Result<&Floor> {
        self.floor.as_ref().context("the floor does not run")
    }

    /// The house's own processes: without servers and Envoy.
    fn services(&self) -> impl Iterator<Item = &Process> {
        self.stand.processes().iter().filter(|p| p.name != "envoy")
    }

    fn database(&self, name: &str) -> Result<String> {
        self.stand.postgres.database(&self.stand.instance, name).map_err(|e| anyhow!(e))
    }

    async fn open(args: &Args, wanted: &[u8]) -> Result<Self> {
        let upstream = Upstream::open().await?;
        let mut extra = upstream.environment();
        for group in ["ACCOUNTS", "READ", "WRITE", "MESSAGES", "CREATE", "BILLING", "ADDRESS"] {
            extra.push((format!("RATE_{group}"), NO_RATE.into()));
        }
        let lighthouse = wanted.contains(&13) && !args.quick;
        let options = Options {
            release: RELEASE,
            edge: wanted.contains(&9),
            pages: wanted.contains(&13),
            // Lighthouse minds pictures that are not there.
            portraits: lighthouse,
            ..Options::default()
        };
        let stand = tokio::task::spawn_blocking(move || {
            if lighthouse {
                let mut step = progress::step("a browser, for Lighthouse");
                xtask::tools::browser(&mut step).map_err(|e| anyhow!(e))?;
                step.done("");
            }
            Stand::open_with("bench", &options, Durability::Kept, &extra)
        })
        .await??;
        let mut http = kit::outbound::builder();
        let direct =
            match stand.instance.known_port("bff-http").filter(|_| stand.address.starts_with("https")) {
                Some(port) => {
                    // The edge's certificate is its own.
                    http = http.tls_danger_accept_invalid_certs(true);
                    format!("http://127.0.0.1:{port}")
                }
                None => stand.address.clone(),
            };
        let mut house = Self {
            stand,
            upstream,
            floor: None,
            litellm: None,
            http: http.build()?,
            direct,
            characters: Vec::new(),
            quick: args.quick,
        };
        let featured = house.http.get(format!("{}/api/characters/featured", house.direct)).send().await?;
        let featured: Value = serde_json::from_str(&featured.error_for_status()?.text().await?)?;
        let ids = featured["characters"].as_array().into_iter().flatten();
        house.characters = ids.filter_map(|c| c["_id"].as_str().map(str::to_owned)).collect();
        ensure!(!house.characters.is_empty(), "the seeds brought no characters");
        Ok(house)
    }

    /// Invents many characters, and begins catalog again with them.
    async fn fill(&mut self, characters: u32, report: &mut Report) -> Result<()> {
        let began = Instant::now();
        let instance = &self.stand.instance;
        let mut command = xtask::run::told(instance, "catalog").map_err(|e| anyhow!(e))?;
        let seeds = instance.root.join("services/catalog/seeds");
        command.arg("seed").arg("--seeds").arg(seeds).args(["--characters", &characters.to_string()]);
        let log = instance.log("seed-catalog-many");
        command.stdout(Stdio::null()).stderr(fs::File::create(&log)?);
        let end = tokio::task::spawn_blocking(move || command.status()).await??;
        ensure!(end.success(), "no characters were invented; {} says why", log.display());
        let took =
            Row::new(6, format!("{characters} characters are invented"), "s", began.elapsed().as_secs_f64());
        report.rows.push(if characters >= CHARACTERS.0 { took.at_most(INVENTED_S) } else { took });
        standing::indexed(self, characters, report).await
    }

    /// Starts the bare program beside the house.
    fn lay_floor(&mut self) -> Result<()> {
        let instance = &self.stand.instance;
        let port = instance.port("floor").map_err(|e| anyhow!(e))?;
        let program = env::current_exe()?.with_file_name("floor");
        let mut command = Command::new(program);
        command
            .env("DATABASE_URL", self.database("floor")?)
            .env("LLM_BASE_URL", self.upstream.base())
            .env("HTTP_ADDR", format!("127.0.0.1:{port}"));
        let process =
            instance.register.start("floor", &mut command, &instance.log("floor")).map_err(|e| anyhow!(e))?;
        let there = || xtask::infra::get_status(port, "/plain") == Some(200);
        wait_for(&process, Duration::from_secs(10), there).map_err(|e| anyhow!(e))?;
        self.floor = Some(Floor { process, address: format!("http://127.0.0.1:{port}") });
        Ok(())
    }
}

/// Measures, prints, and answers how it went.
///
/// # Errors
/// When there is no house to be measured.
pub async fn run(args: Args) -> Result<ExitCode> {
    if let Some(unknown) = args.goals.iter().find(|goal| !GOALS.contains(goal)) {
        bail!("there is no goal {unknown} here; they are {} to {}", GOALS.start(), GOALS.end());
    }
    let wanted: Vec<u8> = GOALS.filter(|goal| args.goals.is_empty() || args.goals.contains(goal)).collect();
    let mut report = Report::new(machine(), args.quick);
    stand::build(RELEASE).await?;
    let built = Instant::now();
    let mut house = House::open(&args, &wanted).await?;
    report.stood_after = built.elapsed();
    let began = Instant::now();
    if !args.quick && PEERS.iter().any(|goal| wanted.contains(goal)) {
        let measured = peer::litellm(&house).await;
        house.litellm = measured.inspect_err(|why| eprintln!("      without LiteLLM: {why:#}")).ok();
    }
    // Before anything else is done with it.
    if wanted.contains(&12) {
        standing::idle(&house, &mut report)?;
    }
    house.lay_floor()?;
    report.relayed.push(streams::relayed(&house).await?);
    if wanted.contains(&12)
        && !args.quick
        && let Err(error) = standing::busy(&house, &mut report).await
    {
        report.unmeasured.push((12, format!("{error:#}")));
    }
    // Goals that need many characters come last: all others are measured with those of the first cast.
    let (many, few): (Vec<u8>, Vec<u8>) = wanted.into_iter().partition(|goal| LISTS.contains(goal));
    for goal in few {
        measure(&mut house, goal, &mut report).await;
    }
    if !many.is_empty() {
        let characters = args.characters.unwrap_or(if args.quick { CHARACTERS.1 } else { CHARACTERS.0 });
        if let Err(error) = house.fill(characters, &mut report).await {
            report.unmeasured.extend(many.iter().map(|goal| (*goal, format!("{error:#}"))));
        } else {
            for goal in many {
                measure(&mut house, goal, &mut report).await;
            }
        }
    }
    report.rows.sort_by_key(|row| row.goal);
    report.lasted = began.elapsed();
    if let Some(file) = &args.json {
        write(&report, file)?;
    }
    report.print();
    let (holding, all) = report.count();
    Ok(if holding == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(house: &mut House, goal: u8, report: &mut Report) {
    let (began, rows, stolen) = (Instant::now(), report.rows.len(), Stolen::begin());
    if let Err(error) = goal_of(house, goal, report).await {
        report.unmeasured.push((goal, format!("{error:#}")));
    }
    report.stolen.push((goal, stolen.percent()));
    let figures = report.rows.len() - rows;
    eprintln!("      goal {goal}: {figures} figures in {:.1} s", began.elapsed().as_secs_f64());
}

async fn goal_of(house: &mut House, goal: u8, report: &mut Report) -> Result<()> {
    match goal {
        1 => turns::measure(house, report).await,
        2 => hops::relay(house, report).await,
        // One load shows both.
        3 => streams::paced(house, report).await,
        4 => {
            if !report.rows.iter().any(|row| row.goal == 4) {
                streams::paced(house, report).await?;
            }
            streams::listeners(house, report).await
        }
        5 => streams::unpaced(house, report).await,
        6 => lists::pages(house, report).await,
        7 => {
            // Deep pages of lists come with 6.
            if !report.rows.iter().any(|row| row.goal == 7) {
                lists::pages(house, report).await?;
            }
            long::lives(house, report).await
        }
        8 => lists::search(house, report).await,
        9 => hops::edge(house, report).await,
        10 => logins::measure(house, report).await,
        11 => {
            queues::events(house, report).await?;
            queues::pictures(house, report).await
        }
        12 => standing::cold(house, report).await,
        _ => pages::measure(house, report),
    }
}

fn write(report: &Report, file: &Path) -> Result<()> {
    let text = serde_json::to_string_pretty(&report.json()?)?;
    fs::write(file, text + "\n").with_context(|| format!("{} cannot be written", file.display()))
}

/// Cores, memory and kernel, as far as they are known.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let memory = after(&read("/proc/meminfo"), "MemTotal");
    let gibibytes = memory.trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0 / 1024.0;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = after(&read("/proc/cpuinfo"), "model name");
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    format!(
        "{cores} cores ({model}), {gibibytes:.0} GiB, Linux {}, load {} before",
        kernel.trim(),
        load.split(' ').next().unwrap_or_default()
    )
}
