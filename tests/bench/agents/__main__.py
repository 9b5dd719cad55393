"""`python -m tests.bench.agents`: the agent loop against a hand-written floor, pydantic-ai and openai-agents.

Prints the table and writes it into docs/benchmarks.md. The peers are installed by pip into an environment of their
own (.local/bench-venv); without them (no network) the table has our columns only."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bench.agents.measuring import SCENARIOS, import_cost

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
VENV = ROOT / ".local" / "bench-venv"
PEERS = {
    "pydantic-ai": ("pydantic-ai-slim", "peer_pydantic_ai.py", "pydantic_ai"),
    "openai-agents": ("openai-agents", "peer_openai_agents.py", "agents"),
}
TARGETS = {
    "no tool": 40,
    "one call": 120,
    "20 parallel": 600,
    "chain of 20": 2000,
    "growth": 1.1,
    "import ms": 100,
}
BEGIN, END = "<!-- agent loop: begin (python -m tests.bench.agents) -->", "<!-- agent loop: end -->"
Medians = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300, help="runs of each scenario a round (default: 300)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the best counts (default: 3)")
    parser.add_argument("--no-peers", action="store_true", help="do not install and measure other frameworks")
    parser.add_argument("--no-docs", action="store_true", help="do not write docs/benchmarks.md")
    options = parser.parse_args()
    commands = {
        "floor": [sys.executable, "-m", "tests.bench.agents.floor"],
        "GeoAgent": [sys.executable, "-m", "tests.bench.agents.ours"],
    }
    python = None if options.no_peers else _environment()
    if python is not None:
        commands |= {name: [python, "-P", str(HERE / script)] for name, (_, script, _) in PEERS.items()}
    columns = _rounds(commands, options.rounds, options.runs)
    columns["GeoAgent"].update(import_cost(sys.executable, "agents.core", path=str(ROOT)))
    versions: dict[str, str] = {}
    if python is not None:
        for name, (package, _, module) in PEERS.items():
            columns[name].update(import_cost(python, module))
            versions[name] = _version(python, package)
    text = _table(columns, versions)
    print(text)
    if not options.no_docs:
        _write(text)


def _rounds(commands: dict[str, list[str]], rounds: int, runs: int) -> dict[str, Medians]:
    """The best median of several rounds in which everyone has a turn, so that a busy moment hits no one alone."""
    found: dict[str, list[Medians]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            # Others take a hundred times as long, so they run less often.
            found[name].append(
                _measured(command, runs if name in ("floor", "GeoAgent") else max(runs // 10, 10))
            )
    return {
        name: {
            key: (statistics.median if key == "growth" else min)(one[key] for one in medians)
            for key in medians[0]
        }
        for name, medians in found.items()
    }


def _measured(command: list[str], runs: int) -> Medians:
    done = subprocess.run([*command, str(runs)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    medians: Medians = json.loads(done.stdout.strip().splitlines()[-1])
    return medians


def _environment() -> str | None:
    """The peers' interpreter, installed if need be; None where they cannot be had."""
    python = VENV / "bin" / "python"
    packages = [package for package, _, _ in PEERS.values()]
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        known = subprocess.run([str(python), "-m", "pip", "show", "-q", *packages], capture_output=True)
        if known.returncode or b"not found" in known.stderr:
            subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(
            f"The other frameworks could not be installed ({error}); only GeoAgent is measured.",
            file=sys.stderr,
        )
        return None
    return str(python)


def _version(python: str, package: str) -> str:
    code = f"import importlib.metadata; print(importlib.metadata.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _table(columns: dict[str, Medians], versions: dict[str, str]) -> str:
    """Our microseconds, and everyone else's as a multiple of ours."""
    ours, floor = columns["GeoAgent"], columns["floor"]
    peers = [name for name in columns if name not in ("GeoAgent", "floor")]
    heads = [
        "",
        "GeoAgent",
        "target",
        "of the floor",
        *(f"{name} {versions.get(name, '')}" for name in peers),
    ]
    lines = [_row(heads), _row(["---"] + ["---:"] * (len(heads) - 1))]
    for name in SCENARIOS:
        lines.append(_row([name, f"{ours[name]:,.0f} µs", *_rest(name, ours, floor, columns, peers)]))
    growth = [f"{columns[name]['growth']:.2f}" for name in peers]
    lines.append(
        _row(
            [
                "time of a step, 21-40 over 1-20",
                f"{ours['growth']:.2f}",
                "1.1",
                f"{floor['growth']:.2f}",
                *growth,
            ]
        )
    )
    for name, unit, digits in (("import ms", "ms", 0), ("import MB", "MB", 1)):
        label = "import" if unit == "ms" else "resident memory of the import"
        lines.append(
            _row([label, f"{ours[name]:,.{digits}f} {unit}", *_rest(name, ours, floor, columns, peers)])
        )
    for name in ours:
        if name.startswith("enum"):
            target = {"same tuple": "5", "changed": "100"}.get(
                name.rpartition(", the ")[2].rpartition(", ")[2], ""
            )
            others = (
                f"x {columns[peer][name] / ours[name]:,.1f}" if name in columns[peer] else ""
                for peer in peers
            )
            lines.append(_row([name, f"{ours[name]:,.1f} µs", target, "", *others]))
    return "\n".join(lines)


def _rest(
    name: str, ours: Medians, floor: Medians, columns: dict[str, Medians], peers: list[str]
) -> list[str]:
    target = f"{TARGETS[name]:,}" if name in TARGETS else ""
    of_floor = f"x {ours[name] / floor[name]:,.1f}" if name in floor else ""
    return [target, of_floor, *(f"x {columns[peer][name] / ours[name]:,.1f}" for peer in peers)]


def _row(cells: list[Any]) -> str:
    return "| " + " | ".join(str(cell).strip() for cell in cells) + " |"


def _write(table: str) -> None:
    path = ROOT / "docs" / "benchmarks.md"
    text = path.read_text() if path.exists() else "# Benchmarks\n"
    section = f"""{BEGIN}
## Agent loop

A whole turn on a model in the same process, so that only the framework's own work is measured: medians of CPU
time, the best of a few rounds, all on one machine ({platform.machine()}, Python {platform.python_version()}).
GeoAgent has hooks of every kind and its telemetry switched on; tracing is off everywhere. "Of the floor" is a multiple
of a loop written by hand for exactly this (parse, check, gather, pair). The other frameworks are multiples of
GeoAgent: x 10 takes ten times as long.

{table}

Run `python -m tests.bench.agents` to measure it again.
{END}"""
    if BEGIN in text:
        head, _, rest = text.partition(BEGIN)
        text = head + section + rest.partition(END)[2]
    else:
        text = text.rstrip() + "\n\n" + section + "\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    main()
