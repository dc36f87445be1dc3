//! `cargo xtask prepare`: every `sqlx::query!` against a real database, its answer into `.sqlx`, so that
//! a plain build needs none.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use crate::{
    Outcome,
    infra::{self, DATABASES, Durability},
    instance::{Instance, root},
    progress, rust, tools,
};

pub fn prepare() -> Outcome {
    progress::expect(1 + DATABASES.len());
    let instance = Instance::open(Some("prepare"))?;
    let made = with_server(&instance);
    instance.register.stop(|_| true);
    crate::up::remove(&instance);
    made
}

fn with_server(instance: &Instance) -> Outcome {
    let mut step = progress::step("PostgreSQL");
    tools::servers(&mut step)?;
    let infra = infra::start(instance, Durability::Forgotten, &mut step)?;
    let postgres =
        infra.postgres.ok_or("unset the *_DATABASE_URL variables: preparing needs a server of its own")?;
    step.done("");
    for service in DATABASES {
        let step = progress::step(service);
        let url = postgres.database(instance, service)?;
        let folder = root().join("services").join(service);
        let mut files: Vec<_> = fs::read_dir(folder.join("migrations"))
            .map_err(|e| format!("{service} has no migrations: {e}"))?
            .filter_map(|e| Some(e.ok()?.path()))
            .collect();
        files.sort();
        for file in files {
            let applied = Command::new(tools::need("psql")?)
                .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &url, "-f"])
                .arg(&file)
                .output()
                .map_err(|e| format!("psql cannot be run: {e}"))?;
            if !applied.status.success() {
                return Err(format!(
                    "{}: {}",
                    file.display(),
                    String::from_utf8_lossy(&applied.stderr).trim()
                ));
            }
        }
        let answers = folder.join(".sqlx");
        let before = read(&answers);
        let _ = fs::remove_dir_all(&answers);
        fs::create_dir_all(&answers).map_err(|e| e.to_string())?;
        // Cargo runs the macros only when the crate has changed.
        let lib = folder.join("src/lib.rs");
        let changed = fs::metadata(&lib).and_then(|m| m.modified()).map_err(|e| e.to_string())?;
        touch(&lib, SystemTime::now())?;
        let checked = rust::cargo()
            .args(["check", "--package", service])
            .env("DATABASE_URL", &url)
            .env("SQLX_OFFLINE", "false")
            .env("SQLX_OFFLINE_DIR", &answers)
            .status()
            .map_err(|e| format!("cargo cannot be run: {e}"))?;
        if !checked.success() {
            return Err(format!("{service} does not build against its own database"));
        }
        // What is built already stands where nothing is another.
        if read(&answers) == before {
            touch(&lib, changed)?;
        }
        step.done("");
    }
    Ok(())
}

/// The files of a folder; none when there is no folder.
fn read(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some((file.path(), fs::read(file.path()).ok()?))).collect()
}

fn touch(file: &Path, at: SystemTime) -> Outcome {
    let opened = File::options().append(true).open(file);
    opened.and_then(|file| file.set_modified(at)).map_err(|e| format!("{}: {e}", file.display()))
}
