"""Tables in answers."""

from __future__ import annotations

from agents.geo.phrases import table_rows


def test_columns_of_numbers_are_aligned_to_the_right() -> None:
    rows = [["Lesotho", 2004.4, 33, None, True], ["Bhutan", None, 4, None, False]]

    text = table_rows(["country", "mean", "count", "note", "coastal"], rows)

    assert text.splitlines()[1] == "| --- | ---: | ---: | --- | --- |"


def test_a_table_without_rows_has_its_names_only() -> None:
    assert table_rows(["a", "b"], []) == "| a | b |\n| --- | --- |"


def test_cells_stay_one_cell_each() -> None:
    rows = [{"a": "x | y\nz", "b": 1}]

    assert table_rows(["a", "b"], rows) == "| a | b |\n| --- | ---: |\n| x \\| y z | 1 |"
