//! Characters as files of the common card formats.

mod grpc;
