//! A language model that streams anything, in pieces of any size: it is read to an end, and tells it.
#![no_main]

use chat::engines::{openai, speech::Speech};
use futures::{StreamExt as _, executor::block_on, stream};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pieces: Vec<Vec<u8>>| {
    let body = stream::iter(pieces.into_iter().map(|piece| Ok(piece.into()))).boxed();
    let sounds = block_on(openai::read(body, Speech::default()).collect::<Vec<_>>());
    let troubles = sounds.iter().filter(|sound| sound.is_err()).count();
    assert!(troubles <= 1, "nothing comes after a trouble");
    assert!(sounds.iter().rev().skip(1).all(Result::is_ok));
});
