//! What people say about characters: one review each, a second one replaces the first.

mod grpc;
pub mod store;
