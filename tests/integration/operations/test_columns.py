"""Changes of columns agree with pandas and shapely, and say what they could not read."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd
import pytest
from geopandas import GeoDataFrame, GeoSeries
from pyproj import Geod
from shapely import LineString, MultiPoint, Point, Polygon, from_wkt

from server.gis.errors import InvalidQuestion, UnknownColumn
from tests.integration.operations.conftest import Answer, Bench

PRICES = ("12", " 7.5 ", "n/a", None, "", "1e3", "1,250", "-0", "12,5", "NaN")
TEXTS = ("  Main  street ", "O'NEILL road", "a-b-c", None, "Zürich Hbf", "x" * 12, "", "100%", "\\d+", "{}")
DATES = (
    "2024-02-29", "2023-02-29", "31.12.1999", "2024-1-5", "2024-01-05T10:30", "2024-01-05 10:30:15.5+02:00",
    "2024-13-01", None, "0000-01-01", "2024-01-05Z",
)  # fmt: skip
SHAPES = (
    Point(7.5, 50.25),
    None,
    LineString([(0, 0), (1, 0), (1, 1)]),
    Polygon([(10, 45), (12, 45), (12, 47), (10, 47)]),
    MultiPoint([(1, 1), (2, 2)]),
    Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]),
    Polygon(),
    Point(179.9, -16),
    Point(-10, 0),
    Point(0, 89),
)


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.list (id int PRIMARY KEY, price text, street text, day text, n float, fid int,"
        " since date, seen timestamptz, kind text, geom geometry(Geometry, 4326))"
    )
    async with bench.database.owner.begin() as connection:
        for number, (price, street, day, shape) in enumerate(zip(PRICES, TEXTS, DATES, SHAPES, strict=True)):
            await connection.exec_driver_sql(
                "INSERT INTO data.list VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ST_GeomFromText($10, 4326))",
                (
                    number, price, street, day, number % 4 + 0.5, number * 10, date(2020, 1 + number, 1),
                    datetime.fromisoformat(f"2021-03-01T{number:02}:00:00+02:00"), "AB"[number % 2],
                    shape.wkt if shape is not None else None,
                ),
            )  # fmt: skip
    await bench.registry.refresh()
    await bench.registry.settle()


async def _changed(bench: Bench, *changes: dict[str, Any], source: str = "data.list") -> Answer:
    answer = await bench.run("columns", source=source, changes=list(changes))
    answer.rows = answer.rows.sort_values("id").reset_index(drop=True) if "id" in answer.rows else answer.rows
    return answer


def _values(rows: GeoDataFrame, name: str) -> list[Any]:
    return [None if pd.isna(value) else value for value in rows[name]]


async def test_columns_are_chosen_renamed_and_ordered_as_pandas_does(bench: Bench) -> None:
    answer = await _changed(
        bench,
        {"function": "keep", "columns": ["price", "id", "n"]},
        {"function": "rename", "column": "n", "name": "amount"},
        {"function": "order", "columns": ["id", "amount"]},
        {"function": "drop", "columns": ["price"]},
        {"function": "constant", "name": "source", "value": "survey"},
    )
    frame = pd.DataFrame({"id": range(10), "amount": [n % 4 + 0.5 for n in range(10)]}).assign(
        source="survey"
    )
    assert list(answer.rows.columns) == ["fid", "id", "amount", "source", "geom"]
    assert answer.rows[["id", "amount", "source"]].to_dict() == frame.to_dict()
    assert answer.receipt.geometry_type == "GEOMETRY"


async def test_a_table_without_geometry_is_left_when_the_geometry_is_dropped(bench: Bench) -> None:
    answer = await _changed(
        bench, {"function": "keep", "columns": ["id"]}, {"function": "drop", "columns": ["geom"]}
    )
    assert list(answer.rows.columns) == ["fid", "id"]
    assert answer.receipt.geometry_type is None


async def test_a_reserved_name_gives_way_and_a_name_that_is_taken_is_refused(bench: Bench) -> None:
    rows = (await _changed(bench, {"function": "rename", "column": "n", "name": "geom"})).rows
    assert {"source_fid", "geom_2"} <= set(rows.columns)
    assert list(rows.source_fid) == [number * 10 for number in range(10)]
    with pytest.raises(InvalidQuestion, match="There is a column 'price' already"):
        await _changed(bench, {"function": "rename", "column": "n", "name": "price"})
    with pytest.raises(UnknownColumn, match="Did you mean 'price'"):
        await _changed(bench, {"function": "trim", "column": "pric"})


@pytest.mark.reference("columns")
async def test_texts_become_numbers_as_pandas_reads_them_and_the_rest_is_counted(bench: Bench) -> None:
    change = {"function": "cast", "column": "price", "to": "number"}
    answer = await bench.run("columns", source="data.list", changes=[change])
    wanted = pd.to_numeric(pd.Series(PRICES).str.strip(), errors="coerce")
    assert _values(answer.rows, "price") == _values(GeoDataFrame({"price": wanted}), "price")
    note = answer.receipt.notes[0]
    assert "4 values of price cannot be read as number" in note
    assert "'n/a' (id 2)" in note
    commas = await _changed(bench, {"function": "cast", "column": "price", "to": "number", "format": ","})
    assert _values(commas.rows, "price")[8] == 12.5
    assert _values(commas.rows, "price")[1] is None


async def test_a_separator_that_does_not_group_digits_is_not_taken_out(bench: Bench) -> None:
    texts = {
        "3.5": None, "1.234": 1234.0, "1.234,5": 1234.5, "1 234 567,25": 1234567.25, "1\u202f234,5": 1234.5,
        "1\u00a0234": 1234.0, "12,34,567": None, "1.5.2020": None, "-7,5": -7.5, "1,5e3": 1500.0, ",5": 0.5, "42": 42.0,
        "1'000": 1000.0, "1,2,3": None, "12.34": None, "0.500": 500.0, "": None,
    }  # fmt: skip
    rows = ", ".join(f"({number}, $x${text}$x$)" for number, text in enumerate(texts))
    await bench.make(
        "CREATE TABLE data.numerals (id int PRIMARY KEY, text text)",
        f"INSERT INTO data.numerals VALUES {rows}",
    )
    change = {"function": "cast", "column": "text", "to": "number", "format": ",", "name": "number"}
    answer = await _changed(bench, change, source="data.numerals")
    assert dict(zip(answer.rows.text, _values(answer.rows, "number"), strict=True)) == texts
    assert any(
        "5 values of text cannot be read as number: '3.5' (id 0)" in note for note in answer.receipt.notes
    )
    change |= {"format": "."}
    answer = await _changed(bench, change, source="data.numerals")
    points = dict(zip(answer.rows.text, _values(answer.rows, "number"), strict=True))
    assert [points[text] for text in ("3.5", "12,34,567", "1,2,3", "1,5e3")] == [3.5, 1234567.0, None, None]


async def test_rows_that_cannot_be_read_are_dropped_or_the_step_is_refused(bench: Bench) -> None:
    cast = {"function": "cast", "column": "price", "to": "integer"}
    answer = await _changed(bench, {**cast, "unreadable": "drop"})
    assert list(answer.rows.id) == [0, 3, 4, 7]
    assert _values(answer.rows, "price") == [12, None, None, 0]
    with pytest.raises(InvalidQuestion, match=r"6 values of price cannot be read as integer: ' 7.5 ' .id 1."):
        await _changed(bench, {**cast, "unreadable": "refuse"})


async def test_dates_are_real_days_in_any_format(bench: Bench) -> None:
    cast = {"function": "cast", "column": "day"}
    iso = (await _changed(bench, {**cast, "to": "timestamp"})).rows
    day = datetime(2024, 1, 5)
    wanted = [
        datetime(2024, 2, 29), None, None, day, day.replace(hour=10, minute=30),
        datetime(2024, 1, 5, 8, 30, 15, 500000), None, None, None, None,
    ]  # fmt: skip
    assert _values(iso, "day") == wanted
    german = await _changed(bench, {**cast, "to": "date", "format": "DD.MM.YYYY", "name": "d"})
    assert _values(german.rows, "d") == [date(1999, 12, 31) if n == 2 else None for n in range(10)]
    assert "8 values of day cannot be read as date" in german.receipt.notes[0]
    percent = await _changed(bench, {**cast, "to": "date", "format": "%d.%m.%Y", "name": "d"})
    assert _values(percent.rows, "d") == _values(german.rows, "d")
    said = await _changed(bench, {"function": "cast", "column": "since", "to": "text", "format": "DD.MM.YY"})
    assert said.rows.since[0] == "01.01.20"
    with pytest.raises(InvalidQuestion, match="cannot be used"):
        await _changed(bench, {**cast, "to": "date", "format": "whenever"})


async def test_numbers_booleans_and_times_become_each_other(bench: Bench) -> None:
    answer = await _changed(
        bench,
        {"function": "cast", "column": "n", "to": "integer", "name": "whole"},
        {"function": "cast", "column": "id", "to": "boolean", "name": "flag"},
        {"function": "cast", "column": "seen", "to": "date", "name": "utc_day"},
        {"function": "cast", "column": "since", "to": "timestamp"},
        {"function": "cast", "column": "n", "to": "text"},
    )
    assert _values(answer.rows, "whole") == [None] * 10
    assert _values(answer.rows, "flag") == [False, True, *[None] * 8]
    assert _values(answer.rows, "utc_day") == [date(2021, 2, 28)] * 2 + [date(2021, 3, 1)] * 8
    assert answer.rows.n[0] == "0.5"
    with pytest.raises(InvalidQuestion, match="cannot become date"):
        await _changed(bench, {"function": "cast", "column": "n", "to": "date"})


async def test_texts_are_changed_as_pandas_changes_them(bench: Bench) -> None:
    street = pd.Series(TEXTS, dtype="object")
    change = {"column": "street"}
    answer = await _changed(
        bench,
        {"function": "trim", **change, "name": "trimmed"},
        {"function": "upper", **change, "name": "upper"},
        {"function": "lower", **change, "name": "lower"},
        {"function": "title", **change, "name": "title"},
        {"function": "replace", **change, "find": "-", "value": "+", "name": "plus"},
        {"function": "replace", **change, "find": "[^a-z]", "value": "", "pattern": True, "name": "letters"},
        {"function": "extract", **change, "find": "([a-z]+)", "name": "word"},
        {"function": "split", **change, "separator": "-", "part": 2, "name": "second"},
        {"function": "concatenate", "columns": ["kind", "id"], "separator": "/", "name": "code"},
        {"function": "pad", "column": "id", "length": 3, "value": "0", "name": "padded"},
        {"function": "pad", **change, "length": 10, "side": "right", "value": ".", "name": "dotted"},
    )
    text = street.str
    wanted = {
        "trimmed": text.strip(),
        "upper": text.upper(),
        "lower": text.lower(),
        "plus": text.replace("-", "+", regex=False),
        "letters": text.replace("[^a-z]", "", regex=True),
        "word": text.extract("([a-z]+)", expand=False),
        "second": text.split("-").str[1],
        "dotted": text.ljust(10, "."),
    }
    for name, values in wanted.items():
        assert _values(answer.rows, name) == _values(pd.DataFrame({name: values}), name), name
    assert _values(answer.rows, "title")[:2] == ["  Main  Street ", "O'Neill Road"]
    assert list(answer.rows.code) == [f"{'AB'[n % 2]}/{n}" for n in range(10)]
    assert list(answer.rows.padded) == [f"{n:03}" for n in range(10)]


async def test_values_are_filled_mapped_and_chosen(bench: Bench) -> None:
    answer = await _changed(
        bench,
        {"function": "fill", "column": "price", "value": "0"},
        {"function": "map", "column": "kind", "values": {"A": "first"}},
        {"function": "map", "column": "id", "values": {"0": 1.5}, "otherwise": 0, "name": "weight"},
        {
            "function": "case",
            "name": "size",
            "cases": [{"when": "id < 2", "then": 1}, {"when": "n > 2", "then": 2}],
            "otherwise": 3,
        },
    )
    assert [value for value, was in zip(answer.rows.price, PRICES, strict=True) if not was] == ["0", "0"]
    assert list(answer.rows.kind) == ["first", "B"] * 5
    assert list(answer.rows.weight) == [1.5, *[0.0] * 9]
    assert list(answer.rows["size"]) == [1, 1, 2, 2, 3, 3, 2, 2, 3, 3]
    assert "2 missing values of price were filled." in answer.receipt.notes
    assert "5 values of kind were not in the map: left as before." in answer.receipt.notes
    with pytest.raises(InvalidQuestion, match="does not fit"):
        await _changed(bench, {"function": "fill", "column": "n", "value": "nothing"})


async def test_parts_and_differences_of_dates_are_those_of_pandas(bench: Bench) -> None:
    parts = ("year", "quarter", "month", "week", "day", "day_of_year")
    answer = await _changed(
        bench,
        *({"function": "date_part", "column": "since", "part": part, "name": f"{part}_of"} for part in parts),
        {"function": "date_part", "column": "since", "part": "weekday", "name": "weekday"},
        {"function": "date_part", "column": "seen", "part": "hour", "name": "hour"},
        {"function": "date_difference", "column": "since", "other": "seen", "unit": "days", "name": "days"},
        {
            "function": "date_difference",
            "column": "since",
            "other": "seen",
            "unit": "months",
            "name": "months",
        },
    )
    since = pd.Series(pd.to_datetime([f"2020-{1 + n:02}-01" for n in range(10)]))
    seen = pd.to_datetime("2021-02-28 22:00") + pd.to_timedelta(pd.Series(range(10)), unit="h")
    for part in parts:
        wanted = (
            since.dt.isocalendar().week if part == "week" else getattr(since.dt, part.replace("_", ""), None)
        )
        if wanted is None:
            wanted = since.dt.day_of_year
        assert list(answer.rows[f"{part}_of"]) == list(wanted), part
    assert list(answer.rows.weekday) == list(since.dt.isocalendar().day)
    assert list(answer.rows.hour) == list(seen.dt.hour)
    assert [note for note in answer.receipt.notes if "UTC" in note] == [
        "Times of seen have a zone and were read in UTC, where the day may differ from the local one."
    ]
    assert list(answer.rows.days) == pytest.approx(list((seen - since).dt.total_seconds() / 86400))
    assert answer.rows.months[0] == 13
    with pytest.raises(InvalidQuestion, match="Cast it to date"):
        await _changed(bench, {"function": "date_part", "column": "day", "part": "year", "name": "y"})


async def test_a_value_of_a_result_is_named_by_the_key_of_its_first_table(bench: Bench) -> None:
    cast = {"function": "cast", "column": "price", "to": "number"}
    known = await _changed(bench, {"function": "rename", "column": "street", "name": "road"})
    notes = (await _changed(bench, cast, source=known.table)).receipt.notes
    assert "(id " in notes[0]
    assert "(fid " not in notes[0]
    nameless = await bench.run(
        "columns", source="data.list", changes=[{"function": "keep", "columns": ["price"]}]
    )
    notes = (await _changed(bench, cast, source=nameless.table)).receipt.notes
    assert "(row " in notes[0]


async def test_ranks_and_row_numbers_are_those_of_pandas(bench: Bench) -> None:
    answer = await _changed(
        bench,
        {"function": "rank", "columns": ["n"], "descending": True, "name": "rank"},
        {"function": "rank", "columns": ["n"], "within": ["kind"], "name": "rank_of_kind"},
        {"function": "number_rows", "columns": ["n"], "name": "number"},
    )
    frame = pd.DataFrame({"n": [number % 4 + 0.5 for number in range(10)], "kind": ["A", "B"] * 5})
    assert list(answer.rows["rank"]) == list(frame.n.rank(method="min", ascending=False).astype(int))
    of_kind = frame.groupby("kind").n.rank(method="min").astype(int)
    assert list(answer.rows.rank_of_kind) == list(of_kind)
    assert list(answer.rows.number) == list(frame.n.rank(method="first").astype(int))
    with pytest.raises(InvalidQuestion, match="in a separate step"):
        await _changed(
            bench,
            {"function": "rank", "columns": ["n"], "name": "rank"},
            {"function": "cast", "column": "rank", "to": "text"},
        )


async def test_facts_of_geometries_are_those_of_shapely(bench: Bench) -> None:
    facts = (
        "xmin", "ymin", "xmax", "ymax", "type", "parts", "points", "is_empty", "is_valid", "wkt", "area_m2",
    )  # fmt: skip
    rows = (await _changed(bench, *({"function": "geometry", "fact": each} for each in facts))).rows
    shapes = GeoSeries(list(SHAPES), crs=4326)
    boxes = shapes.bounds
    for name, other in (("x_min", "minx"), ("y_min", "miny"), ("x_max", "maxx"), ("y_max", "maxy")):
        assert _values(rows, name) == _values(GeoDataFrame({name: boxes[other]}), name)
    there = [n for n, shape in enumerate(SHAPES) if shape is not None]
    for n in there:
        shape = SHAPES[n]
        assert rows.type[n] == shape.geom_type.upper()
        assert rows.is_valid[n] == shape.is_valid
        assert rows.is_empty[n] == shape.is_empty
        assert from_wkt(rows.wkt[n]).equals(shape)
    assert rows.parts[4] == 2
    assert rows.points[3] == 5
    area = abs(Geod(ellps="WGS84").geometry_area_perimeter(SHAPES[3])[0])
    assert rows.area_m2[3] == pytest.approx(area, rel=1e-6)
    assert pd.isna(rows.wkt[1])


async def test_coordinates_are_in_the_system_that_is_asked_for(bench: Bench) -> None:
    answer = await _changed(
        bench,
        {"function": "geometry", "fact": "x", "srid": 3035},
        {"function": "geometry", "fact": "lon"},
        {"function": "geometry", "fact": "lat", "name": "latitude"},
    )
    moved = GeoSeries([SHAPES[0]], crs=4326).to_crs(3035)
    assert answer.rows.x[0] == pytest.approx(moved.x[0], abs=1e-3)
    assert (answer.rows.lon[0], answer.rows.latitude[0]) == (7.5, 50.25)
    assert answer.rows.lon[3] == pytest.approx(SHAPES[3].centroid.x, abs=1e-4)
    assert pd.isna(answer.rows.x[7])
    assert "outside of the area of use of EPSG:3035" in answer.receipt.notes[0]
    with pytest.raises(InvalidQuestion, match="knows no reference system"):
        await _changed(bench, {"function": "geometry", "fact": "x", "srid": 999})


async def test_coordinates_in_a_projected_system_are_those_of_its_plane(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.grid_mixed (id int PRIMARY KEY, geom geometry(Geometry, 27700))",
        "INSERT INTO data.grid_mixed VALUES (0, 'SRID=27700;POINT(375000.123456 164000.5)'),"
        " (1, 'SRID=27700;POLYGON((375000 164000, 375100 164000, 375100 164100, 375000 164000))'),"
        " (2, 'SRID=27700;POLYGON((0 0, 600000 0, 600000 600000, 0 0))')",
    )
    facts = [{"function": "geometry", "fact": each} for each in ("x", "y")]
    rows = (await bench.run("columns", source="data.grid_mixed", changes=facts)).rows
    assert (rows.x[0], rows.y[0]) == (375000.123456, 164000.5)
    assert (rows.x[1], rows.y[1]) == pytest.approx((375000 + 200 / 3, 164000 + 100 / 3), abs=1e-6)
    assert (rows.x[2], rows.y[2]) == pytest.approx((400_000, 200_000), abs=2_000)
    centres = (await bench.run("centroid", source="data.grid_mixed")).rows.geom
    assert [(each.x, each.y) for each in centres] == list(zip(rows.x, rows.y, strict=True))


async def test_changes_follow_each_other_and_are_computed_once(bench: Bench) -> None:
    changes = [
        {"function": "trim", "column": "street"},
        {"function": "replace", "column": "street", "find": " +", "value": " ", "pattern": True},
        {"function": "upper", "column": "street"},
        *(
            {"function": "replace", "column": "street", "find": letter, "value": letter * 2}
            for letter in "ABCDEFGH"
        ),
        {"function": "split", "column": "street", "separator": " ", "part": 1, "name": "first"},
        {"function": "rename", "column": "first", "name": "FIRST"},
    ]
    answer = await _changed(bench, *changes)
    assert answer.rows.FIRST[0] == "MAAIN"
    assert len(answer.receipt.sql) < 20_000


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"function": "rename", "column": "n"}, "rename needs name"),
        (
            {"function": "split", "column": "day", "separator": "-", "part": "year", "name": "y"},
            "split takes part",
        ),
        ({"function": "date_part", "column": "since", "part": 1, "name": "y"}, "date_part takes one of"),
        ({"function": "melt"}, "function"),
        ({"function": "extract", "column": "day", "find": "(", "name": "y"}, "pattern cannot be read"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused(bench: Bench, change: Any, told: str) -> None:
    with pytest.raises((InvalidQuestion, UnknownColumn, Exception), match=told):
        await _changed(bench, change)
