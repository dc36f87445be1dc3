//! The steps of a workflow, as the websocket of the client that has queued it tells them.

use std::{convert::Infallible, future::pending};

use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use crate::engines::http::{Server, Socket};

#[derive(Deserialize)]
struct Told {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct Progress {
    value: f32,
    max: f32,
    /// Older servers do not say whose steps these are; they tell each client of its own alone.
    prompt_id: Option<String>,
}

/// `None` where the server, or what stands in front of it, opens no websocket: its queue tells enough.
pub(super) async fn listen(server: &Server, client: &str) -> Option<Socket> {
    let url = server.url(&["ws?clientId=", client].concat()).ok()?;
    match server.socket(url).await {
        Ok(socket) => Some(socket),
        Err(error) => {
            tracing::debug!(%error, "the engine does not tell its steps");
            None
        }
    }
}

/// Tells which share of its steps the workflow has done, until it is dropped.
pub(super) async fn follow(socket: Option<Socket>, id: &str, mut tell: impl FnMut(f32)) -> Infallible {
    if let Some(mut socket) = socket {
        // Pictures of what is not done yet come as bytes.
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Text(text) = message
                && let Some(share) = share(&text, id)
            {
                tell(share);
            }
        }
    }
    pending().await
}

/// The share of a workflow's steps that is done, where a message tells it.
fn share(text: &str, id: &str) -> Option<f32> {
    let told: Told = serde_json::from_str(text).ok()?;
    if told.kind != "progress" {
        return None;
    }
    let progress: Progress = serde_json::from_value(told.data).ok()?;
    let ours = progress.prompt_id.is_none_or(|prompt| prompt == id);
    (ours && progress.max > 0.0).then(|| (progress.value / progress.max).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::SinkExt as _;
    use kit::config::Secret;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
        sync::mpsc,
    };
    use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

    use super::*;

    #[test]
    fn only_our_own_steps_count() {
        let progress = r#"{"type":"progress","data":{"value":7,"max":28,"prompt_id":"p1","node":"3"}}"#;
        assert_eq!(share(progress, "p1"), Some(0.25));
        assert_eq!(share(progress, "p2"), None);
        assert_eq!(share(r#"{"type":"progress","data":{"value":1,"max":2}}"#, "p1"), Some(0.5));
        for other in [
            r#"{"type":"status","data":{"status":{"exec_info":{"queue_remaining":1}}}}"#,
            r#"{"type":"executing","data":{"node":null,"prompt_id":"p1"}}"#,
            r#"{"type":"progress","data":{"value":1,"max":0}}"#,
            r#"{"type":"progress"}"#,
            "no JSON",
        ] {
            assert_eq!(share(other, "p1"), None, "{other}");
        }
    }

    /// A server that shakes hands, and then says this.
    async fn server(messages: Vec<Message>) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("somebody");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.expect("a head"));
            }
            let answer =
                "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
            stream.write_all(answer.as_bytes()).await.expect("answered");
            let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
            for message in messages {
                socket.send(message).await.expect("sent");
            }
            String::from_utf8(head).expect("text").to_lowercase()
        });
        (url, asked)
    }

    #[tokio::test]
    async fn steps_are_told_as_they_are_done() {
        let step = |value: u32| {
            Message::text(format!(r#"{{"type":"progress","data":{{"value":{value},"max":4}}}}"#))
        };
        let (url, asked) = server(vec![step(1), Message::binary(vec![0; 9]), step(3)]).await;
        let key = Some(Secret::new("a key"));
        let server = Server::new(&url, key, Duration::from_secs(9)).expect("a server");
        let socket = listen(&server, "c1").await.expect("open");
        let (told, mut heard) = mpsc::unbounded_channel();
        tokio::select! {
            never = follow(Some(socket), "p1", |share| told.send(share).expect("heard")) => match never {},
            () = async { assert_eq!([heard.recv().await, heard.recv().await], [Some(0.25), Some(0.75)]) } => {}
        }
        let head = asked.await.expect("asked");
        assert!(head.starts_with("get /ws?clientid=c1 http/1.1"), "{head}");
        assert!(
            head.contains("authorization: bearer a key") && head.contains("sec-websocket-key: "),
            "{head}"
        );
    }

    #[tokio::test]
    async fn a_server_without_a_websocket_is_no_fault() {
        let wire = wiremock::MockServer::start().await;
        let server = Server::new(&wire.uri(), None, Duration::from_secs(9)).expect("a server");
        assert!(listen(&server, "c1").await.is_none());
    }
}
