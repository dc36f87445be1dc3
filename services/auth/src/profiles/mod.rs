//! People as others see them, as they see themselves, and whom they follow.

pub mod grpc;
pub mod store;

use serde::Deserialize;
use uuid::Uuid;

/// The little that is shown beside what somebody did.
#[derive(Debug, Clone, Deserialize)]
pub struct Person {
    pub id: Uuid,
    pub username: String,
    pub avatar_asset: String,
}
