//! Bare Argon2id with the parameters that passwords of the house are kept by.

use std::{
    thread,
    time::{Duration, Instant},
};

use argon2::{Algorithm, Argon2, Params, Version};

/// `services/auth/src/accounts/hashing.rs`: KiB, passes, lanes.
const PARAMETERS: (u32, u32, u32) = (19_456, 2, 1);

/// Hashes per second of so many threads, each with its own memory.
#[must_use]
pub fn hashes_per_second(threads: usize, lasts: Duration) -> f64 {
    hashed(threads, lasts, || {})
}

/// The same, of threads that give way to others, as those of auth do.
pub fn hashes_aside(threads: usize, lasts: Duration) -> f64 {
    hashed(threads, lasts, kit::aside::give_way)
}

fn hashed(threads: usize, lasts: Duration, begin: fn()) -> f64 {
    let began = Instant::now();
    let hash = || {
        begin();
        let (memory, passes, lanes) = PARAMETERS;
        let parameters = Params::new(memory, passes, lanes, Some(32)).expect("as the house has them");
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters);
        let (mut out, mut count) = ([0; 32], 0_u32);
        while began.elapsed() < lasts {
            argon.hash_password_into(b"Prompt-box-7", b"sixteen bytes so", &mut out).expect("it hashes");
            count += 1;
        }
        count
    };
    let all: u32 = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(hash)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
    });
    f64::from(all) / began.elapsed().as_secs_f64()
}
