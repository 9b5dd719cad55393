"""Most public functions and classes, and all members of protocols, say what they are for."""

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


def protocols(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """The protocols of a module, which others implement."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases):
            yield node


def test_every_member_of_a_protocol_has_a_docstring() -> None:
    """What a part needs of another is implemented from these texts alone."""
    assert [
        f"{path.relative_to(ROOT)}:{member.lineno} {protocol.name}.{member.name}"
        for package in ("agents", "server")
        for path in (ROOT / package).rglob("*.py")
        for protocol in protocols(ast.parse(path.read_text()))
        for member in protocol.body
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        and not member.name.startswith("_")
        and ast.get_docstring(member) is None
    ] == [], RULE
