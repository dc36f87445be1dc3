//! A server that sends clients on to where they must not go.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::IntoResponse,
    routing::any,
    serve::ListenerExt as _,
};
use troupe_kit::testing::assert_nodelay;

/// Where the server sends to.
type Onward = Arc<Vec<String>>;

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn onward(State(to): State<Onward>, Path((status, at)): Path<(u16, usize)>) -> impl IntoResponse {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [(header::LOCATION, to[at].clone())])
}

#[tokio::test]
async fn no_answer_sends_a_client_on() {
    let reached = Arc::new(AtomicUsize::new(0));
    let counted = reached.clone();
    let private = serve(Router::new().fallback(async move || {
        counted.fetch_add(1, Ordering::SeqCst);
    }))
    .await;
    let to = vec![
        format!("{private}/inside"),
        private.replace("127.0.0.1", "localhost"),
        private.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        private.replace("127.0.0.1", "2130706433"),
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/".to_owned(),
        "http://metadata.google.internal/computeMetadata/v1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "//169.254.169.254/".to_owned(),
    ];
    let count = to.len();
    let open = serve(Router::new().route("/{status}/{at}", any(onward)).with_state(Arc::new(to))).await;
    let client = troupe_kit::outbound::client(Duration::from_secs(5)).expect("a client");
    for status in [301, 302, 303, 307, 308] {
        for at in 0..count {
            for request in
                [client.get(format!("{open}/{status}/{at}")), client.post(format!("{open}/{status}/{at}"))]
            {
                let answer = request.bearer_auth("a key").send().await.expect("the redirect itself");
                assert_eq!(answer.status().as_u16(), status, "to {at}");
            }
        }
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0, "nobody was sent on");
    // What is asked itself is reached by its name, private or not.
    client.get(private.replace("127.0.0.1", "localhost")).send().await.expect("an answer");
    assert_eq!(reached.load(Ordering::SeqCst), 1);
}

/// A model is asked in small pieces as well as answered in them.
#[tokio::test]
async fn no_client_waits_for_an_acknowledgement() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("an option"));
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(async || "heard")).await });
    let client = troupe_kit::outbound::client(Duration::from_secs(5)).expect("a client");
    let answer = client.get(format!("http://{address}/")).send().await.expect("an answer");
    assert_eq!(answer.text().await.expect("a body"), "heard");
    assert_nodelay(address).await;
}
