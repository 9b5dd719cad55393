"""Tables that a text names are found by the words of the text, whatever number of tables there is."""

import re

import pytest

from agents.provenance.table_words import TableWords, stem


@pytest.mark.parametrize(
    "table",
    ["data.wells_3", 'data."Plan 2024"', 'data."3 zones"', "analysis.near_7", 'data."77"', "data.área_51"],
)
def test_a_table_with_digits_in_its_id_is_found_where_a_text_names_it(table: str) -> None:
    words = set(re.findall(r"\w+", f"It is in {table}, as you said."))
    assert list(TableWords([table, "data.airports", "data.wells_4"]).ids_with_digits(words)) == [table]


def test_the_last_word_of_a_name_is_the_noun_of_its_rows() -> None:
    assert TableWords(["data.bus_stops", 'data."Big Cities"']).stems == {"stop", "citi"}


def test_a_county_is_no_count() -> None:
    assert stem("counties") == stem("county") != stem("count") == stem("counts")
