//! Readiness: what a process waits for before it takes requests, and the probe that asks.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::watch;

/// What must be true before requests are taken. Cheap to clone.
#[derive(Clone, Default)]
pub struct Readiness(Arc<Mutex<Vec<Gate>>>);

/// What is waited for, and whether it is there.
type Gate = (&'static str, watch::Receiver<bool>);

impl Readiness {
    /// Ready only when `gate` is true.
    pub fn gate(&self, what: &'static str, gate: watch::Receiver<bool>) {
        self.0.lock().expect("no holder panics").push((what, gate));
    }

    /// The first thing that is still waited for.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        self.0.lock().expect("no holder panics").iter().find(|(_, g)| !*g.borrow()).map(|(what, _)| *what)
    }

    /// Returns once nothing is waited for.
    pub(crate) async fn reached(&self) {
        while self.missing().is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Asks a running process whether it is ready: for container health checks and `cargo xtask up`.
#[derive(Debug, Clone, clap::Args)]
pub struct Probe {
    /// Operations address of the process.
    #[arg(long, env = "OPS_ADDR", default_value = "127.0.0.1:9464")]
    pub ops_addr: std::net::SocketAddr,
}

impl Probe {
    /// # Errors
    /// When the process is not ready within two seconds.
    pub async fn check(&self) -> anyhow::Result<()> {
        // A process that listens everywhere is asked here.
        let mut addr = self.ops_addr;
        match addr.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => addr.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => addr.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        let client = crate::outbound::client(Duration::from_secs(2))?;
        let answer = client.get(format!("http://{addr}/readyz")).send().await?;
        anyhow::ensure!(answer.status().is_success(), "not ready: {}", answer.text().await?);
        Ok(())
    }
}
