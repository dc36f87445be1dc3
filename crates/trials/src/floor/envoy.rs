//! The Envoy that stands before the house, with its router alone: without limits, log and caches.

use std::{fs, net::TcpStream, time::Duration};

use xtask::{
    Outcome, edge,
    instance::Instance,
    process::{Process, wait_for},
    progress::Step,
    python::ENVOY,
};

/// It is there within a second.
const READY: Duration = Duration::from_secs(30);

/// A bare Envoy before the BFF of a house. It ends with the house, or when its process is stopped.
pub struct BareEnvoy {
    pub process: Process,
    /// Where it takes requests with TLS, without a slash at its end.
    pub tls: String,
    /// The same without TLS, where it speaks HTTP/1.1.
    pub clear: String,
}

impl BareEnvoy {
    /// Starts it before the port of a BFF, with the certificate of the house's own, and waits until it listens.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(instance: &Instance, bff: u16, step: &mut Step) -> Outcome<Self> {
        let (tls, clear) = (instance.port("bare-envoy")?, instance.port("bare-envoy-clear")?);
        let certificate = edge::certificate(instance);
        let text = include_str!("envoy.yaml")
            .replace("/etc/envoy/tls", &certificate.parent().expect("a folder").display().to_string())
            .replace("port_value: 10443", &format!("port_value: {tls}"))
            .replace("port_value: 10080", &format!("port_value: {clear}"))
            .replace("port_value: 8080", &format!("port_value: {bff}"));
        let file = instance.run.join("bare-envoy.yaml");
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        let process = edge::begin(instance, "bare-envoy", &ENVOY.provide(step)?, &file)?;
        let listens = |port| TcpStream::connect(("127.0.0.1", port)).is_ok();
        wait_for(&process, READY, || listens(tls) && listens(clear))?;
        Ok(Self {
            process,
            tls: format!("https://127.0.0.1:{tls}"),
            clear: format!("http://127.0.0.1:{clear}"),
        })
    }
}
