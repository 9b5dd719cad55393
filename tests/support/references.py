"""What tests of operations declare: `@pytest.mark.reference("corner", request=..., benchmark=...)`.

The marks are read from the source of the tests, so a new operation needs no entry in a list elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "integration/operations"


@dataclass(frozen=True)
class Reference:
    """A test that compares an operation with an independent reference."""

    operation: str
    test: ast.AsyncFunctionDef
    request: tuple[str, dict[str, Any]] | None
    """A request of a user, and the arguments of the operation that it becomes."""
    benchmark: dict[str, Any] | None
    """Arguments with which the operation is measured, on the tables of tests/bench/operations/data.py."""


@cache
def references() -> tuple[Reference, ...]:
    """All of them, in the order of the files."""
    return tuple(
        reference
        for path in sorted(TESTS.glob("test_*.py"))
        for test in ast.parse(path.read_text()).body
        if isinstance(test, ast.AsyncFunctionDef)
        for reference in _of_test(test)
    )


def _of_test(test: ast.AsyncFunctionDef) -> Iterator[Reference]:
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.reference":
            declared = {each.arg: ast.literal_eval(each.value) for each in mark.keywords}
            for name in mark.args:
                yield Reference(
                    ast.literal_eval(name), test, declared.get("request"), declared.get("benchmark")
                )
