//! The public keys of `auth`.

use std::{collections::HashMap, sync::Arc, time::Duration};

use jsonwebtoken::{DecodingKey, jwk::JwkSet};
use tokio::sync::{Notify, watch};

use crate::shutdown::Shutdown;

/// How often the keys are read without a cause; a rotation publishes ten minutes ahead.
const EVERY: Duration = Duration::from_secs(300);
/// How often an unknown key may cause a reading.
const AT_MOST_EVERY: Duration = Duration::from_secs(10);
/// Between tries while nothing has been read yet.
const FIRST_TRIES: Duration = Duration::from_millis(250);

/// How long `auth` may take to tell them.
const PATIENCE: Duration = Duration::from_secs(3);

/// Verification keys by `kid`.
#[derive(Clone, Default)]
pub struct KeySet(Arc<HashMap<String, DecodingKey>>);

impl KeySet {
    /// Keys without a `kid`, or that are not usable, are left out.
    #[must_use]
    pub fn from_jwks(set: &JwkSet) -> Self {
        let keys = set
            .keys
            .iter()
            .filter_map(|jwk| Some((jwk.common.key_id.clone()?, DecodingKey::from_jwk(jwk).ok()?)))
            .collect();
        Self(Arc::new(keys))
    }

    #[must_use]
    pub fn get(&self, kid: &str) -> Option<&DecodingKey> {
        self.0.get(kid)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the keys over HTTP and keeps the last good ones.
pub(crate) struct Remote {
    pub url: String,
    pub refresh: Arc<Notify>,
    pub keys: watch::Sender<KeySet>,
}

impl Remote {
    pub(crate) async fn run(self, shutdown: Shutdown) {
        let client = match crate::outbound::client(PATIENCE) {
            Ok(client) => client,
            Err(error) => {
                tracing::error!(%error, "no keys can be read");
                return;
            }
        };
        loop {
            match read(&client, &self.url).await {
                Ok(set) => drop(self.keys.send_replace(set)),
                Err(error) => tracing::debug!(%error, "keys could not be read"),
            }
            let empty = self.keys.borrow().is_empty();
            let pause = async {
                if empty {
                    tokio::time::sleep(FIRST_TRIES).await;
                } else {
                    tokio::time::sleep(AT_MOST_EVERY).await;
                    let _ = tokio::time::timeout(EVERY, self.refresh.notified()).await;
                }
            };
            tokio::select! { () = pause => {}, () = shutdown.wait() => return }
        }
    }
}

async fn read(client: &reqwest::Client, url: &str) -> anyhow::Result<KeySet> {
    let set: JwkSet = client.get(url).send().await?.error_for_status()?.json().await?;
    let keys = KeySet::from_jwks(&set);
    anyhow::ensure!(!keys.is_empty(), "the key set holds no usable key");
    Ok(keys)
}
