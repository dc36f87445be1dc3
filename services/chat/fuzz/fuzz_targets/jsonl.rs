//! Whatever is in a chat file: it is read or refused, and what was read is written and read again.
#![no_main]

use chat::transfer::jsonl::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(transcript) = read(file) else { return };
    assert!(transcript.messages.iter().all(|message| message.chosen < message.versions.len()));
    let first = transcript.messages[0].at.unwrap_or(std::time::UNIX_EPOCH.into());
    let written = write("Robin", "Maren", first, &transcript.messages);
    let again = read(written.as_bytes()).expect("what was written is read");
    for (one, two) in transcript.messages.iter().zip(&again.messages) {
        assert_eq!(one.versions[one.chosen], two.versions[two.chosen]);
    }
});
