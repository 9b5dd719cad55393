"""Every operation has a test against an independent reference: `@pytest.mark.reference("buffer")` says which."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from server.gis.operations import OPERATIONS

TESTS = Path(__file__).resolve().parents[1] / "integration/operations"


@cache
def marked() -> dict[str, list[ast.AsyncFunctionDef]]:
    """The tests that are marked, by operation."""
    found: dict[str, list[ast.AsyncFunctionDef]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        for test in ast.parse(path.read_text()).body:
            if not isinstance(test, ast.AsyncFunctionDef):
                continue
            for mark in test.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.reference":
                    for name in mark.args:
                        found.setdefault(ast.literal_eval(name), []).append(test)
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_held_against_a_reference(operation: str) -> None:
    """The test runs the operation, and compares what came out."""
    tests = marked().get(operation)
    assert tests, (
        f'no test is marked @pytest.mark.reference("{operation}") (docs/extending.md, Add an operation)'
    )
    for test in tests:
        assert f"'{operation}'" in ast.unparse(test), f"{test.name} does not run {operation}"
        assert any(isinstance(part, ast.Assert) or "_same" in ast.unparse(part) for part in ast.walk(test))


def test_no_mark_names_an_operation_that_is_gone() -> None:
    assert set(marked()) <= set(OPERATIONS)
