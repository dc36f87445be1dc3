"""Whether the manifests of one overlay and the code say the same. Each difference is one sentence."""

import collections.abc
import pathlib
import re

import network
from code_facts import Code, ROOT, room, variable

Said = collections.abc.Iterator[str]
REFERENCE = re.compile(r"\$\((\w+)\)")
# Of the OTLP exporter's own variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES …) kit reads only one by name.
STANDARD = ("OTEL_",)


def of(objects: list[dict], *kinds: str) -> list[dict]:
    return [o for o in objects if o["kind"] in kinds]


def pods_of(objects: list[dict], code: Code) -> dict[str, network.Pod]:
    return {p.name: p for p in network.workloads(objects) if p.name in code.programs}


def processes(objects: list[dict], code: Code) -> Said:
    """Every program runs, by commands that it has."""
    there = {o["metadata"]["name"]: o for o in of(objects, "Deployment")}
    for name, program in code.programs.items():
        if name not in there:
            yield f"{name} is not deployed"
            continue
        args = there[name]["spec"]["template"]["spec"]["containers"][0]["args"]
        if args != ["serve"] or "serve" not in program.commands:
            yield f"{name} is started with {args}"
    jobs = of(objects, "Job")
    for job in jobs:
        container = job["spec"]["template"]["spec"]["containers"][0]
        program = code.programs[container["image"].rsplit("/", 1)[-1].split(":")[0]]
        if "migrate" not in program.commands:
            yield f"{program.name} has no command migrate"
        for flag in re.findall(r"--(\w+)", " ".join(container["args"])):
            if flag not in program.migrate_options:
                yield f"{program.name} migrate has no option --{flag}"
        if missing := program.migrate_required - {e["name"] for e in container["env"]}:
            yield f"the migration of {program.name} is not told {missing}"
    migrated = {re.sub(r"-(expand|contract)$", "", j["metadata"]["name"]) for j in jobs}
    databases = {p.name for p in (ROOT / "services").iterdir() if (p / "migrations").is_dir()}
    if migrated != databases:
        yield f"migrated are {sorted(migrated)}, databases are {sorted(databases)}"
    for database in databases:
        phases = {j["metadata"]["labels"]["troupe/phase"] for j in jobs if j["metadata"]["name"].startswith(f"{database}-")}
        if phases != {"expand", "contract"}:
            yield f"the database {database} is migrated in {sorted(phases)}"


def told(objects: list[dict], code: Code) -> Said:
    """Every variable that is needed is given, and none is given that nobody reads."""
    for name, pod in pods_of(objects, code).items():
        program = code.programs[name]
        given = network.variables(pod, objects)
        used = {v for value in given.values() for v in REFERENCE.findall(value)}
        for missing in program.required - given.keys():
            yield f"{name} needs {missing}"
        for unknown in given.keys() - program.variables.keys() - code.telemetry - used:
            if not unknown.startswith(STANDARD):
                yield f"{name} is told {unknown}, which it does not read"
        for lost in used - given.keys():
            yield f"{name} composes an address from {lost}, which is not given"
        # An address of this machine would be the default.
        for key, default in program.variables.items():
            if key not in given and default and "127.0.0.1" in default and not never(name, key, given):
                yield f"{name} would take {key}={default}"


def never(process: str, key: str, given: dict[str, str]) -> bool:
    """What a process does not use: the BFF has no broker, and where Stripe takes the money the sandbox posts nothing."""
    return (process, key) == ("bff", "AMQP_URL") or (key == "BILLING_WEBHOOK_URL" and given.get("PAYMENTS") == "stripe")


def secrets(objects: list[dict], code: Code) -> Said:
    """Every key of a Secret that is referred to is made by somebody."""
    made: dict[str, set[str]] = {}
    for o in objects:
        name = o["metadata"]["name"]
        match o["kind"]:
            case "Secret":
                made[name] = set(o.get("data", {}))
            case "ExternalSecret":
                made[o["spec"]["target"]["name"]] = {d["secretKey"] for d in o["spec"]["data"]}
            case "Cluster":
                made[f"{name}-app"] = {"uri", "username", "password"}
            case "RabbitmqCluster":
                made[f"{name}-default-user"] = {"username", "password"}
    used: dict[str, set[str]] = {}
    for pod in network.workloads(objects):
        for container in pod.spec.get("containers", []):
            for entry in container.get("env", []):
                if ref := entry.get("valueFrom", {}).get("secretKeyRef"):
                    used.setdefault(ref["name"], set()).add(ref["key"])
                    if not ref.get("optional") and ref["key"] not in made.get(ref["name"], ()):
                        yield f"{pod.name} needs the key {ref['key']} of the Secret {ref['name']}, which nobody makes"
    for o in of(objects, "ExternalSecret"):
        name = o["metadata"]["name"]
        elsewhere = str(of(objects, "ObjectStore"))
        for key in made[name] - used.get(name, set()):
            if f"'name': '{name}'" not in elsewhere:
                yield f"the key {key} of the Secret {name} is fetched and not used"


def ports(objects: list[dict], code: Code) -> Said:
    """The ports that programs listen on are those that services, probes and policies name."""
    for name, pod in pods_of(objects, code).items():
        given = network.variables(pod, objects)
        listens = {"ops": given["OPS_ADDR"]}
        if code.grpc(name):
            listens["grpc"] = given["GRPC_ADDR"]
        if name == "bff":
            listens["http"] = given["HTTP_ADDR"]
        for port, address in listens.items():
            host, _, number = address.rpartition(":")
            if pod.ports.get(port) != int(number):
                yield f"{name} listens on {address} for {port}, its container names {pod.ports.get(port)}"
            if host == "127.0.0.1":
                yield f"{name} listens on {address}, where nobody else can reach it"
        for extra in pod.ports.keys() - listens.keys():
            yield f"{name} names the port {extra}, which it does not listen on"
    for service in of(objects, "Service"):
        chosen = [p for p in network.workloads(objects) if network.selects({"matchLabels": service["spec"]["selector"]}, p.labels)]
        if not chosen:
            yield f"the Service {service['metadata']['name']} selects nothing"
        for pod in chosen:
            for port in service["spec"]["ports"]:
                if port["targetPort"] not in pod.ports:
                    yield f"the Service {service['metadata']['name']} leads to {port['targetPort']}, which {pod.name} has not"
        headless = service["spec"].get("clusterIP") == "None"
        if headless and any(p.get("targetPort") and pod.ports.get(p["targetPort"]) != p["port"] for p in service["spec"]["ports"] for pod in chosen):
            yield f"the headless Service {service['metadata']['name']} cannot change port numbers"
        if not headless and any(pod.name in code.programs for pod in chosen):
            yield f"the Service {service['metadata']['name']} would pin its callers to one replica each"


def health(objects: list[dict], code: Code) -> Said:
    """Probes ask what there is, and the grace period is longer than the drain."""
    for name, pod in pods_of(objects, code).items():
        container = pod.spec["containers"][0]
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = container.get(kind) or {}
            if http := probe.get("httpGet"):
                if http["path"] not in code.paths or http["port"] != "ops":
                    yield f"the {kind} of {name} asks {http['path']} at {http['port']}"
            elif grpc := probe.get("grpc"):
                if not code.grpc(name) or grpc["port"] != pod.ports["grpc"]:
                    yield f"the {kind} of {name} asks port {grpc['port']}, where no gRPC is spoken"
                # The house tells the state of the whole process only; and what waits for another must not be restarted for it.
                if grpc.get("service") or kind != "readinessProbe":
                    yield f"the {kind} of {name} asks for {grpc}"
            else:
                yield f"{name} has no {kind}"
        if container.get("livenessProbe", {}).get("httpGet", {}).get("path") == "/readyz":
            yield f"{name} would be restarted for what it waits for"
        given = network.variables(pod, objects)
        drain = int(given.get("SHUTDOWN_GRACE_S") or code.programs[name].variables["SHUTDOWN_GRACE_S"] or 0)
        pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
        if pod.spec["terminationGracePeriodSeconds"] < pause + drain + 5:
            yield f"{name} is killed after {pod.spec['terminationGracePeriodSeconds']} s, while it may drain for {pause} + {drain} s"


def calls(objects: list[dict], code: Code) -> Said:
    """Policies allow what has to be, in both directions, and nothing else; gRPC is as deploy/calls.toml says."""
    pods = list(network.workloads(objects))
    need = network.needed(pods, objects)
    # Envoy's one upstream and its health checks (deploy/envoy).
    if any(p.name == "edge" for p in pods):
        need |= {("edge", "bff", 8080), ("edge", "bff", 9464)}
    policies = of(objects, "NetworkPolicy")
    between = {"rabbitmq", *(o["metadata"]["name"] for o in of(objects, "Cluster"))}
    for way in ("egress", "ingress"):
        may = {e for e in network.allowed(pods, policies, way) if not (e[0] == e[1] and e[0] in between)}
        for start, end, port in sorted(need - may):
            yield f"no {way} policy lets {start} call {end}:{port}"
        for start, end, port in sorted(may - need):
            yield f"an {way} policy lets {start} call {end}:{port}, which it never does"
    closed = [p for p in policies if p["spec"]["podSelector"] == {} and not p["spec"].get("ingress") and not p["spec"].get("egress")]
    if not any(set(p["spec"]["policyTypes"]) == {"Ingress", "Egress"} for p in closed):
        yield "there is no policy that forbids everything"

    graph = {(a, b) for a, callees in code.calls.items() for b in callees}
    rooms = {(room(a), room(b)) for a, b, port in need if port == 50051}
    # Everybody reads the revocations of auth.
    for a, b in sorted(graph - rooms):
        yield f"deploy/calls.toml has {a} → {b}, and no process is told that address"
    for a, b in sorted(e for e in rooms - graph if e[1] != "auth"):
        yield f"{a} is told the address of {b}, which is not in deploy/calls.toml"
    for name, pod in pods_of(objects, code).items():
        given = network.variables(pod, objects)
        for other in code.programs:
            key = variable(other)
            if key in given and not given[key].startswith(f"http://{other}:"):
                yield f"{name} looks for {other} at {given[key]}"
        path = given["AUTH_JWKS_URL"].split("9464")[-1]
        if path not in code.paths:
            yield f"{name} reads the keys at {path}"


def scaling(objects: list[dict], code: Code) -> Said:
    """What scales, is kept and is watched exists, by the names that the code uses."""
    names = {o["metadata"]["name"] for o in of(objects, "Deployment")}
    for o in of(objects, "HorizontalPodAutoscaler", "ScaledObject"):
        target = o["spec"]["scaleTargetRef"]["name"]
        if target not in names:
            yield f"{o['kind']} {o['metadata']['name']} scales {target}, which is not there"
    scaled = [o["spec"]["scaleTargetRef"]["name"] for o in of(objects, "HorizontalPodAutoscaler", "ScaledObject")]
    if len(scaled) != len(set(scaled)):
        yield f"two scalers pull at the same processes: {sorted(scaled)}"
    for o in of(objects, "ScaledObject"):
        for trigger in o["spec"]["triggers"]:
            if trigger["metadata"]["queueName"] != code.jobs_queue:
                yield f"KEDA looks at the queue {trigger['metadata']['queueName']}, tickets lie in {code.jobs_queue}"
    for o in of(objects, "PodDisruptionBudget"):
        if not any(network.selects(o["spec"]["selector"], p.labels) for p in network.workloads(objects)):
            yield f"the PodDisruptionBudget {o['metadata']['name']} keeps nothing"
    rules = (pathlib.Path(ROOT) / "k8s/components/monitoring/adapter.yaml").read_text(encoding="utf-8")
    offered = set(re.findall(r"as: (\w+)", rules))
    for series in re.findall(r"seriesQuery: '(\w+)", rules):
        if series not in code.metrics:
            yield f"prometheus-adapter reads {series}, which nothing counts"
    for o in of(objects, "HorizontalPodAutoscaler"):
        for metric in o["spec"]["metrics"]:
            if metric["type"] == "Pods" and metric["pods"]["metric"]["name"] not in offered:
                yield f"{o['metadata']['name']} follows {metric['pods']['metric']['name']}, which prometheus-adapter does not offer"


RULES = (processes, told, secrets, ports, health, calls, scaling)


def differences(objects: list[dict], code: Code) -> list[str]:
    return [sentence for rule in RULES for sentence in rule(objects, code)]
