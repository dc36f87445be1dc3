//! Where readers stand: age confirmed, NSFW on.

mod grpc;
mod store;

use sqlx::PgPool;
use uuid::Uuid;

use crate::{blocks, characters::gate::Gate, error::Result};

/// The gate for whoever reads.
pub async fn gate(db: &PgPool, user: Option<Uuid>) -> Result<Gate> {
    let Some(user) = user else { return Ok(Gate::default()) };
    let nsfw = store::find(db, user).await?.is_some_and(|v| v.nsfw_on && v.age_confirmed);
    let blocks = blocks::store::of(db, user).await?;
    Ok(Gate { user: Some(user), nsfw, blocks })
}
