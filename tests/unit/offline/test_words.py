"""The smallest pieces of the language: tokens, numbers, units, singulars, names of columns."""

from __future__ import annotations

import pytest

from agents.domain import Column, ColumnKind, Table
from agents.geo.wording.phrases import filter_words, number
from agents.offline.language.conditions.times.days import take_day
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.names.columns import columns_called
from agents.offline.language.nouns import take_quantity
from agents.offline.language.tokens import tokenize
from agents.offline.language.words import fold, misspelt, name_words, naming_places, plural, singular
from agents.offline.meaning.columns import holds_years
from agents.offline.meaning.units import column_unit, convert, unit_named
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.offline.chatting import both, empty, like, no, where, within


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("2000 m", 2000, "m"),
        ("2000m", 2000, "m"),
        ("2 km", 2, "km"),
        ("6,500 ft", 6500, "ft"),
        ("1,234,567", 1234567, None),
        ("1.5 million", 1.5e6, None),
        ("1.5M", 1.5e6, None),
        ("1.5m", 1.5, "m"),
        ("100k", 1e5, None),
        ("2bn", 2e9, None),
        ("half a million people", 5e5, "people"),
        ("a million", 1e6, None),
        ("ten thousand", 1e4, None),
        ("-20", -20, None),
        ("1e3 metres", 1000, "m"),
        ("5%", 5, "%"),
        ("12 square kilometres", 12, "km²"),
        ("300 people per km2", 300, "people/km²"),
        ("$5", 5, "$"),
    ],
)
def test_numbers_are_read_with_magnitude_and_unit(text: str, value: float, unit: str | None) -> None:
    cursor = Cursor(tokenize(text))
    quantity = take_quantity(cursor)
    assert quantity is not None
    assert cursor.done
    assert quantity.value == value
    assert (quantity.unit.symbol if quantity.unit else None) == unit


@pytest.mark.parametrize(
    "address", ["https://data.example.org:8080/zone=1/a.parquet", "s3://pings/open-2024/"]
)
def test_an_address_is_one_token_without_the_sign_that_ends_a_sentence(address: str) -> None:
    tokens = tokenize(f"add the dataset {address} as pings, or {address}.")
    assert [token.text for token in tokens if token.kind == "string"] == [address, address]
    assert tokens[-1].text == "."


@pytest.mark.parametrize("text", ["m", "Berlin", "-", "million", ""])
def test_what_is_no_number_stays_where_it_is(text: str) -> None:
    cursor = Cursor(tokenize(text))
    assert take_quantity(cursor) is None
    assert cursor.at == 0


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2019-05-01", "2019-05-01"),
        ("1 May 2019", "2019-05-01"),
        ("May 2019", "2019-05"),
        ("the 1980s", "1980s"),
        ("1985s", None),
        ("2019-13-01", None),
        ("31 February 2019", None),
        ("2019", None),
    ],
)
def test_dates_are_real_days_months_or_decades(text: str, day: str | None) -> None:
    found = take_day(Cursor(tokenize(text)))
    assert (found.text if found else None) == day


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("red", "red"),
        ("Dark Green", "darkgreen"),
        ("#FF8800", "#ff8800"),
        ("#f80", "#f80"),
        ("#12", None),
        ("peru", None),
    ],
)
def test_colours_are_those_of_css(text: str, color: str | None) -> None:
    assert take_colour(Cursor(tokenize(text))) == color


@pytest.mark.parametrize(
    ("name", "comment", "kind", "unit"),
    [
        ("elevation_m", None, "number", "m"),
        ("elevation_ft", "whatever in metres", "number", "ft"),
        ("area_km2", None, "number", "km²"),
        ("height", "Height above ground in feet", "number", "ft"),
        ("area", "Land area in square kilometres", "number", "km²"),
        ("pop", "Number of inhabitants", "integer", "people"),
        ("density", "Inhabitants per square kilometre", "number", "people/km²"),
        ("m", None, "number", None),
        ("name", "in metres", "text", None),
        ("score", "How good it is, in all", "number", None),
        ("age_yrs", None, "integer", "years"),
        ("mean_stock_vfm_ha", None, "number", None),
    ],
)
def test_the_unit_of_a_column_comes_from_its_name_or_its_comment(
    name: str, comment: str | None, kind: ColumnKind, unit: str | None
) -> None:
    found = column_unit(Column(name=name, kind=kind, sql_type="x", comment=comment))
    assert (found.symbol if found else None) == unit


def test_conversion_is_exact_where_it_can_be() -> None:
    feet, metres, kilometres = (unit_named(name) for name in ("feet", "m", "km"))
    assert feet is not None
    assert metres is not None
    assert kilometres is not None
    assert convert(2, kilometres[0], metres[0]) == 2000
    assert convert(1000, feet[0], metres[0]) == 304.8
    assert convert(0.1, kilometres[0], metres[0]) == 100


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("airports", "airport"),
        ("cities", "city"),
        ("boxes", "box"),
        ("churches", "church"),
        ("bus", "bus"),
        ("people", "person"),
        ("glass", "glass"),
        ("this", "this"),
        ("species", "species"),
    ],
)
def test_singulars(several: str, one: str) -> None:
    assert singular(several) == one


@pytest.mark.parametrize(
    ("one", "several"),
    [("country", "countries"), ("city district", "city districts"), ("bus", "buses"), ("day", "days"),
     ("church", "churches"), ("airports", "airports"), ("sheep", "sheep")],
)  # fmt: skip
def test_plurals(one: str, several: str) -> None:
    assert plural(one) == several


def test_names_come_apart_at_every_seam() -> None:
    assert name_words("busStops_2024") == ("bus", "stop", "2024")
    assert name_words("data.airports") == ("data", "airport")
    assert name_words("Straßen-Namen") == ("strasse", "namen")
    assert fold("Côte d’Ivoire") == "cote d’ivoire"


def test_a_typing_mistake_counts_only_if_there_is_no_doubt() -> None:
    words = ["airport", "city", "country", "airline"]
    assert misspelt("airprot", words) == "airport"
    assert misspelt("aiport", words) == "airport"
    assert misspelt("hospital", words) is None
    assert misspelt("air", words) is None


@pytest.mark.parametrize(
    ("sentence", "columns"),
    [
        (("elevation",), ["elevation_m", "elevation_ft"]),
        (("elevation", "ft"), ["elevation_ft"]),
        (("country",), ["country"]),
        (("height",), ["elevation_m", "elevation_ft"]),
        (("banana",), []),
    ],
)
def test_columns_are_found_by_name_part_and_measure(sentence: tuple[str, ...], columns: list[str]) -> None:
    assert columns_called([AIRPORTS[0]], sentence) == columns


@pytest.mark.parametrize(
    ("sentence", "columns"),
    [
        (("median", "income"), ["med_income_usd"]),
        (("well", "number"), ["well_no"]),
        (("well", "depth"), ["depth_ft"]),
        (("trunk", "diameter"), ["trunk_cm"]),
        (("speed", "limit"), ["speed_kmh"]),
        (("district",), []),
        (("speed", "diameter"), []),
    ],
)
def test_a_column_is_found_by_more_words_than_its_name(sentence: tuple[str, ...], columns: list[str]) -> None:
    names = ("med_income_usd", "well_no", "depth_ft", "trunk_cm", "speed_kmh", "dist_km")
    table = Table(
        id="data.wells", schema_name="data", name="wells", row_estimate=1,
        columns=tuple(Column(name=name, kind="number", sql_type="float8") for name in names),
    )  # fmt: skip
    assert columns_called([table], sentence) == columns


def test_the_shortest_name_is_meant() -> None:
    assert columns_called([COUNTRIES[0]], ("person",)) == ["population"]


YEAR_OPENED = {"op": "year", "args": [{"property": "opened"}]}


def _near(shape: dict[str, object], metres: float) -> dict[str, object]:
    return {"op": "s_dwithin", "args": [{"property": "geom"}, shape, metres]}


@pytest.mark.parametrize(
    ("filter", "words"),
    [
        (where("a", ">", 2000), "a > 2,000"),
        (where("a", "=", "x"), "a is x"),
        (where("opened", "<", 1970), "opened < 1970"),
        (within("year_built", 1970, 1980.0), "year_built between 1970 and 1980"),
        (where("installed", "in", [1970, 12000]), "installed is 1970 or 12,000"),
        (where("id", "=", 1796236), "id is 1796236"),
        (where("fips_code", ">=", 12000), "fips_code ≥ 12000"),
        (where("paid", ">", 12000), "paid > 12,000"),
        ({"op": "=", "args": [YEAR_OPENED, 12000]}, "the year of opened is 12000"),
        ({"op": "=", "args": [YEAR_OPENED, {"property": "built"}]}, "the year of opened is built"),
        ({"op": "=", "args": [YEAR_OPENED, YEAR_OPENED]}, "the year of opened is the year of opened"),
        (no(where("a", "=", "x")), "a is not x"),
        (where("a", "in", ["x", "y", "z"]), "a is x, y or z"),
        (within("a", 1, 2.5), "a between 1 and 2.5"),
        (empty("a"), "a is empty"),
        (no(empty("a")), "a is not empty"),
        (like("a", "%x%"), "a contains x"),
        (like("a", "x%"), "a starts with x"),
        (like("a", "%100\\%%"), "a contains 100%"),
        (
            both(where("a", "=", 1), both(where("b", "=", 2), where("c", "=", 3), op="or")),
            "a is 1 and (b is 2 or c is 3)",
        ),
        (where("t", ">=", {"timestamp": "2016-01-01T00:00:00Z"}), "t ≥ 2016-01-01"),
        (
            {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [0, 0, 1, 1]}]},
            "the position is in the given area",
        ),
        (
            {
                "op": "s_intersects",
                "args": [{"property": "geom"}, {"type": "Point", "coordinates": [1, 2], "name": "Ulm"}],
            },
            "the position is in Ulm",
        ),
        (
            _near({"type": "Point", "coordinates": [16.37, -48.2]}, 1500),
            "the position is within 1.5 km of 48.2° S, 16.37° E",
        ),
        (
            no(_near({"type": "Point", "coordinates": [1, 2]}, 500)),
            "the position is not within 500 m of 2° N, 1° E",
        ),
        (_near({"type": "Point", "coordinates": ["x"]}, 5), "the position is within 5 m of the given area"),
        (
            {"op": "s_intersects", "args": [{"property": "geom"}, {"type": "Point", "coordinates": [1, 2]}]},
            "the shape covers 2° N, 1° E",
        ),
        (
            {
                "op": "s_intersects",
                "args": [
                    {"property": "geom"},
                    {"type": "LineString", "coordinates": [], "name": "the equator"},
                ],
            },
            "the shape meets the equator",
        ),
        (None, ""),
    ],
)
def test_filters_read_as_plain_words(filter: object, words: str) -> None:
    assert filter_words(filter) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7813, "7,813"),
        (1234.5, "1,234.5"),
        (0.004213, "0.00421"),
        (-3.0, "-3"),
        (float("nan"), "nan"),
        (True, "yes"),
        (1e20, "1e+20"),
    ],
)
def test_numbers_have_thousands_separators(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("name", "nouns"),
    [
        ("building_permits", {"permit"}),
        ("fire_stations", {"station"}),
        ("road_segments", {"road", "segment"}),
        ("busStops_2024", {"stop", "2024"}),
        ("hospitals_berlin", {"hospital", "berlin"}),
        ("fire_station", {"fire", "station"}),
        ("airports", {"airport"}),
    ],
)
def test_a_table_is_named_by_its_noun_and_not_by_the_word_before_it(name: str, nouns: set[str]) -> None:
    words = name_words(name)
    assert {words[at] for at in naming_places(name)} == nouns


def test_a_word_made_of_another_one_is_no_typing_mistake() -> None:
    assert misspelt("planted", ["plant", "road"]) is None
    assert misspelt("hosptal", ["hospital", "road"]) == "hospital"


def test_a_capital_at_the_end_belongs_to_the_word_before() -> None:
    assert (name_words("pH"), name_words("pH_value"), name_words("busStops")) == (
        ("ph",), ("ph", "value"), ("bus", "stop"),
    )  # fmt: skip


@pytest.mark.parametrize("words", [("installation", "year"), ("installed",), ("installation", "date")])
def test_a_noun_for_what_was_done_names_its_column(words: tuple[str, ...]) -> None:
    column = Column(name="installed", kind="integer", sql_type="integer", minimum=1921, maximum=2019)
    mains = AIRPORTS[0].model_copy(update={"columns": (*AIRPORTS[0].columns, column)})
    assert columns_called([mains], words) == ["installed"]
    assert columns_called([mains], ("installation",)) == []
    assert holds_years(column)
    assert not holds_years(column.model_copy(update={"maximum": 12_000}))
