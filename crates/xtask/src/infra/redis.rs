//! A private Redis.

use std::{process::Command, time::Duration};

use super::converse;
use crate::{Outcome, instance::Instance, process::wait_for, tools};

pub fn start(instance: &Instance) -> Outcome<String> {
    let url = |port: u16| format!("redis://127.0.0.1:{port}/?protocol=resp3");
    if let Some(port) = instance.known_port("redis")
        && instance.register.running().iter().any(|p| p.name == "redis")
    {
        return Ok(url(port));
    }
    let port = instance.port("redis")?;
    let folder = instance.data.join("redis");
    tools::folder_for(None, &folder)?;
    let mut command = Command::new(tools::need("redis-server")?);
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--dir"]).arg(&folder).args([
        "--save",
        "60 1",
        "--appendonly",
        "no",
        "--maxmemory-policy",
        "noeviction",
        "--daemonize",
        "no",
    ]);
    let process = instance.register.start("redis", &mut command, &instance.log("redis"))?;
    wait_for(&process, Duration::from_secs(15), || {
        converse(port, b"PING\r\n").is_some_and(|a| a.starts_with(b"+PONG"))
    })?;
    Ok(url(port))
}
