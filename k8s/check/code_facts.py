"""What the programs themselves say of their variables, commands, ports and calls."""

import dataclasses
import functools
import pathlib
import re
import subprocess
import tomllib

from render import ROOT

# Told by `serve --help`, one block per option: its name, then where its value comes from.
OPTION = re.compile(r"^\s+(?:-\w, )?--([\w-]+)", re.MULTILINE)
ENV = re.compile(r"\[env: (\w+)=?")
DEFAULT = re.compile(r"\[default: (.*?)\]")


@dataclasses.dataclass(frozen=True)
class Program:
    """One binary of the house."""

    name: str
    commands: frozenset[str]
    # Variable → its default, or None.
    variables: dict[str, str | None]
    required: frozenset[str]
    # Of `migrate`, where there is such a command.
    migrate_options: frozenset[str]
    migrate_required: frozenset[str]


def told(program: pathlib.Path, *args: str) -> str:
    done = subprocess.run([str(program), *args, "--help"], capture_output=True, text=True, env={}, check=True)
    return done.stdout


def options(text: str) -> dict[str, tuple[str, str | None]]:
    """Option → (variable, default)."""
    found = {}
    parts = OPTION.split(text)
    for name, block in zip(parts[1::2], parts[2::2], strict=True):
        if variable := ENV.search(block):
            default = DEFAULT.search(block)
            found[name] = (variable[1], default[1] if default else None)
    return found


def required(text: str) -> frozenset[str]:
    """Variables of the options that the usage line names."""
    known = options(text)
    usage = next(line for line in text.splitlines() if line.startswith("Usage:"))
    return frozenset(known[name][0] for name in re.findall(r"--([\w-]+) <", usage) if name in known)


def program(path: pathlib.Path) -> Program:
    """Asks the binary itself."""
    commands = frozenset(re.findall(r"^  ([a-z][a-z-]*)\s", told(path), re.MULTILINE))
    serve = told(path, "serve")
    migrate = told(path, "migrate") if "migrate" in commands else "Usage:"
    return Program(
        name=path.name,
        commands=commands,
        variables=dict(options(serve).values()),
        required=required(serve),
        migrate_options=frozenset(OPTION.findall(migrate)),
        migrate_required=required(migrate),
    )


def source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def one(pattern: str, path: str) -> str:
    """What the pattern finds in a file, which must be there."""
    found = re.search(pattern, source(path))
    if not found:
        raise SystemExit(f"{path} has nothing like {pattern}")
    return found[1]


@dataclasses.dataclass(frozen=True)
class Code:
    """All that the manifests have to agree with."""

    programs: dict[str, Program]
    # Read by kit itself and not told by `--help`.
    telemetry: frozenset[str]
    calls: dict[str, list[str]]
    paths: frozenset[str]
    jobs_queue: str
    metrics: frozenset[str]
    # Of Envoy and RabbitMQ, as far as something here reads them.
    metrics_of_others: frozenset[str]

    def grpc(self, name: str) -> bool:
        """Whether the process serves gRPC: the others know its address under a variable."""
        return any(variable(name) in p.variables for p in self.programs.values())


def room(process: str) -> str:
    """The crate, and the name in deploy/calls.toml."""
    return process.split("-")[0]


def variable(process: str) -> str:
    """Where others find the address of a process; of media, the API answers."""
    return "" if process == "media-worker" else f"{room(process).upper()}_GRPC_URL"


@functools.cache
def read(binaries: pathlib.Path) -> Code:
    names = re.findall(r'Service \{ name: "([\w-]+)"', source("crates/xtask/src/services.rs"))
    rust = [p for folder in ("crates", "services", "bff") for p in (ROOT / folder).rglob("src/**/*.rs")]
    text = "\n".join(p.read_text(encoding="utf-8") for p in rust)
    kit = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "crates/kit/src").rglob("*.rs"))
    return Code(
        programs={name: program(binaries / name) for name in names},
        telemetry=frozenset(re.findall(r'env::var(?:_os)?\("([A-Z_]+)"\)', kit)),
        calls=tomllib.loads(source("deploy/calls.toml"))["calls"],
        paths=frozenset(re.findall(r'\.route\(\s*"(/[\w./-]+)"', source("crates/kit/src/ops.rs")))
        | frozenset(re.findall(r'"(/\.well-known/[\w.]+)"', text)),
        jobs_queue=one(r'MEDIA_JOBS: Queue = Queue { name: "([\w.]+)"', "proto/src/queues.rs"),
        metrics=frozenset(re.findall(r'(?:counter|gauge|histogram)!\(\s*"(\w+)"', text)),
        metrics_of_others=frozenset(re.findall(r"^\| `(\w+)` \| (?:Envoy|RabbitMQ) \|", source("docs/operations/telemetry.md"), re.MULTILINE)),
    )
