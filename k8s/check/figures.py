"""What docs/scaling.md says that a workload asks for and carries."""

import re

from code_facts import source

PLAN = "docs/scaling.md"
CPU = re.compile(r"^(\d+)(m?)$")
MEMORY = re.compile(r"^(\d+)(Mi|Gi)$")


def tables() -> list[list[dict[str, str]]]:
    """The tables of the plan, each row by the names of its columns."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", source(PLAN), re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        found.append([dict(zip(lines[0], line, strict=True)) for line in lines[2:]])
    return found


def rows(column: str) -> dict[str, dict[str, str]]:
    """Rows of all tables that have this column, by the word that their workload is known by: a kind in backticks, or a name."""
    found = {}
    for table in tables():
        for row in (r for r in table if column in r):
            first = next(iter(row.values()))
            kind = re.search(r"`(\w+)`", first)
            found[kind[1] if kind else re.split(r"[ ,]", first)[0]] = row
    return found


def cpu(text: str) -> int:
    """Thousandths of a core."""
    number = CPU.match(text)
    if not number:
        raise SystemExit(f"{text} is no amount of CPU")
    return int(number[1]) * (1 if number[2] else 1000)


def memory(text: str) -> int:
    """MiB."""
    number = MEMORY.match(text)
    if not number:
        raise SystemExit(f"{text} is no amount of memory")
    return int(number[1]) * (1024 if number[2] == "Gi" else 1)


def first(text: str) -> float:
    """The number that a cell begins with."""
    number = re.match(r"[\d.]+", text)
    if not number:
        raise SystemExit(f"{PLAN}: {text} begins with no number")
    return float(number[0])
