"""No module of `agents` or `server` imports itself through others, also not inside functions or under TYPE_CHECKING."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RULE = "move what both need to a third module, or declare a protocol (docs/architecture.md#the-layers)"


def modules_of(package: str) -> dict[str, Path]:
    """Every module of a package by its dotted name; a package by the name of its folder."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str, tree: ast.AST, modules: Mapping[str, object]) -> Iterator[str]:
    """The modules that a module names in import statements anywhere in its text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                target = inner if inner in modules else node.module
                if target in modules and target != name:
                    yield target


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = []
            while True:
                component.append(stack.pop())
                if component[-1] == node:
                    break
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def graph_of(package: str) -> dict[str, set[str]]:
    modules = modules_of(package)
    return {
        name: set(imports_of(name, ast.parse(path.read_text()), modules)) for name, path in modules.items()
    }


@pytest.mark.parametrize("package", ["agents", "server"])
def test_a_package_has_no_import_circle(package: str) -> None:
    assert circles(graph_of(package)) == [], RULE


@pytest.mark.parametrize(
    "importing",
    [
        "from package.other import thing",
        "import package.other",
        "def f():\n    from package import other",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.other import thing",
    ],
)
def test_a_circle_is_found_wherever_the_import_is_written(importing: str) -> None:
    sources = {"package.one": importing, "package.other": "from package.one import f"}
    graph = {name: set(imports_of(name, ast.parse(text), sources)) for name, text in sources.items()}
    assert circles(graph) == [["package.one", "package.other"]]


@pytest.mark.parametrize(
    "module", ["server.large_tables", "server.gis.tiles.service", "server.gis.analysis.runner"]
)
def test_parts_of_the_server_can_be_imported_first(module: str) -> None:
    """Commands of `geoagent` begin in the middle; a package whose `__init__` imports its modules may then go round."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
