"""Whether each object is what its API takes; unknown fields count as mistakes."""

import json
import pathlib
import re
import subprocess

import jsonschema
import kubernetes_validate

HERE = pathlib.Path(__file__).parent
# The oldest that all of it works on: `matchLabelKeys` and `preStop.sleep` without a feature gate.
KUBERNETES = "1.34"
OWN = re.compile(r"^(v1|apps/|batch/|policy/|autoscaling/|networking\.k8s\.io/)")


def named(o: dict) -> str:
    return f"{o['kind']} {o['metadata']['name']}"


def complaints(objects: list[dict]) -> list[str]:
    """One sentence for each mistake."""
    found = []
    # Projects whose types are in no package: the fields that may be used here, written down by hand.
    ours = json.loads((HERE / "schemas.json").read_text(encoding="utf-8"))
    others = []
    for o in objects:
        kind = f"{o['apiVersion']}/{o['kind']}"
        if OWN.match(o["apiVersion"]):
            try:
                kubernetes_validate.validate(o, KUBERNETES, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.InvalidSchemaError) as error:
                found.append(f"{named(o)}: {getattr(error, 'message', error)}")
        elif kind in ours:
            for error in jsonschema.Draft202012Validator(ours[kind]).iter_errors(o):
                found.append(f"{named(o)}: {error.json_path}: {error.message}")
        else:
            others.append(o)
    lines = "\n".join(json.dumps(o) for o in others)
    asked = subprocess.run(["node", str(HERE / "crds.mjs")], input=lines, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise SystemExit(f"the types could not be asked: {asked.stderr.strip()}")
    return found + json.loads(asked.stdout)
