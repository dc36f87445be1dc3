//! `cargo xtask backup` and `restore`: a house on one machine as one folder. What a cluster does instead, and what of
//! Redis and RabbitMQ is made anew from where, is in docs/operations/backups.md.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::Path,
    process::Command,
};

use crate::{
    Outcome,
    infra::{self, DATABASES, Durability, Infra, Postgres},
    instance::Instance,
    progress, tools,
    up::SERVERS,
};

/// How many rows each table has: `database table rows`, a line each.
const COUNTS: &str = "counts";
/// What seals and signs; without it the keys in the database cannot be read.
const SECRETS: &str = "secrets";
const PICTURES: &str = "media";
/// That the seeds were loaded, so that `up` does not load them into a house that does without.
const SEEDS: &str = "done/seeds";

/// Rows of every table of a database.
const ROWS: &str = "select table_name || ' ' || (xpath('/row/n/text()', query_to_xml(
        format('select count(*) as n from %I.%I', table_schema, table_name), false, true, '')))[1]::text
    from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name";

/// `cargo xtask backup FOLDER`
pub fn backup(folder: &Path) -> Outcome {
    progress::expect(2 + DATABASES.len());
    let instance = Instance::open(None)?;
    with_servers(&instance, |infra| take(&instance, infra, folder))?;
    println!("\nThe house is in {}. It holds secrets: keep it like one.", folder.display());
    Ok(())
}

/// `cargo xtask restore FOLDER`
pub fn restore(folder: &Path) -> Outcome {
    progress::expect(2 + DATABASES.len());
    let instance = Instance::open(None)?;
    with_servers(&instance, |infra| put_back(&instance, infra, folder))?;
    println!("\nThe house is as it was; `cargo xtask up` opens it.");
    Ok(())
}

/// Runs `work` on the stores of a house whose services stand still, and leaves running what ran before.
pub fn with_servers(instance: &Instance, work: impl FnOnce(&Infra) -> Outcome) -> Outcome {
    let before = instance.register.running();
    if let Some(service) = before.iter().find(|p| !SERVERS.contains(&p.name.as_str())) {
        return Err(format!("{} is running; stop the house first with `cargo xtask down`", service.name));
    }
    let mut step = progress::step("PostgreSQL, Redis and RabbitMQ");
    tools::servers(&mut step)?;
    let infra = infra::start(instance, Durability::Kept, &mut step)?;
    step.done("");
    let ended = work(&infra);
    instance.register.stop(|name| !before.iter().any(|p| p.name == name));
    ended
}

/// Writes everything that cannot be made anew into a folder.
pub fn take(instance: &Instance, infra: &Infra, folder: &Path) -> Outcome {
    let waiting = infra::waiting(instance)?;
    if let Some((queue, messages)) = waiting.iter().find(|(_, messages)| *messages > 0) {
        return Err(format!(
            "{messages} messages wait in {queue} and would be lost; start the house, let it finish (dead \
             letters: docs/operations), stop it and try again"
        ));
    }
    fs::DirBuilder::new()
        .mode(0o700)
        .create(folder)
        .map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
    let postgres = own(infra)?;
    let mut counts = String::new();
    for name in DATABASES {
        let step = progress::step(name);
        let url = postgres.database(instance, name)?;
        let file = folder.join(format!("{name}.dump"));
        client("pg_dump", |c| {
            c.args(["--format=custom", "--no-owner", "--no-privileges", "--file"]).arg(&file).arg(&url)
        })?;
        for line in postgres.sql(name, ROWS)?.lines() {
            counts.push_str(&format!("{name} {line}\n"));
        }
        step.done("");
    }
    let step = progress::step("pictures and secrets");
    let media = instance.run.join(PICTURES);
    if media.is_dir() {
        copy(&media, &folder.join(PICTURES))?;
    }
    let secrets: String = instance
        .secrets()
        .iter()
        .filter(|(name, _)| !name.starts_with("postgres"))
        .map(|(name, value)| format!("{name}={value}\n"))
        .collect();
    write(&folder.join(SECRETS), &secrets)?;
    if let Ok(mark) = fs::read_to_string(instance.run.join(SEEDS)) {
        write(&folder.join("seeds"), &mark)?;
    }
    // Last, so that a folder without it is known to be half a backup.
    write(&folder.join(COUNTS), &counts)?;
    step.done(&format!("{} rows of {} tables", total(&counts), counts.lines().count()));
    Ok(())
}

/// Fills an empty house from the folder, and counts.
pub fn put_back(instance: &Instance, infra: &Infra, folder: &Path) -> Outcome {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path)
            .map_err(|e| format!("{} cannot be read ({e}): no whole backup", path.display()))
    };
    let (expected, secrets) = (read(COUNTS)?, read(SECRETS)?);
    let postgres = own(infra)?;
    for name in DATABASES {
        postgres.database(instance, name)?;
        if !postgres.sql(name, ROWS)?.is_empty() {
            return Err(format!(
                "the database {name} is not empty; `cargo xtask down`, move {} away, and try again",
                instance.data.display()
            ));
        }
    }
    for (name, value) in secrets.lines().filter_map(|line| line.split_once('=')) {
        instance.set_secret(name, value)?;
    }
    let mut counts = String::new();
    for name in DATABASES {
        let step = progress::step(name);
        let url = postgres.database(instance, name)?;
        let file = folder.join(format!("{name}.dump"));
        client("pg_restore", |c| {
            c.args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--dbname"])
                .arg(&url)
                .arg(&file)
        })?;
        for line in postgres.sql(name, ROWS)?.lines() {
            counts.push_str(&format!("{name} {line}\n"));
        }
        step.done("");
    }
    let step = progress::step("pictures, and counting");
    if folder.join(PICTURES).is_dir() {
        copy(&folder.join(PICTURES), &instance.run.join(PICTURES))?;
    }
    fs::create_dir_all(instance.run.join("done")).map_err(|e| e.to_string())?;
    if let Ok(mark) = fs::read_to_string(folder.join("seeds")) {
        write(&instance.run.join(SEEDS), &mark)?;
    }
    if let Some((before, now)) = differ(&expected, &counts) {
        return Err(format!("the backup has `{before}`, restored was `{now}`"));
    }
    step.done(&format!("{} rows of {} tables, as before", total(&counts), counts.lines().count()));
    Ok(())
}

/// The first line that is not the same.
fn differ<'a>(expected: &'a str, counts: &'a str) -> Option<(&'a str, &'a str)> {
    let (mut a, mut b) = (expected.lines(), counts.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (before, now) if before == now => {}
            (before, now) => return Some((before.unwrap_or("nothing more"), now.unwrap_or("nothing"))),
        }
    }
}

fn total(counts: &str) -> u64 {
    counts.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

fn own(infra: &Infra) -> Outcome<&Postgres> {
    infra.postgres.as_ref().ok_or_else(|| {
        "the databases are somebody else's (*_DATABASE_URL is set); back them up with their own tools".into()
    })
}

fn client(program: &str, arguments: impl FnOnce(&mut Command) -> &mut Command) -> Outcome {
    let mut command = Command::new(tools::need(program)?);
    let ended = arguments(&mut command).output().map_err(|e| format!("{program} cannot be run: {e}"))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{program} failed: {}", String::from_utf8_lossy(&ended.stderr).trim()))
}

/// Everything below a folder.
fn copy(from: &Path, to: &Path) -> Outcome {
    let failed = |e: std::io::Error| format!("{} cannot be copied: {e}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(failed)?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o600)))
        .map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{differ, total};

    #[test]
    fn a_table_that_lost_a_row_or_itself_is_told() {
        let before = "auth account 3\nauth session 1\n";
        assert_eq!(differ(before, before), None);
        assert_eq!(
            differ(before, "auth account 2\nauth session 1\n"),
            Some(("auth account 3", "auth account 2"))
        );
        assert_eq!(differ(before, "auth account 3\n"), Some(("auth session 1", "nothing")));
        assert_eq!(total(before), 4);
    }
}
