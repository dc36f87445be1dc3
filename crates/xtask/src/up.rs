//! `cargo xtask up` and `down`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    Outcome, edge,
    infra::{self, Durability, get_status, listens},
    inside,
    instance::Instance,
    process::{Process, last_lines, wait_for},
    progress::{self, Step},
    python, run, rust,
    services::{ALL, Environment, Service, Web, replica},
    tools, web,
};

/// How long a service may take to be ready.
const READY: Duration = Duration::from_secs(60);
/// Processes that hold data and are kept running while services are replaced.
pub const SERVERS: [&str; 4] = ["postgres", "redis", "rabbitmq", "epmd"];

/// What was typed.
pub struct Options {
    pub port: u16,
    pub detach: bool,
    pub fresh: bool,
    pub release: bool,
    pub characters: u32,
    /// Whether the web app is built; a house without visitors does without.
    pub pages: bool,
    /// Whether the characters of the seeds get their portraits, which takes longest of all.
    pub portraits: bool,
    /// Envoy before the BFF.
    pub edge: bool,
    /// Processes of each service; more than one need the edge.
    pub replicas: usize,
}

impl Options {
    /// As the processes are told.
    pub fn web(&self) -> Web {
        let replicas = self.replicas.max(1);
        Web { port: self.port, edge: self.edge || replicas > 1, replicas }
    }

    /// Where people reach the house.
    pub fn address(&self) -> String {
        self.web().address()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 8080,
            detach: false,
            fresh: false,
            release: false,
            characters: 0,
            pages: true,
            portraits: true,
            edge: false,
            replicas: 1,
        }
    }
}

pub fn up(options: &Options) -> Outcome {
    let instance = Instance::open(None)?;
    let interrupted = interruption()?;
    progress::expect(if options.web().edge { 8 } else { 7 });
    let services = match launch(&instance, options, Durability::Kept, &[], &interrupted) {
        Ok(services) => services,
        Err(why) => {
            instance.register.stop(|_| true);
            return Err(why);
        }
    };
    println!("\nTroupe is open at {}", options.address());
    if options.web().edge {
        println!("Its certificate is signed by itself: {}", edge::certificate(&instance).display());
    }
    if options.detach {
        println!("Stop it with `cargo xtask down`; logs are in .run/logs.");
        return Ok(());
    }
    println!("Ctrl-C stops it; logs are in .run/logs.");
    let ended = watch(&services, &interrupted);
    if let Err(why) = &ended {
        // At once, not after everything else has been stopped.
        eprintln!("\n{why}");
    }
    eprintln!("\nstopping");
    instance.register.stop(|_| true);
    ended.map_err(|_| "everything was stopped, because one of the processes died".to_owned())
}

pub fn down() -> Outcome {
    let instance = Instance::open(None)?;
    let running = instance.register.running().len();
    instance.register.stop(|_| true);
    println!("{}", if running == 0 { "nothing was running" } else { "stopped" });
    Ok(())
}

/// True from the first Ctrl-C on.
pub fn interruption() -> Outcome<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, flag.clone()).map_err(|e| e.to_string())?;
    }
    Ok(flag)
}

/// Builds the services; answers the folder of their programs. Whoever times what follows does it before that.
pub fn build(release: bool) -> Outcome<PathBuf> {
    let mut step = progress::step("building the services");
    let binaries = rust::build(release, &mut step)?;
    step.done("");
    Ok(binaries)
}

/// Brings the whole house up; on an error, what was started still runs and is the caller's to stop.
pub fn launch(
    instance: &Instance,
    options: &Options,
    durability: Durability,
    extra: &[(String, String)],
    interrupted: &AtomicBool,
) -> Outcome<Vec<Process>> {
    let go_on = || if interrupted.load(Ordering::Relaxed) { Err("interrupted".to_owned()) } else { Ok(()) };

    // Whatever an earlier `up` left behind, also one that was killed.
    instance.register.stop(|name| options.fresh || !SERVERS.contains(&name));
    if options.fresh {
        instance.empty()?;
    }
    if listens(options.port) {
        return Err(format!(
            "port {} is taken by another program; stop it, or choose another with `--port`",
            options.port
        ));
    }

    let mut step = progress::step("programs that are needed");
    tools::servers(&mut step)?;
    let web = options.web();
    let envoy = if web.edge {
        tools::certificates(&mut step)?;
        Some(python::ENVOY.provide(&mut step)?)
    } else {
        None
    };
    step.done("");
    go_on()?;

    let mut step = progress::step("PostgreSQL, Redis and RabbitMQ");
    let infra = infra::begin(instance, durability, &mut step)?;
    step.done("");
    go_on()?;

    let binaries = build(options.release)?;
    go_on()?;

    if options.pages {
        let mut step = progress::step("building the web app");
        web::build(instance, &mut step)?;
        step.done("");
        go_on()?;
    }

    let environment = Environment::new(instance, &infra, web, binaries, extra)?;
    let mut step = progress::step("databases");
    for service in ALL.iter().filter(|s| s.database.is_some() && s.address.is_some()) {
        step.at(service.name);
        migrate(instance, &environment, service)?;
    }
    step.done("");
    go_on()?;

    let mut step = progress::step("characters, creators and portraits");
    let sown = seed(instance, &environment, options, &mut step, interrupted)?;
    step.done(if sown { "" } else { "nothing new" });
    go_on()?;

    let inside = match &envoy {
        Some(envoy) if web.inside() => Some(inside::begin(instance, envoy, web.replicas)?),
        _ => None,
    };
    let mut step = progress::step("services");
    step.at("RabbitMQ");
    infra.ready()?;
    let mut started = start(instance, &environment, web.replicas, &mut step, interrupted)?;
    step.done("all healthy");

    if let Some(inside) = inside {
        inside::wait(instance, &inside)?;
        started.push(inside);
    }
    if let Some(envoy) = envoy {
        go_on()?;
        let step = progress::step("the edge");
        started.push(open_edge(instance, web, &envoy)?);
        step.done("");
    }
    Ok(started)
}

/// Envoy before the replicas of the BFF, which run.
fn open_edge(instance: &Instance, web: Web, envoy: &Path) -> Outcome<Process> {
    let known = |name: String| instance.known_port(&name).ok_or_else(|| format!("{name} has no port"));
    let replicas: Outcome<Vec<edge::Replica>> = (0..web.replicas)
        .map(|number| {
            let name = replica("bff", number);
            Ok(edge::Replica {
                http: known(format!("{name}-http"))?,
                operations: known(format!("{name}-ops"))?,
            })
        })
        .collect();
    let ports = edge::Ports::of(instance, web.port)?;
    let file = edge::write(instance, ports, &replicas?)?;
    edge::start(instance, envoy, &file, ports)
}

fn migrate(instance: &Instance, environment: &Environment, service: &Service) -> Outcome {
    let run = environment
        .command(instance, service)?
        .arg("migrate")
        .output()
        .map_err(|e| format!("{} cannot be run: {e}", service.name))?;
    if run.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&run.stderr).trim().to_owned();
    Err(format!(
        "the database of {} could not be migrated: {}\n(`cargo xtask up --fresh` begins with empty data)",
        service.name,
        said.lines().last().unwrap_or("no reason given")
    ))
}

/// Loads the seeds into auth, catalog and media, unless they are there already.
fn seed(
    instance: &Instance,
    environment: &Environment,
    options: &Options,
    step: &mut Step,
    interrupted: &AtomicBool,
) -> Outcome<bool> {
    let seeds = instance.root.join("services/catalog/seeds");
    let folder = seeds.display().to_string();
    let mut sow = |name: &str, args: &[&str]| {
        let service = ALL.iter().find(|s| s.name == name).expect("a service of the table");
        let mut command = environment.command(instance, service)?;
        command.arg("seed").args(["--seeds", &folder]).args(args);
        let log = instance.log(&format!("seed-{name}"));
        fs::create_dir_all(log.parent().expect("a log has a folder")).map_err(|e| e.to_string())?;
        let file = fs::File::create(&log).map_err(|e| format!("{} cannot be written: {e}", log.display()))?;
        let errors = file.try_clone().map_err(|e| e.to_string())?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("{name} cannot be run: {e}"))?;
        let ended = loop {
            if let Some(ended) = child.try_wait().map_err(|e| e.to_string())? {
                break ended;
            }
            if interrupted.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                return Err("interrupted".to_owned());
            }
            step.at(&format!("{name}: {}", last_lines(&log, 1).trim()));
            sleep(Duration::from_millis(50));
        };
        if ended.success() {
            Ok(())
        } else {
            Err(format!("{name} could not load the seeds; its log ends with:\n{}", last_lines(&log, 8)))
        }
    };
    let inputs: Vec<PathBuf> = vec![seeds.clone(), instance.root.join("services/media/data")];
    let done = instance.once("seeds", &inputs, || {
        sow("auth", &[])?;
        sow("catalog", &[])?;
        if options.portraits { sow("media-api", &[]) } else { Ok(()) }
    })?;
    let more = options.characters;
    if more > 0 {
        sow("catalog", &["--characters", &more.to_string()])?;
    }
    Ok(done || more > 0)
}

fn start(
    instance: &Instance,
    environment: &Environment,
    replicas: usize,
    step: &mut Step,
    interrupted: &AtomicBool,
) -> Outcome<Vec<Process>> {
    let mut started = Vec::new();
    // A whole house first, then the next beside it: that the first one stands is what the others build on.
    for number in 0..replicas {
        let begun = started.len();
        for service in &ALL {
            let mut command = environment.command_of(instance, service, number)?;
            let name = replica(service.name, number);
            run::keep(instance, &name, &command)?;
            command.arg("serve");
            started.push(instance.register.start(&name, &mut command, &instance.log(&name))?);
        }
        for process in &started[begun..] {
            step.at(&format!("waiting for {}", process.name));
            let port = instance.operations(&process.name)?;
            wait_for(process, READY, || {
                get_status(port, "/readyz") == Some(200) || interrupted.load(Ordering::Relaxed)
            })?;
            if interrupted.load(Ordering::Relaxed) {
                return Err("interrupted".into());
            }
        }
    }
    Ok(started)
}

impl Instance {
    fn operations(&self, process: &str) -> Outcome<u16> {
        self.known_port(&format!("{process}-ops")).ok_or_else(|| format!("{process} has no operations port"))
    }
}

/// Returns at Ctrl-C, or with the last lines of a service that died.
fn watch(services: &[Process], interrupted: &AtomicBool) -> Outcome {
    while !interrupted.load(Ordering::Relaxed) {
        if let Some(dead) = services.iter().find(|p| !p.runs()) {
            // Ctrl-C reaches us a moment after what it also ended.
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(300) && !interrupted.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(20));
            }
            if interrupted.load(Ordering::Relaxed) {
                break;
            }
            return Err(format!(
                "{} died; its log ({}) ends with:\n{}",
                dead.name,
                dead.log.display(),
                dead.last_lines(20)
            ));
        }
        sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Deletes an instance's folder; nothing of it may run.
pub fn remove(instance: &Instance) {
    let _ = fs::remove_dir_all(&instance.data);
    let _ = fs::remove_dir_all(&instance.run);
}
