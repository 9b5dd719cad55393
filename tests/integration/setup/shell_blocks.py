"""The shell blocks of the documentation, run in a clone as a reader would type them.

`make` and `geoagent` are looked up in a folder of stand-ins first: what would take minutes, a key or the network is
checked as far as its arguments go (`make` shows what it would do, and a server's settings are read as at its start);
`geoagent eval` runs one case where no choice is given, and looks a choice of built-in cases up. Everything else runs
as it is."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.children import leash

SECONDS = 300
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
CASE = "airports in red"
FILE_CASE = "parcels as GeoPackage"
MAKE = """#!/usr/bin/env bash
set -euo pipefail
{make} --dry-run "$@" >/dev/null
[[ " $* " != *' run '* ]] || ! env | grep -qE '^(GEOAGENT|OPENAI)_' || .venv/bin/python -c '
from agents.models import build
from server.assembly.models import model_settings
from server.extensions import agent_class, own_tools
from server.settings import Settings
settings = Settings()
build(settings.chosen_model, model_settings(settings))
own_tools(settings.tools)
agent_class(settings.agent)'
"""
GEOAGENT = """#!/usr/bin/env bash
set -euo pipefail
case " $* " in
  *' openai:'*) exec .venv/bin/geoagent "$1" --help ;;
  ' eval --suite analyst '*'--only '*) exec .venv/bin/python -c '
import sys
from server.evaluation.analyst.cases import CASES, load
asked = sys.argv[1:]
load(CASES, [value for option, value in zip(asked, asked[1:]) if option == "--only"])' "$@" ;;
  ' eval --suite analyst '*) exec .venv/bin/geoagent "$@" --only '{file_case}' ;;
  ' eval '*'--only '*) exec .venv/bin/python -c '
import sys
from server.evaluation.cases import CASES, load
asked = sys.argv[1:]
load(CASES, [value for option, value in zip(asked, asked[1:]) if option == "--only"])' "$@" ;;
  ' eval '*'--cases '*) exec .venv/bin/geoagent "$@" ;;
  ' eval '*) exec .venv/bin/geoagent "$@" --only '{case}' ;;
  *) exec .venv/bin/geoagent "$@" ;;
esac
"""


def blocks(root: Path) -> Iterator[tuple[str, str]]:
    """`(where, commands)` of each block marked `sh`."""
    for page in (*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))):
        text = page.read_text()
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{page.relative_to(root)}:{line}", found[1]


def stand_ins(folder: Path, make: str) -> Path:
    folder.mkdir()
    geoagent = GEOAGENT.format(case=CASE, file_case=FILE_CASE)
    for name, script in (("make", MAKE.format(make=make)), ("geoagent", geoagent)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return folder


def run(commands: str, clone: Path, stand_in: Path, environment: Mapping[str, str]) -> str:
    """What went wrong; empty if nothing did."""
    path = f"{stand_in}:{clone / '.venv/bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=clone,
        env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        preexec_fn=leash(),
    )
    return f"status {done.returncode}: {done.stderr or done.stdout}" if done.returncode else ""
