"""What labels say of a feature, and which labels are refused."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import Column, Table
from server.gis.errors import GisError
from server.gis.styles.expressions import columns_of, evaluate
from server.gis.styles.labels import label_columns, label_text

TABLE = Table(
    id="data.cities",
    schema_name="data",
    name="cities",
    columns=(
        Column(name="name", kind="text", sql_type="text"),
        Column(name="country (ISO)", kind="text", sql_type="text"),
        Column(name="people", kind="integer", sql_type="bigint"),
        Column(name="share", kind="number", sql_type="double precision"),
        Column(name="founded_year", kind="integer", sql_type="integer"),
        Column(name="{odd}", kind="text", sql_type="text"),
        Column(name="geom", kind="geometry", sql_type="geometry"),
    ),
)
BERLIN = {
    "name": "Berlin",
    "country (ISO)": "DE",
    "people": 3426354,
    "share": 0.0123456,
    "founded_year": 1237,
}


def written(label: str, **changes: Any) -> str:
    """The label of Berlin with other values; None is NULL."""
    properties = {name: value for name, value in {**BERLIN, **changes}.items() if value is not None}
    return str(evaluate(label_text(TABLE, label), properties))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("name", "Berlin"),
        ("{name}", "Berlin"),
        ("{name} ({people} people)", "Berlin (3,426,354 people)"),
        ("{share} of {country (ISO)}", "0.012346 of DE"),
        ("since {founded_year}", "since 1237"),
    ],
)
def test_a_label_is_a_column_or_a_text_with_columns(label: str, text: str) -> None:
    assert written(label) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Berlin (DE, 3,426,354) · 1237 AD"),
        ({"people": None}, "Berlin (DE) · 1237 AD"),
        ({"country (ISO)": None}, "Berlin (3,426,354) · 1237 AD"),
        ({"country (ISO)": None, "people": None}, "Berlin · 1237 AD"),
        ({"founded_year": None}, "Berlin (DE, 3,426,354)"),
        ({"name": None, "people": None}, "(DE) · 1237 AD"),
        (dict.fromkeys(BERLIN), ""),
    ],
)
def test_what_surrounds_a_missing_value_is_left_out(changes: dict[str, None], text: str) -> None:
    assert written("{name} ({country (ISO)}, {people}) · {founded_year} AD", **changes) == text


def test_a_column_with_braces_is_written_by_its_name() -> None:
    assert written("{odd}", **{"{odd}": "strange"}) == "strange"
    assert label_columns(TABLE, "{odd}") == ("{odd}",)


@pytest.mark.parametrize("label", ["nme", "{nme}", "{geom}", "{name", "name}", "{}", "{name} {{people}}"])
def test_labels_that_cannot_be_written_are_refused(label: str) -> None:
    with pytest.raises(GisError):
        label_text(TABLE, label)


def test_tiles_carry_all_columns_of_a_label() -> None:
    label = "{name} ({people}), {share}"
    assert (
        columns_of(label_text(TABLE, label)) == {*label_columns(TABLE, label)} == {"name", "people", "share"}
    )
