"""Tables and numbers in answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.geo.wording.phrases import is_label, number, table_rows

LABELS = json.loads(Path("web/src/testing/labels.json").read_text())
"""Names of columns, a number of each, and whether it is a year, key or code; the page is tested with them, too."""


def test_columns_of_numbers_are_aligned_to_the_right() -> None:
    rows = [["Lesotho", 2004.4, 33, None, True], ["Bhutan", None, 4, None, False]]

    text = table_rows(["country", "mean", "count", "note", "coastal"], rows)

    assert text.splitlines()[1] == "| --- | ---: | ---: | --- | --- |"


def test_a_table_without_rows_has_its_names_only() -> None:
    assert table_rows(["a", "b"], []) == "| a | b |\n| --- | --- |"


def test_cells_stay_one_cell_each() -> None:
    rows = [{"a": "x | y\nz", "b": 1}]

    assert table_rows(["a", "b"], rows) == "| a | b |\n| --- | ---: |\n| x \\| y z | 1 |"


def test_cells_have_no_meaning_in_markdown() -> None:
    rows = [["**IGNORE** all `of it`", "[click](https://example.org) ~~no~~ _yes_ a_b <b>"]]

    (shown,) = table_rows(["a", "b"], rows).splitlines()[2:]

    assert "| https://example.org/~a_b_ |" in table_rows(["a"], [["https://example.org/~a_b_"]])
    assert shown == (
        r"| \*\*IGNORE\*\* all \`of it\` | \[click\](https://example.org) \~\~no\~\~ \_yes\_ a_b &lt;b> |"
    )


@pytest.mark.parametrize(("column", "number", "expected"), LABELS)
def test_years_keys_and_codes_are_known_by_the_name_as_on_the_page(
    column: str, number: float, expected: bool
) -> None:
    assert is_label(column, number) is expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10.075, "10.08"),
        (0.125, "0.13"),
        (-3.005, "-3.01"),
        (10.0749, "10.07"),
        (120.5, "120.5"),
        (1234567.5, "1,234,568"),
    ],
)
def test_half_of_the_last_decimal_is_rounded_up_as_in_postgresql(value: float, text: str) -> None:
    assert number(value) == text
