"""The benchmark of operations forgets none, and its data is the same each time."""

from __future__ import annotations

import numpy as np
import sqlglot

from server.gis.operations import OPERATIONS
from server.gis.operations.support.base import Operation
from tests.bench.operations.case import BY_HAND
from tests.bench.operations.cases import CASES
from tests.bench.operations.data import town


def test_every_operation_is_measured_with_arguments_that_it_takes() -> None:
    assert {case.operation for case in CASES} == set(OPERATIONS), (
        "give benchmark= to the mark `reference` of the operation's test (docs/extending.md#add-an-operation)"
    )
    for case in CASES:
        operation: Operation[object] = OPERATIONS[case.operation]
        operation.arguments.model_validate(case.arguments)
    assert len({case.name for case in CASES}) == len(CASES)


def test_what_is_written_by_hand_belongs_to_a_case_and_ends_with_a_query() -> None:
    assert set(BY_HAND) <= {case.name for case in CASES}
    for case in CASES:
        if case.sql is not None:
            assert isinstance(sqlglot.parse_one(case.sql, read="postgres"), sqlglot.exp.Query)


def test_a_town_of_a_size_is_always_the_same_and_its_parcels_lie_edge_to_edge() -> None:
    one, two = town(900), town(900)
    for name, frame in one.frames.items():
        assert frame.equals(two.frames[name]), name
    parcels = one["parcels"]
    assert len(parcels) == 900
    assert parcels.is_valid.all()
    whole = parcels.union_all()
    assert whole.geom_type == "Polygon"
    assert np.isclose(parcels.area.sum(), whole.area)
