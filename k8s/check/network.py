"""Who may speak to whom by the policies, and who has to."""

import collections.abc
import dataclasses
import ipaddress
import itertools
import re

Edge = tuple[str, str, int]
ADDRESS = re.compile(r"^(?:\w+)://(?:[^@/]*@)?([\w-]+):(\d+)")


@dataclasses.dataclass
class Pod:
    """What policies see of a workload."""

    name: str
    labels: dict[str, str]
    # Name → number.
    ports: dict[str, int]
    spec: dict = dataclasses.field(default_factory=dict)


def workloads(objects: list[dict]) -> collections.abc.Iterator[Pod]:
    """Those that are written, and those that operators make."""
    for o in objects:
        kind, name = o["kind"], o["metadata"]["name"]
        if kind in ("Deployment", "StatefulSet", "Job"):
            template = o["spec"]["template"]
            ports = {p["name"]: p["containerPort"] for c in template["spec"]["containers"] for p in c.get("ports", [])}
            yield Pod(name, template["metadata"]["labels"], ports, template["spec"])
        elif kind == "Cluster":
            yield Pod(name, {"cnpg.io/cluster": name}, {"postgresql": 5432, "status": 8000})
        elif kind == "RabbitmqCluster":
            yield Pod(name, {"app.kubernetes.io/name": name}, {"amqp": 5672, "management": 15672, "prometheus": 15692})


def selects(selector: dict, labels: dict[str, str]) -> bool:
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for e in selector.get("matchExpressions", []):
        there = labels.get(e["key"])
        match e["operator"]:
            case "In" if there not in e["values"]:
                return False
            case "Exists" if there is None:
                return False
            case "In" | "Exists":
                pass
            case other:
                raise SystemExit(f"selectors with {other} are not understood here")
    return True


def ports(rule: dict, target: Pod) -> set[int]:
    """Numbers of the target's ports that the rule names."""
    if "ports" not in rule:
        return set(target.ports.values())
    found = set()
    for port in rule["ports"]:
        wanted = port["port"]
        number = target.ports.get(wanted) if isinstance(wanted, str) else wanted
        last = port.get("endPort", number)
        found |= {p for p in target.ports.values() if number is not None and number <= p <= last}
    return found


ANYBODY = "anybody"
# In place of a port, where a rule names none.
EVERY_PORT = 0
# Where a cluster's pods have their addresses.
OF_PODS = [ipaddress.ip_network(n) for n in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")]


def peers(rule: dict, way: str) -> list[dict]:
    """Those that a rule names; one that names nobody lets everybody through."""
    return rule.get("to" if way == "egress" else "from") or [{}]


def holds_pods(block: dict) -> bool:
    """Whether a pod may have one of these addresses."""
    whole = ipaddress.ip_network(block["cidr"])
    without = [n for n in map(ipaddress.ip_network, block.get("except", [])) if n.version == whole.version]
    for pods in (n for n in OF_PODS if n.version == whole.version and n.overlaps(whole)):
        there = pods if pods.subnet_of(whole) else whole
        if not any(there.subnet_of(n) for n in without):
            return True
    return False


def ours(peer: dict, namespace: dict[str, str]) -> dict | None:
    """The selector of our own pods that a peer comes to, if it can be one of them at all."""
    if "ipBlock" in peer:
        return {} if holds_pods(peer["ipBlock"]) else None
    if "namespaceSelector" in peer and not selects(peer["namespaceSelector"] or {}, namespace):
        return None
    return peer.get("podSelector") or {}


def words(selector: dict) -> str:
    """A selector for people to read."""
    labels = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    return " ".join(labels + [f"{e['key']} {e['operator']} {e.get('values', '')}" for e in selector.get("matchExpressions", [])])


def whom(peer: dict) -> str | None:
    """Who a peer is that is not (only) of our own namespace."""
    if not peer:
        return ANYBODY
    if "ipBlock" in peer:
        cidr = peer["ipBlock"]["cidr"]
        return "the internet" if cidr in ("0.0.0.0/0", "::/0") and not holds_pods(peer["ipBlock"]) else cidr
    if "namespaceSelector" in peer:
        parts = [words(peer["namespaceSelector"] or {}) or "every namespace", words(peer.get("podSelector") or {})]
        return " ".join(filter(None, parts))
    return None


def rules(policies: list[dict], way: str) -> collections.abc.Iterator[tuple[dict, dict]]:
    """Each rule of one direction, with the selector of the pods that it is for."""
    for policy in policies:
        if way.capitalize() in policy["spec"]["policyTypes"]:
            for rule in policy["spec"].get(way) or []:
                yield policy["spec"]["podSelector"], rule


def allowed(pods: list[Pod], policies: list[dict], way: str, namespace: dict[str, str]) -> set[Edge]:
    """From, to, port: what the policies of one direction let through between our own pods."""
    edges = set()
    for selector, rule in rules(policies, way):
        for far in (s for s in (ours(peer, namespace) for peer in peers(rule, way)) if s is not None):
            for subject, other in itertools.product(pods, pods):
                if selects(selector, subject.labels) and selects(far, other.labels):
                    start, end = (subject, other) if way == "egress" else (other, subject)
                    edges |= {(start.name, end.name, port) for port in ports(rule, end)}
    return edges


def outside(pods: list[Pod], policies: list[dict], way: str) -> set[Edge]:
    """Pod, whom, port: what the policies of one direction let through to or from others than our own pods."""
    edges = set()
    for selector, rule in rules(policies, way):
        for other in filter(None, map(whom, peers(rule, way))):
            for pod in (p for p in pods if selects(selector, p.labels)):
                if "ports" not in rule:
                    edges.add((pod.name, other, EVERY_PORT))
                elif way == "ingress":
                    edges |= {(pod.name, other, port) for port in ports(rule, pod)}
                else:
                    spans = [range(p["port"], p.get("endPort", p["port"]) + 1) for p in rule["ports"]]
                    edges |= {(pod.name, other, port) for span in spans for port in span}
    return edges


def variables(pod: Pod, objects: list[dict]) -> dict[str, str]:
    """What the container is told in plain words; of a Secret, the name and key."""
    maps = {o["metadata"]["name"]: o.get("data", {}) for o in objects if o["kind"] == "ConfigMap"}
    told = {}
    for container in pod.spec.get("containers", []):
        for source in container.get("envFrom", []):
            told |= maps.get(source["configMapRef"]["name"], {})
        for entry in container.get("env", []):
            if "value" in entry:
                told[entry["name"]] = entry["value"]
            elif ref := entry["valueFrom"].get("configMapKeyRef"):
                told[entry["name"]] = maps.get(ref["name"], {}).get(ref["key"], "")
            else:
                ref = entry["valueFrom"]["secretKeyRef"]
                told[entry["name"]] = f"secret:{ref['name']}/{ref['key']}"
    return told


def needed(pods: list[Pod], objects: list[dict]) -> set[Edge]:
    """From, to, port: whom each process was told to speak to."""
    names = {p.name for p in pods}
    edges = set()
    for pod in pods:
        for name, value in variables(pod, objects).items():
            if (found := ADDRESS.match(value)) and found[1] in names and found[1] != pod.name:
                edges.add((pod.name, found[1], int(found[2])))
            elif name == "DATABASE_URL":
                # The operator's Secret of the cluster `x-db` is `x-db-app`; a small house has one server for all.
                cluster = value.removeprefix("secret:").split("/")[0].removesuffix("-app")
                edges.add((pod.name, cluster if cluster in names else "postgres", 5432))
    return edges
