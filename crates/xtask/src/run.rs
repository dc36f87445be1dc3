//! `cargo xtask run`: a command of a service, told what the running house was told.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::PathBuf,
    process::Command,
};

use crate::{Outcome, instance::Instance, process::Process, services::ALL};

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
    let mut command = told(instance, service)?;
    let ended = command.args(args).status().map_err(|e| format!("{service} cannot be run: {e}"))?;
    if ended.success() { Ok(()) } else { Err(format!("{service} {} failed", args.join(" "))) }
}

/// Starts a process of this house that has ended, as it was started before; does not wait until it is ready. Its log
/// goes on in a file of its own, so that what the one before said stays.
pub fn start_again(instance: &Instance, name: &str, time: usize) -> Outcome<Process> {
    let mut command = told(instance, name)?;
    command.current_dir(&instance.run).arg("serve");
    instance.register.start(name, &mut command, &instance.log(&format!("{name}.{time}")))
}

/// The program of a process with everything that it was told; without arguments yet.
pub fn told(instance: &Instance, name: &str) -> Outcome<Command> {
    let text = fs::read_to_string(kept(instance, name))
        .map_err(|_| "the house has not been started yet; `cargo xtask up --detach` does it".to_owned())?;
    let mut lines = text.lines();
    let mut command = Command::new(lines.next().unwrap_or_default());
    command.envs(lines.filter_map(|line| line.split_once('=')));
    Ok(command)
}
