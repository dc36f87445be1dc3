//! Faults, one after the other, on a house of the real programs under steady load. After each, all that was promised
//! is looked for: by SQL, by the API, never by logs.

pub mod clocks;
pub mod crowd;
pub mod disk;
pub mod duplicates;
pub mod engine;
pub mod faults;
pub mod house;
pub mod invariants;
pub mod journal;
pub mod judge;
pub mod keyed;
pub mod listeners;
pub mod poison;
pub mod proxy;
pub mod quota;
pub mod reads;
pub mod report;
pub mod rolling;
pub mod rules;
pub mod scene;
pub mod webhooks;

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use tokio::{task::JoinHandle, time::Instant};
use xtask::up;

use self::{
    crowd::Crowd,
    house::{House, Server, Shape},
    invariants::Letters,
    report::{Report, Row},
    scene::{Looks, Scene},
};
use crate::{stand, upstream::Script};

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "chaos",
    about = "What the house survives: faults under load, and what must hold after each."
)]
pub struct Options {
    /// A representative of each kind, in under four minutes.
    #[arg(long)]
    pub quick: bool,
    /// What the random choices follow from; without it, another one each time.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Only these kinds.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Group>,
}

/// Kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// SIGKILL of each process.
    Kills,
    /// SIGTERM of each process, with no other beside it; not in a quick run.
    Ends,
    /// Servers that are stopped.
    Outages,
    /// Latency, resets, half-open connections, slow reads.
    Ways,
    /// No room for pictures.
    Disk,
    /// Clocks that jump.
    Clocks,
    /// Duplicates under one key, and a quota that many race for.
    Duplicates,
    /// Tampered and repeated webhooks.
    Webhooks,
    /// A language model that misbehaves.
    Engine,
    /// Messages that nobody can read.
    Poison,
    /// SIGTERM of each of two, behind the edge.
    Rolling,
}

impl Options {
    fn wants(&self, group: Group) -> bool {
        self.only.is_empty() || self.only.contains(&group)
    }
}

/// People at work.
const CROWD: u32 = 6;
/// Between two words of the model: a reply takes a moment, so that what happens may happen in the middle of it.
const PACE: Duration = Duration::from_millis(10);

/// How long a server is away or a way bad.
const AWAY: Duration = Duration::from_secs(30);
/// The same in a quick run; longer than the latency that is tried.
const AWAY_QUICK: Duration = Duration::from_secs(3);

/// Does it all; whether everything held.
///
/// # Errors
/// When the house cannot be started, or a part of it not again.
pub async fn run(options: &Options) -> Result<bool> {
    stand::build(up::Options::default().release).await?;
    let began = Instant::now();
    let seed = options.seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    println!("chaos, seed {seed}{}", if options.quick { ", quick" } else { "" });
    let mut report = Report::default();
    let mut double = None;
    let mut single_held = Ok(());
    if options.only.is_empty() || options.only.iter().any(|group| *group != Group::Rolling) {
        single_held = single(options, seed, &mut report, &mut double).await;
    }
    // Waited for whatever became of the first, so that it ends with this.
    let double = match double {
        Some(opening) => Some(opening.await?),
        None => None,
    };
    single_held?;
    if options.wants(Group::Rolling) {
        let house = match double {
            Some(opened) => opened?,
            None => rolling::open(options.quick).await?,
        };
        rolling::rolling(house, options.quick, seed, &mut report).await?;
    }
    println!("\n{}", report.table());
    println!("seed {seed}, {} s", began.elapsed().as_secs());
    let left_out = match report.left_out() {
        0 => String::new(),
        kinds => format!(", {kinds} LEFT OUT (see the table)"),
    };
    println!(
        "test result: {}. {} passed{left_out}",
        if report.whole() { "ok" } else { "FAILED" },
        report.checked()
    );
    Ok(report.whole())
}

/// All that is done to a house with one process of each service. A quick run has the house of two of each opened while what
/// is left to do here is mostly waiting.
async fn single(
    options: &Options,
    seed: u64,
    report: &mut Report,
    double: &mut Option<JoinHandle<Result<Arc<House>>>>,
) -> Result<()> {
    let quick = options.quick;
    let lasts = if quick { AWAY_QUICK } else { AWAY };
    let house = House::open("chaos", Shape::Single, quick).await?;
    house.upstream.plays(Script { pace: PACE, ..Script::default() });
    let crowd = Crowd::gather(&house, CROWD, seed).await?;
    let (watchman, reader) = tokio::try_join!(crowd::member(&crowd.judge), crowd::member(&crowd.judge))?;
    let shown = crowd.characters[1];
    let chat = crowd.judge.chat(&reader, shown).await.context("no chat can be begun")?;
    crowd.judge.say(&reader, &chat).await.context("nobody answers")?;
    crowd.judge.react(&reader, shown, "like").await;
    let luck = StdRng::seed_from_u64(seed);
    let mut scene = Scene {
        house: Arc::clone(&house),
        quick,
        crowd,
        watchman,
        reader,
        luck,
        letters: Letters::None,
        looks: Looks::default(),
    };

    if options.wants(Group::Kills) {
        for row in faults::kills(&mut scene, if quick { house.names().len() } else { 200 }).await? {
            report.add(row);
        }
    }
    if options.wants(Group::Ends) && !quick {
        report.add(faults::ends(&mut scene, 20).await?);
    }
    if options.wants(Group::Outages) {
        for server in Server::ALL {
            report.add(faults::outage(&scene, server, lasts).await?);
            if !quick {
                report.add(faults::restarts(&scene, server, 20).await?);
            }
        }
    }
    if options.wants(Group::Ways) {
        for (server, way) in faults::bad_ways(quick) {
            report.add(faults::bad_way(&scene, server, way, lasts).await?);
        }
    }
    if options.wants(Group::Disk) {
        report.add(disk::full_disk(&scene, lasts).await?);
    }
    if options.wants(Group::Clocks) {
        report.add(clocks::rows(&scene, if quick { 1 } else { 30 }).await?);
        report.add(clocks::processes(&mut scene).await?);
    }
    // Poison takes half a minute to be given up; meanwhile other things may happen, but no process may be
    // killed: it counts its tries.
    let poison = if options.wants(Group::Poison) { Some(poison::put(&mut scene).await?) } else { None };
    if options.wants(Group::Duplicates) {
        report.add(duplicates::duplicates(&mut scene).await?);
        report.add(quota::quota(&mut scene).await?);
    }
    if options.wants(Group::Webhooks) {
        report.add(webhooks::webhooks(&mut scene).await?);
    }
    if quick && options.wants(Group::Rolling) {
        *double = Some(tokio::spawn(rolling::open(quick)));
    }
    if options.wants(Group::Engine) {
        for row in engine::engine(&mut scene, if quick { 1 } else { 5 }).await? {
            report.add(row);
        }
    }
    if let Some(poison) = poison {
        report.add(poison.dead(&mut scene).await?);
    }
    if options.wants(Group::Engine) || options.wants(Group::Poison) {
        let mut row = Row::new("after all of it");
        row.times = 1;
        scene.examine(&mut row).await;
        report.add(row);
    }
    println!("{}", scene.looks.told());
    scene.crowd.leave().await;
    Ok(())
}
