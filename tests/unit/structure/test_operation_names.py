"""What the offline language does with an operation's result follows from its traits, and not from its name."""

from __future__ import annotations

import ast
from pathlib import Path

from server.gis.operations import OPERATIONS

OFFLINE = Path(__file__).resolve().parents[3] / "agents" / "offline"


def test_no_code_of_the_language_compares_the_name_of_an_operation() -> None:
    compared = {
        f"{path.relative_to(OFFLINE)}:{node.lineno} {each.value}"
        for path in OFFLINE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        and any("name" in ast.unparse(side) for side in (node.left, *node.comparators))
        for side in (node.left, *node.comparators)
        for each in ast.walk(side)
        if isinstance(each, ast.Constant) and each.value in OPERATIONS
    }
    assert compared == set(), (
        "give the operation a trait instead (docs/architecture.md#what-checks-ask-of-every-change)"
    )
