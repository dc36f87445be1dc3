//! Proof that a backup is one: a house is filled, backed up, thrown away, and restored into a new one that goes on
//! where the first one stopped.

use std::{
    fs,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    Outcome, backup,
    infra::{self, Durability},
    instance::Instance,
    progress,
    run::in_house,
    up::{self, Options, SERVERS},
};

/// A creator of the seeds.
const CREATOR: &str = "velvetfox";
/// How long what was in the outboxes may take to arrive.
const ARRIVED: Duration = Duration::from_secs(30);

/// Answers how many things were found as they have to be.
pub fn prove() -> Outcome<usize> {
    let first = Instance::open(Some("recovery"))?;
    let second = Instance::open(Some("recovered"))?;
    let folder = first.root.join(".run/backup-of-recovery");
    let proved = attempt(&first, &second, &folder);
    for instance in [&first, &second] {
        instance.register.stop(|_| true);
        if proved.is_ok() {
            up::remove(instance);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    proved
}

fn attempt(first: &Instance, second: &Instance, folder: &Path) -> Outcome<usize> {
    let interrupted = up::interruption()?;
    let options = |instance: &Instance, fresh| {
        instance.port("web").map(|port| Options {
            port,
            fresh,
            detach: true,
            pages: false,
            ..Options::default()
        })
    };
    for instance in [first, second] {
        instance.register.stop(|_| true);
        instance.empty()?;
    }
    let _ = fs::remove_dir_all(folder);

    up::launch(first, &options(first, true)?, Durability::Forgotten, &[], &interrupted)?;
    first.register.stop(|name| !SERVERS.contains(&name));
    // An event that nobody has published yet: the relay stands still.
    in_house(first, "auth", &["suspend", "--username", CREATOR, "--reason", "For the test of recovery."])?;
    let pictures = files(&first.run.join("media"));
    backup::with_servers(first, |infra| backup::take(first, infra, folder))?;
    // Nothing of the old house is left to be found by accident.
    first.register.stop(|_| true);
    first.empty()?;

    backup::with_servers(second, |infra| {
        backup::put_back(second, infra, folder)?;
        if backup::put_back(second, infra, folder).is_ok() {
            return Err("a house that has data was written over".into());
        }
        Ok(())
    })?;
    let mut proved = 2;

    up::launch(second, &options(second, false)?, Durability::Forgotten, &[], &interrupted)?;
    let step = progress::step("what the outboxes held arrives, once");
    let mut quiet = progress::step("the restored stores");
    let infra = infra::start(second, Durability::Forgotten, &mut quiet)?;
    quiet.done("");
    let postgres =
        infra.postgres.ok_or("unset the *_DATABASE_URL variables: recovery needs servers of its own")?;
    let sql = |database: &str, question: &str| postgres.sql(database, question);
    let suspended = format!("select suspended from creator where username = '{CREATOR}'");
    let began = Instant::now();
    while sql("catalog", &suspended)? != "t" || sql("auth", "select count(*) from outbox")? != "0" {
        if began.elapsed() > ARRIVED {
            return Err(format!("the suspension of {CREATOR} did not reach catalog after the restore"));
        }
        sleep(Duration::from_millis(100));
    }
    proved += 1;
    if files(&second.run.join("media")) != pictures || pictures.is_empty() {
        return Err("the restored pictures are not those that were backed up".into());
    }
    proved += 1;
    step.done("");
    Ok(proved)
}

/// Paths below a folder with their sizes.
fn files(folder: &Path) -> Vec<(String, u64)> {
    fn walk(folder: &Path, base: &Path, found: &mut Vec<(String, u64)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, base, found);
            } else {
                let name = path.strip_prefix(base).unwrap_or(&path).display().to_string();
                found.push((name, entry.metadata().map_or(0, |m| m.len())));
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}
