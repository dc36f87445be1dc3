//! What the house costs and what it survives. Both instruments stand on a house of their own, made of the real
//! programs, and look at it from outside: by its API, its databases and what the kernel tells of its processes.

pub mod bench;
pub mod floor;
pub mod guest;
pub mod stand;
pub mod stream;
pub mod upstream;
