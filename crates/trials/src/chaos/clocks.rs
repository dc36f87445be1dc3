//! Clocks that jump: that of one process, really, and that of PostgreSQL as far as its rows can tell.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use rand::seq::IndexedRandom as _;
use reqwest::header;
use time::{OffsetDateTime, format_description::well_known::Rfc2822};
use tokio::time::Instant;
use xtask::run;

use super::{house::House, report::Row, scene::Scene};

/// How long a clock is wrong, in each direction: some hundred requests.
const WRONG: Duration = Duration::from_secs(2);
/// Longer than what lies between two looks of whoever looks for something due all the time, as of outboxes …
const NOTICED: Duration = Duration::from_millis(300);
/// … and of those who sweep: chat every 2 s, media every 5. Waited for once.
const SWEPT: Duration = Duration::from_secs(6);

/// What a faked clock is told, by the second: how far it is from the true one. The last one makes it right again.
const JUMPS: [&str; 3] = ["+3600", "-3600", "+0"];
const HOUR: time::Duration = time::Duration::hours(1);
/// Answers tell their date by the second, and it is read a moment later.
const MINUTE: time::Duration = time::Duration::minutes(1);
/// Where Debian's package `libfaketime` keeps its library, by the machine's kind.
const LIBRARIES: &str = "/usr/lib";
const LIBRARY: &str = "faketime/libfaketime.so.1";

/// What is dated by the clock of its process is rightly refused an hour later: a second factor's code by `auth`, a signed
/// webhook by `billing`. Their clocks jump between two acts of the load, all others in the middle of them.
const DATED: [&str; 2] = ["auth", "billing"];

/// The clocks of processes, one after the other: an hour ahead, an hour back, and right again, while people are at work.
/// In a quick run, that of one, chosen at random.
///
/// # Errors
/// When a process does not start again.
pub async fn processes(scene: &mut Scene) -> Result<Row> {
    let mut row = Row::new("the clock of one process an hour ahead, an hour back, and right again");
    let Some(library) = library() else {
        row.leave_out("libfaketime is not here (Debian's package faketime brings it)");
        return Ok(row);
    };
    let mut names = scene.house.names();
    if scene.quick {
        names = names.choose(&mut scene.luck).cloned().into_iter().collect();
    }
    for name in &names {
        row.times += 1;
        let file = scene.house.instance.run.join(format!("clock-{name}"));
        fs::write(&file, "+0")?;
        let told = [
            ("LD_PRELOAD", library.display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
            // Read anew each time somebody asks what time it is.
            ("FAKETIME_NO_CACHE", "1".into()),
            // How long something takes is measured by another clock, which never jumps.
            ("DONT_FAKE_MONOTONIC", "1".into()),
            // The times of files are left as they are.
            ("NO_FAKE_STAT", "1".into()),
        ];
        scene.house.restart_told(name, &told).await?;
        scene.well_again(&mut row, Instant::now()).await;
        for offset in JUMPS {
            let dated = DATED.contains(&name.as_str());
            if dated {
                scene.crowd.pause().await;
            }
            fs::write(&file, offset)?;
            if dated {
                scene.crowd.go_on();
            }
            if offset == "+0" {
                scene.well_again(&mut row, Instant::now()).await;
            } else {
                tokio::time::sleep(WRONG).await;
                scene.look(&mut row).await;
            }
            if offset == JUMPS[0] {
                let ahead = ahead(scene, name).await?;
                row.expect((ahead - HOUR).abs() < MINUTE, || {
                    format!("the clock of {name} was {ahead} ahead, and not an hour")
                });
            }
        }
        scene.examine(&mut row).await;
        heal(scene, &row).await?;
        // Whatever comes after it is done to the program as it is.
        scene.house.restart_told(name, &[]).await?;
        scene.well_again(&mut row, Instant::now()).await;
    }
    row.note = names.join(", ");
    Ok(row)
}

/// How far the clock of a process is ahead of ours, by the date of its answers: of an hour back nothing can be told, since
/// whoever writes that date keeps the latest.
async fn ahead(scene: &Scene, name: &str) -> Result<time::Duration> {
    let answer = scene.house.ask_ops(name, "/readyz").await?;
    let date = answer.headers().get(header::DATE).context("an answer without a date")?;
    Ok(OffsetDateTime::parse(date.to_str()?, &Rfc2822)? - OffsetDateTime::now_utc())
}

/// Where the library is that fakes clocks.
fn library() -> Option<PathBuf> {
    let machines = fs::read_dir(LIBRARIES).ok()?.filter_map(Result::ok);
    machines.map(|machine| machine.path().join(LIBRARY)).find(|library| library.is_file())
}

/// A time at which something becomes due or runs out by PostgreSQL's clock, and what its clock does to it when it jumps.
struct Due {
    database: &'static str,
    /// By an hour ahead: what was leased has run out, what was put off is due.
    ahead: &'static str,
    /// By an hour back: nothing of it is due for an hour.
    back: &'static str,
    /// What is further ahead than anything of a trial was moved, and nobody has renewed it since.
    restored: &'static str,
}

macro_rules! moved {
    ($table:literal, $column:literal = ($($to:literal),*) where ($($open:literal),*)) => {
        concat!("update ", $table, " set ", $column, " = ", $($to,)* " where ", $($open),*)
    };
}

macro_rules! due {
    ($database:literal, $table:literal, $column:literal where $open:literal) => {
        Due {
            database: $database,
            ahead: moved!($table, $column = ($column, " - interval '1 hour'") where ($open)),
            back: moved!($table, $column = ("greatest(", $column, ", now()) + interval '1 hour'") where ($open)),
            restored: moved!(
                $table,
                $column = ($column, " - interval '1 hour'")
                where ($open, " and ", $column, " > now() + interval '30 minutes'")
            ),
        }
    };
}

/// Those of them that an hour decides, as long as they are open: no terms of a month, and not when a code, a checkout or a
/// session runs out, which is rightly refused an hour later.
static DUE: [Due; 16] = [
    due!("chat", "generation", "lease_until" where "state = 'running'"),
    due!("chat", "idempotency", "lease_until" where "state = 'running'"),
    due!("chat", "memory_job", "due_at" where "true"),
    due!("chat", "outbox", "available_at" where "true"),
    due!("media", "job", "lease_until" where "state = 'running'"),
    due!("media", "job", "available_at" where "state = 'queued'"),
    due!("media", "idempotency", "lease_until" where "state = 'running'"),
    due!("media", "outbox", "available_at" where "true"),
    due!("catalog", "idempotency", "lease_until" where "state = 'running'"),
    due!("catalog", "outbox", "available_at" where "true"),
    due!("billing", "idempotency", "lease_until" where "state = 'running'"),
    due!("billing", "provider_task", "available_at" where "true"),
    due!("billing", "sandbox_delivery", "available_at" where "true"),
    due!("billing", "outbox", "available_at" where "true"),
    due!("auth", "mail", "available_at" where "true"),
    due!("auth", "outbox", "available_at" where "true"),
];

/// PostgreSQL's clock, as far as its rows can tell: to whoever compares a time with now, a time that is moved back by an
/// hour is the same as a clock that jumps an hour ahead. Ahead, back, and right again.
///
/// # Errors
/// When the databases cannot be asked.
pub async fn rows(scene: &Scene, times: usize) -> Result<Row> {
    let mut row =
        Row::new("the clock of PostgreSQL an hour ahead, an hour back, and right again, by its rows");
    for time in 0..times {
        row.times += 1;
        let taken = scene.crowd.judge.picture(&scene.watchman).await;
        row.expect(taken.is_some(), || "no picture is taken".into());
        for which in [|due: &Due| due.ahead, |due: &Due| due.back] {
            move_all(&scene.house, which).await?;
            tokio::time::sleep(if time == 0 { SWEPT } else { NOTICED }).await;
        }
        move_all(&scene.house, |due| due.restored).await?;
        scene.look(&mut row).await;
    }
    scene.well_again(&mut row, Instant::now()).await;
    scene.examine(&mut row).await;
    heal(scene, &row).await?;
    Ok(row)
}

async fn move_all(house: &House, which: impl Fn(&Due) -> &'static str) -> Result<()> {
    for due in &DUE {
        sqlx::query(which(due)).execute(house.db(due.database)).await?;
    }
    Ok(())
}

/// Where a jump has left something waiting for an hour, it is made due, so that the trials that follow are judged by
/// themselves; it is broken all the same.
async fn heal(scene: &Scene, row: &Row) -> Result<()> {
    if row.broken.is_empty() {
        return Ok(());
    }
    move_all(&scene.house, |due| due.restored).await?;
    let house = Arc::clone(&scene.house);
    let requeued =
        tokio::task::spawn_blocking(move || run::in_house(&house.instance, "media-api", &["requeue"]))
            .await?;
    requeued.map_err(|why| anyhow!(why))
}
