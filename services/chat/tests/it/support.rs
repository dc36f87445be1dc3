//! What people do with chat.

use chat::{Config, EmbeddingsConfig, EngineConfig};
use futures::StreamExt as _;
use kit::{
    client::Channel,
    config::{Common, Secret},
    error::Failure,
    testing::{
        Issuer, TestDb, TestServer, as_user, as_user_with_key, channel, common, database, eventually, serve,
    },
};
use proto::chat::v1::{
    ClearChatRequest, ClearChatResponse, GenerationEvent, Message, OpenChatRequest, OpenChatResponse,
    SendRequest, SendResponse, StopRequest, WatchRequest, chats_client::ChatsClient, generation_event::Event,
    generations_client::GenerationsClient, send_request::Turn,
};
use tonic::{Status, Streaming};
use uuid::Uuid;

use crate::{model::Model, peers::Peers};

pub struct House {
    pub common: Common,
    pub issuer: Issuer,
    pub db: TestDb,
    pub peers: Peers,
    pub model: Model,
    pub server: TestServer,
    config: Config,
}

/// chat with the engine that is built in, as fast as it can.
pub async fn house() -> House {
    build(false, |_| ()).await
}

/// chat with a language model.
pub async fn house_with_model() -> House {
    build(true, |_| ()).await
}

/// The same, told something else from the start: no process of it works otherwise.
pub async fn house_told(change: impl FnOnce(&mut Config)) -> House {
    build(true, change).await
}

async fn build(with_model: bool, change: impl FnOnce(&mut Config)) -> House {
    let issuer = Issuer::start().await;
    let mut common = common(&issuer);
    let db = database(&chat::MIGRATOR).await;
    let (peers, model) = (Peers::default(), Model::start().await);
    let (catalog, billing, auth) = peers.serve().await;
    common.auth_grpc_url = auth;
    let engine = EngineConfig {
        llm_base_url: if with_model { model.url.clone() } else { String::new() },
        llm_model: "test-model".into(),
        llm_api_key: Secret::new("the tests' key"),
        llm_connect_timeout_s: 1.0,
        llm_first_token_timeout_s: 10.0,
        llm_idle_timeout_s: 20.0,
        llm_retries: 1,
        llm_context_tokens: 4_096,
        llm_max_reply_tokens: 200,
        llm_default_preset: String::new(),
        llm_provider: String::new(),
        llm_models_file: None,
        llm_keep_alive: "10m".into(),
        llm_fallback_base_url: String::new(),
        llm_fallback_model: "second-model".into(),
        llm_fallback_api_key: Secret::new(""),
        llm_fallback_provider: String::new(),
        llm_breaker_failures: 3,
        llm_breaker_pause_s: 30.0,
        improv_pace_ms: 0,
    };
    let mut config = Config {
        common: common.clone(),
        database: db.target(),
        catalog_grpc_url: catalog,
        billing_grpc_url: billing,
        engine,
        embeddings: without_embeddings(),
        moderation: Default::default(),
    };
    change(&mut config);
    let server = start(config.clone()).await;
    House { common, issuer, db, peers, model, server, config }
}

/// Words are compared.
fn without_embeddings() -> EmbeddingsConfig {
    EmbeddingsConfig {
        embeddings_base_url: String::new(),
        embeddings_model: String::new(),
        embeddings_api_key: Secret::new("the tests' key"),
        embeddings_timeout_s: 5.0,
    }
}

async fn start(config: Config) -> TestServer {
    serve(|listener, shutdown| chat::run(config, listener, shutdown)).await
}

/// A process with all its tasks and connections.
pub struct Doomed {
    pub server: TestServer,
    runtime: tokio::runtime::Runtime,
}

impl Doomed {
    /// As SIGKILL would.
    pub fn kill(self) {
        self.runtime.shutdown_background();
    }
}

/// Somebody in a chat.
pub struct Talk {
    pub user: Uuid,
    pub token: String,
    pub chat: String,
    pub character: Uuid,
    pub channel: Channel,
}

impl House {
    /// Another process of the same service.
    pub async fn replica(&self) -> TestServer {
        start(self.config.clone()).await
    }

    /// A process with another engine configuration, on the same data.
    pub async fn with_engine(&self, change: impl FnOnce(&mut EngineConfig)) -> TestServer {
        let mut config = self.config.clone();
        change(&mut config.engine);
        start(config).await
    }

    /// A process that is told something else, on the same data.
    pub async fn with_config(&self, change: impl FnOnce(&mut Config)) -> TestServer {
        let mut config = self.config.clone();
        change(&mut config);
        start(config).await
    }

    /// Another process that can be killed whole: nothing of it lives on.
    pub async fn doomed(&self) -> Doomed {
        let config = self.config.clone();
        let started = tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            let server = runtime.block_on(start(config));
            Doomed { server, runtime }
        });
        started.await.expect("started")
    }

    pub async fn open(&self, token: &str, character: Uuid) -> Result<OpenChatResponse, Status> {
        open(&channel(&self.server.url), token, character).await
    }

    /// A new user, who opens a chat with a new character.
    pub async fn talk(&self) -> Talk {
        let character = self.peers.add_character("Maren Holt");
        let (user, token) = self.issuer.user("robin");
        let opened = self.open(&token, character).await.expect("opened");
        Talk { user, token, chat: opened.chat_id, character, channel: channel(&self.server.url) }
    }
}

pub async fn open(channel: &Channel, token: &str, character: Uuid) -> Result<OpenChatResponse, Status> {
    let request = OpenChatRequest { character_id: character.to_string(), ..Default::default() };
    Ok(as_user(token, ChatsClient::new(channel.clone()).open_chat(request)).await?.into_inner())
}

pub fn says(content: &str) -> Option<Turn> {
    Some(Turn::Content(content.into()))
}

impl Talk {
    /// The same chat, read and written at another process.
    pub fn at(&self, server: &TestServer) -> Self {
        Self {
            user: self.user,
            token: self.token.clone(),
            chat: self.chat.clone(),
            character: self.character,
            channel: channel(&server.url),
        }
    }

    pub fn request(&self, turn: Option<Turn>) -> SendRequest {
        SendRequest { chat_id: self.chat.clone(), turn, ..Default::default() }
    }

    pub async fn begin_with(&self, request: SendRequest) -> Result<Streaming<SendResponse>, Status> {
        let mut client = GenerationsClient::new(self.channel.clone());
        Ok(as_user(&self.token, client.send(request)).await?.into_inner())
    }

    pub async fn begin(&self, content: &str) -> Result<Streaming<SendResponse>, Status> {
        self.begin_with(self.request(says(content))).await
    }

    pub async fn begin_as(&self, key: &str, content: &str) -> Result<Streaming<SendResponse>, Status> {
        let mut client = GenerationsClient::new(self.channel.clone());
        let request = self.request(says(content));
        Ok(as_user_with_key(&self.token, key, client.send(request)).await?.into_inner())
    }

    /// Says something and reads the reply to its end.
    pub async fn say(&self, content: &str) -> Result<Reply, Status> {
        Ok(read(self.begin(content).await?).await)
    }

    pub async fn go_on(&self) -> Result<Reply, Status> {
        Ok(read(self.begin_with(self.request(Some(Turn::Continue(true)))).await?).await)
    }

    pub async fn watch(&self, generation: &str, from_offset: u64) -> Result<Vec<GenerationEvent>, Status> {
        let mut client = GenerationsClient::new(self.channel.clone());
        let request =
            WatchRequest { chat_id: self.chat.clone(), generation_id: generation.into(), from_offset };
        let events = as_user(&self.token, client.watch(request)).await?.into_inner();
        Ok(events.map(|e| e.expect("an event").event.expect("not empty")).collect().await)
    }

    pub async fn stop(&self, generation: &str) -> Result<Message, Status> {
        let mut client = GenerationsClient::new(self.channel.clone());
        let request = StopRequest { chat_id: self.chat.clone(), generation_id: generation.into() };
        let answer = as_user(&self.token, client.stop(request)).await?.into_inner();
        Ok(answer.ai_message.expect("the message"))
    }

    pub async fn clear(&self) -> Result<ClearChatResponse, Status> {
        let mut client = ChatsClient::new(self.channel.clone());
        let request = ClearChatRequest { chat_id: self.chat.clone() };
        Ok(as_user(&self.token, client.clear_chat(request)).await?.into_inner())
    }

    pub async fn page(&self) -> OpenChatResponse {
        open(&self.channel, &self.token, self.character).await.expect("opened")
    }

    /// The end of the path, or what comes before a message of it.
    pub async fn part(&self, before: Option<&str>, limit: u32) -> OpenChatResponse {
        let request = OpenChatRequest {
            character_id: self.character.to_string(),
            chat_id: Some(self.chat.clone()),
            before: before.map(Into::into),
            limit,
        };
        let mut client = ChatsClient::new(self.channel.clone());
        as_user(&self.token, client.open_chat(request)).await.expect("opened").into_inner()
    }

    /// Waits until nothing is written any more; answers the last message.
    pub async fn settled(&self) -> Message {
        eventually(|| async {
            let page = self.page().await;
            page.running_generation_id.is_empty().then(|| page.messages.last().expect("a message").clone())
        })
        .await
    }
}

/// A reply as its reader got it.
#[derive(Debug)]
pub struct Reply {
    pub generation: String,
    pub user_message: Option<Message>,
    /// All pieces together.
    pub text: String,
    pub pieces: usize,
    /// Message and, when it did not end well, the reason.
    pub end: Result<Message, (String, Message)>,
}

impl Reply {
    pub fn message(&self) -> &Message {
        self.end.as_ref().expect("it ended well")
    }

    pub fn trouble(&self) -> (&str, &Message) {
        let (reason, message) = self.end.as_ref().expect_err("it did not end well");
        (reason, message)
    }
}

/// Reads to the end, and holds the offsets against the text.
pub async fn read(events: Streaming<SendResponse>) -> Reply {
    let events: Vec<_> = events.map(|e| e.expect("an event").event.expect("not empty")).collect().await;
    gather(&events)
}

pub fn gather(events: &[GenerationEvent]) -> Reply {
    let mut reply = None;
    let mut user_message = None;
    let (mut text, mut pieces) = (String::new(), 0);
    let first = events.first().expect("events");
    let from = first.offset;
    for event in events {
        match event.event.clone().expect("something happened") {
            Event::Started(started) => {
                assert_eq!(started.generation_id, event.generation_id);
                user_message = started.user_message;
            }
            Event::Delta(delta) => {
                text.push_str(&delta.text);
                pieces += 1;
                assert_eq!(event.offset, from + text.len() as u64, "offsets count bytes");
            }
            Event::Done(done) => reply = Some(Ok(done.ai_message.expect("the message"))),
            Event::Failed(failed) => {
                reply = Some(Err((failed.reason, failed.ai_message.expect("the message"))))
            }
        }
    }
    let end = reply.expect("an end");
    Reply { generation: first.generation_id.clone(), user_message, text, pieces, end }
}

/// The next piece of text of a running stream, after its beginning.
pub async fn next_text(events: &mut Streaming<SendResponse>) -> (String, u64, String) {
    loop {
        let event =
            events.message().await.expect("a stream").expect("not at its end").event.expect("not empty");
        if let Some(Event::Delta(delta)) = event.event {
            return (event.generation_id, event.offset, delta.text);
        }
    }
}

pub fn reason(status: &Status) -> String {
    Failure::from_status(status).reason
}
