"""The division of a server's database connections among its lanes."""

from __future__ import annotations

import pytest

from server import connection_budget
from server.settings import Settings


@pytest.mark.parametrize("total", range(connection_budget.MIN_CONNECTIONS, 60, 7))
@pytest.mark.parametrize("sql", [False, True])
@pytest.mark.parametrize("spark", [False, True])
def test_the_budget_is_spent_and_never_exceeded(total: int, sql: bool, spark: bool) -> None:
    budget = connection_budget.ConnectionBudget.divide(total, sql, spark)
    others = (
        connection_budget.LISTENERS
        + connection_budget.BACKGROUND
        + (connection_budget.SQL_SESSIONS if sql else 0)
        + (connection_budget.LAKE_OVERVIEWS if spark else 0)
    )
    assert sum(budget.lanes.values()) + others == total
    assert min(budget.lanes.values()) >= 1


def test_the_default_budget_is_thirty_and_no_party_can_fill_a_lane() -> None:
    assert Settings().connections == 30
    # A share of a single place would be all of it: one slow export would hold everybody's.
    assert min(connection_budget.ConnectionBudget.divide(30).lanes.values()) >= 2
    assert min(connection_budget.ConnectionBudget.divide(30, sql=True, spark=True).lanes.values()) >= 2
