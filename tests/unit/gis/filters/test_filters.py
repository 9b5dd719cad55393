"""Filters without a database: what is understood, what is refused and with which words, what SQL comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects.postgresql import asyncpg

from agents.domain import Column, ColumnKind, Table
from server.gis.errors import InvalidFilter, UnknownColumn
from server.gis.filters import MAX_TEXT, compile_filter, normalize, to_text


def column(name: str, kind: ColumnKind, sql_type: str) -> Column:
    return Column(name=name, kind=kind, sql_type=sql_type)


AIRPORTS = Table(
    id="data.airports",
    schema_name="data",
    name="airports",
    columns=(
        column("id", "integer", "integer"),
        column("name", "text", "text"),
        column("elevation_m", "number", "double precision"),
        column("runways", "integer", "smallint"),
        column("is_open", "boolean", "boolean"),
        column("opened", "date", "date"),
        column("updated", "timestamp", "timestamp with time zone"),
        column("codes", "other", "text[]"),
        column("facts", "json", "jsonb"),
        column("select", "text", "text"),
        column('naïve"quote', "text", "character varying(20)"),
        column("geom", "geometry", "geometry(Point,4326)"),
    ),
    key=("id",),
    geometry_column="geom",
    geometry_type="POINT",
    srid=4326,
)

DIALECT = asyncpg.dialect()


def sql(filter: Any) -> tuple[str, dict[str, Any]]:
    compiled = compile_filter(AIRPORTS, filter)
    assert compiled is not None
    statement = compiled.compile(dialect=DIALECT)
    return str(statement), dict(statement.params)


NAME_IS_X = {"op": "=", "args": [{"property": "name"}, "x"]}
HIGH = {"op": ">", "args": [{"property": "elevation_m"}, 2000]}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("elevation_m > 2000", HIGH),
        ("elevation_m > 2000.0", HIGH),
        ('{"op": ">", "args": [{"property": "elevation_m"}, 2000]}', HIGH),
        ({"op": "gt", "args": [{"property": "elevation_m"}, "2000"]}, HIGH),
        ({"op": ">", "args": ["elevation_m", 2000]}, HIGH),
        ({"property": "elevation_m", "op": ">", "value": 2000}, HIGH),
        ({"property": "elevation_m", "operator": ">", "value": 2000}, HIGH),
        ({">": [{"property": "elevation_m"}, 2000]}, HIGH),
        ([HIGH], HIGH),
        ({"and": [HIGH]}, HIGH),
        ({"op": ">", "args": [{"property": "Elevation_M"}, 2000]}, HIGH),
        ({"op": ">", "args": [{"property": "airports.elevation_m"}, 2000]}, HIGH),
        ({"op": ">", "args": [{"property": "properties.elevation_m"}, 2000]}, HIGH),
        ("name == 'x'", NAME_IS_X),
        ('name = "x"', NAME_IS_X),
        ("WHERE name = 'x';", NAME_IS_X),
        ('"select" = "name"', {"op": "=", "args": [{"property": "select"}, {"property": "name"}]}),
        ({"op": "AND", "args": [NAME_IS_X, {"op": "and", "args": [HIGH, NAME_IS_X]}]},
         {"op": "and", "args": [NAME_IS_X, HIGH, NAME_IS_X]}),
        ("name ILIKE 'x%'", {"op": "like", "args": [
            {"op": "casei", "args": [{"property": "name"}]}, {"op": "casei", "args": ["x%"]}]}),
        ({"op": "ilike", "args": [{"property": "name"}, "x%"]}, {"op": "like", "args": [
            {"op": "casei", "args": [{"property": "name"}]}, {"op": "casei", "args": ["x%"]}]}),
        ("lower(name) = 'x'", {"op": "=", "args": [
            {"op": "casei", "args": [{"property": "name"}]}, {"op": "casei", "args": ["x"]}]}),
        ({"op": "in", "args": [{"property": "name"}, "a", "b"]},
         {"op": "in", "args": [{"property": "name"}, ["a", "b"]]}),
        ({"op": "in", "args": ["name", ["a", "b"]]}, {"op": "in", "args": [{"property": "name"}, ["a", "b"]]}),
        ({"op": "not in", "args": [{"property": "name"}, ["a"]]},
         {"op": "not", "args": [{"op": "in", "args": [{"property": "name"}, ["a"]]}]}),
        ({"op": "between", "args": [{"property": "runways"}, [1, 3]]},
         {"op": "between", "args": [{"property": "runways"}, 1, 3]}),
        ({"op": "=", "args": [{"property": "name"}, None]}, {"op": "isNull", "args": [{"property": "name"}]}),
        ("is_open = 'yes'", {"op": "=", "args": [{"property": "is_open"}, True]}),
        ("is_open", {"property": "is_open"}),
        ("opened > '2020-01-02'", {"op": ">", "args": [{"property": "opened"}, {"date": "2020-01-02"}]}),
        ("opened > TIMESTAMP('2020-01-02T23:00:00+05:00')",
         {"op": ">", "args": [{"property": "opened"}, {"date": "2020-01-02"}]}),
        ("updated > '2020-01-02T00:00:00+01:00'",
         {"op": ">", "args": [{"property": "updated"}, {"timestamp": "2020-01-01T23:00:00Z"}]}),
        # As text, which browsers leave as it is.
        ("id = 9007199254740993", {"op": "=", "args": [{"property": "id"}, "9007199254740993"]}),
        ("id in ('9007199254740993', 7)",
         {"op": "in", "args": [{"property": "id"}, ["9007199254740993", 7]]}),
        ({"op": "=", "args": [9007199254740993, 1]}, {"op": "=", "args": [9007199254740993, 1]}),
        ("false", {"op": "=", "args": [0, 1]}),
    ],
)  # fmt: skip
def test_what_people_and_models_write_is_understood(written: Any, meant: Any) -> None:
    assert normalize(AIRPORTS, written) == meant


@pytest.mark.parametrize("nothing", [None, "", "  ", {}, [], "true", "{}"])
def test_no_filter_is_no_condition(nothing: Any) -> None:
    assert normalize(AIRPORTS, nothing) is None
    assert compile_filter(AIRPORTS, nothing) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("elevation_m = 'high'", "'elevation_m' (double precision) is a number, 'high' is not"),
        ("elevation_m = true", "is a number, True is not"),
        ("name > 5", "is text, 5 is not"),
        ("is_open = 'perhaps'", "is true or false, 'perhaps' is neither"),
        ("opened = '2020'", "is a date, '2020' is not. Write it as '2024-12-31'"),
        ("opened = '2020-02-30'", "is a date, '2020-02-30' is not"),
        ("updated > 'noon'", "is a timestamp, 'noon' is not"),
        ("codes = 'x'", "is a list. Compare it with a_contains"),
        ("geom = 'x'", "is a geometry. Compare it with s_intersects"),
        ("facts = 'x'", "cannot be compared"),
        ("elevation_m > 2000 m", "something is wrong near 'm'"),
        ("elevation_m >", "something is wrong at its end"),
        ("elevation_m", "is not one, compare it with something"),
        ("sounds_like(name, 'x')", "There is no operator 'sounds_like'"),
        ({"op": "contains", "args": [{"property": "name"}, "x"]}, "Did you mean"),
        ({"op": "=", "args": [{"property": "name"}]}, "= takes 2 arguments, not 1"),
        ({"op": "=", "args": ["name", "select"]}, "Which of name, select is a column?"),
        ({"op": ">", "args": [{"property": "name"}, None]}, "null can only be asked for with isNull"),
        ({"op": "in", "args": [{"property": "name"}, ["a", None]]}, "Use isNull"),
        ({"op": "in", "args": [{"property": "name"}, []]}, "one at least"),
        ({"op": "like", "args": [{"property": "elevation_m"}, "1%"]}, "is not text"),
        ({"op": "like", "args": [{"property": "name"}, "x\\"]}, "single backslash"),
        ({"op": "=", "args": [{"property": "name"}, "\x00"]}, "no database text can hold"),
        ({"op": "=", "args": [{"property": "name"}, "\ud800"]}, "no database text can hold"),
        ({"op": "=", "args": [{"property": "name"}, "x" * 10_001]}, "at most 10,000"),
        ({"op": ">", "args": [{"property": "elevation_m"}, float("nan")]}, "not finite"),
        ({"op": "+", "args": [{"property": "elevation_m"}, 1]}, "compare it with something"),
        ({"op": "s_intersects", "args": [{"property": "name"}, {"bbox": [0, 0, 1, 1]}]}, "takes geometries"),
        ({"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [0, 5, 1, 1]}]}, "south below north"),
        ({"op": "s_intersects", "args": [{"property": "geom"}, {"type": "Point", "coordinates": [0, 100]}]},
         "longitude and latitude"),
        ({"op": "s_intersects", "args": [{"property": "geom"}, {"type": "Point", "coordinates": ["a", 1]}]},
         "not a valid GeoJSON geometry"),
        ({"op": "s_intersects", "args": [{"bbox": [0, 0, 1, 1]}, {"bbox": [0, 0, 1, 1]}]}, "geometry column"),
        ({"op": "t_during", "args": [{"property": "updated"}, {"interval": ["2021-01-01", "2020-01-01"]}]},
         "before it starts"),
        ({"op": "t_after", "args": [{"property": "name"}, {"date": "2020-01-01"}]}, "dates and times"),
        ({"something": "else"}, "is not CQL2"),
        ("{not json", "neither CQL2 JSON nor CQL2 text"),
        (7, "A filter is made of conditions"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_would_be_right(wrong: Any, words: str) -> None:
    with pytest.raises(InvalidFilter) as refused:
        normalize(AIRPORTS, wrong)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 2_000


def test_an_unknown_column_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(UnknownColumn) as refused:
        normalize(AIRPORTS, "elevation > 5")
    assert "has no column 'elevation'. Did you mean 'elevation_m'" in str(refused.value)
    assert "id, name, elevation_m" in str(refused.value)


@given(
    value=st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
)
@settings(max_examples=200)
def test_a_text_is_a_parameter_and_never_part_of_the_statement(value: str) -> None:
    marked = f"«{value}»"
    for filter in (
        {"op": "=", "args": [{"property": "name"}, marked]},
        {"op": "like", "args": [{"op": "casei", "args": [{"property": "name"}]}, f"{marked}%"]},
        {"op": "a_contains", "args": [{"property": "codes"}, [marked]]},
        {"op": "in", "args": [{"property": 'naïve"quote'}, [marked]]},
    ):
        statement, parameters = sql(filter)
        assert "«" not in statement
        assert any("«" in str(each) for each in parameters.values())
        canonical = normalize(AIRPORTS, filter)
        assert canonical is not None
        assert normalize(AIRPORTS, to_text(canonical)) == canonical


def test_every_name_is_quoted() -> None:
    statement, _ = sql({"op": "=", "args": [{"property": 'naïve"quote'}, {"property": "select"}]})
    assert statement == '"data"."airports"."naïve""quote" = "data"."airports"."select"'


def test_a_column_is_compared_as_it_is_so_that_its_index_serves() -> None:
    statement, parameters = sql("updated <= DATE('2024-12-31') AND runways = 2")
    assert '"updated" < $1::TIMESTAMP WITH TIME ZONE' in statement
    assert '"runways" = $2::BIGINT' in statement
    assert sorted(str(each) for each in parameters.values()) == ["2", "2025-01-01 00:00:00+00:00"]


def test_a_box_or_polygon_across_the_antimeridian_is_cut_there() -> None:
    across = {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [170, -20, -170, 0]}]}
    assert normalize(AIRPORTS, across) == across
    drawn = {"type": "Polygon", "coordinates": [[[170, 0], [190, 0], [190, 10], [170, 10], [170, 0]]]}
    found = normalize(AIRPORTS, {"op": "s_within", "args": [{"property": "geometry"}, drawn]})
    assert found is not None
    assert found["args"][0] == {"property": "geom"}
    longitudes = {point[0] for part in found["args"][1]["coordinates"] for point in part[0]}
    assert longitudes == {170, 180, -180, -170}


def _nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = HIGH
    for _ in range(depth):
        node = {"op": "not", "args": [node]}
    return node


@pytest.mark.parametrize(
    "bomb",
    [
        _nested(500),
        {"op": "and", "args": [HIGH] * 6_000},
        {"op": "in", "args": [{"property": "runways"}, list(range(1_001))]},
        "elevation_m > 1" + " AND elevation_m > 1" * 600,
        "x" * (MAX_TEXT + 1),
        '{"op": "not", "args": [' * 5_000,
    ],
)
def test_too_much_is_refused_quickly(bomb: Any) -> None:
    with pytest.raises(InvalidFilter):
        normalize(AIRPORTS, bomb)


HOSTILE = [
    "(" * 4_000 + "runways=1" + ")" * 4_000,
    "not " * 2_400 + "is_open",
    "runways=" + "-" * 9_900 + "1",
    "runways=1" + "+1" * 4_900,
    "runways" + "=runways" * 1_200,
    "casei(" * 1_600 + "name" + ")" * 1_600 + "='x'",
    "name" + " like name" * 900,
    "'" + "(" * 9_000,
    '"' + "(" * 9_000,
    "name = 'it\\'" + "(" * 8_000,
    "S_INTERSECTS(geom, " + "GEOMETRYCOLLECTION(" * 500 + "POINT(1 1)" + ")" * 501,
]


def test_hostile_texts_are_refused_and_do_not_end_the_process() -> None:
    """In a process of its own: the parser behind has no limit and would take the whole server along."""
    program = (
        "import json, sys\n"
        "from tests.unit.gis.filters.test_filters import AIRPORTS\n"
        "from server.gis.errors import InvalidFilter\n"
        "from server.gis.filters import normalize\n"
        "for text in json.load(sys.stdin):\n"
        "    try:\n"
        "        normalize(AIRPORTS, text)\n"
        "    except InvalidFilter:\n"
        "        print('refused')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(HOSTILE),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout.split()) == (0, ["refused"] * len(HOSTILE)), ended.stderr


tokens = st.sampled_from(
    ["name", "runways", "(", ")", "'x'", "1", "-", "not", "and", "or", "like", "ilike", "in", "between", "is", "null",
     "=", "<", "*", "^", ",", "casei(", "DATE('2020-01-01')", "s_intersects(", "geom", "POINT(1 1)", '"', "'", "{", "}"]
)  # fmt: skip


@given(text=st.one_of(st.text(max_size=60), st.lists(tokens, max_size=20).map(" ".join)))
@settings(max_examples=500)
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    try:
        found = normalize(AIRPORTS, text)
    except InvalidFilter:
        return
    if found is not None:
        assert normalize(AIRPORTS, to_text(found)) == found


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from(["name", "runways", "geom", "=", "and", "in", "like", "interval", "Point"]),
)  # fmt: skip
keys = st.sampled_from(
    [
        "op",
        "args",
        "property",
        "date",
        "timestamp",
        "interval",
        "bbox",
        "type",
        "coordinates",
        "value",
        "and",
        "x",
    ]
)
trees = st.recursive(
    values,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)


@given(tree=st.dictionaries(keys, trees, max_size=4))
@settings(max_examples=500)
def test_any_json_is_a_filter_or_refused(tree: dict[str, Any]) -> None:
    try:
        compile_filter(AIRPORTS, tree)
    except InvalidFilter:
        return
