//! Who follows whom, page by page.

mod grpc;
pub mod store;
