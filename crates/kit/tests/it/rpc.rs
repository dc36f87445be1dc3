//! A service that tells who called, and what reached it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use proto::chat::v1::{
    ClearChatRequest, ClearChatResponse, GetUsageRequest, GetUsageResponse, ListChatsRequest,
    ListChatsResponse, OpenChatRequest, OpenChatResponse,
    chats_client::ChatsClient,
    chats_server::{Chats, ChatsServer},
};
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    time::timeout,
};
use tonic::{Code, Request, Response, Status};
use troupe_kit::{
    auth::Claims,
    caller,
    client::{BEGINNINGS, Channel},
    deadline,
    error::Failure,
    house::House,
    server::Services,
    testing::{
        Issuer, TestServer, as_user, as_user_with_key, assert_nodelay, channel, common, eventually, serve,
    },
};

/// Enough for each of two replicas to be chosen.
const CALLS: u32 = 20;

/// Answers with what it learned: the caller's name as chat id, the key as scenario.
#[derive(Clone, Default)]
struct Mirror {
    tries: Arc<AtomicU32>,
}

#[tonic::async_trait]
impl Chats for Mirror {
    async fn open_chat(
        &self,
        request: Request<OpenChatRequest>,
    ) -> Result<Response<OpenChatResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        Ok(Response::new(OpenChatResponse {
            chat_id: user.name,
            scenario: key.unwrap_or_default(),
            ..Default::default()
        }))
    }

    async fn list_chats(&self, _: Request<ListChatsRequest>) -> Result<Response<ListChatsResponse>, Status> {
        if self.tries.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(Status::unavailable("not the first time"));
        }
        Ok(Response::new(ListChatsResponse::default()))
    }

    async fn clear_chat(&self, _: Request<ClearChatRequest>) -> Result<Response<ClearChatResponse>, Status> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        Err(Status::unavailable("never"))
    }

    async fn get_usage(&self, _: Request<GetUsageRequest>) -> Result<Response<GetUsageResponse>, Status> {
        std::future::pending().await
    }
}

async fn mirror(issuer: &Issuer) -> (TestServer, ChatsClient<Channel>, Mirror) {
    let common = common(issuer);
    let mirror = Mirror::default();
    let served = mirror.clone();
    let server = serve(async move |listener, shutdown| {
        let house = House::open(&common, shutdown).await?;
        house.serve(listener, Services::new().add(ChatsServer::new(served))).await
    })
    .await;
    let client = ChatsClient::new(channel(&server.url));
    (server, client, mirror)
}

#[tokio::test]
async fn a_bearer_says_who_calls_and_a_false_one_is_refused() {
    let issuer = Issuer::start().await;
    let (_server, mut client, _) = mirror(&issuer).await;

    let refused = client.open_chat(OpenChatRequest::default()).await.expect_err("a visitor");
    assert_eq!(refused.code(), Code::Unauthenticated);

    let (_, token) = issuer.user("ada");
    let answer = as_user(&token, client.open_chat(OpenChatRequest::default())).await.expect("ada may");
    assert_eq!(answer.into_inner().chat_id, "ada");

    let forged = format!("{}x", &token[..token.len() - 1]);
    let refused = as_user(&forged, client.open_chat(OpenChatRequest::default())).await.expect_err("forged");
    assert_eq!(refused.code(), Code::Unauthenticated);

    let other = Issuer::start().await.user("eve").1;
    let refused =
        as_user(&other, client.open_chat(OpenChatRequest::default())).await.expect_err("another issuer");
    assert_eq!(refused.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_token_for_somebody_else_of_another_time_or_of_another_kind_is_refused() {
    let issuer = Issuer::start().await;
    let (_server, client, _) = mirror(&issuer).await;
    let now = time::OffsetDateTime::now_utc().unix_timestamp();
    let good = Claims {
        iss: "troupe".into(),
        aud: "troupe".into(),
        sub: uuid::Uuid::now_v7(),
        sid: uuid::Uuid::now_v7(),
        iat: now,
        exp: now + 600,
        roles: Vec::new(),
        usr: "ada".into(),
    };
    let answer = async |token: &str| {
        let mut client = client.clone();
        as_user(token, client.open_chat(OpenChatRequest::default())).await.map_err(|status| status.code())
    };
    let held = issuer.sign(&good);
    answer(&held).await.expect("the good one holds");
    for (what, claims) in [
        ("over", Claims { iat: now - 600, exp: now - 1, ..good.clone() }),
        ("for another audience", Claims { aud: "elsewhere".into(), ..good.clone() }),
        ("of another issuer", Claims { iss: "elsewhere".into(), ..good.clone() }),
    ] {
        assert_eq!(answer(&issuer.sign(&claims)).await.err(), Some(Code::Unauthenticated), "{what}");
    }
    // Signed in no way, or with a key that everybody knows.
    let [_, body, signature] = held.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let key: serde_json::Value = fetched(&issuer.jwks_url).await;
    let public = key["keys"][0]["x"].as_str().expect("a key").to_owned();
    let header = |alg: &str| {
        let kid = key["keys"][0]["kid"].as_str().expect("a name");
        URL_SAFE_NO_PAD.encode(serde_json::json!({ "alg": alg, "typ": "JWT", "kid": kid }).to_string())
    };
    let by_public_key = |text: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(&URL_SAFE_NO_PAD.decode(&public).expect("base64"))
            .expect("keys of any length");
        mac.update(text.as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    };
    let hs256 = [header("HS256"), body.to_owned()].join(".");
    for (what, token) in [
        ("unsigned", format!("{}.{body}.", header("none"))),
        ("unsigned, with another's signature", format!("{}.{body}.{signature}", header("none"))),
        ("signed with the public key", format!("{hs256}.{}", by_public_key(&hs256))),
    ] {
        assert_eq!(answer(&token).await.err(), Some(Code::Unauthenticated), "{what}");
    }
}

async fn fetched(url: &str) -> serde_json::Value {
    let client = troupe_kit::outbound::client(Duration::from_secs(5)).expect("a client");
    client.get(url).send().await.expect("an answer").json().await.expect("JSON")
}

/// Without it a stream of small chunks comes 40 ms late, each time the reader has nothing to say.
#[tokio::test]
async fn neither_end_of_a_call_waits_for_an_acknowledgement() {
    let issuer = Issuer::start().await;
    let (server, mut client, _) = mirror(&issuer).await;
    let (_, token) = issuer.user("ada");
    as_user(&token, client.open_chat(OpenChatRequest::default())).await.expect("answered");
    assert_nodelay(server.addr).await;
}

#[tokio::test]
async fn a_revoked_user_is_refused_and_others_are_not() {
    let issuer = Issuer::start().await;
    let (_server, client, _) = mirror(&issuer).await;
    let ((ada, token), (_, bea)) = (issuer.user("ada"), issuer.user("bea"));
    as_user(&token, client.clone().open_chat(OpenChatRequest::default())).await.expect("still valid");

    issuer.revoke(&format!("u:{ada}"));
    eventually(|| async {
        let answer = as_user(&token, client.clone().open_chat(OpenChatRequest::default())).await;
        (answer.err()?.code() == Code::Unauthenticated).then_some(())
    })
    .await;
    as_user(&bea, client.clone().open_chat(OpenChatRequest::default())).await.expect("bea is not ada");
}

#[tokio::test]
async fn the_idempotency_key_of_a_request_goes_with_its_calls() {
    let issuer = Issuer::start().await;
    let (_server, mut client, _) = mirror(&issuer).await;
    let (_, token) = issuer.user("ada");
    let answer = as_user_with_key(&token, "k-1", client.open_chat(OpenChatRequest::default()))
        .await
        .expect("answered");
    assert_eq!(answer.into_inner().scenario, "k-1");
}

#[tokio::test]
async fn only_what_is_safe_to_repeat_is_repeated() {
    let issuer = Issuer::start().await;
    let (_server, mut client, mirror) = mirror(&issuer).await;
    client.list_chats(ListChatsRequest::default()).await.expect("the second try succeeds");
    assert_eq!(mirror.tries.swap(0, Ordering::SeqCst), 2);

    client.clear_chat(ClearChatRequest::default()).await.expect_err("never");
    assert_eq!(mirror.tries.load(Ordering::SeqCst), 1, "clearing is not repeated");
}

#[tokio::test]
async fn calls_go_to_every_replica_and_to_those_that_are_left() {
    let issuer = Issuer::start().await;
    let ((first, _, one), (second, _, other)) = (mirror(&issuer).await, mirror(&issuer).await);
    let client = ChatsClient::new(channel(&format!("{},{}", first.url, second.url)));
    let ask = async || client.clone().list_chats(ListChatsRequest::default()).await;
    eventually(async || {
        let _ = ask().await;
        let asked = [&one, &other].map(|mirror| mirror.tries.load(Ordering::SeqCst));
        (!asked.contains(&0)).then_some(())
    })
    .await;
    first.stop().await;
    eventually(async || ask().await.ok()).await;
}

#[tokio::test]
async fn a_replica_that_takes_no_connection_costs_no_call_even_one_that_is_never_repeated() {
    let issuer = Issuer::start().await;
    let (server, _, mirror) = mirror(&issuer).await;
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("its address"))
    };
    let client = ChatsClient::new(channel(&format!("{gone},{}", server.url)));
    for _ in 0..CALLS {
        let refused = client.clone().clear_chat(ClearChatRequest::default()).await.expect_err("never");
        assert_eq!(refused.message(), "never", "answered by the replica that is there");
    }
    assert_eq!(mirror.tries.load(Ordering::SeqCst), CALLS, "each was sent once");
}

/// An address whose machine seems to be gone: who connects hears nothing.
async fn silent() -> (String, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(0).expect("a line for nobody");
    let addr = listener.local_addr().expect("its address");
    // Forgotten, and not closed: nobody will take those who wait.
    std::mem::forget(listener);
    let mut waiting = Vec::new();
    while let Ok(taken) = timeout(Duration::from_millis(500), TcpStream::connect(addr)).await {
        waiting.push(taken.expect("a place in the line"));
    }
    (format!("http://{addr}"), waiting)
}

#[tokio::test]
async fn a_replica_that_says_nothing_holds_up_who_came_first_alone() {
    let issuer = Issuer::start().await;
    let (server, _, mirror) = mirror(&issuer).await;
    let (gone, _waiting) = silent().await;
    let client = ChatsClient::new(channel(&format!("{gone},{}", server.url)));
    let ask = async || client.clone().clear_chat(ClearChatRequest::default()).await;
    // One goes to each.
    let (mut one, mut other) = (Box::pin(ask()), Box::pin(ask()));
    let held = tokio::select! { _ = &mut one => other, _ = &mut other => one };
    tokio::select! {
        _ = held => panic!("it waits longer than all the others take"),
        () = async { for _ in 0..CALLS { ask().await.expect_err("never"); } } => {}
    }
    assert_eq!(mirror.tries.load(Ordering::SeqCst), CALLS + 1, "answered by the replica that is there");
}

/// Header of an HTTP/2 frame (RFC 9113, section 4.1): length of what follows, type, flags, stream.
const FRAME: usize = 9;
const HEADERS: u8 = 1;
/// `SETTINGS` without any.
const SETTINGS: [u8; FRAME] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// `GOAWAY` for no reason, the last stream that is taken up being none.
const LEAVES: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// `RST_STREAM` of the first stream as `REFUSED_STREAM`.
const REFUSES: &[u8] = &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7];
/// `RST_STREAM` of the first stream as `INTERNAL_ERROR`.
const FAILS: &[u8] = &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2];
/// `RST_STREAM` of the first stream as `ENHANCE_YOUR_CALM`.
const CALMS: &[u8] = &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 11];
/// `HEADERS` of the first stream that say `:status: 200` (RFC 7541, appendix A), then the same as [`FAILS`].
const FAILS_MIDWAY: &[u8] = &[0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2];

/// A replica that answers the first call on each connection with `last`, and closes it then; with how many it was asked.
async fn last_words(last: &'static [u8]) -> (String, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                part(socket, last, &count).await.expect("a client that waits for the answer");
            });
        }
    });
    (url, asked)
}

async fn part(mut socket: TcpStream, last: &[u8], asked: &AtomicU32) -> std::io::Result<()> {
    let mut preface = [0; 24];
    socket.read_exact(&mut preface).await?;
    socket.write_all(&SETTINGS).await?;
    loop {
        let mut head = [0; FRAME];
        socket.read_exact(&mut head).await?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        socket.read_exact(&mut vec![0; length as usize]).await?;
        if head[3] == HEADERS {
            break;
        }
    }
    asked.fetch_add(1, Ordering::SeqCst);
    socket.write_all(last).await?;
    socket.shutdown().await?;
    // What is left unread would take the last words with it.
    tokio::io::copy(&mut socket, &mut tokio::io::sink()).await?;
    Ok(())
}

#[tokio::test]
async fn what_a_replica_has_not_taken_up_is_asked_of_another_even_if_it_is_never_repeated() {
    let issuer = Issuer::start().await;
    for last in [LEAVES, REFUSES] {
        let (server, _, mirror) = mirror(&issuer).await;
        let (leaving, asked) = last_words(last).await;
        let client = ChatsClient::new(channel(&format!("{leaving},{}", server.url)));
        for _ in 0..CALLS {
            let refused = client.clone().clear_chat(ClearChatRequest::default()).await.expect_err("never");
            assert_eq!(refused.message(), "never", "answered by the replica that stays");
        }
        assert_eq!(mirror.tries.load(Ordering::SeqCst), CALLS, "each was done once");
        assert!(asked.load(Ordering::SeqCst) > 0, "the one that leaves was asked as well");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_error_of_ours_and_may_have_done_what_was_asked() {
    for (last, times) in
        [(&[][..], 1), (FAILS, 1), (FAILS_MIDWAY, 1), (CALMS, 1), (LEAVES, BEGINNINGS), (REFUSES, BEGINNINGS)]
    {
        let (url, asked) = last_words(last).await;
        let broke = ChatsClient::new(channel(&url)).clear_chat(ClearChatRequest::default()).await;
        let failure = Failure::from_status(&broke.expect_err("nobody answers"));
        assert_eq!(failure.reason, "unavailable", "{last:?}: {}", failure.message);
        assert!(failure.retry_after.is_some(), "{last:?}: it says when to come back");
        assert_eq!(asked.load(Ordering::SeqCst), times, "{last:?}");
    }
}

#[tokio::test]
async fn a_call_ends_with_its_deadline() {
    let issuer = Issuer::start().await;
    let (_server, mut client, _) = mirror(&issuer).await;
    let late = deadline::within(Duration::from_millis(300), client.get_usage(GetUsageRequest {})).await;
    assert_eq!(late.expect_err("it never answers").code(), Code::DeadlineExceeded);
}
