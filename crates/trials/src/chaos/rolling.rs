//! A release: every process is asked to end and started anew, one after the other, while people are at work. Two of
//! each stand behind the edge, so nobody may notice.

use std::time::Duration;

use anyhow::Result;

use super::{
    PACE,
    crowd::Crowd,
    house::{House, Shape},
    invariants,
    report::{Report, Row},
};
use crate::upstream::Script;

/// People at work; two of everything leave less for each.
const CROWD: u32 = 4;
/// A process ends within its grace (`SHUTDOWN_GRACE_S` of kit), and a little.
const GRACE: Duration = Duration::from_secs(26);

/// Every process, so many rounds.
///
/// # Errors
/// When the house cannot be started, or a process not again.
pub async fn rolling(rounds: usize, seed: u64, report: &mut Report) -> Result<()> {
    let house = House::open("chaos-double", Shape::Double).await?;
    // Long enough that every process ends in the middle of somebody's reply.
    house.upstream.plays(Script { tokens: 60, pace: PACE * 3, ..Script::default() });
    let crowd = Crowd::gather(&house, CROWD, seed).await?;
    let mut row = Row::new("SIGTERM, one after the other, two of each behind the edge");
    let before = crowd.journal().counts();
    let mut longest = Duration::ZERO;
    for _ in 0..rounds {
        for name in house.names() {
            row.times += 1;
            let took = house.roll(&name).await?;
            longest = longest.max(took);
            row.expect(took <= GRACE, || format!("{name} took {:.1} s to end", took.as_secs_f32()));
        }
    }
    crowd.pause().await;
    let after = crowd.journal().counts();
    row.expect(after.1 == before.1, || format!("{} requests were put off", after.1 - before.1));
    row.found(invariants::settled(&house, crowd.journal()).await);
    row.note = format!(
        "load: {} answered, none failed; the longest end took {:.1} s",
        after.0 - before.0,
        longest.as_secs_f32()
    );
    if !row.broken.is_empty() {
        row.note = format!("load: {} answered", after.0 - before.0);
    }
    report.add(row);
    crowd.leave().await;
    Ok(())
}
