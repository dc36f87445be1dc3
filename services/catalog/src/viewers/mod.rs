//! Where readers stand: age confirmed, NSFW on.

mod grpc;
mod store;

use sqlx::PgPool;
use uuid::Uuid;

use crate::{characters::gate::Gate, error::Result};

/// The gate for whoever reads.
pub async fn gate(db: &PgPool, user: Option<Uuid>) -> Result<Gate> {
    let nsfw = match user {
        Some(user) => store::find(db, user).await?.is_some_and(|v| v.nsfw_on && v.age_confirmed),
        None => false,
    };
    Ok(Gate { user, nsfw })
}
