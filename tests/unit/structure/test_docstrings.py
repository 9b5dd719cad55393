"""Most public functions and classes say what they are for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MAX_SHARE_WITHOUT = 0.05
RULE = "docs/architecture.md#what-checks-ask-of-every-change: public functions, classes and ports have docstrings"


def public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes of a module that other modules may use."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name[0] != "_":
            yield node


def test_few_public_functions_and_classes_have_no_docstring() -> None:
    has_text = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": ast.get_docstring(node) is not None
        for package in ("agents", "server")
        for path in (ROOT / package).rglob("*.py")
        for node in public(ast.parse(path.read_text()))
    }
    without = [name for name, has_one in has_text.items() if not has_one]
    assert len(without) <= MAX_SHARE_WITHOUT * len(has_text), (RULE, without)


def test_every_member_of_a_port_has_a_docstring() -> None:
    """What GeoAgent needs of its host is implemented from these texts alone."""
    ports = [
        node
        for node in ast.parse((ROOT / "agents/ports.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    assert [
        f"{port.name}.{member.name}"
        for port in ports
        for member in port.body
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        and not member.name.startswith("_")
        and ast.get_docstring(member) is None
    ] == [], RULE
