//! A private RabbitMQ, with an epmd of its own so that neither meets another's.

use std::{os::unix::process::CommandExt as _, process::Command, time::Duration};

use super::{converse, listens};
use crate::{
    Outcome,
    instance::Instance,
    process::{Process, wait_for},
    tools,
};

/// A broker that is starting, or that runs from before.
pub struct Starting {
    port: u16,
    process: Option<Process>,
}

pub fn begin(instance: &Instance) -> Outcome<Starting> {
    if let Some(port) = instance.known_port("rabbitmq")
        && instance.register.running().iter().any(|p| p.name == "rabbitmq")
    {
        return Ok(Starting { port, process: None });
    }
    let user = tools::server_user("rabbitmq")?;
    let folder = instance.data.join("rabbitmq");
    tools::folder_for(user, &folder)?;
    let (port, dist, epmd) =
        (instance.port("rabbitmq")?, instance.port("rabbitmq-dist")?, instance.port("epmd")?);

    // A leftover of an earlier start would hold the node's name.
    instance.register.stop(|name| name == "epmd");
    let mut names = Command::new(tools::need("epmd")?);
    names.args(["-address", "127.0.0.1", "-port", &epmd.to_string()]);
    own(&mut names, user);
    let names = instance.register.start("epmd", &mut names, &instance.log("epmd"))?;
    wait_for(&names, Duration::from_secs(10), || listens(epmd))?;

    let mut command = Command::new(tools::need("rabbitmq-server")?);
    own(&mut command, user);
    command
        .env("HOME", &folder)
        .env("RABBITMQ_NODENAME", format!("troupe{port}@localhost"))
        .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
        .env("RABBITMQ_NODE_PORT", port.to_string())
        .env("RABBITMQ_DIST_PORT", dist.to_string())
        .env("RABBITMQ_MNESIA_BASE", folder.join("mnesia"))
        .env("RABBITMQ_LOG_BASE", folder.join("log"))
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", folder.join("plugins"))
        .env("RABBITMQ_CONF_ENV_FILE", folder.join("none"))
        .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 1:1 -kernel inet_dist_use_interface {127,0,0,1}")
        .env("ERL_EPMD_PORT", epmd.to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        .current_dir(&folder);
    let process = instance.register.start("rabbitmq", &mut command, &instance.log("rabbitmq"))?;
    Ok(Starting { port, process: Some(process) })
}

/// Messages in each queue; of a broker that runs.
pub fn waiting(instance: &Instance) -> Outcome<Vec<(String, u64)>> {
    let (Some(port), Some(epmd)) = (instance.known_port("rabbitmq"), instance.known_port("epmd")) else {
        return Ok(Vec::new());
    };
    let folder = instance.data.join("rabbitmq");
    let mut command = Command::new(tools::need("rabbitmqctl")?);
    own(&mut command, tools::server_user("rabbitmq")?);
    let asked = command
        .args(["-q", "-n", &format!("troupe{port}@localhost")])
        .args(["list_queues", "--no-table-headers", "name", "messages"])
        .env("HOME", &folder)
        .env("RABBITMQ_CONF_ENV_FILE", folder.join("none"))
        .env("ERL_EPMD_PORT", epmd.to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        .current_dir(&folder)
        .output()
        .map_err(|e| format!("rabbitmqctl cannot be run: {e}"))?;
    if !asked.status.success() {
        return Err(format!("rabbitmqctl failed: {}", String::from_utf8_lossy(&asked.stderr).trim()));
    }
    let line = |line: &str| {
        line.split_once('\t').and_then(|(name, n)| Some((name.to_owned(), n.trim().parse().ok()?)))
    };
    Ok(String::from_utf8_lossy(&asked.stdout).lines().filter_map(line).collect())
}

fn own(command: &mut Command, user: Option<(u32, u32)>) {
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
}

impl Starting {
    /// Where it will be spoken to.
    pub fn address(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.port)
    }

    /// Waits until it speaks AMQP.
    pub fn ready(&self) -> Outcome {
        let Some(process) = &self.process else { return Ok(()) };
        // A client's greeting is answered with Connection.Start (a frame of type 1).
        wait_for(process, Duration::from_secs(90), || {
            converse(self.port, b"AMQP\x00\x00\x09\x01").is_some_and(|a| a.first() == Some(&1))
        })
    }
}
