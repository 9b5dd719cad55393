"""What supports a number of an answer, and what stands beside it only."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core import ToolResult
from agents.domain import QueryReceipt
from agents.provenance.linking import link_figures
from agents.provenance.table_words import TableWords
from tests.unit.figures.test_linking import data, only, turn


def test_a_noun_within_a_condition_does_not_name_the_rows() -> None:
    chart = ToolResult(
        "c1", "make_chart",
        data({"table": "data.airports", "rows": 62, "columns": ["continent", "count"], "drawn": [["Europe", 62]]}),
    )  # fmt: skip
    tables = [TableWords(["data.airports", "data.countries"])]
    rows, greatest = link_figures(
        "Here is a chart, of 62 rows where country is Switzerland. Greatest: Europe (62).",
        turn(chart),
        tables=tables,
    )
    assert [(each.source is not None, each.how) for each in (rows, greatest)] == [(True, "stated")] * 2


def test_rows_are_named_by_the_last_noun_of_their_name() -> None:
    listed = ToolResult("c1", "query_features", data({"table": "data.city_facilities", "count": 3}))
    tables = [TableWords(["data.cities", "data.city_facilities"])]
    figure = only(link_figures("3 city facilities where stat is Closed.", turn(listed), tables=tables))
    assert figure.source is not None


@pytest.mark.parametrize(
    ("asked", "text", "result"),
    [
        (
            "median height of the trees",
            "The median height is 16.35 m (258 values, 42 empty).",
            {
                "stats": {
                    "count": 300,
                    "nulls": 42,
                    "distinct": 9,
                    "minimum": 1.5,
                    "median": 16.35,
                    "maximum": 30.5,
                }
            },
        ),
        (
            "Top 4 districts",
            "The 4 districts with the most permits: 6. Several share the last place, so more than 4.",
            {"rows": 6},
        ),
        (
            "the smallest tract",
            "08425-1001 has the smallest `area_sq_mi`: 1.1 sq mi.",
            {"rows": [{"geoid": "08425-1001", "area_sq_mi": 1.1}]},
        ),
        (
            "plants in Africa",
            "12 plants where country is one of 56 values (Algeria, …).",
            {"count": 12, "filter_words": "country is one of 56 values (Algeria, …)"},
        ),
    ],
)
def test_what_is_said_of_a_result_is_found_in_it(asked: str, text: str, result: dict[str, Any]) -> None:
    of_query = QueryReceipt(sql="SELECT 1;", table="data.trees", values=result.get("stats", {}))
    receipts = (of_query.model_dump(mode="json"),) if "stats" in result else ()
    figures = link_figures(
        text, turn(ToolResult("c1", "some_tool", data(result), receipts=receipts), says=asked)
    )
    assert figures
    assert [each.text for each in figures if each.source is None] == []


@pytest.mark.parametrize(
    ("asked", "text", "result"),
    [
        ("inspections after 2023-06-12?", "There are 12 inspections.", {"count": 40}),
        ("airports", "There are 400 airports.", {"count": 37, "filter_words": "population > 400"}),
        (
            "airports",
            "France has 12.",
            {"rows": [{"name": "Germany", "v": ["DE", 12]}, {"name": "France", "v": ["FR", 9]}]},
        ),
    ],
)
def test_numbers_beside_a_claim_do_not_support_it(asked: str, text: str, result: dict[str, Any]) -> None:
    figures = link_figures(text, turn(ToolResult("c1", "some_tool", data(result)), says=asked))
    assert [each.source for each in figures] == [None]


def test_the_length_of_a_list_is_not_the_count_that_a_sentence_states() -> None:
    listed = ToolResult(
        "c1", "query_features", data({"total": 53, "rows": [{"name": f"r{n}"} for n in range(20)]})
    )
    assert only(link_figures("There are 20 rows where it rains.", turn(listed))).how == "likely"
