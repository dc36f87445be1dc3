//! The operations port: metrics and probes, apart from the product.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context as _;
use axum::{Router, http::StatusCode, routing::get};

use crate::{health::Readiness, net, shutdown::Shutdown, telemetry};

pub(crate) async fn serve(
    addr: SocketAddr,
    readiness: Readiness,
    extra: Router,
    grace: Duration,
    shutdown: Shutdown,
) -> anyhow::Result<SocketAddr> {
    let listener = net::listen(addr).with_context(|| format!("OPS_ADDR {addr} cannot be listened on"))?;
    let bound = listener.local_addr()?;
    let ending = shutdown.clone();
    let standing = readiness.clone();
    let router = Router::new()
        .route(
            "/metrics",
            get(move || async move {
                metrics::gauge!("process_ready").set(u8::from(standing.missing().is_none()));
                metrics::gauge!("process_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
                let metrics = telemetry::metrics();
                metrics.run_upkeep();
                metrics.render()
            }),
        )
        .route("/livez", get(|| async { "ok" }))
        .route(
            "/readyz",
            get(move || async move {
                match readiness.missing() {
                    _ if ending.is_leaving() => (StatusCode::SERVICE_UNAVAILABLE, "ends".to_owned()),
                    Some(what) => (StatusCode::SERVICE_UNAVAILABLE, format!("waits for {what}")),
                    None => (StatusCode::OK, "ok".to_owned()),
                }
            }),
        )
        .merge(extra);
    tokio::spawn(async move {
        // Probes and metrics stay readable while the process drains.
        let ended = axum::serve(listener, router)
            .with_graceful_shutdown(async move { shutdown.overdue(grace).await });
        if let Err(error) = ended.await {
            tracing::error!(%error, "operations port ended");
        }
    });
    Ok(bound)
}
