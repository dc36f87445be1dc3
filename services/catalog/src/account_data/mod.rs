//! What is stored about a user: handed out whole, and erased.

mod erase;
mod grpc;
mod store;

pub use erase::{erase, is_erased, sweep};

use uuid::Uuid;

/// The one owner of characters whose creators have left and let them stay.
pub fn anonymous() -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, b"troupe:user:anonymous")
}

/// How the anonymous owner is called.
pub const ANONYMOUS: &str = "anonymous";
