//! The JSON of a card, down to the fields of the form.
#![no_main]

use catalog::card_files::{Card, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse::file(bytes) else { return };
    if let Ok(card) = Card::read(&file.json) {
        let _ = card.draft();
    }
});
