//! How freely the model writes: presets of the house and of one's own, and what is set for a chat.

mod grpc;
