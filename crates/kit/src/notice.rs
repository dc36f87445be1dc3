//! Notices: Redis publish/subscribe, lossy. Only to drop caches and to wake browsers; nothing that must happen depends on
//! one. Revocations are heard by every process, a hint by those that have asked for its kind: a turn tells two, and when
//! every process of the house heard them, that was a seventh of what a turn cost.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use redis::{
    Client, Cmd, PushInfo, PushKind, Value,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use serde::{Deserialize, Serialize};
use tokio::sync::{
    broadcast,
    mpsc::{self, UnboundedSender},
};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::{
    config::Common,
    redis::{Down, Redis},
    telemetry,
};

/// Where revocations are told; hints have a channel for each kind below it.
const CHANNEL: &str = "troupe:notice";
/// Bytes of most notices as they are told, and their channels: what grows on its way is copied each time.
const BODY: usize = 320;
/// Notices kept for a slow listener, which then learns that it has missed some.
const BUFFER: usize = 1_024;
/// How often the subscription is asked whether it lives, and how long it may take to say so.
const ALIVE: Duration = Duration::from_secs(2);

/// What is told.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// Tokens of the subject no longer hold. Times in seconds since 1970.
    Revoked { subject: String, not_before: i64, expires_at: i64 },
    /// Something of a user has changed; browsers fetch it again.
    Hint {
        user: Uuid,
        /// `image.completed`, `entitlement.changed` …
        #[serde(rename = "type")]
        what: String,
        id: String,
        /// The trace of whatever changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traceparent: Option<String>,
    },
}

/// What a process listens to beside revocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hears {
    Nothing,
    /// Hints of these kinds.
    Hints(&'static [&'static str]),
    AllHints,
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeEvent {
    Notice(Notice),
    /// The connection is gone: whatever rests on notices is stale from now on.
    Lost,
    /// Listening (again): read anew what rests on notices.
    Restored,
}

/// Speaks and listens. Cheap to clone.
#[derive(Clone)]
pub struct Notices {
    redis: Redis,
    channel: String,
    events: broadcast::Sender<NoticeEvent>,
    /// Keeps the subscription alive.
    _subscription: Arc<AbortOnDropHandle<()>>,
}

impl Notices {
    /// # Errors
    /// When Redis cannot be reached at start.
    pub(crate) async fn open(common: &Common, redis: Redis, hears: Hears) -> anyhow::Result<Self> {
        let channel = redis.key(CHANNEL);
        let wanted = Wanted::new(&channel, hears);
        let (pushes, mut pushed) = mpsc::unbounded_channel::<PushInfo>();
        let client = redis::Client::open(resp3(common.redis_url.expose()))
            .map_err(|_| anyhow::anyhow!("REDIS_URL is not a Redis address"))?;
        let subscription =
            listen(&client, &pushes, &wanted).await.context("Redis at REDIS_URL cannot be listened to")?;

        let (events, _) = broadcast::channel(BUFFER);
        let told = events.clone();
        tokio::spawn(async move {
            while let Some(push) = pushed.recv().await {
                if let Some(event) = read(push) {
                    // Nobody listening is fine.
                    let _ = told.send(event);
                }
            }
        });
        let kept = keep(client, pushes, wanted, subscription);
        let kept = Arc::new(AbortOnDropHandle::new(tokio::spawn(kept)));
        Ok(Self { redis, channel, events, _subscription: kept })
    }

    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<NoticeEvent> {
        self.events.subscribe()
    }

    /// # Errors
    /// [`Down`]; callers log it and go on, since a notice is a courtesy.
    pub async fn publish(&self, notice: &Notice) -> Result<(), Down> {
        self.redis.run::<i64>(&self.telling(notice)).await.map(drop)
    }

    fn telling(&self, notice: &Notice) -> Cmd {
        let mut body = Vec::with_capacity(BODY);
        serde_json::to_writer(&mut body, notice).expect("a notice is plain data");
        let channel = match notice {
            Notice::Revoked { .. } => self.channel.clone(),
            Notice::Hint { what, .. } => of_kind(&self.channel, what),
        };
        let mut telling = Cmd::with_capacity(3, BODY + channel.len());
        telling.arg("PUBLISH").arg(channel).arg(body);
        telling
    }

    /// Tells a user's browsers that something has changed; a failure is logged.
    pub async fn hint(&self, user: Uuid, what: &str, id: impl Into<String>) {
        if let Err(error) = self.publish(&hinted(user, what, id.into())).await {
            tracing::warn!(%error, what, "hint not published");
        }
    }

    /// The same within a hundredth of a second, without waiting for it ([`Redis::soon`]): for what happens often.
    pub fn hint_soon(&self, user: Uuid, what: &str, id: impl Into<String>) {
        self.redis.soon(vec![self.telling(&hinted(user, what, id.into()))]);
    }
}

fn hinted(user: Uuid, what: &str, id: String) -> Notice {
    Notice::Hint { user, what: what.to_owned(), id, traceparent: telemetry::traceparent() }
}

/// Where hints of a kind are told.
fn of_kind(channel: &str, what: &str) -> String {
    format!("{channel}:{what}")
}

/// Channels that are listened to.
struct Wanted {
    channels: Vec<String>,
    patterns: Vec<String>,
}

impl Wanted {
    fn new(channel: &str, hears: Hears) -> Self {
        let mut wanted = Self { channels: vec![channel.to_owned()], patterns: Vec::new() };
        match hears {
            Hears::Nothing => {}
            Hears::Hints(kinds) => wanted.channels.extend(kinds.iter().map(|what| of_kind(channel, what))),
            Hears::AllHints => wanted.patterns.push(of_kind(channel, "*")),
        }
        wanted
    }
}

async fn listen(
    client: &Client,
    pushes: &UnboundedSender<PushInfo>,
    wanted: &Wanted,
) -> redis::RedisResult<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_push_sender(pushes.clone())
        .set_automatic_resubscription()
        .set_max_delay(Duration::from_secs(1))
        .set_number_of_retries(usize::MAX);
    let mut subscription = ConnectionManager::new_with_config(client.clone(), config).await?;
    if !wanted.patterns.is_empty() {
        subscription.psubscribe(&wanted.patterns).await?;
    }
    subscription.subscribe(&wanted.channels).await?;
    Ok(subscription)
}

/// Asks from time to time whether the other end is still there: a subscription that only listens never learns it. One
/// that is silent is given up, which everybody is told, and made anew.
async fn keep(
    client: Client,
    pushes: UnboundedSender<PushInfo>,
    wanted: Wanted,
    subscription: ConnectionManager,
) {
    let mut held = Some(subscription);
    loop {
        tokio::time::sleep(ALIVE).await;
        held = match held.take() {
            Some(mut subscription) => {
                let ping = redis::cmd("PING");
                let alive = tokio::time::timeout(ALIVE, ping.query_async::<()>(&mut subscription)).await;
                alive.is_ok().then_some(subscription)
            }
            None => None,
        };
        if held.is_none() {
            let _ = pushes.send(PushInfo { kind: PushKind::Disconnection, data: Vec::new() });
            held = tokio::time::timeout(ALIVE, listen(&client, &pushes, &wanted))
                .await
                .ok()
                .and_then(Result::ok);
        }
    }
}

fn resp3(url: &str) -> String {
    if url.contains("protocol=") {
        url.to_owned()
    } else {
        format!("{url}{}protocol=resp3", if url.contains('?') { '&' } else { '?' })
    }
}

fn read(push: PushInfo) -> Option<NoticeEvent> {
    match push.kind {
        PushKind::Disconnection => Some(NoticeEvent::Lost),
        // One for each channel: only with the last of them nothing is missed any more.
        PushKind::Subscribe | PushKind::PSubscribe => Some(NoticeEvent::Restored),
        PushKind::Message => said(push.data.get(1)),
        // After the pattern and the channel.
        PushKind::PMessage => said(push.data.get(2)),
        _ => None,
    }
}

fn said(body: Option<&Value>) -> Option<NoticeEvent> {
    let Some(Value::BulkString(body)) = body else { return None };
    match serde_json::from_slice(body) {
        Ok(notice) => Some(NoticeEvent::Notice(notice)),
        Err(error) => {
            tracing::warn!(%error, "a notice that is not understood");
            None
        }
    }
}
