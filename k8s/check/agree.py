"""Whether the manifests of one overlay and the code say the same. Each difference is one sentence."""

import collections.abc
import pathlib
import re

import yaml

import figures
import network
from code_facts import Code, ROOT, one, room, variable

Said = collections.abc.Iterator[str]
REFERENCE = re.compile(r"\$\((\w+)\)")
PROCESSES = "auth|billing|catalog|chat|media-api|media-worker|bff"
MONITORING = "kubernetes.io/metadata.name=monitoring"
# With whom of the world, or of other namespaces, our pods may speak: direction, pods, whom, ports. Nothing else is let through.
OUTSIDE = (
    ("egress", ".*", "kubernetes.io/metadata.name=kube-system k8s-app=kube-dns", {53}),
    # Models, classifiers, payments, proofs of age.
    ("egress", "auth|billing|catalog|chat|media-api|media-worker", "the internet", {443}),
    ("egress", "auth", "the internet", {465, 587}),
    ("egress", "chat|media-worker", "troupe/engines=true", {7860, 8000, 8080, 8188, 11434}),
    # The cluster's own API, whose address is the cluster's matter, and where backups are kept.
    ("egress", ".*-db|rabbitmq", network.ANYBODY, {443, 6443}),
    ("egress", PROCESSES, MONITORING, {4318}),
    ("ingress", "edge", network.ANYBODY, {10080, 10443}),
    ("ingress", ".*-db", "kubernetes.io/metadata.name=cnpg-system", {5432, 8000}),
    ("ingress", "rabbitmq", "kubernetes.io/metadata.name=keda", {15672}),
    ("ingress", f"{PROCESSES}|edge", MONITORING, {9464}),
    ("ingress", "rabbitmq", MONITORING, {15692}),
)
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
        drain += int(given.get("SHUTDOWN_LEAVE_S") or code.programs[name].variables["SHUTDOWN_LEAVE_S"] or 0)
        pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
        if pod.spec["terminationGracePeriodSeconds"] < pause + drain + 5:
            yield f"{name} is killed after {pod.spec['terminationGracePeriodSeconds']} s, while it may drain for {pause} + {drain} s"


def beyond(objects: list[dict], _: Code) -> Said:
    """What policies let through to and from others than our own pods is on the list."""
    pods = list(network.workloads(objects))
    for way in ("egress", "ingress"):
        for pod, whom, port in sorted(network.outside(pods, of(objects, "NetworkPolicy"), way)):
            if not any(w == way and re.fullmatch(who, pod) and other == whom and port in ports for w, who, other, ports in OUTSIDE):
                at = f"port {port}" if port else "every port"
                arrow = f"{pod} call {whom}" if way == "egress" else f"{whom} call {pod}"
                yield f"an {way} policy lets {arrow} at {at}, which nobody has to"


def free(way: str, edge: network.Edge) -> bool:
    """Whether a connection between our own pods is let through because everybody's is."""
    pod = edge[0] if way == "egress" else edge[1]
    return any(w == way and re.fullmatch(who, pod) and whom == network.ANYBODY and edge[2] in ports for w, who, whom, ports in OUTSIDE)


def calls(objects: list[dict], code: Code) -> Said:
    """Policies allow what has to be, in both directions, and nothing else; gRPC is as deploy/calls.toml says."""
    pods = list(network.workloads(objects))
    need = network.needed(pods, objects)
    # Envoy's one upstream and its health checks (deploy/envoy).
    if any(p.name == "edge" for p in pods):
        need |= {("edge", "bff", 8080), ("edge", "bff", 9464)}
    policies = of(objects, "NetworkPolicy")
    between = {"rabbitmq", *(o["metadata"]["name"] for o in of(objects, "Cluster"))}
    namespace = of(objects, "Namespace")[0]["metadata"]
    labels = {"kubernetes.io/metadata.name": namespace["name"], **namespace.get("labels", {})}
    for way in ("egress", "ingress"):
        may = {e for e in network.allowed(pods, policies, way, labels) if not (e[0] == e[1] and e[0] in between)}
        for start, end, port in sorted(need - may):
            yield f"no {way} policy lets {start} call {end}:{port}"
        for start, end, port in sorted(e for e in may - need if not free(way, e)):
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
    budgets = of(objects, "PodDisruptionBudget")
    for o in budgets:
        if not any(network.selects(o["spec"]["selector"], p.labels) for p in network.workloads(objects)):
            yield f"the PodDisruptionBudget {o['metadata']['name']} keeps nothing"
    for o in of(objects, "Deployment"):
        labels = o["spec"]["template"]["metadata"]["labels"]
        kept = [b for b in budgets if network.selects(b["spec"]["selector"], labels)]
        # Two of them, and no pod may be moved at all.
        if len(kept) != 1:
            yield f"{o['metadata']['name']} has {len(kept)} PodDisruptionBudgets"
    rules = adapter()
    for rule in rules.values():
        series = re.match(r"\w+", rule["seriesQuery"])[0]
        if series not in code.metrics and series not in code.metrics_of_others:
            yield f"prometheus-adapter reads {series}, which nothing counts"
    for o in of(objects, "HorizontalPodAutoscaler"):
        for metric in o["spec"]["metrics"]:
            if metric["type"] == "Pods" and metric["pods"]["metric"]["name"] not in rules:
                yield f"{o['metadata']['name']} follows {metric['pods']['metric']['name']}, which prometheus-adapter does not offer"


def adapter() -> dict[str, dict]:
    """The rules of prometheus-adapter, by what they offer."""
    text = (pathlib.Path(ROOT) / "k8s/components/monitoring/adapter.yaml").read_text(encoding="utf-8")
    return {rule["name"]["as"]: rule for rule in yaml.safe_load(text)["rules"]["custom"]}


def secure(objects: list[dict], _: Code) -> Said:
    """The namespace lets nobody in whose pod may do more than it must."""
    for o in of(objects, "Namespace"):
        for mode in ("enforce", "audit", "warn"):
            level = o["metadata"].get("labels", {}).get(f"pod-security.kubernetes.io/{mode}")
            if level != "restricted":
                yield f"the namespace {o['metadata']['name']} has {mode} {level}, not restricted"


def asked(objects: list[dict], _: Code) -> Said:
    """What a workload asks for is what docs/scaling.md says, and not less than what was measured."""
    rows = figures.rows("asks for")
    for o in of(objects, "Deployment", "StatefulSet", "Job", "Cluster", "RabbitmqCluster"):
        kind, name = o["kind"], o["metadata"]["name"]
        resources = o["spec"]["resources"] if "resources" in o["spec"] else o["spec"]["template"]["spec"]["containers"][0]["resources"]
        cpu, memory = figures.cpu(resources["requests"]["cpu"]), figures.memory(resources["requests"]["memory"])
        row = rows.get(name if kind in ("Deployment", "StatefulSet") else kind)
        if row is None:
            yield f"{figures.PLAN} does not say what {kind} {name} asks for"
            continue
        said = row["asks for"].split(", ")
        if (cpu, memory) != (figures.cpu(said[0]), figures.memory(said[1])):
            yield f"{name} asks for {cpu}m and {memory} MiB, {figures.PLAN} says {row['asks for']}"
        if row.get("busy CPU", "–") != "–" and cpu < figures.first(row["busy CPU"]):
            yield f"{name} asks for {cpu}m and was measured at {row['busy CPU']}"
        for column in ("memory", "peak"):
            if row.get(column, "–") != "–" and memory < figures.first(row[column]):
                yield f"{name} asks for {memory} MiB and was measured at {row[column]}"
        if (kind, name) == ("Deployment", "auth") and memory < (most := hashing(figures.first(row["peak"]))):
            yield f"auth asks for {memory} MiB and takes {most:.0f} while all its threads hash"


def hashing(measured: float) -> float:
    """MiB of auth while as many threads hash as there can be; its peak was measured with those of two cores."""
    path = "services/auth/src/accounts/hashing.rs"
    each = int(one(r"const MEMORY_KIB: u32 = ([\d_]+);", path).replace("_", "")) / 1024
    return measured + (int(one(r"const THREADS_MAX: usize = (\d+);", path)) - 2) * each


def carried(objects: list[dict], _: Code) -> Said:
    """Replicas follow as many requests as docs/scaling.md says that one carries, and that follows from what it asks for."""
    rows = figures.rows("replicas follow")
    for o in of(objects, "HorizontalPodAutoscaler"):
        name, metrics = o["metadata"]["name"], o["spec"]["metrics"]
        followed = [figures.first(m["pods"]["target"]["averageValue"]) for m in metrics if m["type"] == "Pods"]
        used = [m["resource"]["target"]["averageUtilization"] for m in metrics if m["type"] == "Resource"]
        if not followed or not used:
            continue
        row = rows.get(name)
        if row is None:
            yield f"{figures.PLAN} does not say how many requests {name} carries"
            continue
        said, takes = figures.first(row["replicas follow"]), figures.first(row["a request takes"])
        if followed != [said]:
            yield f"replicas of {name} follow {followed} requests a second, {figures.PLAN} says {said:.0f}"
        asks = figures.cpu(figures.rows("asks for")[name]["asks for"].split(", ")[0])
        carries = asks * used[0] / 100 / takes
        # Told in fives, rounded down.
        if not said <= carries < said + 5:
            yield f"{asks}m at {used[0]} % carry {carries:.0f} requests of {takes} ms a second, {figures.PLAN} says {said:.0f} for {name}"


def promised(objects: list[dict]) -> Said:
    """What the house of people has and one on a developer's machine need not: replicas that follow CPU and requests,
    workers that come when there is work, whoever is outside, and eyes on the broker."""
    scalers = {o["spec"]["scaleTargetRef"]["name"]: o for o in of(objects, "HorizontalPodAutoscaler", "ScaledObject")}
    for name in sorted(o["metadata"]["name"] for o in of(objects, "Deployment")):
        scaler = scalers.get(name)
        if scaler is None:
            yield f"nothing scales {name}"
        elif name == "media-worker":
            if scaler["kind"] != "ScaledObject" or scaler["spec"].get("minReplicaCount") != 0:
                yield f"{name} is not scaled to none when there is no work"
            if scaler["spec"].get("maxReplicaCount", 0) < 2:
                yield f"{name} is not scaled beyond one"
        else:
            metrics = scaler["spec"].get("metrics", [])
            if not any(m["type"] == "Resource" and m["resource"]["name"] == "cpu" for m in metrics):
                yield f"replicas of {name} do not follow CPU"
            if not any(m["type"] == "Pods" and m["pods"]["metric"]["name"].endswith("_requests_per_second") for m in metrics):
                yield f"replicas of {name} do not follow requests"
            if scaler["spec"].get("minReplicas", 1) < 2:
                yield f"{name} has one replica at times"
    pods = list(network.workloads(objects))
    for way, who, whom, ports in OUTSIDE:
        there = network.outside(pods, of(objects, "NetworkPolicy"), way)
        for port in sorted(ports - {p for pod, other, p in there if re.fullmatch(who, pod) and other == whom}):
            yield f"no {way} policy is for {who} and {whom} at port {port}"
    # A queue that nobody consumes is known to the broker alone.
    text = (pathlib.Path(ROOT) / "deploy/prometheus/prometheus.yaml").read_text(encoding="utf-8")
    job = next(j for j in yaml.safe_load(text)["scrape_configs"] if j["job_name"] == "rabbitmq")
    asked = {(e.get("path"), str(e.get("params"))) for o in of(objects, "ServiceMonitor") for e in o["spec"]["endpoints"]}
    if (job["metrics_path"], str(job["params"])) not in asked:
        yield f"no ServiceMonitor asks the broker for {job['params']}"
    for o in of(objects, "RabbitmqCluster"):
        if "rabbitmq_prometheus" not in o["spec"]["rabbitmq"]["additionalPlugins"]:
            yield f"the broker {o['metadata']['name']} has no metrics"


RULES = (processes, told, secrets, ports, health, beyond, calls, scaling, secure, asked, carried)


def differences(objects: list[dict], code: Code) -> list[str]:
    return [sentence for rule in RULES for sentence in rule(objects, code)]
