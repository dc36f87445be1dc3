//! Likes, dislikes and follows of characters. A row and its count change in one transaction.

mod grpc;
mod store;
