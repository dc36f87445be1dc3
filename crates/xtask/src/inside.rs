//! Envoy between the BFF and the replicas of the services, with `deploy/envoy/services.yaml` and ports of its own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Outcome, edge,
    instance::Instance,
    process::Process,
    services::{ALL, replica},
};

/// Where the services are reached through it.
pub fn port(instance: &Instance) -> Outcome<u16> {
    instance.port("inside-grpc")
}

/// Starts it. The services need not run yet: calls to those that do not are refused.
pub fn begin(instance: &Instance, envoy: &Path, replicas: usize) -> Outcome<Process> {
    edge::begin(instance, "inside", envoy, &write(instance, replicas)?)
}

/// Waits until every service has a replica that is ready.
pub fn wait(instance: &Instance, process: &Process) -> Outcome {
    edge::wait(process, instance.known_port("inside-ops").ok_or("the inner Envoy has no port")?)
}

/// Lets Envoy judge the configuration.
pub fn judge(instance: &Instance, envoy: &Path) -> Outcome {
    edge::judge_file(envoy, &write(instance, 2)?)
}

fn write(instance: &Instance, replicas: usize) -> Outcome<PathBuf> {
    let mut addresses = Vec::new();
    for service in ALL.iter().filter(|s| s.address.is_some()) {
        let ports = (0..replicas).map(|n| instance.port(&format!("{}-grpc", replica(service.name, n))));
        addresses.push((service.name, ports.collect::<Outcome<Vec<u16>>>()?));
    }
    let ports = (port(instance)?, instance.port("inside-ops")?, instance.port("inside-admin")?);
    let folder = instance.run.join("inside");
    let file = folder.join("envoy.yaml");
    fs::create_dir_all(&folder)
        .map_err(|e| e.to_string())
        .and_then(|()| {
            fs::write(&file, fitted(&edge::read("services.yaml")?, ports, &addresses)?)
                .map_err(|e| e.to_string())
        })
        .map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    Ok(file)
}

fn fitted(
    text: &str,
    (grpc, operations, admin): (u16, u16, u16),
    addresses: &[(&str, Vec<u16>)],
) -> Outcome<String> {
    let endpoint = |host: &str, port: u16| format!("address: {host}, port_value: {port} }}");
    let mut lines = Vec::new();
    for (name, ports) in addresses {
        let deployed = endpoint(name, 50051);
        let line = text
            .lines()
            .find(|l| l.contains(&deployed))
            .ok_or_else(|| format!("deploy/envoy/services.yaml does not know {name}"))?;
        let own: Vec<String> =
            ports.iter().map(|p| line.replace(&deployed, &endpoint("127.0.0.1", *p))).collect();
        lines.push((line, own.join("\n")));
    }
    let mut changes: Vec<(&str, String, usize)> =
        lines.into_iter().map(|(line, own)| (line, own, 1)).collect();
    changes.push(("address: 0.0.0.0", "address: 127.0.0.1".into(), 2));
    changes.push(("port_value: 10500", format!("port_value: {grpc}"), 1));
    changes.push(("port_value: 9464", format!("port_value: {operations}"), 1));
    changes.push(("port_value: 9901", format!("port_value: {admin}"), 2));
    edge::exchange("services.yaml", text, &changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_has_its_replicas_and_nothing_listens_beyond_this_machine() {
        let addresses: Vec<(&str, Vec<u16>)> = ALL
            .iter()
            .filter(|s| s.address.is_some())
            .zip(0u16..)
            .map(|(s, n)| (s.name, vec![7000 + n, 7100 + n]))
            .collect();
        let text = edge::read("services.yaml").expect("the file");
        let fitted = fitted(&text, (6001, 6002, 6003), &addresses).expect("it fits");
        let code = || fitted.lines().filter(|l| !l.trim_start().starts_with('#'));
        assert!(code().all(|l| !l.contains("0.0.0.0") && !l.contains("50051")));
        for port in addresses.iter().flat_map(|(_, ports)| ports) {
            assert_eq!(code().filter(|l| l.contains(&format!("port_value: {port} "))).count(), 1, "{port}");
        }
    }
}
