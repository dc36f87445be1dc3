//! The house on this machine: private servers, services and what stands around them, as `cargo xtask` starts,
//! checks and stops them. A library too, so that benchmarks and trials of faults stand on the same house.

pub mod backup;
pub mod edge;
pub mod infra;
mod inside;
pub mod instance;
mod kubernetes;
mod platform;
pub mod prepare;
pub mod process;
pub mod profile;
pub mod progress;
pub mod python;
mod recovery;
pub mod run;
mod rust;
pub mod seed;
pub mod services;
pub mod test;
pub mod tools;
pub mod trials;
pub mod up;
pub mod web;

/// What went wrong, in one sentence for whoever typed the command.
pub type Outcome<T = ()> = Result<T, String>;

/// RabbitMQ keeps several files open per quorum queue, and the usual soft limit of 1,024 is soon reached;
/// what is started inherits ours.
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
}
