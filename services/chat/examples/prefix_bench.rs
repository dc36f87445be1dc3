//! Prints how much of each prompt the model's server has read before, over a talk of 200 turns: cut in large
//! steps as the house does it, with and without memories, and beside it one message dropped a turn.

use chat::{
    prompt::bench::talk,
    tokens::{Tokenizer, counter},
};

const TURNS: usize = 200;

fn main() {
    println!("{TURNS} turns; share of prompt tokens that the prompt before began with");
    println!(
        "{:>8}  {:>9}  {:>7} {:>7} {:>7}  {:>6}  {:>8}",
        "context", "tokenizer", "steps", "memory", "naive", "prompt", "build"
    );
    for (name, tokenizer) in [("estimate", Tokenizer::Unknown), ("o200k", Tokenizer::O200k)] {
        let counter = counter(tokenizer);
        for context in [2_048, 4_096, 8_192] {
            let steps = talk(TURNS, context, &counter, false, false);
            let memory = talk(TURNS, context, &counter, true, false);
            let naive = talk(TURNS, context, &counter, false, true);
            println!(
                "{context:>8}  {name:>9}  {:>6.1}% {:>6.1}% {:>6.1}%  {:>6}  {:>6.0?}",
                steps.shared * 100.0,
                memory.shared * 100.0,
                naive.shared * 100.0,
                memory.tokens,
                memory.each,
            );
        }
    }
}
