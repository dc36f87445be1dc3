//! Where readers stand: age confirmed, NSFW on.

mod grpc;
mod store;

use kit::db::Db;
use uuid::Uuid;

use crate::{blocks, characters::gate::Gate, error::Result};

/// Whether a user has confirmed their age and has NSFW on.
pub async fn nsfw_on(db: &Db, user: Uuid) -> Result<bool> {
    Ok(store::find(db, user).await?.is_some_and(|v| v.nsfw_on && v.age_confirmed))
}

/// The gate for whoever reads.
pub async fn gate(db: &Db, user: Option<Uuid>) -> Result<Gate> {
    let Some(user) = user else { return Ok(Gate::default()) };
    let (nsfw, blocks) = tokio::try_join!(nsfw_on(db, user), blocks::store::of(db, user))?;
    Ok(Gate { user: Some(user), nsfw, blocks })
}
