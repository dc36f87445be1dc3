//! The tree of a chat's messages: versions beside each other, branches, what is taken away for a day, and
//! copies of a path. Nothing is overwritten.

mod act;
pub mod batch;
mod grpc;
pub mod keep;
pub mod store;

pub use self::grpc::undo_until;
