//! A service that tells who called, and what reached it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use proto::chat::v1::{
    ClearChatRequest, ClearChatResponse, GetUsageRequest, GetUsageResponse, ListChatsRequest,
    ListChatsResponse, OpenChatRequest, OpenChatResponse,
    chats_client::ChatsClient,
    chats_server::{Chats, ChatsServer},
};
use tonic::{Code, Request, Response, Status};
use troupe_kit::{
    caller,
    client::Channel,
    deadline,
    house::House,
    server::Services,
    testing::{Issuer, TestServer, as_user, as_user_with_key, channel, common, eventually, serve},
};

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
async fn a_call_ends_with_its_deadline() {
    let issuer = Issuer::start().await;
    let (_server, mut client, _) = mirror(&issuer).await;
    let late = deadline::within(Duration::from_millis(300), client.get_usage(GetUsageRequest {})).await;
    assert_eq!(late.expect_err("it never answers").code(), Code::DeadlineExceeded);
}
