//! How long a picture takes, drawn and encoded in all sizes on one core:
//! `cargo run --release -p media --example playbill_bench`.
//!
//! Machines differ, so it also measures a fixed piece of work (hashing 64 MiB) in the same run and prints
//! the ratio of the two.

use std::time::{Duration, Instant};

use media::{
    engines::{DrawRequest, Format, Options, Playbill},
    worker,
};
use sha2::{Digest as _, Sha256};

/// What one picture may take, of issue 2.
const GOAL: Duration = Duration::from_millis(300);

#[expect(clippy::print_stdout, reason = "what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for seed in 0..40 {
        let request = DrawRequest {
            options: Options::default(),
            tags: Vec::new(),
            seed,
            format: Format::Portrait,
            cast: None,
        };
        let began = Instant::now();
        let renditions = worker::encode(Playbill::draw_now(&request)?, None).ok_or("not encoded")?;
        times.push((began.elapsed(), renditions.full.len()));
    }
    let megabytes = vec![7u8; 64 * 1024 * 1024];
    let began = Instant::now();
    let digest = Sha256::digest(&megabytes);
    let fixed = began.elapsed();
    times.sort();
    let (median, worst) = (times[times.len() / 2].0, times[times.len() - 1].0);
    let size = times.iter().map(|(_, bytes)| bytes).sum::<usize>() / times.len() / 1024;
    println!(
        "one picture: median {median:.0?}, slowest {worst:.0?} of 40 (goal {GOAL:.0?}); {size} KiB at full size"
    );
    println!(
        "64 MiB of SHA-256: {fixed:.0?} ({:02x}…); ratio {:.2}",
        digest[0],
        median.as_secs_f64() / fixed.as_secs_f64()
    );
    Ok(())
}
