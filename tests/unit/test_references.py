"""Every operation has a test against an independent reference: `@pytest.mark.reference("buffer")` says which."""

from __future__ import annotations

import ast

import pytest

from server.gis.operations import OPERATIONS
from tests.support.references import references


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_held_against_a_reference(operation: str) -> None:
    """The test runs the operation, and compares what came out."""
    tests = [each.test for each in references() if each.operation == operation]
    assert tests, (
        f'no test is marked @pytest.mark.reference("{operation}") (docs/extending.md#add-an-operation)'
    )
    for test in tests:
        assert f"'{operation}'" in ast.unparse(test), f"{test.name} does not run {operation}"
        assert any(isinstance(part, ast.Assert) or "_same" in ast.unparse(part) for part in ast.walk(test))


def test_no_mark_names_an_operation_that_is_gone() -> None:
    assert {each.operation for each in references()} <= set(OPERATIONS)
