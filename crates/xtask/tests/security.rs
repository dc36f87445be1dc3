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

/// Variables whose values no process shows.
fn secrets() -> BTreeSet<String> {
    let configs =
        files().into_iter().filter(|file| file.ends_with("config.rs") || file.ends_with("db/mod.rs"));
    let mut found = BTreeSet::new();
    for file in configs.filter(|file| !file.starts_with("web/")) {
        let code = text(&file);
        for attribute in code.split("#[arg(").skip(1) {
            let attribute = attribute.split(")]").next().unwrap_or_default();
            let variable = attribute.split("env = \"").nth(1).and_then(|rest| rest.split('"').next());
            if let Some(variable) = variable.filter(|_| attribute.contains("hide_env_values")) {
                found.insert(variable.to_owned());
            }
        }
    }
    found
}

#[test]
fn a_secret_is_a_secret_in_every_program() {
    let secrets = secrets();
    assert!(secrets.contains("AUTH_CODE_KEY") && secrets.contains("REDIS_URL"), "{secrets:?}");
    for file in files().into_iter().filter(|file| file.ends_with("config.rs") && !file.starts_with("web/")) {
        let code = text(&file);
        for part in code.split("env = \"").skip(1) {
            let variable = part.split('"').next().unwrap_or_default();
            let secret = ["_KEY", "_SECRET", "_PASSWORD"].iter().any(|end| variable.ends_with(end));
            assert!(!secret || secrets.contains(variable), "{file}: --help shows the value of {variable}");
        }
    }
}

#[test]
fn the_web_knows_no_secret() {
    let secrets = secrets();
    let built = root().join("web/dist/assets");
    let bundle = fs::read_dir(built).into_iter().flatten().flatten().map(|entry| entry.path());
    let sources =
        files().into_iter().filter(|file| file.starts_with("web/src/") || file == "web/vite.config.ts");
    for path in sources.map(|file| root().join(file)).chain(bundle) {
        let Ok(code) = fs::read_to_string(&path) else { continue };
        for secret in &secrets {
            assert!(!code.contains(secret.as_str()), "{} names {secret}", path.display());
        }
        assert!(!code.contains("process.env") || path.ends_with("vite.config.ts"), "{}", path.display());
    }
}
