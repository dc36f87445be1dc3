//! The rules between the rooms of the house, read from `cargo metadata`.

use std::{collections::BTreeMap, process::Command};

/// Direct dependencies (not for tests) of every package of the workspace.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let text = |v: &serde_json::Value| v.as_str().expect("a text").to_owned();
    metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| {
            let list = package["dependencies"].as_array().expect("dependencies");
            let normal = list.iter().filter(|d| d["kind"] != "dev").map(|d| text(&d["name"])).collect();
            (text(&package["name"]), normal)
        })
        .collect()
}

const SERVICES: [&str; 5] = ["auth", "catalog", "chat", "media", "billing"];

#[test]
fn no_room_imports_another() {
    for (package, dependencies) in dependencies() {
        for service in SERVICES.into_iter().chain(["bff", "xtask"]) {
            assert!(
                !dependencies.iter().any(|d| d == service),
                "{package} imports {service}; rooms speak over gRPC and events only"
            );
        }
    }
}

#[test]
fn the_bff_has_no_database_and_no_broker() {
    let all = dependencies();
    for banned in ["sqlx", "lapin", "object_store"] {
        assert!(!all["bff"].iter().any(|d| d == banned), "bff imports {banned}");
    }
}

#[test]
fn kit_and_the_contracts_know_no_policy() {
    let all = dependencies();
    assert!(!all["troupe-kit"].iter().any(|d| d == "troupe-moderation"), "kit knows no domain");
    assert!(!all["troupe-proto"].iter().any(|d| d.starts_with("troupe-")), "contracts stand on nothing");
}

#[test]
fn xtask_stays_nearly_free_of_dependencies() {
    assert!(dependencies()["xtask"].len() <= 4, "until xtask is built nobody sees any progress");
}
