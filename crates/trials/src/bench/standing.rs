//! What the house costs while nobody comes, and how soon a process of it is there.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    House,
    load::{closed, open},
    meter::{Meter, mebibytes, peak_mebibytes},
    report::{Report, Row},
    turns,
};
use crate::upstream::Script;

/// One idle LiteLLM 1.106.2, MiB, measured elsewhere.
const LITELLM_IDLE: f64 = 311.0;
/// People who answer every reply at once.
const TALKING: usize = 16;
/// A reply that takes two seconds: tokens, and the pause before each.
const REPLY: (usize, Duration) = (80, Duration::from_millis(25));
/// What others read meanwhile, per second.
const READS: f64 = 24.0;
/// A process that is not ready by then never is.
const PATIENCE: Duration = Duration::from_secs(20);
/// What an index of a million characters takes beside an idle process: MiB, and ms to be read and ranked (architecture,
/// measurement c: 155 MiB in all, 0.90 s and 0.48 s).
const INDEX_MEMORY: f64 = 155.0;
const INDEX_MADE: f64 = 1_380.0;

/// Memory of goal 12, before anybody has come.
///
/// # Errors
/// When a process does not run.
pub fn idle(house: &House, report: &mut Report) -> Result<()> {
    let (mut parts, mut all, mut most) = (Vec::new(), 0.0, (String::new(), 0.0));
    for process in house.services() {
        let now = mebibytes(process)?;
        parts.push(format!("{} {now:.1}", process.name));
        all += now;
        if now > most.1 {
            most = (process.name.clone(), now);
        }
    }
    report.rows.push(
        Row::new(12, format!("memory of the largest idle service, {}", most.0), "MiB", most.1)
            .at_most(25.0)
            .note(format!("MiB: {}", parts.join(", "))),
    );
    report.rows.push(
        Row::new(12, "memory of all idle services", "MiB", all)
            .beside("MiB LiteLLM, elsewhere", LITELLM_IDLE)
            .at_most(180.0),
    );
    if let Some(here) = &house.litellm {
        report.rows.push(
            Row::new(12, "the same, beside LiteLLM in this run", "MiB", all).beside("MiB LiteLLM", here.idle),
        );
    }
    Ok(())
}

/// What each process takes while nobody comes and while people talk: the figures of docs/scaling.md and of the requests
/// in `k8s/base`. For information.
///
/// # Errors
/// When something fails that should not.
pub async fn busy(house: &House, report: &mut Report) -> Result<()> {
    let lasts = house.lasts() * 4;
    // Thousandths of a core are what is left of microseconds when they are counted per millisecond.
    let per = u64::try_from(lasts.as_millis())?;
    let meter = Meter::begin(house.services())?;
    tokio::time::sleep(lasts).await;
    let idle = meter.per(per)?;

    house.upstream.plays(Script { tokens: REPLY.0, pace: REPLY.1, ..Script::default() });
    let chats = turns::chats(house, TALKING * 4).await?;
    let say = move |number: u64| {
        let chat = chats[number as usize % chats.len()].clone();
        async move { chat.turn().await.map(drop) }
    };
    let (http, direct, characters) = (house.http.clone(), house.direct.clone(), house.characters.clone());
    let read = move |number: u64| {
        let character = &characters[number as usize % characters.len()];
        let path = if number.is_multiple_of(2) { "search".into() } else { format!("character/{character}") };
        let asked = http.get(format!("{direct}/api/{path}")).send();
        async move { Ok(asked.await?.error_for_status()?.bytes().await.map(drop)?) }
    };
    let meter = Meter::begin(house.services())?;
    let (talk, reads) = tokio::join!(closed(TALKING, lasts, say), open(READS, lasts, read));
    let talk = talk.sound("people talking")?;
    reads.sound("reading meanwhile")?;
    // The last replies end after the stretch.
    let busy = meter.per(u64::try_from(talk.lasted.as_millis())?)?;
    let turns = talk.rate();
    for ((process, (name, busy)), (_, idle)) in house.services().zip(busy).zip(idle) {
        report.rows.push(
            Row::new(12, format!("{name}: CPU, {turns:.0} turns and {READS:.0} reads a second"), "m", busy)
                .note(format!(
                    "idle {idle:.0} m; memory {:.0} MiB, at most {:.0} MiB",
                    mebibytes(process)?,
                    peak_mebibytes(process)?
                )),
        );
    }
    Ok(())
}

/// Starts of goal 12: each service is ended and begun again beside the others, which run.
///
/// # Errors
/// When one does not come back.
pub async fn cold(house: &mut House, report: &mut Report) -> Result<()> {
    let (mut parts, mut worst) = (Vec::new(), (String::new(), 0.0));
    let names: Vec<String> = house.services().map(|p| p.name.clone()).collect();
    for name in &names {
        let took = begun_again(house, name).await?;
        parts.push(format!("{name} {took:.0}"));
        if took > worst.1 {
            worst = (name.clone(), took);
        }
    }
    report.rows.push(
        Row::new(12, format!("from its start to readiness, the slowest service, {}", worst.0), "ms", worst.1)
            .at_most(300.0)
            .note(format!("ms: {}", parts.join(", "))),
    );
    Ok(())
}

/// What the lists of so many characters cost `catalog`, whose index is a part of the product (architecture, measurement
/// c): it is made anew at start.
///
/// # Errors
/// When it does not come back.
pub async fn indexed(house: &mut House, characters: u32, report: &mut Report) -> Result<()> {
    let took = begun_again(house, "catalog").await?;
    let memory = mebibytes(house.stand.process("catalog")?)?;
    let millions = f64::from(characters) / 1e6;
    report.rows.push(
        Row::new(6, format!("memory of catalog, idle, {characters} characters"), "MiB", memory)
            .beside("MiB of the goal and the index of the architecture", 25.0 + INDEX_MEMORY * millions),
    );
    report.rows.push(
        Row::new(6, format!("from its start to readiness, {characters} characters"), "ms", took)
            .beside("ms of the goal and the index of the architecture", 300.0 + INDEX_MADE * millions),
    );
    Ok(())
}

/// Milliseconds from a service's start to its readiness.
async fn begun_again(house: &mut House, name: &str) -> Result<f64> {
    let port = house.stand.instance.known_port(&format!("{name}-ops")).unwrap_or_default();
    house.stand.instance.register.stop(|running| running == name);
    let began = Instant::now();
    house.stand.restart(name)?;
    while !ready(port).await {
        ensure!(began.elapsed() < PATIENCE, "{name} does not come back");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

async fn ready(port: u16) -> bool {
    let ask = async {
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await?;
        socket.write_all(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer.starts_with("HTTP/1.1 200"))
    };
    ask.await.unwrap_or(false)
}
