"""Refusals and notes are templates, which other languages have, too: clients show the rest in English."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from agents.core.errors import ToolSignal
from agents.offline.meaning.scene import Stop
from server.gis.reading.notes import Unreadable
from server.maps.faults import RequestFault
from server.protocol.export import OF_ALL_TEMPLATES

ROOT = Path(__file__).resolve().parents[3]
BASES = (ToolSignal, Stop, Unreadable, RequestFault)
NOTED = ("note", "notes", "method")
ENGLISH = {
    "agents/analyst.py": "a model is told, which calls again",
    "agents/core": "a model is told, which calls again",
    "agents/geo/operation_tools.py": "a model is told, which calls again",
    "server/analysts.py": "a program is told",
    "server/cli": "read in a terminal",
    "server/gis/sql": "SQL is written in English",
    "server/gis/tiles": "the page says why tiles are missing",
    "server/http": "only programs send that; the page words the code of the fault",
    "server/sockets/packets.py": "only programs send that; the page words the code of the fault",
    "server/sockets/requests.py": "only programs send that; the page words the code of the fault",
    "server/transfers/staging.py": "only programs send that; the page words the code of the fault",
}
"""Modules and folders whose texts stay English, and why."""


def test_refusals_are_templates() -> None:
    for module in (*OF_ALL_TEMPLATES, "server.gis.spark.errors"):
        importlib.import_module(module)
    names = {each.__name__ for base in BASES for each in _family(base)}
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno} {ast.unparse(call)[:90]}"
        for folder in ("agents", "server")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(tuple(ENGLISH))
        for call in _calls(path, names)
        if any(_is_sentence(argument) for argument in call.args)
    ]
    assert found == [], "declare a Template beside it: docs/extending.md#add-a-text-for-people"


def test_notes_are_templates() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno} {ast.unparse(text)[:90]}"
        for folder in ("agents", "server")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(tuple(ENGLISH))
        for text in _notes(path)
        if _is_sentence(text)
    ]
    assert found == [], "declare a Template beside it: docs/extending.md#add-a-text-for-people"


def _notes(path: Path) -> Iterator[ast.expr]:
    """What is given as notes or a method, or added to notes; of a collection, each."""
    for node in ast.walk(ast.parse(path.read_text())):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            given = [each.value for each in node.keywords if each.arg in NOTED]
            to = node.func.value if isinstance(node.func, ast.Attribute) else None
            if to is not None and node.func.attr == "append" and _name(to) in NOTED:  # type: ignore[attr-defined]
                given += node.args
        elif isinstance(node, ast.AugAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            given = [node.value] if any(_name(each) in NOTED for each in targets) else []
        for value in given:
            yield from _each(value)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _each(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.Tuple | ast.List):
        for each in value.elts:
            yield from _each(each)
    elif isinstance(value, ast.IfExp):
        yield from (*_each(value.body), *_each(value.orelse))
    else:
        yield value


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
    parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
    texts = [str(each.value) for each in parts if isinstance(each, ast.Constant)]
    return any(" " in text and re.search("[a-z]{2}", text) for text in texts)
