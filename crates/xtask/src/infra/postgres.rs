//! A private PostgreSQL, with one role and one database per service.

use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::PathBuf,
    process::Command,
    time::Duration,
};

use super::Durability;
use crate::{Outcome, instance::Instance, process::wait_for, tools};

const ADMIN: &str = "troupe";

/// A running server that we may do everything on.
pub struct Postgres {
    port: u16,
    password: String,
}

pub fn start(instance: &Instance, durability: Durability) -> Outcome<Postgres> {
    let password = instance.secret("postgres")?;
    if let Some(port) = instance.known_port("postgres")
        && instance.register.running().iter().any(|p| p.name == "postgres")
    {
        return Ok(Postgres { port, password });
    }
    let user = tools::server_user("postgres")?;
    let folder = instance.data.join("postgres");
    let data = folder.join("data");
    tools::folder_for(user, &folder)?;
    if !data.join("PG_VERSION").exists() {
        let _ = fs::remove_dir_all(&data);
        initialise(user, &folder, &data, &password)?;
    }

    let port = instance.port("postgres")?;
    let mut command = Command::new(tools::need("postgres")?);
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command
        .current_dir(&folder)
        .arg("-D")
        .arg(&data)
        .args(["-h", "127.0.0.1", "-p", &port.to_string()])
        .args(["-c", "unix_socket_directories="])
        // As k8s/components/cloudnative-pg has them. What nobody reads takes no memory.
        .args(["-c", "max_connections=300", "-c", "shared_buffers=1GB"]);
    let given_up: &[&str] = match durability {
        Durability::Kept => &[],
        Durability::Server => &["fsync=off", "full_page_writes=off"],
        Durability::Forgotten => &["fsync=off", "full_page_writes=off", "synchronous_commit=off"],
    };
    for setting in given_up {
        command.args(["-c", setting]);
    }
    let process = instance.register.start("postgres", &mut command, &instance.log("postgres"))?;
    let server = Postgres { port, password };
    wait_for(&process, Duration::from_secs(60), || server.sql("postgres", "select 1").is_ok())?;
    Ok(server)
}

fn initialise(user: Option<(u32, u32)>, folder: &PathBuf, data: &PathBuf, password: &str) -> Outcome {
    let file = folder.join("password");
    fs::write(&file, password)
        .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(0o600)))
        .and_then(|()| match user {
            Some((uid, gid)) => std::os::unix::fs::chown(&file, Some(uid), Some(gid)),
            None => Ok(()),
        })
        .map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    let mut command = Command::new(tools::need("initdb")?);
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    let made = command
        .current_dir(folder)
        .args([
            "-U",
            ADMIN,
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-instructions",
            "-D",
        ])
        .arg(data)
        .arg("--pwfile")
        .arg(&file)
        .output()
        .map_err(|e| format!("initdb cannot be run: {e}"))?;
    let _ = fs::remove_file(&file);
    if made.status.success() {
        Ok(())
    } else {
        Err(format!("initdb failed: {}", String::from_utf8_lossy(&made.stderr).trim()))
    }
}

/// What statements answer, unaligned and without headers. The address has no password: it would stand in the list of
/// processes.
pub fn psql(address: &str, password: &str, statements: &str) -> Outcome<String> {
    let run = Command::new(tools::need("psql")?)
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements, address])
        .env("PGPASSWORD", password)
        .output()
        .map_err(|e| format!("psql cannot be run: {e}"))?;
    if run.status.success() {
        Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
    } else {
        Err(format!("PostgreSQL: {}", String::from_utf8_lossy(&run.stderr).trim()))
    }
}

impl Postgres {
    /// Runs statements as the administrator.
    pub fn sql(&self, database: &str, statements: &str) -> Outcome<String> {
        psql(&format!("postgres://{ADMIN}@127.0.0.1:{}/{database}", self.port), &self.password, statements)
    }

    /// Address for the administrator, who may create databases.
    pub fn admin_url(&self) -> String {
        self.url(ADMIN, &self.password, "postgres")
    }

    fn url(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// Makes sure of the service's role and database; answers its address.
    pub fn database(&self, instance: &Instance, service: &str) -> Outcome<String> {
        let password = instance.secret(&format!("postgres-{service}"))?;
        let known = self.sql("postgres", &format!("select 1 from pg_roles where rolname = '{service}'"))?;
        let verb = if known.is_empty() { "create" } else { "alter" };
        self.sql("postgres", &format!("{verb} role {service} login password '{password}'"))?;
        if self.sql("postgres", &format!("select 1 from pg_database where datname = '{service}'"))?.is_empty()
        {
            self.sql("postgres", &format!("create database {service} owner {service}"))?;
            self.sql("postgres", &format!("revoke all on database {service} from public"))?;
        }
        Ok(self.url(service, &password, service))
    }
}
