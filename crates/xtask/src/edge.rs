//! The edge of the house: the real Envoy before the replicas of the BFF, with the configuration that every
//! deployment uses and ports of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    Outcome,
    infra::get_status,
    instance::{Instance, root},
    process::{Process, wait_for},
    python,
    tools::need,
};

/// How long Envoy may take until it has found a replica.
const READY: Duration = Duration::from_secs(30);
/// Days for which the certificate is good.
const DAYS: &str = "30";

/// Where a replica of the BFF answers, and where it tells how it is.
#[derive(Debug, Clone, Copy)]
pub struct Replica {
    pub http: u16,
    pub operations: u16,
}

/// Ports of one Envoy.
#[derive(Debug, Clone, Copy)]
pub struct Ports {
    /// TCP for HTTP/1.1 and HTTP/2, UDP for HTTP/3.
    pub https: u16,
    /// Sends everybody to `https`.
    pub http: u16,
    pub admin: u16,
    pub operations: u16,
}

impl Ports {
    pub fn of(instance: &Instance, https: u16) -> Outcome<Self> {
        Ok(Self {
            https,
            http: instance.port("edge-http")?,
            admin: instance.port("edge-admin")?,
            operations: instance.port("edge-ops")?,
        })
    }
}

/// Certificate of the edge, which whoever asks over HTTPS has to trust.
pub fn certificate(instance: &Instance) -> PathBuf {
    folder(instance).join("tls/tls.crt")
}

fn folder(instance: &Instance) -> PathBuf {
    instance.run.join("edge")
}

/// A file of `deploy/envoy`.
pub fn read(name: &str) -> Outcome<String> {
    fs::read_to_string(root().join("deploy/envoy").join(name))
        .map_err(|e| format!("deploy/envoy/{name}: {e}"))
}

/// Writes configuration and certificate into the instance's folder; answers where the configuration is.
pub fn write(instance: &Instance, ports: Ports, replicas: &[Replica]) -> Outcome<PathBuf> {
    let folder = folder(instance);
    let own = folder.display().to_string();
    let cannot = |e: std::io::Error| format!("{own} cannot be written: {e}");
    for below in ["tls", "cache", "files"] {
        fs::create_dir_all(folder.join(below)).map_err(cannot)?;
    }
    make_certificate(&folder.join("tls"))?;
    let certificate = read("certificate.yaml")?.replace("/etc/envoy", &own);
    fs::write(folder.join("certificate.yaml"), certificate).map_err(cannot)?;
    let file = folder.join("envoy.yaml");
    fs::write(&file, fitted(&read("envoy.yaml")?, &own, ports, replicas)?).map_err(cannot)?;
    Ok(file)
}

/// Puts an instance's own folder, ports and replicas into the configuration. What is not found as often as it
/// should be is an error: the file has changed and this has not.
fn fitted(text: &str, folder: &str, ports: Ports, replicas: &[Replica]) -> Outcome<String> {
    const REPLICA: &str = "address: bff, port_value: 8080 } }, health_check_config: { port_value: 9464 }";
    let line = text.lines().find(|l| l.contains(REPLICA)).ok_or("the replica of the BFF is not found")?;
    let lines: Vec<String> = replicas
        .iter()
        .map(|r| {
            let own = format!(
                "address: 127.0.0.1, port_value: {} }} }}, health_check_config: {{ port_value: {} }}",
                r.http, r.operations
            );
            line.replace(REPLICA, &own)
        })
        .collect();
    let changes = [
        (line, lines.join("\n"), 1),
        ("path: /etc/envoy/certificate.yaml", format!("path: {folder}/certificate.yaml"), 2),
        ("cache_path: /var/cache/envoy\n", format!("cache_path: {folder}/cache\n"), 1),
        ("cache_path: /var/cache/envoy-files", format!("cache_path: {folder}/files"), 1),
        ("address: 0.0.0.0", "address: 127.0.0.1".into(), 4),
        ("port_value: 10443", format!("port_value: {}", ports.https), 2),
        ("port_value: 10080", format!("port_value: {}", ports.http), 1),
        ("port_value: 9901", format!("port_value: {}", ports.admin), 2),
        ("port_value: 9464", format!("port_value: {}", ports.operations), 1),
        ("h3=\":443\"", format!("h3=\":{}\"", ports.https), 1),
        ("port_redirect: 443", format!("port_redirect: {}", ports.https), 1),
    ];
    exchange("envoy.yaml", text, &changes)
}

/// Puts one text in the place of another as often as it has to be there: a file of `deploy/envoy` that has changed is
/// not fitted by halves.
pub fn exchange(file: &str, text: &str, changes: &[(&str, String, usize)]) -> Outcome<String> {
    let mut fitted = text.to_owned();
    for (from, to, times) in changes {
        let found = fitted.matches(from).count();
        if found != *times {
            return Err(format!("deploy/envoy/{file} has `{}` {found} times, not {times}", from.trim()));
        }
        fitted = fitted.replace(from, to);
    }
    Ok(fitted)
}

/// A new certificate for this machine's own addresses, signed by itself.
fn make_certificate(folder: &Path) -> Outcome {
    let made = Command::new(need("openssl")?)
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"])
        .args(["-days", DAYS, "-keyout", "tls.key", "-out", "tls.crt", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .output()
        .map_err(|e| format!("openssl cannot be run: {e}"))?;
    if made.status.success() {
        Ok(())
    } else {
        Err(format!("openssl made no certificate: {}", String::from_utf8_lossy(&made.stderr).trim()))
    }
}

/// Starts Envoy and waits until it has found a replica that is ready.
pub fn start(instance: &Instance, envoy: &Path, file: &Path, ports: Ports) -> Outcome<Process> {
    let process = begin(instance, "envoy", envoy, file)?;
    wait(&process, ports.operations)?;
    Ok(process)
}

/// Waits until what Envoy stands before is ready.
pub fn wait(process: &Process, operations: u16) -> Outcome {
    wait_for(process, READY, || get_status(operations, "/readyz") == Some(200))
}

/// Starts an Envoy of this name.
pub fn begin(instance: &Instance, name: &str, envoy: &Path, file: &Path) -> Outcome<Process> {
    let mut command = Command::new(envoy);
    command.arg("--config-path").arg(file).args([
        "--log-level",
        "warn",
        "--concurrency",
        "2",
        // Its shared memory would be another Envoy's of the same machine.
        "--disable-hot-restart",
    ]);
    instance.register.start(name, &mut command, &instance.log(name))
}

/// Lets Envoy judge the configuration.
pub fn judge(instance: &Instance, envoy: &Path) -> Outcome {
    let ports = Ports { https: 1, http: 2, admin: 3, operations: 4 };
    let replicas = [5, 6].map(|http| Replica { http, operations: http + 2 });
    judge_file(envoy, &write(instance, ports, &replicas)?)
}

/// Lets Envoy judge one file.
pub fn judge_file(envoy: &Path, file: &Path) -> Outcome {
    let ended = Command::new(envoy)
        .args(["--mode", "validate", "--log-level", "error", "--config-path"])
        .arg(file)
        .output()
        .map_err(|e| format!("{} cannot be run: {e}", python::ENVOY.name()))?;
    if ended.status.success() {
        Ok(())
    } else {
        Err(format!("Envoy refuses deploy/envoy:\n{}", String::from_utf8_lossy(&ended.stderr).trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str) -> Outcome<String> {
        let ports = Ports { https: 7001, http: 7002, admin: 7003, operations: 7004 };
        let replicas = [7005, 7007].map(|http| Replica { http, operations: http + 1 });
        fitted(text, "/x/edge", ports, &replicas)
    }

    #[test]
    fn a_house_of_its_own_has_nothing_of_the_deployed_one() {
        let text = fs::read_to_string(root().join("deploy/envoy/envoy.yaml")).expect("the file");
        let fitted = fit(&text).expect("it fits");
        for gone in ["0.0.0.0", "/etc/envoy/c", "/var/cache", "10443", "10080", "address: bff,", ": 9464"] {
            let code = fitted.lines().filter(|l| !l.trim_start().starts_with('#'));
            assert!(code.clone().all(|l| !l.contains(gone)), "{gone} is still there");
        }
        for replica in
            ["port_value: 7005 } }, health_check_config: { port_value: 7006 }", "port_value: 7007 }"]
        {
            assert_eq!(fitted.matches(replica).count(), 1, "{replica}");
        }
    }

    #[test]
    fn a_configuration_that_has_changed_is_not_fitted_by_halves() {
        let text = fs::read_to_string(root().join("deploy/envoy/envoy.yaml")).expect("the file");
        let moved = text.replace("port_value: 10080", "port_value: 80");
        assert!(fit(&moved).expect_err("a port is missing").contains("port_value: 10080"));
    }
}
