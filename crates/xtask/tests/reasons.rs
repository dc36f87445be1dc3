//! What services refuse with, people are told in words: each reason has a row in the BFF's table.

use std::{collections::BTreeSet, fs, path::Path};

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            found.push(fs::read_to_string(entry).expect("text"));
        }
    }
}

/// The first text in quotes after each of the marks.
fn quoted_after<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    text.match_indices(mark)
        .filter_map(|(at, _)| {
            let call = text[at + mark.len()..].split(')').next()?;
            call.split('"').nth(1)
        })
        .collect()
}

#[test]
fn every_reason_of_a_service_has_a_sentence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
    let table = fs::read_to_string(root.join("bff/src/errors.rs")).expect("the table");
    let known: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| {
            line.trim_start().strip_prefix("(\"")?.split_once("\", ").map(|(reason, _)| reason)
        })
        .collect();
    let mut texts = Vec::new();
    for service in ["auth", "billing", "catalog", "chat", "media"] {
        sources(&root.join("services").join(service).join("src"), &mut texts);
    }
    let mut reasons = BTreeSet::new();
    for text in &texts {
        for mark in ["Failure::new(", "Failure::not_found(", "ids::find("] {
            reasons.extend(quoted_after(text, mark));
        }
    }
    assert!(reasons.len() > 40, "only {} reasons were found", reasons.len());
    let missing: Vec<&&str> = reasons.iter().filter(|reason| !known.contains(**reason)).collect();
    assert!(missing.is_empty(), "without a sentence in bff/src/errors.rs: {missing:?}");
}
