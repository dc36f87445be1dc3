//! Which tokens no longer hold. Each process has the whole list in memory: pushed by a notice, polled
//! as a safeguard, because a notice can be lost.

use std::{
    collections::HashMap,
    sync::{
        Arc, RwLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use proto::auth::v1::{ListRevocationsRequest, keys_client::KeysClient};
use time::OffsetDateTime;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::Instant,
};
use tonic::Status;

use super::Claims;
use crate::{
    client::Channel,
    notice::{Notice, NoticeEvent},
    shutdown::Shutdown,
};

/// Between polls while notices arrive.
const CALM: Duration = Duration::from_secs(5);
/// Between polls while they do not.
const ALARM: Duration = Duration::from_millis(500);
/// Without any news for this long (twice the calm poll), writes are refused: a revocation may have
/// been missed.
const STALE: Duration = Duration::from_secs(10);
/// Ids are taken before they are committed, so a poll reads a little of the past again.
const OVERLAP: i64 = 1_000;

/// One revocation. Subject `s:<session>` ends the session for good; `u:<user>` ends all tokens of the
/// user issued before the second of `not_before` (revoke sessions by `s:` as well when a login may
/// fall into that same second).
#[derive(Debug, Clone)]
pub struct Revocation {
    pub id: i64,
    pub subject: String,
    pub not_before: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

/// Where revocations are listed: `auth`, or its own table for `auth` itself.
#[async_trait]
pub trait RevocationSource: Send + Sync + 'static {
    /// Revocations with a higher id that have not expired.
    async fn after(&self, id: i64) -> Result<Vec<Revocation>, Status>;
}

struct Inner {
    /// Subject to (not before, forget at), seconds since 1970.
    subjects: RwLock<HashMap<String, (i64, i64)>>,
    last_id: AtomicI64,
    /// Milliseconds since `born` of the last news.
    news: AtomicU64,
    born: Instant,
}

/// The list. Cheap to clone.
#[derive(Clone)]
pub struct Revocations(Arc<Inner>);

impl Default for Revocations {
    fn default() -> Self {
        Self(Arc::new(Inner {
            subjects: RwLock::default(),
            last_id: AtomicI64::new(0),
            news: AtomicU64::new(0),
            born: Instant::now(),
        }))
    }
}

impl Revocations {
    /// Takes a revocation into account from now on.
    pub fn add(&self, subject: &str, not_before: OffsetDateTime, expires_at: OffsetDateTime) {
        let new = (not_before.unix_timestamp(), expires_at.unix_timestamp());
        let mut subjects = self.0.subjects.write().expect("no holder panics");
        let entry = subjects.entry(subject.to_owned()).or_insert(new);
        *entry = (entry.0.max(new.0), entry.1.max(new.1));
    }

    #[must_use]
    pub fn revoked(&self, claims: &Claims) -> bool {
        let subjects = self.0.subjects.read().expect("no holder panics");
        subjects.contains_key(&format!("s:{}", claims.sid))
            || subjects
                .get(&format!("u:{}", claims.sub))
                .is_some_and(|(not_before, _)| claims.iat < *not_before)
    }

    /// True when neither notices nor polls have told anything for [`STALE`].
    #[must_use]
    pub fn stale(&self) -> bool {
        let now = u64::try_from(self.0.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        now.saturating_sub(self.0.news.load(Ordering::Relaxed))
            > u64::try_from(STALE.as_millis()).unwrap_or(0)
    }

    fn heard(&self) {
        let now = u64::try_from(self.0.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.news.store(now, Ordering::Relaxed);
    }

    /// Keeps the list right until shutdown.
    pub(crate) async fn follow(
        self,
        source: Arc<dyn RevocationSource>,
        mut notices: Receiver<NoticeEvent>,
        shutdown: Shutdown,
    ) {
        let mut calm = true;
        loop {
            let listed = source.after((self.0.last_id.load(Ordering::Relaxed) - OVERLAP).max(0)).await;
            // Whoever was not told asks again soon: two misses in calm were longer than [`STALE`], and everybody's
            // writes were refused for seconds after `auth` had come back.
            let pause = if calm && listed.is_ok() { CALM } else { ALARM };
            match listed {
                Ok(list) => {
                    for r in &list {
                        self.add(&r.subject, r.not_before, r.expires_at);
                        self.0.last_id.fetch_max(r.id, Ordering::Relaxed);
                    }
                    self.heard();
                }
                Err(status) => tracing::debug!(code = ?status.code(), "revocations could not be listed"),
            }
            self.forget_expired();

            let next = Instant::now() + pause;
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(next) => break,
                    () = shutdown.wait() => return,
                    event = notices.recv() => match event {
                        Ok(NoticeEvent::Notice(Notice::Revoked { subject, not_before, expires_at })) => {
                            let at = |s| OffsetDateTime::from_unix_timestamp(s).unwrap_or(OffsetDateTime::UNIX_EPOCH);
                            self.add(&subject, at(not_before), at(expires_at));
                        }
                        Ok(NoticeEvent::Notice(_)) => {}
                        Ok(NoticeEvent::Lost) => { calm = false; break }
                        Ok(NoticeEvent::Restored) => { calm = true; break }
                        Err(RecvError::Lagged(_)) => break,
                        Err(RecvError::Closed) => { calm = false; tokio::time::sleep_until(next).await; break }
                    },
                }
            }
        }
    }

    fn forget_expired(&self) {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        self.0.subjects.write().expect("no holder panics").retain(|_, (_, until)| *until > now);
    }
}

/// The list of `auth`, over gRPC.
pub(crate) struct RemoteRevocations(pub KeysClient<Channel>);

#[async_trait]
impl RevocationSource for RemoteRevocations {
    async fn after(&self, id: i64) -> Result<Vec<Revocation>, Status> {
        let mut keys = self.0.clone();
        let ask = keys.list_revocations(ListRevocationsRequest { after_id: id });
        let answer = crate::deadline::within(Duration::from_secs(2), ask).await?.into_inner();
        Ok(answer
            .revocations
            .into_iter()
            .filter_map(|r| {
                Some(Revocation {
                    id: r.id,
                    subject: r.subject,
                    not_before: crate::time::from_proto(&r.not_before?)?,
                    expires_at: crate::time::from_proto(&r.expires_at?)?,
                })
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn claims(iat: i64) -> Claims {
        Claims {
            iss: "troupe".into(),
            aud: "troupe".into(),
            sub: Uuid::from_u128(1),
            sid: Uuid::from_u128(2),
            iat,
            exp: iat + 100,
            roles: vec![],
            usr: "ada".into(),
        }
    }

    #[test]
    fn a_user_s_older_tokens_are_refused_and_newer_ones_hold() {
        let list = Revocations::default();
        let now = OffsetDateTime::now_utc();
        list.add(&format!("u:{}", Uuid::from_u128(1)), now, now + Duration::from_secs(60));
        assert!(list.revoked(&claims(now.unix_timestamp() - 1)));
        assert!(!list.revoked(&claims(now.unix_timestamp())));
    }

    #[test]
    fn an_ended_session_stays_ended_until_its_tokens_have_expired() {
        let list = Revocations::default();
        let now = OffsetDateTime::now_utc();
        let subject = format!("s:{}", Uuid::from_u128(2));
        list.add(&subject, now, now + Duration::from_secs(60));
        list.forget_expired();
        assert!(list.revoked(&claims(now.unix_timestamp() + 5)));
        let gone = Revocations::default();
        gone.add(&subject, now, now - Duration::from_secs(1));
        gone.forget_expired();
        assert!(!gone.revoked(&claims(now.unix_timestamp())));
    }
}
