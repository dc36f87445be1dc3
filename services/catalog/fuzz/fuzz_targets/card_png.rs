//! The PNG chunk reader.
#![no_main]

use catalog::card_files::parse::png;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = png::read(bytes);
    // What follows the signature is where the reader works.
    let _ = png::read(&[&png::SIGNATURE[..], bytes].concat());
});
