//! `cargo xtask run`: a command of a service, told what the running house was told.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::PathBuf,
    process::Command,
};

use crate::{Outcome, instance::Instance, services::ALL};

/// Keeps what a service is started with, for commands that are run beside it. Secrets are among it.
pub fn keep(instance: &Instance, name: &str, command: &Command) -> Outcome {
    let mut text = command.get_program().as_bytes().to_vec();
    for (key, value) in command.get_envs() {
        let Some(value) = value else { continue };
        text.push(b'\n');
        text.extend_from_slice(key.as_bytes());
        text.push(b'=');
        text.extend_from_slice(value.as_bytes());
    }
    let path = kept(instance, name);
    fs::create_dir_all(path.parent().expect("a folder"))
        .and_then(|()| fs::write(&path, text))
        .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o600)))
        .map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

fn kept(instance: &Instance, name: &str) -> PathBuf {
    instance.run.join("env").join(name)
}

/// `run [--instance NAME] SERVICE ARGS…`
pub fn run(args: &[String]) -> Outcome {
    let (name, args) = match args {
        [flag, name, rest @ ..] if flag == "--instance" => (Some(name.as_str()), rest),
        _ => (None, args),
    };
    let Some((service, args)) = args.split_first() else {
        let names: Vec<&str> = ALL.iter().map(|s| s.name).collect();
        return Err(format!("name a service and its command; the services are {}", names.join(", ")));
    };
    if !ALL.iter().any(|s| s.name == service) {
        return Err(format!("there is no service {service}"));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    in_house(&Instance::open(name)?, service, &args)
}

/// A command of a service of this house.
pub fn in_house(instance: &Instance, service: &str, args: &[&str]) -> Outcome {
    let ended = command(instance, service)?
        .args(args)
        .status()
        .map_err(|e| format!("{service} cannot be run: {e}"))?;
    if ended.success() { Ok(()) } else { Err(format!("{service} {} failed", args.join(" "))) }
}

/// The service's program, told what the house's own is told; without arguments yet.
pub fn command(instance: &Instance, service: &str) -> Outcome<Command> {
    let text = fs::read_to_string(kept(instance, service))
        .map_err(|_| "the house has not been started yet; `cargo xtask up --detach` does it".to_owned())?;
    let mut lines = text.lines();
    let mut command = Command::new(lines.next().unwrap_or_default());
    command.envs(lines.filter_map(|line| line.split_once('=')));
    Ok(command)
}
