//! A release: every process is asked to end and started anew, one after the other, while people are at work and others
//! listen. Two of each stand behind the edge, so nobody may notice. Envoy itself is not of the house and stays: whoever
//! runs it replaces it with its own means.

use std::{sync::Arc, time::Duration};

use anyhow::Result;

use super::{
    PACE,
    crowd::Crowd,
    house::{House, Shape},
    invariants::{self, Letters},
    listeners::Listeners,
    report::{Report, Row},
};
use crate::upstream::Script;

/// People at work; two of everything leave less for each.
const CROWD: u32 = 4;
/// People who listen.
const LISTENERS: usize = 4;
/// A process ends within its grace (`SHUTDOWN_GRACE_S` of kit), and a little.
const GRACE: Duration = Duration::from_secs(26);

/// Rounds of the long run.
const ROUNDS: usize = 2;

/// Two of everything.
///
/// # Errors
/// When the house cannot be started.
pub async fn open(quick: bool) -> Result<Arc<House>> {
    House::open("chaos-double", Shape::Double, quick).await
}

/// Every process; in a quick run, one of the two of each service.
///
/// # Errors
/// When one cannot be started again.
pub async fn rolling(house: Arc<House>, quick: bool, seed: u64, report: &mut Report) -> Result<()> {
    // Long enough that every process ends in the middle of somebody's reply.
    house.upstream.plays(Script { tokens: 60, pace: PACE * 3, ..Script::default() });
    let crowd = Crowd::gather(&house, CROWD, seed).await?;
    let listeners = Listeners::open(&house, &crowd.judge, LISTENERS).await?;
    let mut row = Row::new("SIGTERM, one after the other, two of each behind the edge");
    let before = crowd.journal().counts();
    let mut longest = Duration::ZERO;
    let mut names = house.names();
    if quick {
        names.retain(|name| !name.ends_with("-2"));
    }
    for _ in 0..if quick { 1 } else { ROUNDS } {
        for name in &names {
            row.times += 1;
            let took = house.roll(name).await?;
            longest = longest.max(took);
            row.expect(took <= GRACE, || format!("{name} took {:.1} s to end", took.as_secs_f32()));
        }
    }
    crowd.pause().await;
    let load = crowd.journal().counts() - before;
    row.expect(load.put_off == 0, || format!("{} requests were put off", load.put_off));
    row.expect(load.lost == 0, || format!("{} requests were not answered", load.lost));
    row.expect(load.failed == 0, || format!("{} replies were ended early", load.failed));
    row.note =
        format!("load: {} answered; the longest end took {:.1} s", load.answered, longest.as_secs_f32());
    // Nothing ends any more: those who listen need not wait for long replies.
    house.upstream.plays(Script { pace: PACE, ..Script::default() });
    listeners.leave(&crowd.judge, crowd.characters[0], &mut row).await;
    row.found(invariants::settled(&house, crowd.journal(), Letters::None).await);
    if row.broken.is_empty() {
        row.note += "; none failed";
    }
    report.add(row);
    crowd.leave().await;
    Ok(())
}
