"""The PrometheusRule of `components/monitoring`: the rules of `deploy/prometheus/rules`, which promtool tests there, as
the operator wants them. `python rules.py` writes it; a test holds it against its source."""

import pathlib

import yaml

from render import ROOT

TARGET = ROOT / "k8s/components/monitoring/rules.yaml"
HEAD = "# Written by k8s/check/rules.py from deploy/prometheus/rules.\n"


def rule() -> dict:
    files = sorted((ROOT / "deploy/prometheus/rules").glob("*.yaml"))
    groups = [group for f in files for group in yaml.safe_load(f.read_text(encoding="utf-8"))["groups"]]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "troupe", "labels": {"app.kubernetes.io/part-of": "troupe"}},
        "spec": {"groups": groups},
    }


def text() -> str:
    return HEAD + yaml.safe_dump(rule(), sort_keys=False, width=120)


if __name__ == "__main__":
    pathlib.Path(TARGET).write_text(text(), encoding="utf-8")
