"""What refuses a request says so by a template, which other languages have, too: clients show the rest in English."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

from agents.core.errors import ToolSignal
from agents.offline.meaning.scene import Stop
from server.gis.reading.notes import Unreadable
from server.http.errors import HttpFault

ROOT = Path(__file__).resolve().parents[3]
BASES = (ToolSignal, Stop, Unreadable, HttpFault)
ENGLISH = {
    "agents/analyst.py": "a model is told, which calls again",
    "agents/core": "a model is told, which calls again",
    "agents/geo/lake_tools.py": "lake tables are for operators",
    "agents/geo/operation_tools.py": "a model is told, which calls again",
    "server/analysts.py": "a program is told",
    "server/cli": "read in a terminal",
    "server/gis/lake": "lake tables are for operators",
    "server/gis/spark": "Spark is for operators",
    "server/gis/sql": "SQL is written in English",
    "server/gis/tiles": "the page says why tiles are missing",
    "server/http": "only a program sends what the page never does",
    "server/sockets/packets.py": "only a program sends what the page never does",
    "server/sockets/requests.py": "only a program sends what the page never does",
    "server/transfers/lake.py": "lake tables are for operators",
    "server/transfers/staging.py": "only a program sends what the page never does",
}
"""Modules and folders whose texts stay English, and why."""


def test_refusals_are_templates() -> None:
    importlib.import_module("server.app")
    importlib.import_module("server.gis.reading.reader")
    names = {each.__name__ for base in BASES for each in _family(base)}
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno} {ast.unparse(call)[:90]}"
        for folder in ("agents", "server")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(tuple(ENGLISH))
        for call in _calls(path, names)
        if any(_is_sentence(argument) for argument in call.args)
    ]
    assert found == [], "declare a Template beside it, and its Arabic in web/src/i18n/ar/wordings"


def _family(kind: type) -> Iterator[type]:
    yield kind
    for each in kind.__subclasses__():
        yield from _family(each)


def _calls(path: Path, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def _is_sentence(argument: ast.expr) -> bool:
    """Whether it has words of its own, which no template made."""
    if isinstance(argument, ast.JoinedStr):
        return any(isinstance(part, ast.Constant) and " " in str(part.value) for part in argument.values)
    return isinstance(argument, ast.Constant) and " " in str(argument.value)
