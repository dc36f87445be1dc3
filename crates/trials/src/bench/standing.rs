//! What the house costs while nobody comes, and how soon a process of it is there.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    House,
    meter::mebibytes,
    report::{Report, Row},
};

/// One idle LiteLLM 1.106.2, MiB, measured elsewhere.
const LITELLM_IDLE: f64 = 311.0;
/// A process that is not ready by then never is.
const PATIENCE: Duration = Duration::from_secs(20);

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
    Ok(())
}

/// Starts of goal 12: each service is ended and begun again beside the others, which run. Comes last: the processes that
/// the house knew are gone.
///
/// # Errors
/// When one does not come back.
pub async fn cold(house: &House, report: &mut Report) -> Result<()> {
    let (mut parts, mut worst) = (Vec::new(), (String::new(), 0.0));
    let names: Vec<String> = house.services().map(|p| p.name.clone()).collect();
    for name in &names {
        let register = &house.stand.instance.register;
        register.stop(|running| running == name);
        let mut command = house.stand.command(name)?;
        let port = house.stand.instance.known_port(&format!("{name}-ops")).unwrap_or_default();
        let began = Instant::now();
        register.start(name, &mut command, &house.stand.instance.log(name)).map_err(|e| anyhow!(e))?;
        while !ready(port).await {
            ensure!(began.elapsed() < PATIENCE, "{name} does not come back");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let took = began.elapsed().as_secs_f64() * 1000.0;
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
