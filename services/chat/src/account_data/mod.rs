//! What is stored about a user, and its end.

mod grpc;
pub mod store;
