//! One effect for one `Idempotency-Key`.

use kit::idempotency::{self, Claim, Held};
use prost::Message;
use uuid::Uuid;

use crate::{
    App,
    error::{Error, Result},
};

/// What is to be done about a request.
pub enum Once<T> {
    /// It was done; this was answered.
    Done(T),
    /// It is to be done; with a key, what is held is finished with the effect.
    Do(Option<Held>),
}

impl<T: Message + Default> Once<T> {
    /// Claims the key, if there is one.
    pub(crate) async fn claim(
        app: &App,
        user: Uuid,
        op: &'static str,
        key: Option<String>,
        ask: &impl Message,
    ) -> Result<Self> {
        let Some(key) = key else { return Ok(Self::Do(None)) };
        let hash = idempotency::hash(&[&ask.encode_to_vec()]);
        match idempotency::claim(&app.db, user, op, &key, hash).await? {
            Claim::New(held) => Ok(Self::Do(Some(held))),
            Claim::Done(answer) => T::decode(answer.as_slice())
                .map(Self::Done)
                .map_err(|_| Error::Refused(kit::error::Failure::internal())),
        }
    }

    /// Lets the key go when the effect failed.
    pub(crate) async fn settle(app: &App, held: Option<Held>, made: Result<T>) -> Result<T> {
        if let (Err(_), Some(held)) = (&made, held) {
            held.abandon(&app.db).await;
        }
        made
    }
}
