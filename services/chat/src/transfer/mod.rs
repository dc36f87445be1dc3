//! Chats as files: taken along as text, as data or for SillyTavern, and brought in from there.

mod dates;
mod files;
mod grpc;
mod import;
pub mod jsonl;
mod store;
