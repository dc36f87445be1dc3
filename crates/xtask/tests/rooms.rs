//! The rules between the rooms of the house, read from `cargo metadata`.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

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
            // Benchmarks and trials of faults start the house as `cargo xtask` does.
            let allowed = package == "troupe-trials" && service == "xtask";
            assert!(
                allowed || !dependencies.iter().any(|d| d == service),
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

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn calls() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("deploy/calls.toml")).expect("deploy/calls.toml");
    let file: BTreeMap<String, BTreeMap<String, Vec<String>>> = toml::from_str(&text).expect("TOML");
    file["calls"].clone()
}

#[test]
fn the_call_graph_has_no_cycle() {
    fn walk(from: &str, calls: &BTreeMap<String, Vec<String>>, path: &mut Vec<String>) {
        assert!(!path.iter().any(|p| p == from), "a cycle: {path:?} → {from}");
        path.push(from.to_owned());
        for next in calls.get(from).into_iter().flatten() {
            walk(next, calls, path);
        }
        path.pop();
    }
    let calls = calls();
    for start in calls.keys() {
        walk(start, &calls, &mut Vec::new());
    }
}

/// A service can only call what its configuration gives it an address of.
#[test]
fn services_are_configured_for_the_calls_they_may_make() {
    for (room, allowed) in calls() {
        let folder = if room == "bff" { root().join("bff") } else { root().join("services").join(&room) };
        let config = fs::read_to_string(folder.join("src/config.rs")).expect("every room has a config.rs");
        for other in SERVICES.into_iter().filter(|s| *s != room) {
            let variable = format!("{}_GRPC_URL", other.to_uppercase());
            let configured = config.contains(&variable);
            let may = allowed.iter().any(|a| a == other);
            // `auth` is everybody's by kit's own configuration, so it need not be named.
            assert!(may || !configured, "{room} knows the address of {other}, which it may not call");
            assert!(configured || !may || other == "auth", "{room} may call {other} and has no {variable}");
        }
    }
}
