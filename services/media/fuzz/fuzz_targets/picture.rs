//! Whatever is uploaded as a picture: it is read within the limits, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use media::{limits, pictures};

fuzz_target!(|file: &[u8]| {
    let Ok(picture) = pictures::decode(file) else { return };
    let (width, height) = (u64::from(picture.width()), u64::from(picture.height()));
    assert!(width * height <= limits::UPLOAD_PIXELS);
    assert!(width.min(height) >= u64::from(limits::UPLOAD_SIDE_MIN));
});
