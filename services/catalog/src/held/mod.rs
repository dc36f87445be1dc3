//! Characters that wait, and the moderators who decide about them.

mod grpc;
