//! HTTP/1.1 over many connections that stay open.

use std::net::SocketAddr;

use axum::{Router, extract::ConnectInfo, serve::Listener};
use http::Request;
use hyper::{body::Incoming, server::conn::http1::Builder, service::service_fn};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use tokio::net::{TcpListener, TcpStream};
use tower::Service as _;

use crate::shutdown::Shutdown;

/// Serves until shutdown, then until the requests that run have ended.
///
/// `axum::serve` would do, but looks first whether a connection speaks HTTP/2, and reads its first request in two pieces
/// for that: hyper's buffer is then twice as large for as long as the connection lives, 8 KiB of each event stream. Who
/// asks here speaks HTTP/1.1: Envoy, and the browser of a developer.
pub async fn serve(mut listener: TcpListener, routes: Router, shutdown: &Shutdown) {
    let routes: Router = routes.with_state(());
    let connections = GracefulShutdown::new();
    loop {
        let (stream, peer): (TcpStream, SocketAddr) = tokio::select! {
            // Of axum: it waits where the process has no more descriptors, instead of failing.
            accepted = Listener::accept(&mut listener) => accepted,
            () = shutdown.wait() => break,
        };
        // Without it a stream of small events was measured 40 ms late.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY not set");
        }
        let routes = routes.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            routes.clone().call(request)
        });
        let connection = Builder::new().serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::trace!(%error, "a connection broke");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
}
