//! Hints for open browsers: one listener per process on the house's notices, one small channel per
//! user with an open stream. (A gRPC stream per browser was measured at 7 KiB more each.)

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use kit::{
    caller::User,
    notice::{Notice, NoticeEvent},
    shutdown::Shutdown,
    telemetry,
};
use tokio::sync::broadcast::{self, Receiver, Sender, error::RecvError};
use uuid::Uuid;

/// Hints kept for a browser that reads slowly; one that misses some is told to reload.
const BUFFER: usize = 32;

/// What an open stream hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Something of the user has changed.
    Hint { what: String, id: String },
    /// Hints may have been missed: fetch everything again.
    Reload,
    /// Tokens of the subject no longer hold.
    Revoked { subject: String, not_before: i64 },
}

impl Word {
    /// Whether this ends the stream that `user` opened.
    #[must_use]
    pub fn ends(&self, user: &User) -> bool {
        match self {
            Self::Revoked { subject, not_before } => {
                *subject == format!("s:{}", user.session)
                    || (*subject == format!("u:{}", user.id) && user.issued_at.unix_timestamp() < *not_before)
            }
            _ => false,
        }
    }
}

/// Who listens. Cheap to clone.
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<HashMap<Uuid, Sender<Word>>>>);

impl Hub {
    /// A new stream of the user.
    #[must_use]
    pub fn listen(&self, user: Uuid) -> Receiver<Word> {
        let mut users = self.0.lock().expect("no holder panics");
        users.entry(user).or_insert_with(|| broadcast::channel(BUFFER).0).subscribe()
    }

    /// Passes notices on until shutdown.
    pub async fn follow(self, mut notices: Receiver<NoticeEvent>, shutdown: Shutdown) {
        loop {
            let event = tokio::select! {
                event = notices.recv() => event,
                () = shutdown.wait() => return,
            };
            match event {
                Ok(NoticeEvent::Notice(Notice::Hint { user, what, id, traceparent })) => {
                    self.hint(user, what, id, traceparent.as_deref());
                }
                Ok(NoticeEvent::Notice(Notice::Revoked { subject, not_before, .. })) => {
                    self.tell_all(&Word::Revoked { subject, not_before });
                }
                Ok(NoticeEvent::Restored) | Err(RecvError::Lagged(_)) => self.tell_all(&Word::Reload),
                Ok(NoticeEvent::Lost) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// The last step of what began with somebody's request: the hint is on its way to their open browsers.
    fn hint(&self, user: Uuid, what: String, id: String, cause: Option<&str>) {
        if !self.heard_by(user) {
            return;
        }
        let span = tracing::info_span!(
            "hint", otel.name = %format!("hint {what}"), otel.kind = "producer", what, hint.id = id,
        );
        if let Some(cause) = cause {
            telemetry::link_trace(&span, cause);
        }
        span.in_scope(|| self.tell(user, Word::Hint { what, id }));
    }

    fn heard_by(&self, user: Uuid) -> bool {
        self.0.lock().expect("no holder panics").contains_key(&user)
    }

    fn tell(&self, user: Uuid, word: Word) {
        let mut users = self.0.lock().expect("no holder panics");
        // Nobody left to hear: the entry goes.
        if users.get(&user).is_some_and(|sender| sender.send(word).is_err()) {
            users.remove(&user);
        }
    }

    fn tell_all(&self, word: &Word) {
        let mut users = self.0.lock().expect("no holder panics");
        users.retain(|_, sender| sender.send(word.clone()).is_ok());
    }
}
