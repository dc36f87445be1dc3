//! CHARX files, also behind a JPEG.
#![no_main]

use catalog::card_files::parse::charx;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = charx::begin(bytes);
    let _ = charx::read(bytes);
});
