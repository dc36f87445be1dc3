//! `docs/security.md` is held against the repository, and what becomes an image or a page against secrets.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root").to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// All files of the repository.
fn files() -> Vec<String> {
    let listed = Command::new("git")
        // In a container the folder is somebody else's.
        .args(["-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"])
        .current_dir(root())
        .output();
    let listed = listed.expect("git runs").stdout;
    String::from_utf8(listed).expect("names in UTF-8").lines().map(str::to_owned).collect()
}

/// What stands between backticks in the rows of the tables.
fn named(document: &str) -> Vec<(String, String)> {
    let rows = document.lines().filter(|line| line.starts_with("| V"));
    let spans = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let tests = spans
        .filter_map(|span| span.split_once(' '))
        .filter(|(file, _)| [".rs", ".ts", ".tsx", ".py"].iter().any(|end| file.ends_with(end)));
    tests.map(|(file, test)| (file.to_owned(), test.to_owned())).collect()
}

#[test]
fn every_test_that_the_map_names_is_there() {
    let named = named(&text("docs/security.md"));
    assert!(named.len() > 100, "{} tests are named", named.len());
    for (file, test) in named {
        let code = text(&file);
        let found = match file.rsplit('.').next() {
            Some("rs") => code.contains(&format!("fn {test}(")),
            Some("py") => code.contains(&format!("def {test}(")),
            _ => code.contains(&format!("it(\"{test}\"")),
        };
        assert!(found, "docs/security.md: {file} has no test {test:?}");
    }
}

/// Requirements that no test can show: the third column says who holds them.
const SHOWN_BY_NO_TEST: [&str; 4] = ["V1.3.10", "V11.4.4", "V12.2.2", "V16.4.3"];

#[test]
fn every_requirement_that_is_met_names_a_test_or_says_why_there_is_none() {
    let document = text("docs/security.md");
    let met = document.split("\n## Met\n").nth(1).expect("what is met");
    let mut without = Vec::new();
    for row in met.lines().filter(|line| line.starts_with("| V")) {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [number, how, shown] = columns[..] else { panic!("three columns: {row}") };
        assert!(!how.is_empty(), "{row}");
        if named(row).is_empty() {
            assert!(
                shown.starts_with("— ") && shown.len() > 10,
                "{number} names neither a test nor a reason"
            );
            without.push(number);
        }
    }
    assert_eq!(without, SHOWN_BY_NO_TEST);
}

/// What becomes a process of the product, by its file: all of it that is neither a test nor for tests.
fn shipped() -> Vec<(String, String)> {
    let ours = |file: &String| {
        let room =
            ["bff/src/", "crates/heap/src/", "crates/kit/src/", "crates/moderation/src/", "proto/src/"];
        let service = file.starts_with("services/") && file.contains("/src/");
        file.ends_with(".rs")
            && (service || room.iter().any(|room| file.starts_with(room)))
            && !file.starts_with("crates/kit/src/testing/")
            && !file.ends_with("/tests.rs")
    };
    let shipped: Vec<_> = files()
        .into_iter()
        .filter(ours)
        .map(|file| {
            let code = text(&file);
            let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            (file, code)
        })
        .collect();
    assert!(shipped.len() > 200, "{} files", shipped.len());
    shipped
}

/// Where a word stands in what ships, but for files where it may.
fn found(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let shipped = shipped();
    let others = shipped.iter().filter(|(file, _)| !allowed.contains(&file.as_str()));
    let lines = others.flat_map(|(file, code)| code.lines().map(move |line| (file, line)));
    lines
        .filter(|(_, line)| words.iter().any(|word| line.contains(word)))
        .map(|(file, line)| format!("{file}: {}", line.trim()))
        .collect()
}

/// sqlx takes a statement only where it stands in the program as it is; these are the ways around that.
#[test]
fn no_statement_of_sql_is_put_together_from_texts() {
    // The names of the house's own tables, after a load of invented rows.
    let maintenance = "services/catalog/src/seed/many.rs";
    let around = ["AssertSqlSafe", "QueryBuilder", "SqlStr::", ".leak()", "Box::leak"];
    assert_eq!(found(&around, &[maintenance]), [""; 0]);
    let code = text(maintenance);
    assert_eq!(code.matches("AssertSqlSafe(").count(), 2, "{maintenance}");
    for line in code.lines().filter(|line| line.contains("AssertSqlSafe(")) {
        assert!(line.contains("analyze") && line.contains("{table}"), "{line}");
    }
}

#[test]
fn no_process_of_the_product_starts_another() {
    let started =
        found(&["process::Command", "process::{Command", "process::*", "Command::new(", "libc::exec"], &[]);
    // A program's own command line is no program.
    let started: Vec<_> = started.into_iter().filter(|line| !line.contains("clap::Command::new(")).collect();
    assert_eq!(started, [""; 0]);
}

/// The allocator, which cannot be written otherwise (decision 36).
const UNSAFE: &str = "crates/heap/";

#[test]
fn memory_is_safe_in_every_crate() {
    let workspace: toml::Table = text("Cargo.toml").parse().expect("TOML");
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let manifests =
        files().into_iter().filter(|file| file.ends_with("/Cargo.toml") && !file.contains("/fuzz/"));
    let mut crates = 0;
    for file in manifests.filter(|file| !file.starts_with(UNSAFE)) {
        let manifest: toml::Table = text(&file).parse().expect("TOML");
        let keeps = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(|w| w.as_bool());
        assert_eq!(keeps, Some(true), "{file} does not keep the lints of the workspace");
        crates += 1;
    }
    assert!(crates >= 12, "{crates} crates");
}

/// The one crate that may is one file of an allocator, in which each step of that kind says why it may be taken.
#[test]
fn what_is_not_safe_is_one_small_file() {
    let sources: Vec<_> = files().into_iter().filter(|file| file.starts_with(UNSAFE)).collect();
    assert_eq!(sources, [format!("{UNSAFE}Cargo.toml"), format!("{UNSAFE}src/lib.rs")]);
    let manifest: toml::Table = text(&sources[0]).parse().expect("TOML");
    assert!(manifest.get("dependencies").is_none(), "it stands on the standard library alone");
    assert_eq!(manifest["lints"]["clippy"]["undocumented_unsafe_blocks"].as_str(), Some("deny"));
    let code = text(&sources[1]);
    let allocator = code.split("#[cfg(test)]").next().unwrap_or_default();
    assert!(allocator.lines().count() < 100, "it has grown");
}

/// The roots of the public are rustls's own doing; it has to be told to believe anybody else.
#[test]
fn no_client_believes_a_certificate_that_nobody_vouches_for() {
    let others = [
        "danger",
        "accept_invalid",
        "ServerCertVerifier",
        "no_verify",
        "add_root_certificate",
        "tls_built_in_root_certs",
    ];
    assert_eq!(found(&others, &[]), [""; 0]);
}

/// What repeats itself is for what is invented, never for what nobody may guess.
#[test]
fn chance_comes_from_the_system() {
    let invented = "services/catalog/src/seed/invent.rs";
    let repeatable =
        ["SmallRng", "StdRng", "seed_from_u64", "from_seed(", "fastrand", "Xoshiro", "Pcg", "oorandom"];
    assert_eq!(found(&repeatable, &[invented]), [""; 0]);
}

#[test]
fn every_key_is_in_the_inventory() {
    let document = text("docs/security.md");
    let inventory =
        document.split("## Keys and algorithms").nth(1).and_then(|rest| rest.split("\n## ").next());
    let inventory = inventory.expect("a section");
    let keys = secrets().into_iter().filter(|name| ["_KEY", "_SECRET"].iter().any(|end| name.ends_with(end)));
    let missing: Vec<String> = keys.filter(|key| !inventory.contains(&format!("`{key}`"))).collect();
    assert_eq!(missing, [""; 0]);
    // And what the table names is there.
    let known = secrets();
    let named = inventory.split('`').skip(1).step_by(2);
    for name in named.filter(|name| ["_KEY", "_SECRET"].iter().any(|end| name.ends_with(end))) {
        assert!(known.contains(name), "nobody knows {name}");
    }
}

/// Requirements of levels 1 and 2 in each chapter of ASVS 5.0.0.
const REQUIREMENTS: [(u8, usize); 17] = [
    (1, 27),
    (2, 11),
    (3, 19),
    (4, 10),
    (5, 9),
    (6, 35),
    (7, 18),
    (8, 7),
    (9, 7),
    (10, 29),
    (11, 14),
    (12, 9),
    (13, 13),
    (14, 9),
    (15, 13),
    (16, 16),
    (17, 7),
];

#[test]
fn every_requirement_of_level_two_is_told_once() {
    let document = text("docs/security.md");
    let mut told = BTreeSet::new();
    for row in document.lines().filter(|line| line.starts_with("| V")) {
        let first = row.split('|').nth(1).expect("a column");
        for number in first.split(',').map(str::trim) {
            let parts = number.strip_prefix('V').unwrap_or_default().split('.');
            let parts: Vec<u8> = parts.filter_map(|part| part.parse().ok()).collect();
            assert_eq!(parts.len(), 3, "{number} is no number of a requirement");
            assert!(told.insert(parts), "{number} is told twice");
        }
    }
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for parts in &told {
        *counts.entry(parts[0]).or_default() += 1;
    }
    assert_eq!(counts, REQUIREMENTS.into_iter().collect(), "by chapter");
}

#[test]
fn nothing_secret_is_in_the_context_of_an_image() {
    let ignored = text(".dockerignore");
    for left_out in [".git", ".run", "target", "deploy", "k8s", "**/.env"] {
        assert!(ignored.lines().any(|line| line == left_out), "{left_out} is in the context");
    }
    let dockerfile = text("deploy/docker/Dockerfile");
    for line in dockerfile.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let upper = line.to_uppercase();
        for word in ["_KEY", "SECRET", "PASSWORD", "TOKEN"] {
            assert!(!upper.contains(word), "the Dockerfile names a secret: {line}");
        }
    }
    for file in files() {
        let name = file.rsplit('/').next().unwrap_or_default();
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        let kept = name == ".env" || ["pem", "key", "p12", "pfx", "jks"].contains(&end) || name == "id_rsa";
        assert!(!kept, "{file} looks like a secret that was kept");
        // What a private key begins with, put together so that this file is none.
        if fs::metadata(root().join(&file)).is_ok_and(|m| m.len() < 1_000_000) {
            let begins = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
            let code = fs::read(root().join(&file)).unwrap_or_default();
            assert!(
                !code.windows(begins.len()).any(|w| w == begins.as_bytes()),
                "{file} holds a private key"
            );
        }
    }
}

/// The arguments of what ships: variable, and whether its value is shown by nobody.
fn arguments() -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    for (file, code) in shipped() {
        for attribute in code.split("#[arg(").skip(1) {
            let attribute = attribute.split(")]").next().unwrap_or_default();
            let variable = attribute.split("env = \"").nth(1).and_then(|rest| rest.split('"').next());
            if let Some(variable) = variable {
                found.push((file.clone(), variable.to_owned(), attribute.contains("hide_env_values")));
            }
        }
    }
    found
}

/// Variables whose values no process shows.
fn secrets() -> BTreeSet<String> {
    arguments().into_iter().filter(|(.., hidden)| *hidden).map(|(_, variable, _)| variable).collect()
}

#[test]
fn a_secret_is_a_secret_in_every_program() {
    let secrets = secrets();
    for known in
        ["AUTH_CODE_KEY", "REDIS_URL", "DATABASE_URL", "IMAGE_API_KEY", "MODERATION_API_KEY", "SMTP_URL"]
    {
        assert!(secrets.contains(known), "{known} is none: {secrets:?}");
    }
    for (file, variable, hidden) in arguments() {
        let secret = ["_KEY", "_SECRET", "_PASSWORD"].iter().any(|end| variable.ends_with(end));
        assert!(hidden || !secret, "{file}: --help shows the value of {variable}");
    }
}

/// What is built of it is built and read, on a machine that is full of them, by `web/src/test/bundle.test.ts`.
#[test]
fn the_web_knows_no_secret() {
    let secrets = secrets();
    let sources: Vec<String> = files()
        .into_iter()
        .filter(|file| {
            file.starts_with("web/src/") || file == "web/vite.config.ts" || file == "web/index.html"
        })
        .collect();
    assert!(sources.len() > 200, "{} files", sources.len());
    for file in sources {
        let Ok(code) = fs::read_to_string(root().join(&file)) else { continue };
        let test = file.contains(".test.ts");
        for secret in secrets.iter().filter(|_| !test) {
            assert!(!code.contains(secret.as_str()), "{file} names {secret}");
        }
        assert!(test || !code.contains("process.env") || file == "web/vite.config.ts", "{file}");
        let environment = code.matches("import.meta.env").count();
        let own = ["DEV", "PROD"].map(|own| code.matches(&format!("import.meta.env.{own}")).count());
        assert_eq!(environment, own.iter().sum(), "{file} reads the environment of the machine that builds");
    }
}
