"""Numbers in prose: every writing of a number is found and means that number; other digits are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.provenance.numerals import numerals

GROUPS = [",", ".", " ", "\u00a0", "\u202f", "'", "’"]
ARABIC = str.maketrans("0123456789,.", "٠١٢٣٤٥٦٧٨٩٬٫")


def grouped(value: int, separator: str) -> str:
    return f"{value:,}".replace(",", separator)


def values(text: str) -> list[float]:
    return [numeral.value for numeral in numerals(text)]


@given(st.integers(0, 10**12), st.sampled_from(GROUPS))
@settings(deadline=None)
def test_a_whole_number_is_read_whatever_groups_its_digits(value: int, separator: str) -> None:
    (numeral,) = numerals(f"There are {grouped(value, separator)} of them.")
    assert numeral.value == value
    assert numeral.text == grouped(value, separator)


@given(
    st.integers(0, 10**9),
    st.integers(0, 99),
    st.sampled_from([(",", "."), (".", ","), (" ", ","), ("’", ".")]),
)
@settings(deadline=None)
def test_decimals_are_read_in_both_conventions(whole: int, cents: int, signs: tuple[str, str]) -> None:
    (numeral,) = numerals(f"It is {grouped(whole, signs[0])}{signs[1]}{cents:02} high")
    assert numeral.value == pytest.approx(whole + cents / 100)
    assert numeral.readings[0].step == pytest.approx(0.01)


@given(st.integers(0, 10**9))
@settings(deadline=None)
def test_digits_of_another_script_are_digits(value: int) -> None:
    assert values(f"هناك {f'{value:,}'.translate(ARABIC)} مطار") == [value]


@given(st.text(max_size=300))
@settings(deadline=None)
def test_any_text_is_read_and_the_places_are_those_of_the_text(text: str) -> None:
    for numeral in numerals(text):
        assert text[numeral.start : numeral.end] == numeral.text
        assert numeral.in_words or any(sign.isdecimal() for sign in numeral.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.5 million people", [2_500_000]),
        ("2,5 Mio. Menschen", [2_500_000]),
        ("1.2bn or 3 Milliarden", [1.2e9, 3e9]),
        ("100k and 2.5M", [100_000, 2_500_000]),
        ("12.3 % and 7%", [12.3, 7]),
        ("12,34,567 rupees", [1_234_567]),
        ("4.2e-05", [4.2e-05]),
        ("-5.5 and −7 m", [-5.5, -7]),
        ("10–20, or 10-20", [10, 20, 10, 20]),
        ("**28,298** airports (479)", [28_298, 479]),
        ("| Lima | 8,852,000 |", [8_852_000]),
        ("There are 5.", [5]),
        ("5km away, €12", [5, 12]),
    ],
)
def test_what_a_writing_means(text: str, expected: list[float]) -> None:
    assert values(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "1. first\n2. second\n10) tenth",
        "## 3. A heading",
        "flight A320, step_1, no-12, x5, 3D, 12th, 4x4, #7",
        "EPSG:4326, SRID 3857, UTM zone 33N, ISO 3166-1, version 2, v1.2.3",
        "on 2024-05-01 at 12:30, or 1.5.2024, updated 2024-05-01T10:00:00Z",
        "`population > 5000` and\n```sql\nSELECT 42\n```",
        "[5 parks](https://example.org/7) at https://example.org/9?x=1",
        "24/7 and 3/4",
        'You could say “rings of 10, 50 and 100 km” or "12 more".',
        "Natural Earth 1:50m, and a map 1:25,000",
        "licensed CC BY 4.0, CC BY-SA 3.0, CC0 1.0 or GPL-3.0",
        "- top 10 cities",
        "&#39;",
    ],
)
def test_digits_that_are_no_quantities(text: str) -> None:
    assert numerals(text) == []


def test_an_ambiguous_writing_has_both_readings_the_likelier_first() -> None:
    (numeral,) = numerals("1.234 m")
    assert [reading.value for reading in numeral.readings if not reading.converted] == [1234, 1.234]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("205 km", 205_000), ("3 km²", 3e6), ("12 %", 0.12), ("10 miles", 16_093.44), ("8 ha", 80_000)],
)
def test_a_unit_adds_what_it_is_in_the_units_of_results(text: str, meant: float) -> None:
    (numeral,) = numerals(text)
    assert pytest.approx(meant) in [reading.value for reading in numeral.readings if reading.converted]


@pytest.mark.parametrize(
    ("text", "is_year"),
    [
        ("In 2015", True),
        ("Census 2011", True),
        ("(1999)", True),
        ("2015 m", False),
        ("has 2015 airports", False),
    ],
)
def test_years_are_recognised_by_their_context(text: str, is_year: bool) -> None:
    assert [numeral.like_year for numeral in numerals(text)] == [is_year]
