"""Runs the Tiltfile as Tilt would, with Tilt's functions as below: unknown names and parameters fail, and so does a
resource, image or folder that does not exist."""

import pathlib
import shlex
import subprocess

import starlark

import network
import render

MODES = {"TRIGGER_MODE_AUTO": 0, "TRIGGER_MODE_MANUAL": 1}




class Run:
    """What one run of the Tiltfile declared. The methods have the parameters of Tilt's documentation."""

    def __init__(self) -> None:
        self.objects: list[dict] = []
        self.images: dict[str, dict] = {}
        self.resources: dict[str, dict] = {}
        self.buttons: dict[str, list[str]] = {}

    def there(self, path: str) -> None:
        if not (render.ROOT / path).exists() and not path.startswith("target/"):
            raise ValueError(f"the Tiltfile names {path}, which does not exist")

    def kustomize(self, pathname, kustomize_bin=None, flags=None):  # noqa: ANN001
        self.there(pathname)
        overlay, stage = pathlib.Path(pathname).parts[-2:]
        return render.render(overlay, stage)

    def k8s_yaml(self, yaml, allow_duplicates=False):  # noqa: ANN001
        self.objects += render.objects(yaml)

    def docker_build_with_restart(
        self, ref, context, entrypoint, live_update, base_suffix="-tilt_docker_build_with_restart_base", restart_file="/tmp/.restart-proc",
        trigger=None, exit_policy="restart", build_args=None, dockerfile="Dockerfile", dockerfile_contents="", match_in_env_vars=False,
        ignore=None, only=None, container_args=None, target="", ssh="", network="", secret="", extra_tag="", pull=False, platform="",
    ):  # noqa: ANN001, PLR0913
        self.there(context)
        self.images[ref] = {"context": context, "only": only, "dockerfile": dockerfile_contents, "args": container_args, "live_update": live_update}

    def sync(self, local_path, remote_path):  # noqa: ANN001
        return [local_path, remote_path]

    def k8s_resource(
        self, workload="", new_name="", port_forwards=None, extra_pod_selectors=None, trigger_mode=0, resource_deps=None, objects=None,
        auto_init=True, pod_readiness="", links=None, labels=None, discovery_strategy="",
    ):  # noqa: ANN001, PLR0913
        if workload not in {p.name for p in network.workloads(self.objects)}:
            raise ValueError(f"k8s_resource {workload}: there is no such workload")
        self.resources[workload] = {"deps": resource_deps or [], "forwards": port_forwards or []}

    def local_resource(
        self, name, cmd="", deps=None, trigger_mode=0, resource_deps=None, ignore=None, auto_init=True, serve_cmd="", cmd_bat="", serve_cmd_bat="",
        allow_parallel=False, links=None, labels=None, env=None, serve_env=None, readiness_probe=None, dir="", serve_dir="",
    ):  # noqa: ANN001, PLR0913
        for path in [*(deps or []), *filter(None, [dir, serve_dir])]:
            self.there(path)
        for command in filter(None, [cmd, serve_cmd]):
            subprocess.run(["sh", "-n", "-c", command], check=True)
        self.resources[name] = {"deps": resource_deps or [], "manual": trigger_mode == MODES["TRIGGER_MODE_MANUAL"]}

    def local(self, command, quiet=False, command_bat="", echo_off=False, env=None, dir="", stdin=None):  # noqa: ANN001
        self.there(shlex.split(command)[0])
        return ""

    def port_forward(self, local_port, container_port=None, name=None, link_path=None, host=None):  # noqa: ANN001
        return [local_port, container_port]

    def link(self, url, name=""):  # noqa: ANN001
        return url

    def cmd_button(
        self, name, argv=None, resource=None, location=None, icon_name=None, icon_svg=None, text=None, disabled=False, inputs=None,
        env=None, dir=None, requires_confirmation=False,
    ):  # noqa: ANN001, PLR0913
        self.buttons[text] = argv


def run(text: str) -> Run:
    """The Tiltfile's text; a StarlarkError or ValueError says what is wrong with it."""
    said = Run()
    extensions = {"ext://restart_process": ["docker_build_with_restart"], "ext://uibutton": ["cmd_button"]}

    def load(name: str) -> starlark.FrozenModule:
        module = starlark.Module()
        for function in extensions[name]:
            module.add_callable(function, getattr(said, function))
        if name == "ext://uibutton":
            inner = starlark.parse("location", 'location = struct(NAV = "NAV", RESOURCE = "RESOURCE")\n', DIALECT)
            starlark.eval(module, inner, GLOBALS)
        return module.freeze()

    module = starlark.Module()
    for name in ("kustomize", "k8s_yaml", "sync", "k8s_resource", "local_resource", "local", "port_forward", "link"):
        module.add_callable(name, getattr(said, name))
    for name, value in MODES.items():
        module[name] = value
    starlark.eval(module, starlark.parse("Tiltfile", text, DIALECT), GLOBALS, starlark.FileLoader(load))
    return said


DIALECT = starlark.Dialect.extended()
DIALECT.enable_top_level_stmt = True
GLOBALS = starlark.Globals.extended_by([starlark.LibraryExtension.StructType])


def order(said: Run) -> list[str]:
    """What is wrong with the order of the resources: an unknown one, or a circle."""
    wrong = [f"{name} waits for {d}, which does not exist" for name, r in said.resources.items() for d in r["deps"] if d not in said.resources]
    done: set[str] = set()
    while ready := [n for n, r in said.resources.items() if n not in done and all(d in done for d in r["deps"])]:
        done.update(ready)
    return wrong or [f"{name} waits for itself" for name in said.resources.keys() - done]
