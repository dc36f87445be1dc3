"""Who may speak to whom by the policies, and who has to."""

import collections.abc
import dataclasses
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
            yield Pod(name, {"cnpg.io/cluster": name}, {"postgresql": 5432})
        elif kind == "RabbitmqCluster":
            yield Pod(name, {"app.kubernetes.io/name": name}, {"amqp": 5672, "management": 15672})


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


def inside(peer: dict) -> bool:
    """Whether the peer is a pod of our own namespace."""
    return "podSelector" in peer and "namespaceSelector" not in peer


def allowed(pods: list[Pod], policies: list[dict], way: str) -> set[Edge]:
    """From, to, port: what the policies of one direction let through between our own pods."""
    edges = set()
    far = "to" if way == "egress" else "from"
    for policy in policies:
        for rule in policy["spec"].get(way) or []:
            for peer in filter(inside, rule.get(far, [])):
                for subject, other in itertools.product(pods, pods):
                    if not selects(policy["spec"]["podSelector"], subject.labels) or not selects(peer["podSelector"], other.labels):
                        continue
                    start, end = (subject, other) if way == "egress" else (other, subject)
                    edges |= {(start.name, end.name, port) for port in ports(rule, end)}
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
