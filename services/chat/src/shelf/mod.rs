//! The user's chats as things to keep in order: begun, named, put away, found again.

mod grpc;
mod snippet;
mod store;
