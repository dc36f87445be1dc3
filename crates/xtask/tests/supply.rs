//! Licences, sources and banned crates of everything we build on, held against `deny.toml`. The same file
//! serves `cargo deny`; this test asks what can be asked without installing it.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

fn deny() -> toml::Table {
    fs::read_to_string(root().join("deny.toml")).expect("deny.toml").parse().expect("TOML")
}

/// Whether an SPDX expression can be satisfied with the licences that are allowed: every part joined by
/// AND must have an alternative (joined by OR, or the older slash) that is.
fn allowed(expression: &str, list: &BTreeSet<String>) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    flat.split(" AND ").all(|part| part.split(" OR ").any(|l| list.contains(l.trim())))
}

#[test]
fn every_licence_is_one_that_we_allow() {
    let deny = deny();
    let list: BTreeSet<String> = deny["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|l| l.as_str().expect("a text").to_owned())
        .collect();
    let metadata = metadata();
    let refused: Vec<String> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .filter(|p| !p["license"].as_str().is_some_and(|l| allowed(l, &list)))
        .map(|p| format!("{} {}: {}", p["name"], p["version"], p["license"]))
        .collect();
    assert!(refused.is_empty(), "licences that deny.toml does not allow:\n{}", refused.join("\n"));
}

#[test]
fn everything_comes_from_the_index_or_from_here() {
    let metadata = metadata();
    for package in metadata["packages"].as_array().expect("packages") {
        if let Some(source) = package["source"].as_str() {
            assert!(source.starts_with("registry+"), "{} comes from {source}", package["name"]);
        }
    }
}

#[test]
fn what_is_banned_is_not_built() {
    let deny = deny();
    let metadata = metadata();
    let built: BTreeSet<&str> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .filter_map(|p| p["name"].as_str())
        .collect();
    for ban in deny["bans"]["deny"].as_array().expect("a list") {
        let name = ban["crate"].as_str().expect("a name");
        // Those with wrappers are ours, or allowed below certain crates; `rooms.rs` looks at them.
        if ban.get("wrappers").is_none() {
            assert!(!built.contains(name), "{name} is banned by deny.toml and is built");
        }
    }
}

#[test]
fn licence_expressions_are_read_right() {
    let list: BTreeSet<String> = ["MIT", "Apache-2.0"].map(String::from).into();
    assert!(allowed("MIT OR GPL-3.0", &list));
    assert!(allowed("MIT/Apache-2.0", &list));
    assert!(allowed("(MIT OR GPL-3.0) AND Apache-2.0", &list));
    assert!(!allowed("MIT AND GPL-3.0", &list));
}
