//! Coins: a double-entry ledger. Every movement is a transaction with a reason, whose entries sum to
//! nothing; no account of a user can go below zero (the database holds both).

mod grpc;
pub mod store;
