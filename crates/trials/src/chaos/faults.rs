//! Parts of the house that die, go away, or cannot be reached as they should, under load.

use std::time::Duration;

use anyhow::Result;
use rand::Rng as _;
use tokio::time::Instant;

use super::{house::Server, journal::Counts, proxy::Way, reads::Before, report::Row, scene::Scene};

/// Kills between two examinations at rest of the long run.
const KILLS: usize = 10;
/// Latency that is tried.
const LATE: Duration = Duration::from_secs(2);
/// Bytes per second of a slow reader.
const SLOW: usize = 4 * 1024;

/// Kills processes at random, so many times.
///
/// # Errors
/// When one cannot be started again.
pub async fn kills(scene: &mut Scene, times: usize) -> Result<Vec<Row>> {
    let names = scene.house.names();
    let mut rows: Vec<Row> = names.iter().map(|name| Row::new(format!("SIGKILL {name}"))).collect();
    // Each once, in any order, then any.
    let mut order: Vec<usize> = (0..names.len()).collect();
    rand::seq::SliceRandom::shuffle(order.as_mut_slice(), &mut scene.luck);
    while order.len() < times {
        order.push(scene.luck.random_range(0..names.len()));
    }
    order.truncate(times);
    for (time, number) in order.iter().enumerate() {
        let row = &mut rows[*number];
        row.times += 1;
        // At any moment of what the others do.
        tokio::time::sleep(Duration::from_millis(scene.luck.random_range(200..800))).await;
        let back = scene.house.crash(&names[*number]).await?;
        scene.well_again(row, back).await;
        if (time + 1) % KILLS == 0 || time + 1 == order.len() {
            scene.examine(row).await;
        } else {
            scene.look(row).await;
        }
    }
    rows.retain(|row| row.times > 0);
    Ok(rows)
}

/// Asks every process to end and starts it again at once, so many times: with nobody beside it, what comes meanwhile is put
/// off, and nothing else.
///
/// # Errors
/// When one cannot be started again.
pub async fn ends(scene: &mut Scene, times: usize) -> Result<Row> {
    let mut row = Row::new("SIGTERM of each process, alone");
    for _ in 0..times {
        for name in scene.house.names() {
            row.times += 1;
            tokio::time::sleep(Duration::from_millis(scene.luck.random_range(100..400))).await;
            scene.house.restart_told(&name, &[]).await?;
            scene.well_again(&mut row, Instant::now()).await;
            scene.look(&mut row).await;
        }
    }
    scene.examine(&mut row).await;
    Ok(row)
}

/// Takes a server away for so long, and looks what is served meanwhile.
///
/// # Errors
/// When it does not come back.
pub async fn outage(scene: &Scene, server: Server, lasts: Duration) -> Result<Row> {
    let mut row = Row::new(format!("{} stopped for {} s", server.name(), lasts.as_secs()));
    row.times = 1;
    let known = Before::learn(scene).await?;
    let before = scene.crowd.journal().counts();
    scene.house.take_away(server).await?;
    let until = Instant::now() + lasts;
    // What is read when it comes back may still be waited for then.
    let mut read = Row::new("");
    let returns = async {
        tokio::time::sleep_until(until).await;
        let back = scene.house.bring_back().await?;
        scene.well_again(&mut row, back).await;
        anyhow::Ok(())
    };
    let ((), returned) = tokio::join!(known.read(scene, &mut read, Some(server), until), returns);
    returned?;
    row.found((read.checked, read.broken));
    scene.examine(&mut row).await;
    row.note = load(&(scene.crowd.journal().counts() - before));
    Ok(row)
}

/// Stops a server and starts it again at once, so many times.
///
/// # Errors
/// When it does not come back.
pub async fn restarts(scene: &Scene, server: Server, times: usize) -> Result<Row> {
    let mut row = Row::new(format!("{} restarted", server.name()));
    for _ in 0..times {
        row.times += 1;
        scene.house.take_away(server).await?;
        let back = scene.house.bring_back().await?;
        scene.well_again(&mut row, back).await;
        // What is still on its way is examined once, after the last of them.
        scene.look(&mut row).await;
    }
    scene.examine(&mut row).await;
    Ok(row)
}

/// A way that is not as it should be, for so long.
///
/// # Errors
/// When what is known before cannot be asked.
pub async fn bad_way(scene: &Scene, server: Server, way: Way, lasts: Duration) -> Result<Row> {
    let name = match way {
        Way::Open => "open".to_owned(),
        Way::Late(by) => format!("{} s late", by.as_secs()),
        Way::Reset => "reset".into(),
        Way::HalfOpen => "half-open".into(),
        Way::Slow(bytes) => format!("slow, {bytes} B/s"),
    };
    let mut row = Row::new(format!("{}: {name}, {} s", server.name(), lasts.as_secs()));
    row.times = 1;
    let known = Before::learn(scene).await?;
    let before = scene.crowd.journal().counts();
    scene.house.way(server).set(way);
    let until = Instant::now() + lasts;
    let mut read = Row::new("");
    let opens = async {
        tokio::time::sleep_until(until).await;
        scene.house.way(server).set(Way::Open);
        scene.well_again(&mut row, Instant::now()).await;
    };
    tokio::join!(known.read(scene, &mut read, None, until), opens);
    row.found((read.checked, read.broken));
    scene.examine(&mut row).await;
    row.note = load(&(scene.crowd.journal().counts() - before));
    Ok(row)
}

fn load(counts: &Counts) -> String {
    format!("load: {} answered, {} put off with Retry-After", counts.answered, counts.put_off)
}

/// All ways that are tried; for a quick look, one of each kind, each before another server.
#[must_use]
pub fn bad_ways(quick: bool) -> Vec<(Server, Way)> {
    let kinds = [Way::Late(LATE), Way::Reset, Way::HalfOpen, Way::Slow(SLOW)];
    if quick {
        return vec![
            (Server::Postgres, Way::Reset),
            (Server::Redis, Way::HalfOpen),
            (Server::RabbitMq, Way::Slow(SLOW)),
            (Server::Redis, Way::Late(LATE)),
        ];
    }
    Server::ALL.into_iter().flat_map(|server| kinds.map(|kind| (server, kind))).collect()
}
