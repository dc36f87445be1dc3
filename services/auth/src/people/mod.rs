//! Who follows whom, page by page.

mod grpc;
mod store;
